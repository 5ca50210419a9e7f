"""Settings are chosen on pairs in no test set: a grid first, then what is tried at its best setting."""

from __future__ import annotations

import json
from pathlib import Path

import choose_comparators
import choose_settings
import pytest

from kit.errors import KitError


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list:
    """No run is trained: a record scores best at a rate of 1e-3, its custom at 2e-3. The plans asked for are kept."""
    asked = []

    def measure_runs(plans, what, workers) -> dict:
        plans = list(plans)
        asked.extend(plans)
        rates = {p: dict(p.changes)["lr"] for p in plans}
        return {
            p: {
                "choosing": -1e5 * abs(lr - 1e-3),
                "validation": -1e5 * abs(lr - 2e-3),
                "by_source": {},
                "sts": {"average": {"all": 1e4 * lr}},
                "steps": 1,
                "seconds": 1,
            }
            for p, lr in rates.items()
        }

    monkeypatch.setattr(choose_settings, "measure_runs", measure_runs)
    monkeypatch.setattr(choose_settings, "FILE", tmp_path / "choices.json")
    (tmp_path / "sts").mkdir()  # a mirror that is empty is refused
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    return asked


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["choose_settings.py", *arguments])
    choose_settings.main()


def test_the_pairs_in_no_test_choose_and_the_custom_stands_beside(
    made_up: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch, "--only", "scl")
    found = json.loads((tmp_path / "choices.json").read_text("utf-8"))
    assert found["best"]["scl"]["lr"] == 1e-3 and found["custom_best"]["scl"]["lr"] == 2e-3
    assert "beside" not in found and found["seeds"] == [0, 1, 2] == sorted({p.seed for p in made_up})
    usual = choose_settings.RECIPES["scl"]
    assert len(found["tried"]) == len(usual.lr) * len(usual.dropout) and len(found["tried"][0]["by_seed"]) == 3
    on_tests = found["on_tests"]["scl"]
    assert (on_tests["best"]["mean"], on_tests["custom_best"]["mean"]) == (10, 20)
    assert on_tests["custom_less_best"]["mean"] == 10
    assert found["encoder"] == "kit-bert-tiny" and len(found["weights"]) == 12


