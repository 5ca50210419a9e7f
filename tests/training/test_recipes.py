"""Recipes are data: every number is checked, and a preset changes how much, not what."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from kit.comparators.not_implemented import NOT_IMPLEMENTED, SEE_ALSO
from kit.comparators.recipe_table import record
from kit.errors import KitError
from kit.training import PRESETS, RECIPES, Recipe, recipe
from kit.training.objectives import Objective
from kit.training.recipes import RATES, table

RESULTS = Path(__file__).parents[2] / "data" / "results"
NAN, INF = math.nan, math.inf
ALL_PRESETS = (None, *PRESETS)
WORDS = {"name", "title", "source", "deviations"}


def of(made: Recipe, *names: str) -> tuple:
    """Settings by their names, common ones or the objective's."""
    settings = made.as_dict()
    return tuple(settings[name] for name in names)


def test_a_recipe_has_seventeen_fields_and_its_objective_the_rest() -> None:
    assert len(fields(Recipe)) <= 17
    for made in RECIPES.values():
        assert issubclass(made.objective, Objective) and made.objective.name == made.as_dict()["objective"]
        common, own = ({f.name for f in fields(part)} for part in (made, made.options))
        assert not common & own, "a name says which setting is meant"
        assert made.as_dict().keys() == common - {"options", "presets"} | own | {"objective", "data_format"}


def test_every_recipe_passes_its_own_checks_under_every_preset() -> None:
    how_much = {"lr", "clip", "batch_size", "epochs", "dropout", "min_span", "max_span"}
    for name, base in RECIPES.items():
        for preset in ALL_PRESETS:
            made, changed = recipe(name, preset), base.presets.get(preset, {})
            assert made.as_dict() == {**base.as_dict(), **changed}
            assert set(changed) <= how_much, "a preset changes how much, never what; spans follow the encoder's length"
            assert json.loads(json.dumps(made.as_dict())) == made.as_dict()


def test_the_recipes_are_those_of_the_papers() -> None:
    assert of(recipe("sbert"), "lam") == (0,)
    scl = recipe("scl")
    assert of(scl, "lam", "temperature", "anchors") == (0.3, 1, "premise")
    assert of(scl, "batch_size", "epochs", "lr") == (64, 1, 2e-5)
    assert of(scl, "max_positives", "max_negatives", "warmup", "pooling") == (None, None, 0.1, "mean_without_cls")
    simcse = recipe("simcse", "gpu")
    assert of(simcse, "lam", "temperature", "similarity") == (1, 0.05, "cosine")
    assert of(simcse, "batch_size", "epochs", "lr") == (512, 3, 5e-5)
    supmpn = recipe("supmpn", "gpu")
    softmax = ("other_positives", "temperature", "similarity", "pooling")
    assert of(supmpn, *softmax) == ("excluded", 0.05, "cosine", "first_last")
    assert of(supmpn, "positives", "negatives", "augment", "batch_size", "epochs") == (5, 5, "copy", 256, 3)
    assert of(supmpn, "lr") == of(simcse, "lr"), "SupMPN's paper names none"
    unsupervised = recipe("simcse_unsup", "gpu")
    assert of(unsupervised, "temperature", "batch_size", "lr", "epochs", "dropout") == (0.05, 64, 3e-5, 1, 0.1)
    assert of(recipe("mnrl"), "temperature", "similarity") == (1 / 20, "cosine")


def test_a_recipe_prints_what_it_trains_with() -> None:
    shown = repr(recipe("scl", "laptop"))
    assert "lr=0.001" in shown and "lam=0.3" in shown and "presets" not in shown


def test_changes_go_on_top_of_the_preset_and_leave_the_recipe_alone() -> None:
    made = recipe("scl", "laptop", lr=1e-3, lam=1, temperature=0.1)
    assert of(made, "lr", "lam", "temperature") == (1e-3, 1, 0.1)
    assert of(made.changed(lam=0.5), "lr", "lam", "temperature") == (1e-3, 0.5, 0.1)
    assert of(RECIPES["scl"], "lam") == (0.3,)


