"""A recipe that is given the wrong kind of data, or a layout its system cannot take."""

from __future__ import annotations

import pytest

from kit.data import Group, Table
from kit.data.multiples import Multiple
from kit.errors import KitError
from kit.training import RECIPES, fit, recipe
from kit.training.batches import tokenize_groups
from kit.training.settings import LAYOUTS, LAYOUTS_OF
from tests.tiny import tiny_encoder

# what is no data for a layout, whichever it is
GROUP, TABLE = (
    Group(0, "a dog runs", ("a pet runs", "nobody runs"), (0, 2)),
    Table({"premise": ["a dog"], "hypothesis": ["a pet"]}, None),
)
STRANGE = {
    "one string": "a dog runs",
    "tuples": [("a dog runs", "a pet runs", 0.5, 3)],
    "numbers": [1, 2, 3],
    "a dictionary": {"a dog": 1},
    "a table without labels": TABLE,
    "a mixture": [GROUP, "a dog runs", 3],
    "nothing": [],
}
TEXTS, GROUPS = ["a dog runs", "a cat waits"], [GROUP, Group(1, "a cat waits", ("a pet waits", "no cat"), (0, 2))]
OTHERS = {
    "groups": TEXTS,
    "triplets": TEXTS,
    "pairs": TEXTS,
    "multiples": TEXTS,
    "documents": GROUPS,
    "labelled": TEXTS,
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "those of another layout") for name, r in RECIPES.items() if r.layout in OTHERS),
        *((name, kind) for name, r in RECIPES.items() for kind in STRANGE if r.system not in ("declutr", "pause")),
    ],
)
def test_the_wrong_kind_of_data_is_told_in_one_sentence(tmp_path_factory, name: str, kind: str) -> None:
    made = recipe(name, "smoke")
    data = OTHERS[made.layout] if kind == "those of another layout" else STRANGE[kind]
    encoder = tiny_encoder(tmp_path_factory.getbasetemp() / "tiny-of-recipes", pooling=made.pooling)
    if made.layout == "documents":
        made = made.changed(max_span=20, min_span=4)
    with pytest.raises(KitError, match="expected") as told:
        fit(encoder, made, data, progress=False)
    assert "\n" not in str(told.value) and len(str(told.value)) < 300


@pytest.mark.parametrize(
    ("layout", "data", "sentence"),
    [
        (
            "groups",
            TEXTS,
            r"expected NLI groups for the layout 'groups', but number 0 is the string 'a dog runs': make",
        ),
        ("pairs", [GROUP, "a dog"], r"but number 1 is the string 'a dog', while number 0 is a Group: make them with"),
        ("groups", TABLE, r"expected NLI groups for the layout 'groups', got a Table: make them with group_by_premise"),
        ("triplets", [Multiple("a", ("b",), ("c",), 1, 1)], "expected NLI groups .*, but number 0 is a Multiple"),
        ("twins", [GROUP, "a dog"], "expected NLI groups or a list of sentences .*, but number 1 is the string"),
        (
            "sentences",
            "a dog runs",
            "expected NLI groups or a list of sentences for the layout .*, got the string 'a dog",
        ),
        ("sentences", [3.5], "but number 0 is a float: group_by_premise"),
        (
            "multiples",
            [("a", "b")],
            "expected NLI groups for the layout 'multiples', but number 0 is a tuple: multiples",
        ),
    ],
)
def test_the_sentence_says_what_to_do(tmp_path_factory, layout: str, data: object, sentence: str) -> None:
    encoder = tiny_encoder(tmp_path_factory.getbasetemp() / "tiny-of-recipes")
    with pytest.raises(KitError, match=sentence):
        tokenize_groups(encoder, data, layout)


@pytest.mark.parametrize("name", RECIPES)
def test_a_layout_that_a_system_cannot_take(name: str) -> None:
    system = RECIPES[name].system
    for layout in set(LAYOUTS) - set(LAYOUTS_OF[system]):
        with pytest.raises(KitError, match=f"recipe '{name}': expected a layout of the system '{system}', .*{layout}'"):
            recipe(name, layout=layout)