def test_with_only_the_rows_of_other_recipes_stay_unless_they_are_of_other_weights(
    made_up: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    file = tmp_path / "choices-kit-bert-mini.json"

    def recipes_after(name: str, *more: str) -> set[str]:
        call(monkeypatch, "--encoder", "kit-bert-mini", "--rates-only", "--only", name, *more)
        return {row["recipe"] for row in json.loads(file.read_text("utf-8"))["tried"]}

    assert recipes_after("scl", "--beside", "scl:rows=9") == {"scl"}
    assert recipes_after("supmpn") == {"scl", "supmpn"}
    assert [row["rows"] for row in json.loads(file.read_text("utf-8"))["beside"]] == [9]
    dropouts = {row["recipe"]: row["dropout"] for row in json.loads(file.read_text("utf-8"))["tried"]}
    assert dropouts == {"scl": 0, "supmpn": 0.1}, "that of the preset"
    file.write_text(file.read_text("utf-8").replace('"weights": "', '"weights": "other'), "utf-8")
    assert recipes_after("pause") == {"pause"}
    assert "is of other weights: its other rows are left out" in capsys.readouterr().out


def test_with_only_another_rate_joins_those_tried_and_what_stands_is_not_trained_again(
    made_up: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def after(*arguments: str) -> dict:
        made_up.clear()
        call(monkeypatch, "--encoder", "kit-bert-mini", "--rates-only", *arguments)
        return json.loads((tmp_path / "choices-kit-bert-mini.json").read_text("utf-8"))

    one = after("--only", "scl", "simcse", "--lr", "2e-3", "4e-3")
    two = after("--only", "scl", "--lr", "8e-3")
    assert {dict(p.changes)["lr"] for p in made_up} == {8e-3} and two["on_tests"] == one["on_tests"]
    assert sorted(row["lr"] for row in two["tried"] if row["recipe"] == "scl") == [2e-3, 4e-3, 8e-3]
    three = after("--only", "scl", "--lr", "1e-3")
    assert three["best"]["scl"]["lr"] == 1e-3 and three["on_tests"]["scl"]["best"]["mean"] == 10
    assert three["on_tests"]["simcse"] == one["on_tests"]["simcse"] and {p.recipe for p in made_up} == {"scl"}


def test_runs_on_all_data_choose_where_there_are_such(
    made_up: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def after(*arguments: str) -> dict:
        call(monkeypatch, "--encoder", "kit-bert-mini", "--rates-only", "--only", "simcse", *arguments)
        return json.loads((tmp_path / "choices-kit-bert-mini.json").read_text("utf-8"))

    assert after()["best"]["simcse"]["lr"] == 1e-3
    made_up.clear()
    found = after("--whole", "--lr", "2e-3", "4e-3")
    assert {(p.data, p.rows) for p in made_up} == {("core", None)}
    assert {**found["best"]["simcse"], **found["custom_best"]["simcse"]}["data"] == "core"
    assert found["best"]["simcse"]["lr"] == 2e-3 and 1e-3 in [row["lr"] for row in found["tried"]]
    assert len(after("--whole", "--lr", "2e-3")["tried"]) == len(found["tried"]), "a row of the same data is replaced"
    with pytest.raises(KitError, match="--whole with recipes that train on NLI, got scl, declutr"):
        call(monkeypatch, "--encoder", "kit-bert-mini", "--whole", "--only", "scl", "simcse", "declutr")


def test_beside_is_tried_alone_at_the_best_setting_and_with_one_seed_in_a_file_of_its_own(
    made_up: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [
        "--only",
        "simcse",
        "--lr",
        "5e-4",
        "1e-3",
        "--dropout",
        "0",
        "--seeds",
        "0",
        "--beside",
        "simcse:dropout=0.1",
        "simcse:rows=9",
        "simcse:temperature=0.1,lr=0.004",
    ]
    with pytest.raises(KitError, match="expected --out with --seeds"):
        call(monkeypatch, "--encoder", "kit-bert-mini", *arguments)
    arguments = ["--out", str(tmp_path / "trial.json"), *arguments]
    call(monkeypatch, "--encoder", "kit-bert-mini", *arguments)
    found = json.loads((tmp_path / "trial.json").read_text("utf-8"))
    tried = [{key: row.get(key) for key in ("lr", "dropout", "rows", "temperature")} for row in found["beside"]]
    usual = {"lr": 1e-3, "dropout": 0.0, "rows": None, "temperature": None}
    assert tried == [usual | one for one in ({"dropout": 0.1}, {"rows": 9}, {"temperature": 0.1, "lr": 4e-3})]
    every = choose_settings.ROWS  # the grid's two, the best and the custom's once more, one beside
    assert [p.rows for p in made_up] == [every] * 5 + [9, every]
    assert {p.start for p in made_up} == {"kit-bert-mini"} and not (tmp_path / "choices.json").exists()
    with pytest.raises(KitError, match="scl"):
        call(monkeypatch, "--encoder", "kit-bert-mini", *arguments[:-1], "scl:rows=9")


def test_comparators_that_were_tried_from_other_weights_are_left_out(
    made_up: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def measure_runs(plans, what, workers) -> dict:
        rest = {"validation": 1.0, "by_source": {}, "steps": 1, "seconds": 1, "choosing": 2.0}
        return {p: rest | {"settings": {"dropout": 0.0, "batch_size": 9}} for p in plans}

    file = tmp_path / "comparators.json"
    monkeypatch.setattr(choose_comparators, "measure_runs", measure_runs)
    monkeypatch.setattr(choose_comparators, "FILE", file)

    def recipes_after(name: str) -> list[str]:
        monkeypatch.setattr("sys.argv", ["choose_comparators.py", "--only", name])
        choose_comparators.main()
        return list(json.loads(file.read_text("utf-8"))["best"])

    assert recipes_after("ct") == ["ct"] and recipes_after("mirror") == ["ct", "mirror"]
    file.write_text(file.read_text("utf-8").replace('"rows": ', '"rows": 1'), "utf-8")
    assert recipes_after("consert") == ["consert"]
    assert "comparators.json is of other rows: its other rows are left out" in capsys.readouterr().out
    published = json.loads((choose_settings.ROOT / "data/results/comparators_choices.json").read_text("utf-8"))
    assert published["weights"] == json.loads(file.read_text("utf-8"))["weights"]


@pytest.mark.parametrize(
    "by_seed, rate",
    [
        ({1e-3: [60, 61, 62], 2e-3: [61, 62, 64], 4e-3: [61.5, 61, 65]}, 2e-3),  # the best is ahead by chance alone
        ({1e-3: [60, 61, 62], 2e-3: [61, 62, 64], 4e-3: [63, 64, 66.1]}, 4e-3),
        ({1e-3: [60.0], 2e-3: [60.1], 4e-3: [60.2]}, 4e-3),  # one seed says nothing of chance
    ],
)
def test_the_lowest_rate_within_a_standard_error_of_the_best_is_chosen(by_seed: dict, rate: float) -> None:
    rows = [{"lr": lr, "by_seed": found, "choosing": sum(found) / len(found)} for lr, found in by_seed.items()]
    assert choose_settings.cautious(rows)["lr"] == rate


def test_sbert_and_scl_have_the_setting_that_is_best_for_their_mean() -> None:
    def rows(scores: dict) -> list[dict]:
        return [{"lr": lr, "dropout": 0.0, "by_seed": [at, at + 1], "choosing": at + 0.5} for lr, at in scores.items()]

    found = {"sbert": rows({1e-3: 60, 2e-3: 57, 4e-3: 37}), "scl": rows({1e-3: 68, 2e-3: 69, 4e-3: 69.2, 8e-3: 50})}
    assert {name: row["lr"] for name, row in choose_settings.shared(found).items()} == {"sbert": 1e-3, "scl": 1e-3}
    found["sbert"][1]["by_seed"] = [60, 61]
    assert choose_settings.shared(found)["scl"]["lr"] == 2e-3