def test_every_setting_that_differs_makes_another_run() -> None:
    """A run is resumed by `as_dict`."""
    changes = (
        {},
        {"other_positives": "zero_logit"},
        {"other_positives": "included"},
        {"augment": "delete"},
        {"positives": 4},
        {"chunk": 8},
    )
    assert len({json.dumps(recipe("supmpn", **change).as_dict()) for change in changes}) == 6


@pytest.mark.parametrize(
    ("field", "values", "sentence"),
    [
        ("temperature", [0, -0.1, NAN, INF, True, None, "1"], "τ .temperature. above 0"),
        ("lam", [-0.01, 1.01, NAN, -INF, True, None, "0.3"], "λ .lam. from 0 to 1"),
        ("lr", [0, -1e-5, NAN, INF, True], "a learning rate .lr. above 0"),
        ("epochs", [0, -1, NAN, INF, False], "epochs above 0"),
        ("batch_size", [0, -8, 2.0, True, None], "a batch_size of 1 or more"),
        ("batch_order", ["sorted", None], "batch_order 'random' or 'by_length'"),
        ("warmup", [-0.1, 1, NAN], "warmup as a fraction"),
        ("dropout", [-0.1, 1, NAN], "dropout from 0 to below 1"),
        ("weight_decay", [-0.1, NAN, INF], "a weight_decay of 0 or more"),
        ("clip", [0, -1, NAN, INF], "a gradient norm .clip. above 0"),
        ("max_positives", [0, -1, 1.5, True], "max_positives .N₊. of 1 or more"),
        ("max_negatives", [-1, 0.5, False], "max_negatives .N₋. of 0 or more"),
        ("group_batches", [1, None, "no"], "group_batches True or False"),
        ("similarity", ["cos", None], "similarity 'dot' or 'cosine'"),
        ("anchors", ["rows", None], "anchors 'premise' or 'row'"),
        ("schedule", ["cosine", None], "schedule 'linear', 'constant' or 'slanted'"),
        ("data_format", ["triples", None], "data_format 'groups' or 'triplets'"),
        ("other_positives", ["others", None], "other_positives 'included', 'excluded' or 'zero_logit'"),
        ("mask_duplicates", [1, None], "mask_duplicates True or False"),
        ("positives", [0, 1.5, True, None], "positives .P. of 1 or more"),
        ("negatives", [-1, 2.0, None], "negatives .Q. of 0 or more"),
        ("augment", ["copies", None], "augment 'copy', 'delete' or 'synonyms'"),
        ("borrow_negatives", [1, None], "borrow_negatives True or False"),
        ("mlm_weight", [-0.1, NAN, True, None], "an mlm_weight of 0 or more"),
        ("chunk", [0, -1, 2.0, True], "a chunk of 1 row or more, or None"),
        ("head", ["two", None], "head 'linear' or 'two linear'"),
        ("projection", ["mlp", 2, True], "projection 'tanh' or 'relu', or None for none"),
        ("first_layer", [2, -1, True, None], "first_layer 0 or 1"),
    ],
)
def test_a_value_that_makes_no_sense(field: str, values: list, sentence: str) -> None:
    for value in values:
        with pytest.raises(KitError, match=f"recipe 'scl': expected {sentence}.*, got {value!r}"):
            recipe("scl", **{field: value})


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("scl", {"borrow_negatives": True}, "borrow_negatives False where data_format is not 'triplets', got True"),
        ("simcse", {"positives": 3}, "positives 5 where data_format is not 'multi_positive', got 3"),
        ("mnrl", {"augment": "delete"}, "augment 'copy' where data_format is not 'multi_positive', got 'delete'"),
        ("simcse", {"max_positives": 3}, "max_positives None where data_format is not 'groups', got 3"),
        ("mnrl", {"anchors": "row"}, "anchors 'premise' where data_format is not 'groups', got 'row'"),
        ("mnrl", {"group_batches": False}, "group_batches True where data_format is not 'groups', got False"),
        ("simcse", {"head": "two linear"}, "head 'linear' where data_format is not 'groups', got 'two linear'"),
    ],
)
def test_a_setting_that_the_data_format_does_not_read_is_refused(name: str, change: dict, sentence: str) -> None:
    with pytest.raises(KitError, match=f"expected {sentence}"):
        recipe(name, **change)


