"""A recipe that is given the wrong kind of data, or a data format that its objective cannot take."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.data import Group, Table
from kit.data.multiples import Multiple
from kit.errors import KitError
from kit.training import RECIPES, fit, recipe
from kit.training.batches import tokenize_groups
from kit.training.validate_data import ELEMENTS
from tests.tiny import tiny_encoder

GROUP = Group(0, "a dog runs", ("a pet runs", "nobody runs"), (0, 2))
TABLE = Table({"premise": ["a dog"], "hypothesis": ["a pet"]}, None)
TEXTS, GROUPS = ["a dog runs", "a cat waits"], [GROUP, Group(1, "a cat waits", ("a pet waits", "no cat"), (0, 2))]
# what no format takes
STRANGE = {
    "one string": "a dog runs",
    "tuples": [("a dog runs", "a pet runs", 0.5, 3)],
    "numbers": [1, 2, 3],
    "a dictionary": {"a dog": 1},
    "a table without labels": TABLE,
    "a mixture": [GROUP, "a dog runs", 3],
    "nothing": [],
}
# one recipe of each format, and what another format takes (None: it takes both groups and texts)
OF_A_FORMAT = {r.data_format: name for name, r in RECIPES.items()}
OTHERS = dict.fromkeys(("groups", "triplets", "pairs", "multi_positive", "labelled", "scored"), TEXTS) | {
    "documents": GROUPS
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


@pytest.mark.parametrize("data_format", OF_A_FORMAT)
def test_the_wrong_kind_of_data_is_told_in_one_sentence(folder: Path, data_format: str) -> None:
    made = recipe(OF_A_FORMAT[data_format], "smoke")
    if data_format == "documents":
        made = made.changed(max_span=20, min_span=4)
    wrong = dict(STRANGE) if data_format in ELEMENTS else {}
    if data_format in OTHERS:
        wrong["those of another format"] = OTHERS[data_format]
    encoder = tiny_encoder(folder, pooling=made.pooling)
    for kind, data in wrong.items():
        with pytest.raises(KitError, match="expected") as told:
            fit(encoder, made, data, progress=False)
        assert "\n" not in str(told.value) and len(str(told.value)) < 300, kind


def test_the_sentence_says_what_to_do(folder: Path) -> None:
    encoder = tiny_encoder(folder)
    for data_format, data, sentence in (
        ("groups", TEXTS, "expected NLI groups for the format 'groups', but number 0 is the string 'a dog runs': make"),
        ("pairs", [GROUP, "a dog"], "but number 1 is the string 'a dog', while number 0 is a Group: make them with"),
        ("groups", TABLE, "expected NLI groups for the format 'groups', got a Table: make them with group_by_premise"),
        ("triplets", [Multiple("a", ("b",), ("c",), 1, 1)], "expected NLI groups .*, but number 0 is a Multiple"),
        ("self_pairs", [GROUP, "a dog"], "expected NLI groups or a list of sentences .*, but number 1 is the string"),
        ("sentences", "a dog runs", "a list of sentences for the format .*, got the string 'a dog"),
        ("sentences", [3.5], "but number 0 is a float: group_by_premise"),
        ("multi_positive", [("a", "b")], "NLI groups for the format 'multi_positive', but number 0 is a tuple: multi"),
    ):
        with pytest.raises(KitError, match=sentence):
            tokenize_groups(encoder, data, data_format)


def test_a_format_that_an_objective_cannot_take() -> None:
    with pytest.raises(KitError, match="recipe 'scl': expected data_format 'groups' or 'triplets' .*'documents'"):
        recipe("scl", data_format="documents")
    for name, made in RECIPES.items():
        if made.objective.name != "contrast":
            with pytest.raises(KitError, match=f"unknown setting of a {made.objective.name} recipe 'data_format'"):
                recipe(name, data_format="groups")
