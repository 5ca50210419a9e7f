"""Intervals over seeds and the commit, as every result file has them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import measuring
import pytest
import results_encoders
import results_foundation
import results_labels
import results_leakage
import results_multiples
import results_poolings
import results_repairs
import results_sizes
import results_spans
from measuring import file_of, in_mirror, kept_of, mean_interval, run_script
from results_sweeps import sweeps_anew

from kit.errors import KitError


def test_interval_over_seeds() -> None:
    figure = mean_interval([1.0, 2.0, 3.0])
    assert figure["mean"] == 2.0 and figure["sd"] == 1.0
    assert figure["high"] - 2.0 == pytest.approx(4.302653 / 3**0.5, rel=1e-6)  # t(0.975, 2) = 4.302653
    assert mean_interval([5.0]) == {"mean": 5.0, "n": 1}


def test_the_commit_is_with_changes_when_what_decides_a_figure_is_changed(tmp_path: Path, monkeypatch) -> None:
    folders = ("kit", "scripts", "benchmarks", "data/models", "data/results", "docs")
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_text("committed")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(measuring, "ROOT", tmp_path)
    told = []
    for folder in folders:
        (tmp_path / folder / "file").write_text("changed")
        told += [folder] if measuring.provenance()["commit"].endswith(" with changes") else []
        subprocess.run([*git, "checkout", "-q", "."], cwd=tmp_path, check=True)
    assert told == ["kit", "scripts", "benchmarks", "data/models"]


@pytest.mark.parametrize(
    ("script", "options", "named"),
    [
        (results_encoders, ["--seeds", "0"], "--seeds"),
        (results_encoders, ["--starts", "pretrained"], "--starts"),
        (results_labels, ["--only", "annealing", "--rows", "300", "--seeds", "0"], "--rows and --seeds"),
        (results_labels, ["--binary-rows", "9"], "--binary-rows"),
        (results_leakage, ["--seeds", "0", "--encoder", "kit-bert-mini"], "--seeds"),
        (results_leakage, ["--recipes", "scl"], "--recipes"),
        (results_multiples, ["--sweeps", "fill", "--rows", "300"], "--rows"),
        (results_multiples, ["--seeds", "0"], "--seeds"),
        (results_poolings, ["--rows", "300", "--seeds", "0"], "--rows and --seeds"),
        (results_repairs, ["--rows", "300"], "--rows"),
        (results_repairs, ["--steps", "9"], "--steps"),
        (results_sizes, ["--tokens", "9"], "--tokens"),
        (results_spans, ["--rows", "9"], "--rows"),
    ],
)
def test_a_trial_must_not_stand_among_the_results(script, options: list, named: str, monkeypatch) -> None:
    monkeypatch.setattr("sys.argv", ["script", *options])
    with pytest.raises(KitError, match=f"expected --out with {named}: "):
        script.main()


def test_another_encoder_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "foundation.json"
    assert file_of(file, "kit-bert-tiny") == file
    assert file_of(file, "models/mine").name == "foundation-mine.json"
    figures = {"tasks": {}, "average": dict.fromkeys(("all", "mean", "wmean"), 1.0)}
    space = dict.fromkeys(("mean_cosine", "share_above", "effective_rank", "uniformity"), 0.5)

    def measure_runs(plans, what, workers) -> dict:
        return {
            p: {"recipe": p.recipe, "seed": p.seed, "data": [p.start], "sts": figures, "geometry": space} for p in plans
        }

    monkeypatch.setattr(results_foundation, "measure_runs", measure_runs)
    monkeypatch.setattr(results_foundation, "real", lambda table: table)
    monkeypatch.setattr(results_foundation, "measure", lambda encoder: {})
    monkeypatch.setattr(results_foundation, "ROOT", tmp_path)
    (tmp_path / "data" / "results").mkdir(parents=True)
    monkeypatch.setattr("sys.argv", ["script", "--encoder", "kit-bert-mini"])
    results_foundation.main()
    [written] = (tmp_path / "data" / "results").iterdir()
    assert written.name == "foundation-kit-bert-mini.json"
    assert json.loads(written.read_text("utf-8"))["encoder"] == "kit-bert-mini"


def test_what_is_of_something_else_is_left_out_and_said(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    file = tmp_path / "some.json"
    assert kept_of(file, {"rows": 3}) == {} and capsys.readouterr().out == ""
    file.write_text(json.dumps({"rows": 3, "seeds": [0, 1], "sweeps": {"a": {"points": 1}, "b": {"points": 2}}}))
    assert kept_of(file, {"rows": 3, "seeds": (0, 1)})["sweeps"]["a"] == {"points": 1}
    found = sweeps_anew(file, {"rows": 3}, {"b": {"points": 4}})
    assert found["sweeps"]["a"] == {"points": 1} and found["sweeps"]["b"]["points"] == 4
    assert found["sweeps"]["b"]["measured"]["commit"] and "commit" not in found, "the head is that of the others"
    assert list(sweeps_anew(file, {"rows": 9}, {"b": {}})["sweeps"]) == ["b"]
    assert capsys.readouterr().out == "some.json is of other rows: its other rows are left out\n"


def test_what_the_mirror_lacks_is_asked_for_before_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("nli/merged", "nli__other"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    in_mirror("nli/merged", "nli/other")
    monkeypatch.setattr("sys.argv", ["script"])
    pairs = "nli/captions_flickr30k and nli/captions_coco and nli/hardneg_sugarcrepe_pp"
    with pytest.raises(KitError, match=f"expected {pairs} and text/heldout.parquet"):
        results_encoders.main()
    with pytest.raises(KitError, match=r"expected senteval-transfer/mrpc in the mirror .* data/README\.md"):
        results_labels.main()
    monkeypatch.delenv("KIT_DATA")
    with pytest.raises(KitError, match="nli/merged in the mirror folder KIT_DATA"):
        in_mirror("nli/merged")


@pytest.mark.parametrize("option", [["--describe"], ["--random-of", "kit-bert-mini"]])
def test_what_goes_with_some_runs_is_not_dropped_without_a_word(
    option: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["results_encoders.py", *option])
    with pytest.raises(KitError, match="expected --only beside --describe and --random-of"):
        results_encoders.main()


def test_a_script_ends_with_one_sentence_and_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["scripts/results_encoders.py", "--describe"])
    with pytest.raises(SystemExit) as ended:
        run_script(results_encoders.main)
    assert str(ended.value).startswith("results_encoders: expected --only beside --describe")