def test_the_ends_of_the_ranges_are_allowed() -> None:
    ends = {
        "temperature": [1e-6, 5],
        "lam": [0, 1, 0.0, 1.0],
        "warmup": [0, 0.99],
        "dropout": [0, 0.9],
        "max_positives": [None, 1],
        "max_negatives": [None, 0, 20],
        "epochs": [0.01, 3],
        "batch_size": [1],
        "chunk": [None, 1, 64],
        "positives": [1, 9],
        "negatives": [0, 9],
        "first_layer": [0, 1],
    }
    for field, values in ends.items():
        for value in values:
            name = "supmpn" if field in ("positives", "negatives") else "scl"
            assert of(recipe(name, **{field: value}), field) == (value,)


def test_without_labels_there_is_nothing_to_classify() -> None:
    for name, made in RECIPES.items():
        says = f"unknown setting of a {made.objective.name} recipe 'lam'"
        if made.objective.name == "contrast":
            if made.data_format == "groups":
                continue
            says = f"recipe '{name}': expected λ .lam. 1, as it weighs .* and {made.data_format} have not both"
        with pytest.raises(KitError, match=says):
            recipe(name, lam=0.5)


def test_self_pairs_need_dropout_and_copies_have_it() -> None:
    for preset in ALL_PRESETS:
        with pytest.raises(KitError, match="recipe 'simcse_unsup': expected dropout above 0, as nothing else tells"):
            recipe("simcse_unsup", preset, dropout=0.0)
        assert recipe("simcse_unsup", preset).dropout == recipe("supmpn", preset).dropout == 0.1
        assert recipe("supmpn", preset, dropout=0.0).dropout == 0, "a demonstration: the copies then pull nothing"


def test_unknown_names_with_the_near_ones() -> None:
    for sentence, name, preset, changes in (
        ("unknown recipe 'slc': did you mean 'scl'", "slc", None, {}),
        ("unknown preset 'labtop': did you mean 'laptop'", "scl", "labtop", {}),
        (
            "unknown setting of a contrast recipe 'temprature': did you mean 'temperature'",
            "scl",
            None,
            {"temprature": 1},
        ),
        ("unknown setting of a contrast recipe 'presets'", "scl", None, {"presets": {}}),
        ("unknown setting of a contrast recipe 'options'", "scl", None, {"options": None}),
        ("unknown setting of a pause recipe 'other_positives'", "pause", None, {"other_positives": "excluded"}),
        ("no chunk, as a pooling that depends", "scl", None, {"pooling": "mean_over_padded", "chunk": 8}),
        ("unknown pooling 'meen': did you mean 'mean'", "scl", None, {"pooling": "meen"}),
    ):
        with pytest.raises(KitError, match=sentence):
            recipe(name, preset, **changes)
    with pytest.raises(KitError, match="unknown preset 'labtop': did you mean 'laptop'"):
        table("labtop")


