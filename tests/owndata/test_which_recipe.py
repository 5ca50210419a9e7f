"""Which recipe fits which data: every kind has one, and the page says what the table says."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from which_recipe_page import which_recipe_page

from kit.encoder import load_encoder
from kit.errors import KitError, KitWarning
from kit.owndata import KINDS, fitted, read, suggest, training_data
from kit.owndata.which_recipe import ADVICE, cost
from kit.training import fit, recipe
from kit.training.trainer import Trainer

ROOT = Path(__file__).resolve().parents[2]
LONG = "word " * 200
OF_A_KIND = {
    "pairs": [{"question": f"what is {i}", "answer": f"it is {i}"} for i in range(4)],
    "triplets": [{"anchor": f"a {i}", "positive": f"b {i}", "negative": f"c {i}"} for i in range(4)],
    "multiples": [{"anchor": f"a {i}", "positives": [f"b {i}", f"d {i}"], "negatives": [f"c {i}"]} for i in range(4)],
    "labelled": [{"s1": f"a {i}", "s2": f"b {i}", "label": ("yes", "no", "-")[i % 3]} for i in range(6)],
    "scored": [{"s1": f"a {i}", "s2": f"b {i}", "score": i} for i in range(4)],
    "classes": [(f"sentence {i}", f"topic {i % 2}") for i in range(4)],
    "sentences": [f"sentence {i}" for i in range(4)],
    "documents": [{"text": f"{LONG}{i}"} for i in range(4)],
}
NLI = [{"premise": "a", "hypothesis": f"{word} {i}", "label": word}
       for i in range(2) for word in ("entailment", "neutral", "contradiction")]  # fmt: skip

CLASSES = ("entailment", "neutral", "contradiction")
NUMBERED = {
    "pairs": lambda i: {"question": f"what is {i}", "answer": f"it is {i}"},
    "pairs of few anchors": lambda i: {"question": f"what is {i % 70}", "answer": f"it is {i}"},
    "triplets": lambda i: {"anchor": f"a {i}", "positive": f"b {i}", "negative": f"c {i}"},
    "triplets of few anchors": lambda i: {"anchor": f"a {i % 70}", "positive": f"b {i}", "negative": f"c {i}"},
    "multiples": lambda i: {
        "anchor": f"a {i}",
        "positives": [f"b {i}", f"d {i}"][: 1 + i % 2],
        "negatives": [f"c {i}"],
    },
    "copies of pairs": lambda i: {"question": f"what is {i % 100}", "answer": f"it is {i % 100}"},
    "several of both": lambda i: {
        "anchor": f"a {i}",
        "positives": [f"b {i}", f"d {i}", f"e {i}"],
        "negatives": [f"c {i}", f"f {i}"],
    },
    "classes": lambda i: {"s1": f"a {i % 70}", "s2": f"b {i}", "label": ("yes", "no")[i % 2]},
    "few labels": lambda i: {"s1": f"a {i}", "s2": f"b {i}", "label": ("yes", "no", "-", "-", "-", "-")[i % 6]},
    "topics": lambda i: {"s1": f"a {i}", "s2": f"b {i}", "label": f"topic {i % 3}"},
    "NLI": lambda i: {"premise": f"a {i % 70}", "hypothesis": f"b {i}", "label": CLASSES[i % 3]},
    "scored": lambda i: {"s1": f"a {i}", "s2": f"b {i}", "score": i % 6},
    "texts with a topic": lambda i: {"text": f"sentence {i}", "topic": f"topic {i % 7 if i else 'alone'}"},
    "sentences": lambda i: f"sentence {i}",
    "documents": lambda i: {"text": f"{LONG * (1 + i % 3)}{i}"},  # those of one LONG are too short
}


def test_every_kind_has_a_recipe_that_can_train_on_it() -> None:
    assert OF_A_KIND.keys() == KINDS.keys()
    for kind, rows in OF_A_KIND.items():
        data = read(rows, "classes" if kind == "classes" else None)
        assert data.kind == kind
        for advice in suggest(data):
            assert training_data(data, recipe(advice.recipe)), (kind, advice.recipe)
            assert f"{advice.recipe}: {advice.when}" in " ".join(str(suggest(data)).split()), kind
        assert [row["recipe"] for row in suggest(data).as_dict()["suggestions"]] == [a.recipe for a in suggest(data)]
    assert [a.recipe for a in suggest(read(NLI))] == ["scl", "mnrl", "pause"]
    few, enough = (suggest(read([NUMBERED["pairs"](i) for i in range(rows)])).remarks for rows in (999, 1000))
    assert few[0].startswith("999 rows are few: ") and enough == []
    (only,) = suggest(read(["a", "b"])).remarks
    assert "collect pairs" in only and "validation" not in only


def test_the_cost_is_the_steps_that_a_training_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """For rows of every kind, those of one anchor together and apart, and every recipe that is suggested."""
    encoder, taken = load_encoder("kit-bert-tiny"), []
    monkeypatch.setattr(Trainer, "step", lambda self: taken.append(self.steps) or {"loss": 0.0, "rows": 1})
    many = {name: [by_number(i) for i in range(300)] for name, by_number in NUMBERED.items()}
    seen = set()
    for name, rows in many.items():
        data = read(rows, "classes" if name == "texts with a topic" else None)
        for advice in suggest(data):
            seen.add(advice.recipe)
            settings, _ = fitted(recipe(advice.recipe, "laptop"), data)
            fit(encoder, settings, training_data(data, settings), progress=False)
            said = cost(advice, data).removesuffix(f" steps of {settings.batch_size}")
            if name == "documents":
                assert taken[-1] <= int(said.removeprefix("at most ")) <= 1.5 * taken[-1] + 1
            else:
                assert said == f"{taken[-1]:,}", (name, advice.recipe)
    assert seen == {advice.recipe for advice in ADVICE}


def test_what_a_recipe_cannot_train_on_costs_no_steps() -> None:
    """Nothing is entailed; the table is printed nevertheless."""
    costs = [row["cost"] for row in suggest(read(NLI[1:3])).as_dict()["suggestions"]]
    assert costs[0] == "none: nothing in it to train on"


def test_anchors_without_a_negative_are_told_where_a_recipe_leaves_them_out() -> None:
    rows = [{"anchor": f"a {i}", "positives": [f"b {i}"], "negatives": [f"c {i}"][: i % 3]} for i in range(6)]
    data = read(rows)
    simcse, supmpn = (row["cost"] for row in suggest(data).as_dict()["suggestions"])
    assert simcse.endswith(" steps of 128, 2 of 6 anchors left out") and supmpn.endswith(" steps of 32")
    with pytest.warns(KitWarning, match="2 of 6 anchors have no negative, and simcse leaves them out: train by supmpn"):
        training_data(data, recipe("simcse"))
    with pytest.warns(KitWarning, match="1 of 2 anchors has no negative, and simcse leaves it out"):
        training_data(data.take([0, 1]), recipe("simcse"))
    with warnings.catch_warnings(action="error"):
        training_data(data, recipe("supmpn"))
        training_data(data, recipe("simcse", borrow_negatives=True))


def test_a_text_under_two_labels_of_one_anchor_is_left_out_and_counted() -> None:
    rows = [("a dog runs", "a dog moves", 0), ("a dog runs", "it is late", 0), ("a dog runs", "it is late", 2)]
    columns = dict(zip(("sentence1", "sentence2", "label"), map(list, zip(*rows))))
    data = replace(read(NLI), columns=columns, numbers=[1, 2, 3])
    with pytest.warns(KitWarning, match="1 text is left out, as it stands under two labels of one anchor"):
        groups = training_data(data, recipe("scl"))
    assert [(g.hypotheses, g.labels) for g in groups] == [(("a dog moves",), (0,))]
    assert groups.dropped == {"conflicting": 1}


def test_nothing_gets_lost_on_the_way_to_a_recipe() -> None:
    groups = training_data(read(OF_A_KIND["triplets"]), recipe("simcse"))
    assert [(g.anchor, *g.positives, *g.negatives) for g in groups] == list(read(OF_A_KIND["triplets"]).rows)
    again = [("q", "a"), ("q", "b"), ("r", "c")]
    (first, second) = training_data(read(again), recipe("mnrl"))
    assert (first.positives, second.positives) == (("a", "b"), ("c",)), "the positives of one anchor together"
    group, *_ = training_data(read(OF_A_KIND["multiples"]), recipe("supmpn"))
    assert (group.positives, group.negatives) == (("b 0", "d 0"), ("c 0",))
    labelled = read(OF_A_KIND["labelled"])
    assert [label for *_, label in training_data(labelled, recipe("pause", classes=2))] == [1, 0, -1, 1, 0, -1]
    same = training_data(labelled, recipe("mnrl"))
    assert [g.positives for g in same if g.positives] == [("b 0",), ("b 3",)], "yes is the same, - has no label"
    nli = training_data(read(NLI), recipe("scl"))
    assert nli[0].labels == (0, 1, 2, 0, 1, 2)
    for rows, name in ((OF_A_KIND["pairs"], "cosent"), (OF_A_KIND["scored"], "mnrl"), (["a b", "c d"], "declutr")):
        with pytest.raises(KitError, match=f"recipe '{name}' trains on the format .* cannot fill: choose one of "):
            training_data(read(rows), recipe(name))
    with pytest.raises(KitError, match="two rows or more to train on in the list, got 1"):
        training_data(read([("q", "a")]), recipe("mnrl"))


def test_what_the_reader_has_given_stays() -> None:
    data, given = read(OF_A_KIND["pairs"]), {"mask_duplicates": False}
    assert fitted(recipe("mnrl", **given), data, given) == (recipe("mnrl", **given), "")
    settings, said = fitted(recipe("mnrl"), data)
    assert settings.options.mask_duplicates is True and said == "Set by the data: mask_duplicates=True."


def test_the_page_says_what_the_table_says() -> None:
    page = (ROOT / "docs" / "which_recipe.md").read_text("utf-8")
    assert page == which_recipe_page(), "run python scripts/which_recipe_page.py"
    assert all(advice.when in page for advice in ADVICE)


def test_what_nobody_compared_is_said_to_be_so() -> None:
    """No run has mnrl beside scl on premises of one hypothesis each, so the row ranks neither."""
    [scl] = [row for row in ADVICE if row.recipe == "scl"]
    assert "with one each 'mnrl'" in scl.watch and scl.watch.endswith("(not compared)")
    assert scl.watch in which_recipe_page()
