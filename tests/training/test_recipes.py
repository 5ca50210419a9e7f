"""Recipes are data: every number is checked, and a preset changes how much, not what."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from kit.comparators.not_implemented import ELSEWHERE, LEFT_OUT
from kit.errors import KitError
from kit.training import PRESETS, RECIPES, recipe
from kit.training.recipes import records, table

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("preset", [None, *PRESETS])
def test_every_recipe_passes_its_own_checks_under_every_preset(name: str, preset: str | None) -> None:
    made, base = recipe(name, preset), RECIPES[name]
    changed = base.presets.get(preset, {})
    assert made.as_dict() == {**base.as_dict(), **changed}
    how_much = {"lr", "batch_size", "epochs", "dropout", "min_span", "max_span"}
    assert set(changed) <= how_much, "a preset changes how much, never what; spans follow the encoder's length"
    assert json.loads(json.dumps(made.as_dict())) == made.as_dict()
    assert "presets" not in made.as_dict()


def test_the_recipes_are_those_of_the_papers() -> None:
    assert recipe("sbert").lam == 0
    scl = recipe("scl")
    assert (scl.lam, scl.temperature, scl.anchors) == (0.3, 1, "premise")
    assert (scl.batch_size, scl.epochs, scl.lr) == (64, 1, 2e-5)
    assert (scl.max_positives, scl.max_negatives, scl.warmup, scl.pooling) == (None, None, 0.1, "mean_without_cls")
    simcse = recipe("simcse", "gpu")
    assert (simcse.lam, simcse.temperature, simcse.similarity) == (1, 0.05, "cosine")
    assert (simcse.batch_size, simcse.epochs, simcse.lr) == (512, 3, 5e-5)
    supmpn = recipe("supmpn", "gpu")
    assert (supmpn.other_positives, supmpn.temperature, supmpn.similarity, supmpn.pooling) == (
        "excluded",
        0.05,
        "cosine",
        "first_last",
    )
    assert (supmpn.positives, supmpn.negatives, supmpn.fill, supmpn.batch_size, supmpn.epochs) == (5, 5, "copy", 256, 3)
    twins = recipe("simcse_unsup", "gpu")
    assert (twins.temperature, twins.batch_size, twins.lr, twins.epochs, twins.dropout) == (0.05, 64, 3e-5, 1, 0.1)
    assert (recipe("mnrl").temperature, recipe("mnrl").similarity) == (1 / 20, "cosine")


def test_changes_go_on_top_of_the_preset_and_leave_the_recipe_alone() -> None:
    made = recipe("scl", "laptop", lr=1e-3, lam=1, temperature=0.1)
    assert (made.lr, made.lam, made.temperature) == (1e-3, 1, 0.1)
    assert RECIPES["scl"].lam == 0.3


@pytest.mark.parametrize(
    ("field", "values", "sentence"),
    [
        ("temperature", [0, -0.1, NAN, INF, True, None, "1"], "τ .temperature. above 0"),
        ("lam", [-0.01, 1.01, NAN, -INF, True, None, "0.3"], "λ .lam. from 0 to 1"),
        ("lr", [0, -1e-5, NAN, INF, True], "a learning rate .lr. above 0"),
        ("epochs", [0, -1, NAN, INF, False], "epochs above 0"),
        ("batch_size", [0, -8, 2.0, True, None], "a batch_size of 1 or more"),
        ("warmup", [-0.1, 1, NAN], "warmup as a share"),
        ("dropout", [-0.1, 1, NAN], "dropout from 0 to below 1"),
        ("weight_decay", [-0.1, NAN, INF], "a weight_decay of 0 or more"),
        ("clip", [0, -1, NAN, INF], "a gradient norm .clip. above 0"),
        ("max_positives", [0, -1, 1.5, True], "max_positives .N₊. of 1 or more"),
        ("max_negatives", [-1, 0.5, False], "max_negatives .N₋. of 0 or more"),
        ("keep_groups", [1, None, "no"], "keep_groups True or False"),
        ("similarity", ["cos", None], "similarity 'dot' or 'cosine'"),
        ("anchors", ["rows", None], "anchors 'premise' or 'row'"),
        ("schedule", ["cosine", None], "schedule 'linear' or 'constant'"),
        ("layout", ["triples", None], "layout 'groups' or 'triplets'"),
        ("other_positives", ["others", None], "other_positives 'included', 'excluded' or 'zero_logit'"),
        ("mask_duplicates", [1, None], "mask_duplicates True or False"),
        ("positives", [0, 1.5, True, None], "positives .P. of 1 or more"),
        ("negatives", [-1, 2.0, None], "negatives .Q. of 0 or more"),
        ("fill", ["copies", None], "fill 'copy', 'delete' or 'synonyms'"),
        ("chunk", [0, -1, 2.0, True], "a chunk of 1 row or more, or None"),
        ("head", ["two", None], "head 'linear' or 'two linear'"),
        ("first_layer", [2, -1, True, None], "first_layer 0 or 1"),
    ],
)
def test_a_number_that_makes_no_sense(field: str, values: list, sentence: str) -> None:
    for value in values:
        with pytest.raises(KitError, match=f"recipe 'scl': expected {sentence}.*, got {value!r}"):
            recipe("scl", **{field: value})


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("temperature", [1e-6, 5]),
        ("lam", [0, 1, 0.0, 1.0]),
        ("warmup", [0, 0.99]),
        ("dropout", [0, 0.9]),
        ("max_positives", [None, 1]),
        ("max_negatives", [None, 0, 20]),
        ("epochs", [0.01, 3]),
        ("batch_size", [1]),
        ("chunk", [None, 1, 64]),
        ("positives", [1, 9]),
        ("negatives", [0, 9]),
    ],
)
def test_the_ends_of_the_ranges_are_allowed(field: str, values: list) -> None:
    for value in values:
        assert getattr(recipe("scl", **{field: value}), field) == value


@pytest.mark.parametrize("name", [r.name for r in RECIPES.values() if r.layout != "groups"])
def test_without_labels_there_is_nothing_to_classify(name: str) -> None:
    layout = RECIPES[name].layout
    says = f"recipe '{name}': expected λ .lam. 1, as it weighs .* and {layout} have not both"
    with pytest.raises(KitError, match=says):
        recipe(name, lam=0.5)


@pytest.mark.parametrize("preset", [None, *PRESETS])
def test_twins_need_dropout_and_copies_have_it(preset: str | None) -> None:
    with pytest.raises(KitError, match="recipe 'simcse_unsup': expected dropout above 0, as nothing else tells"):
        recipe("simcse_unsup", preset, dropout=0.0)
    assert recipe("simcse_unsup", preset).dropout == recipe("supmpn", preset).dropout == 0.1
    assert recipe("supmpn", preset, dropout=0.0).dropout == 0, "a demonstration: the copies then pull nothing"


def test_later_settings_leave_earlier_results_their_identity() -> None:
    """A run is kept and resumed by `as_dict`: a setting that is off must not be in it."""
    later = {"other_positives", "mask_duplicates", "positives", "negatives", "fill", "chunk", "head", "first_layer"}
    for name in ("sbert", "scl", "simcse"):
        assert not later & recipe(name, "laptop").as_dict().keys()
        assert later <= recipe(name, "laptop").settings().keys()
    assert recipe("scl", mask_duplicates=True).as_dict()["mask_duplicates"] is True
    assert recipe("supmpn").as_dict()["other_positives"] == "excluded" and "fill" not in recipe("supmpn").as_dict()
    seen = [
        json.dumps(recipe("supmpn", **changes).as_dict())
        for changes in (
            {},
            {"other_positives": "zero_logit"},
            {"other_positives": "included"},
            {"fill": "delete"},
            {"positives": 4},
            {"chunk": 8},
        )
    ]
    assert len(set(seen)) == 6


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: recipe("slc"), "unknown recipe 'slc': did you mean 'scl'"),
        (lambda: recipe("scl", "labtop"), "unknown preset 'labtop': did you mean 'laptop'"),
        (lambda: recipe("scl", temprature=1), "unknown setting of a recipe 'temprature': did you mean 'temperature'"),
        (lambda: recipe("scl", presets={}), "unknown setting of a recipe 'presets'"),
        (
            lambda: recipe("scl", pooling="mean_over_padded", chunk=8),
            "no chunk, as a pooling that depends on the padding",
        ),
        (lambda: recipe("scl", pooling="meen"), "unknown pooling 'meen': did you mean 'mean'"),
    ],
)
def test_unknown_names_with_the_near_ones(call, sentence: str) -> None:
    with pytest.raises(KitError, match=sentence):
        call()


@pytest.mark.parametrize("preset", [None, *PRESETS])
def test_the_table_has_a_line_of_numbers_for_each_recipe(preset: str | None) -> None:
    head, *lines = table(preset).splitlines()
    assert head.split()[:5] == ["recipe", "system", "data", "λ", "τ"]
    columns = {name: head.index(name) for name in head.split()}
    for line, name in zip(lines, RECIPES):
        made = recipe(name, preset)

        def cell(column: str, line: str = line) -> str:
            return line[columns[column] :].split()[0]

        assert cell("recipe") == name and cell("system") == made.system and cell("data") == made.layout
        assert cell("batch") == str(made.batch_size) and cell("pooling") == made.pooling
        assert all(float(cell(name)) == getattr(made, name) for name in ("lr", "epochs", "dropout"))
        if made.system == "contrast":
            assert (float(cell("λ")), float(cell("τ")), cell("similarity")) == (
                made.lam,
                made.temperature,
                made.similarity,
            )
    assert lines[len(RECIPES)] == ""


def test_the_table_says_what_differs_and_what_is_left_out() -> None:
    text = " ".join(table().split())
    for r in RECIPES.values():
        assert f"{r.name} · {r.title}" in text and r.differs and r.source in text
        assert " ".join(f"differs {r.differs}".split()) in text
    assert "max_positives=3, max_negatives=3, borrowed='contradiction'" in text and "other_positives='excluded'" in text
    for name in (
        "CLEAR",
        "SG-BERT",
        "InferSent",
        "Universal Sentence Encoder",
        "averaged fastText",
        "Skip-thought",
        "Quick-Thoughts",
        "paraphrased positives",
        "whitening",
        "flow",
        "averaged GloVe",
    ):
        assert f" {name}: " in text
    assert max(map(len, table().splitlines())) <= 120, "it fits a terminal"


def test_what_is_elsewhere_is_there_and_what_is_left_out_has_a_reason() -> None:
    for entry in ELSEWHERE:
        module, _, attribute = entry.where.rpartition(".")
        assert callable(getattr(import_module(module), attribute))
    assert all(e.reason and e.source and e.compared_in for e in LEFT_OUT)
    assert len({e.name for e in LEFT_OUT}) == len(LEFT_OUT)


def test_a_record_has_every_setting_and_those_that_stand_out() -> None:
    for made in records("laptop"):
        assert made["settings"] == recipe(made["name"], "laptop").settings()
        assert json.loads(json.dumps(made["others"])).keys() <= made["settings"].keys()
    by_name = {made["name"]: made["others"] for made in records()}
    assert by_name["sbert"] == {} and by_name["supmpn"] == {"other_positives": "excluded"}
    assert by_name["ct"] == {"schedule": "constant", "different": 7}


def test_the_table_is_printed_by_the_module() -> None:
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "kit.training.recipes"]
    done = subprocess.run(
        [*command, "--preset", "laptop"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.stdout.rstrip("\n") == table("laptop") and done.stderr == ""


def test_a_preset_of_the_table_that_is_none() -> None:
    with pytest.raises(KitError, match="unknown preset 'labtop': did you mean 'laptop'"):
        table("labtop")


def test_the_comparators_are_those_of_their_papers() -> None:
    three, every = recipe("augment_3p3n", "gpu"), recipe("augment_all", "gpu")
    assert (three.max_positives, three.max_negatives, every.max_positives, every.max_negatives) == (3, 3, None, None)
    scl = recipe("scl", "gpu")
    for made in (three, every):
        assert made.lam == 0 and made.system == "augment"
        same = ("layout", "pooling", "batch_size", "epochs", "lr", "schedule", "warmup", "dropout", "anchors")
        assert all(getattr(made, name) == getattr(scl, name) for name in same)
    for preset in ("smoke", "laptop"):
        assert (
            RECIPES["augment_all"].presets[preset]
            == RECIPES["augment_3p3n"].presets[preset]
            == (RECIPES["scl"].presets[preset])
        ), "the pairs alone differ"
    consert, mirror = recipe("consert", "gpu"), recipe("mirror", "gpu")
    assert (consert.temperature, consert.batch_size, consert.lr, consert.options.cut_share) == (0.1, 96, 5e-7, 0.15)
    assert (mirror.temperature, mirror.batch_size, mirror.lr, mirror.epochs) == (0.04, 200, 2e-5, 2)
    ct, tsdae, isbert = (recipe(name, "gpu") for name in ("ct", "tsdae", "isbert"))
    assert (ct.batch_size, ct.lr, ct.options.different) == (16, 1e-5, 7)
    assert (tsdae.batch_size, tsdae.lr, tsdae.options.delete, tsdae.schedule) == (8, 3e-5, 0.6, "constant")
    assert (isbert.batch_size, isbert.lr, isbert.options.widest_window) == (32, 1e-6, 5)
    assert {r.layout for r in (consert, mirror, ct, tsdae, isbert)} == {"sentences"}


@pytest.mark.parametrize("name", ["consert", "mirror", "ct", "tsdae", "isbert"])
def test_the_rates_are_those_that_won_on_validation(name: str) -> None:
    found = json.loads((Path(__file__).parents[2] / "data" / "results" / "comparators_choices.json").read_text())
    tried = [row for row in found["tried"] if row["recipe"] == name]
    best = max(tried, key=lambda row: row["stsb_validation"])
    assert "validation" in found["chosen_on"] and found["best"][name] == best and len(tried) >= 3
    settings = recipe(name, "laptop").settings()
    chosen = {setting: value for setting, value in best.items() if setting in settings}
    assert chosen.keys() >= {"lr", "dropout", "batch_size"}
    assert {setting: settings[setting] for setting in chosen} == chosen