@pytest.mark.parametrize("preset", ALL_PRESETS)
def test_the_table_has_a_line_of_numbers_for_each_recipe(preset: str | None) -> None:
    _, _, head, *lines = table(preset).splitlines()
    assert head.split()[:5] == ["recipe", "objective", "data", "λ", "τ"]
    columns = {name: head.index(name) for name in head.split()}
    for line, name in zip(lines, RECIPES):
        cell = {column: line[start:].split()[0] for column, start in columns.items()}
        settings = recipe(name, preset).as_dict()
        assert (cell["recipe"], cell["objective"], cell["data"]) == (
            name,
            *of(recipe(name), "objective", "data_format"),
        )
        assert cell["batch"] == str(settings["batch_size"]) and cell["pooling"] == settings["pooling"]
        assert all(float(cell[number]) == settings[number] for number in ("lr", "epochs", "dropout"))
        assert cell["similarity"] == settings.get("similarity", "–")
        for column, setting in (("λ", "lam"), ("τ", "temperature")):
            assert cell[column] == "–" if setting not in settings else float(cell[column]) == settings[setting]
    assert lines[len(RECIPES)] == ""


def test_the_table_says_what_deviates_and_what_is_not_implemented() -> None:
    text = " ".join(table().split())
    for r in RECIPES.values():
        assert f"{r.name} · {r.title}" in text and r.deviations and r.source in text
        assert " ".join(f"deviates {r.deviations}".split()) in text
    assert "max_positives=3, max_negatives=3, borrowed='contradiction'" in text and "other_positives='excluded'" in text
    for entry in (*SEE_ALSO, *NOT_IMPLEMENTED):
        assert f" {entry.name}: " in text
    assert max(map(len, table().splitlines())) <= 120, "it fits a terminal"


def test_what_is_elsewhere_is_there_and_what_is_not_implemented_has_a_reason() -> None:
    for entry in SEE_ALSO:
        module, _, attribute = entry.where.rpartition(".")
        assert callable(getattr(import_module(module), attribute))
    names = {entry.name for entry in NOT_IMPLEMENTED}
    assert {"CLEAR", "SG-BERT", "InferSent", "Universal Sentence Encoder", "Skip-thought", "Quick-Thoughts"} <= names
    assert all(e.reason and e.source and e.compared_in for e in NOT_IMPLEMENTED)
    assert len(names) == len(NOT_IMPLEMENTED)


def test_a_record_has_every_setting_and_those_that_stand_out() -> None:
    for name in RECIPES:
        made = record(recipe(name, "laptop"))
        assert made["settings"] == recipe(name, "laptop").as_dict()
        assert json.loads(json.dumps(made["others"])).keys() <= made["settings"].keys()
    by_name = {made["name"]: made["others"] for made in map(record, RECIPES.values())}
    assert by_name["sbert"] == {} and by_name["supmpn"] == {"other_positives": "excluded", "clip": 1.0}
    assert by_name["ct"] == {"schedule": "constant", "different": 7}


def test_the_comparators_are_those_of_their_papers() -> None:
    three, every = recipe("augment_3p3n", "gpu"), recipe("augment_all", "gpu")
    limits = ("max_positives", "max_negatives")
    assert of(three, *limits) == (3, 3) and of(every, *limits) == (None, None)
    same = ("data_format", "pooling", "batch_size", "epochs", "lr", "schedule", "warmup", "dropout", "anchors")
    for made in (three, every):
        assert made.objective.name == "augment" and of(made, *same) == of(recipe("scl", "gpu"), *same)
    for preset in ("smoke", "laptop"):
        assert (
            RECIPES["augment_all"].presets[preset]
            == RECIPES["augment_3p3n"].presets[preset]
            == (RECIPES["scl"].presets[preset])
        ), "the pairs alone differ"
    consert, mirror, ct, tsdae, isbert = (
        recipe(name, "gpu") for name in ("consert", "mirror", "ct", "tsdae", "isbert")
    )
    assert of(consert, "temperature", "batch_size", "lr", "cut_share") == (0.1, 96, 5e-7, 0.15)
    assert of(mirror, "temperature", "batch_size", "lr", "epochs") == (0.04, 200, 2e-5, 1)
    assert of(ct, "batch_size", "lr", "different") == (16, 1e-5, 7)
    assert of(tsdae, "batch_size", "lr", "delete", "schedule") == (8, 3e-5, 0.6, "constant")
    assert of(isbert, "batch_size", "lr", "widest_window") == (32, 1e-6, 5)
    assert {r.data_format for r in (consert, mirror, ct, tsdae, isbert)} == {"sentences"}


@pytest.mark.parametrize("name", ["consert", "mirror", "ct", "tsdae", "isbert"])
def test_the_comparators_rates_are_those_that_won(name: str) -> None:
    found = json.loads((RESULTS / "comparators_choices.json").read_text("utf-8"))
    tried = [row for row in found["tried"] if row["recipe"] == name]
    best = max(tried, key=lambda row: row["choosing"])
    assert "in none of the seven test sets" in found["chosen_on"] and found["best"][name] == best and len(tried) >= 3
    settings = recipe(name, "laptop").as_dict()
    chosen = {setting: value for setting, value in best.items() if setting in settings}
    assert chosen.keys() >= {"lr", "dropout", "batch_size"}
    assert {setting: settings[setting] for setting in chosen} == chosen


def test_the_rates_are_those_that_were_chosen() -> None:
    """The best, or a lower rate that chance could put behind it, none at the end of what was tried; for SBERT and SCL
    the best of their mean."""
    found = json.loads((RESULTS / "choices.json").read_text("utf-8"))
    assert "in none of the seven test sets" in found["chosen_on"] and len(found["seeds"]) == 3
    for name, chosen in found["best"].items():
        rows = [row for row in found["tried"] if row["recipe"] == name]
        best = max(rows, key=lambda row: row["choosing"])
        assert best["choosing"] - chosen["choosing"] < (1 if name == "scl" else 0.5) and chosen["lr"] <= best["lr"]
        assert min(row["lr"] for row in rows) < chosen["lr"] < max(row["lr"] for row in rows)
        assert of(recipe(name, "laptop"), "lr", "dropout") == (chosen["lr"], chosen["dropout"])
    same = [[found["best"][name][setting] for setting in ("lr", "dropout")] for name in ("scl", "supcon")]
    assert same[0] == same[1], "docs/results.md says so"


def test_the_results_were_measured_with_the_settings_of_today() -> None:
    """All but words, and what the recipes could not yet say."""
    found = json.loads((RESULTS / "systems.json").read_text("utf-8"))
    other = []
    for name, result in found["recipes"].items():
        measured, settings = result["settings"], recipe(name, found["preset"]).as_dict()
        same = [setting for setting in measured if setting in settings and setting not in WORDS]
        assert {"lr", "batch_size", "epochs", "dropout", "clip", "pooling", "warmup"} <= set(same)
        other += [(name, setting) for setting in same if measured[setting] != settings[setting]]
    assert other == []


@pytest.mark.parametrize("encoder", RATES)
def test_a_larger_encoder_takes_the_rate_that_was_chosen_for_it(encoder: str) -> None:
    of_shape = encoder.removesuffix("-v2")  # one that was pretrained for longer has the rates of the other
    assert RATES[encoder] == RATES[of_shape]
    of_both = [json.loads((RESULTS / f"choices-{name}.json").read_text("utf-8")) for name in {of_shape, encoder}]
    assert {one["encoder"] for one in of_both} == {of_shape, encoder}
    for found, (name, best) in ((one, pair) for one in of_both for pair in one["best"].items()):
        assert "in none of the seven test sets" in found["chosen_on"]
        tried = [row for row in found["tried"] if row["recipe"] == name]
        assert len({row["lr"] for row in tried}) >= 3 and len(best["by_seed"]) == len(found["seeds"]) >= 3
        assert of(recipe(name, "laptop", encoder), "lr", "dropout") == (best["lr"], best["dropout"])
    together = {"augment_3p3n": "sbert", "augment_all": "sbert", "cosent": "scl", "cosine_regression": "scl"}
    together |= {"mnrl": "simcse", "simcse_mlm": "simcse_unsup"}
    assert set(RATES[encoder]) - set(together) <= {name for one in of_both for name in one["best"]}
    assert all(RATES[encoder][name] == RATES[encoder][of_whom] for name, of_whom in together.items())
    for name, rate in RATES[encoder].items():
        assert of(recipe(name, "laptop", f"models/{encoder}"), "lr") == (rate,)
        assert of(recipe(name, "laptop", encoder, lr=0.5), "lr") == (0.5,), "what is asked for comes first"
        assert recipe(name, "gpu", encoder) == recipe(name, "gpu"), "the paper's rate"
        assert recipe(name, "laptop", "kit-bert-tiny") == recipe(name, "laptop")


# --- what the papers say --------------------------------------------------------------------------

PAPERS = Path(__file__).parents[2] / "data" / "papers" / "settings.csv"


def printed_settings() -> list[dict]:
    """What each paper says of a recipe, from the papers themselves: one row a setting, or a fact that is no setting."""
    with PAPERS.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_recipe_says_where_it_is_not_the_papers() -> None:
    """A value other than the paper's, under the paper's own numbers or the compact presets, is said in words."""
    unsaid, rows = [], printed_settings()
    for row in rows:
        for preset in (None, "laptop"):
            made = recipe(row["recipe"], preset)
            value = made.as_dict()[row["setting"]] if row["setting"] else "not that"
            same = ("" if value is None else str(value)) in (row["paper"], f"{row['paper']}.0")
            if not same and (not row["said"] or row["said"] not in made.deviations):
                unsaid.append((row["recipe"], preset, row["setting"] or row["paper"], value, row["said"]))
    assert not unsaid
    assert {row["recipe"] for row in rows} == set(RECIPES)


def test_what_a_preset_changes_stands_in_the_table() -> None:
    """So that no change of a preset can stay unsaid."""
    known = {(row["recipe"], row["setting"]) for row in printed_settings()}
    for name, base in RECIPES.items():
        told = base.as_dict()
        for preset in ("smoke", "laptop"):
            changed = {setting for setting, value in base.presets[preset].items() if value != told[setting]}
            missing = sorted({(name, setting) for setting in changed} - known)
            assert not missing, f"rows wanted in data/papers/settings.csv, with what the paper says: {missing}"


def test_what_shapes_a_loss_stands_in_the_table() -> None:
    """Unlike what the classes have by themselves, somebody has chosen it: the paper, or the recipe against it."""
    known = {(row["recipe"], row["setting"]) for row in printed_settings()}
    chosen = set()
    for name, base in RECIPES.items():
        usual = {f.name: f.default for one in (base, base.options) for f in fields(one)}
        told = base.as_dict()
        for setting in ("temperature", "similarity", "batch_size", "dropout", "pooling"):
            if setting in told and told[setting] != usual[setting]:
                chosen.add((name, setting))
    missing = sorted(chosen - known)
    assert not missing, f"rows wanted in data/papers/settings.csv, with what the paper says: {missing}"
    assert len(chosen) > 10


NUMBERS = {"clipped at 1": 1, "no dropout": 0, "batch of 64": 64, "one epoch": 1, "two epochs": 2, "three epochs": 3}


def test_what_is_said_is_so() -> None:
    """No deviation is told that a row of the table does not bear out, in number and in direction."""
    for row in printed_settings():
        if row["said"] and row["setting"]:
            own, compact = (recipe(row["recipe"], preset).as_dict()[row["setting"]] for preset in (None, "laptop"))
            assert {str(own), str(compact)} != {row["paper"]}, row
            in_words = {"not named", str(own), str(own).removesuffix(".0")} if own is not None else {""}
            assert own == compact or row["paper"] in in_words, row
            assert compact == NUMBERS.get(row["said"], compact), row
            word = row["said"].split()[0]
            assert word != "larger" or compact > float(row["paper"]), row
            assert word not in ("smaller", "fewer") or compact < float(row["paper"]), row
