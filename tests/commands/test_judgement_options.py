"""What `kit evaluate --pairs` and `kit compare` make of --resamples, --seed, --raw and names, with encoders drawn."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest

from kit.commands import BAD_INPUT, evaluate_command, main, own_judgement
from kit.commands.report_page import Report
from kit.data.sts_tasks import StsTask
from kit.evaluation import evaluate_sts
from tests.retrieval.test_vector_index import Drawn
from tests.tiny import tiny_encoder

PAIRS = [(f"question {i}", f"answer {i}") for i in range(12)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with pairs and scored pairs; an encoder is drawn by its name, and there is no baseline."""
    monkeypatch.chdir(tmp_path)

    def load(path, device):
        return Drawn(zlib.crc32(path.encode())), f"Drawn {path}."

    monkeypatch.setattr(own_judgement, "load_saved", load)
    monkeypatch.setattr(own_judgement, "baselines", list)
    Path("dev.csv").write_text("anchor,positive\n" + "".join(f"{a},{p}\n" for a, p in PAIRS))
    scored = "".join(f"{a},{p},{i % 5}\n" for i, (a, p) in enumerate(PAIRS))
    Path("scored.csv").write_text(f"sentence1,sentence2,score\n{scored}")
    return tmp_path


TASK = StsTask("STS-B", *zip(*PAIRS), tuple(float(i % 5) for i in range(12)), ("all",) * 12, None)


def said(capsys: pytest.CaptureFixture, *arguments: str) -> str:
    assert main([*arguments, "--quiet"]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


ALONE, BOTH = ("evaluate", "runs/mine", "--raw", "other"), ("compare", "runs/mine", "other")


def test_without_resamples_nothing_is_compared(
    here: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in (ALONE, BOTH):
        for file in ("dev.csv", "scored.csv"):
            without = said(capsys, *command, "--pairs", file, "--resamples", "0")
            assert own_judgement.NO_INTERVALS in without and "difference " not in without and "[" not in without
            usual = said(capsys, *command, "--pairs", file)
            assert own_judgement.NO_INTERVALS not in usual and "difference " in usual and "[" in usual
            assert main([*command, "--pairs", file, "--resamples", "1"]) == BAD_INPUT
            assert (
                "expected --resamples as a whole number from 20, got 1: with fewer no test excludes chance"
                in capsys.readouterr().err
            )
    monkeypatch.setattr(own_judgement, "load_sts", lambda rows: {"STS-B": TASK})
    for pairs in (("--pairs", "dev.csv"), ("--pairs", "scored.csv"), ()):
        for resamples, several in (("0", 0), ("50", 1)):
            found = json.loads(said(capsys, *BOTH, *pairs, "--resamples", resamples, "--json", "--quiet"))
            assert {"runs/mine", "other"} <= found["systems"].keys() and "rows" not in found
            assert [one["names"] for one in found["comparisons"]] == [["runs/mine", "other"]] * several
    shown = said(capsys, *BOTH, "--resamples", "0")
    assert own_judgement.NO_INTERVALS in shown and "runs/mine" in shown and "difference " not in shown


def test_the_seed_draws_every_comparison(
    here: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_judgement, "load_sts", lambda rows: {"STS-B": TASK})
    files = [(*command, "--pairs", file) for command in (ALONE, BOTH) for file in ("dev.csv", "scored.csv")]
    for command in (*files, BOTH):
        given = (*command, "--resamples", "50")
        lines = [said(capsys, *given, "--seed", seed).splitlines()[-1] for seed in ("0", "1", "1")]
        assert "difference" in lines[0] and lines[0] != lines[1] == lines[2]


def test_the_seed_of_an_evaluation_reaches_all_that_is_drawn(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bootstrap of STS, rows and folds of transfer, and the sentences of probing."""
    seeds, reports = {}, []
    monkeypatch.setattr(evaluate_command, "save_report", lambda report, out: reports.append(report) or [])
    monkeypatch.setattr(evaluate_command, "load_saved", lambda path, device: (Drawn(), "Drawn."))
    monkeypatch.setattr(evaluate_command, "load_sts", lambda rows: {"STS-B": TASK})
    monkeypatch.setattr(evaluate_command, "load_transfer", lambda rows, seed: seeds.update(rows=seed) or {})
    for part, seed_of in (("transfer", lambda given: given["protocol"].seed), ("probing", lambda given: given["seed"])):
        took = partial(lambda part, seed_of, *_, **given: seeds.update({part: seed_of(given)}), part, seed_of)
        monkeypatch.setattr(evaluate_command, f"evaluate_{part}", took)
    asked = ("--transfer", "--probing", "--resamples", "50", "--seed", "5", "--quiet", "--out", "report")
    assert main(["evaluate", "drawn", *asked]) == 0
    assert seeds == {"rows": 5, "transfer": 5, "probing": 5}
    assert reports[0].sts == evaluate_sts(Drawn(), [TASK], progress=False, resamples=50, seed=5)


def test_the_picture_of_sts_shows_each_aggregation_as_its_table_does() -> None:
    subsets = ("a",) * 4 + ("b",) * 8  # of two sizes, so that mean and weighted mean differ
    report = evaluate_sts(Drawn(), [replace(TASK, subsets=subsets)], progress=False, resamples=20)
    (task,) = report.tasks
    drawn = Report("drawn", "Drawn.", None, 0, (), 0.0, report).picture("sts").figure.data
    assert {one.name: one.y[0] for one in drawn} == asdict(task.scores) and len({one.y[0] for one in drawn}) == 3
    for one in drawn:
        between = task.intervals.aggregated[one.name]
        assert one.y[0] + one.error_y.array[0] == pytest.approx(between.high)
        assert one.y[0] - one.error_y.arrayminus[0] == pytest.approx(between.low)


def test_names_are_printed_as_they_were_given(here: Path, capsys: pytest.CaptureFixture) -> None:
    shown = said(capsys, "compare", "runs/mine", "runs/trained", "--pairs", "scored.csv").splitlines()
    starts = [line.split(":")[0] for line in shown]
    assert starts[-3:-1] == ["runs/trained", "runs/mine"] and "runs/mine" in shown[-1] and "runs/trained" in shown[-1]
    assert "runs/runs" not in "".join(shown)


def test_an_encoder_without_a_raw_one_is_reported_alone(here: Path, capsys: pytest.CaptureFixture) -> None:
    for raw in ("none", "runs/mine"):
        shown = said(capsys, "evaluate", "runs/mine", "--pairs", "scored.csv", "--raw", raw)
        assert shown.count("Spearman") == 1 and "runs/mine: Spearman" in shown and "difference" not in shown
    found = json.loads(said(capsys, *ALONE[:2], "--raw", "none", "--pairs", "scored.csv", "--json"))
    assert list(found["systems"]) == ["runs/mine"] and found["comparisons"] == []


def test_out_keeps_what_was_found(here: Path, capsys: pytest.CaptureFixture) -> None:
    for file in ("dev.csv", "scored.csv"):
        assert "Saved" in said(capsys, *ALONE, "--pairs", file, "--out", "report")
        again = said(capsys, *ALONE, "--pairs", file, "--out", "report", "--json")
        assert json.loads(Path("report/report.json").read_text("utf-8")) == json.loads(again)
    assert main([*ALONE, "--pairs", "dev.csv", "--out", "dev.csv"]) == BAD_INPUT
    assert "expected a folder for the report at dev.csv" in capsys.readouterr().err


def test_a_file_that_the_run_was_trained_on_or_chosen_by_is_told(here: Path, capsys: pytest.CaptureFixture) -> None:
    parts = dict.fromkeys(("name", "recipe", "steps", "finished", "seconds", "hardware", "untrained", "history"), "")
    record = {**parts, "about": {"data": "5 rows of dev.csv: 12 pairs."}, "validated_on": "scored.csv: 12 scored."}
    encoder = Path("runs/mine/encoder")
    tiny_encoder(here / "source").save(encoder)
    chosen = {**record, "best": {"step": 2, "of": 4}}
    for told, pairs, about in (
        ("runs/mine was trained on dev.csv", "dev.csv", record),
        ("", "scored.csv", record),
        ("the step of runs/mine was chosen by scored.csv", "scored.csv", chosen),
        ("", "dev.csv", {**record, "about": {"data": "more-dev.csv: 12 pairs."}}),
    ):
        Path("runs/mine/run.json").write_text(json.dumps(about))
        for given in (ALONE, BOTH, (ALONE[0], "other", "--raw", "runs/mine"), (*BOTH[:1], "other", "runs/mine")):
            assert main([*given, "--pairs", pairs, "--resamples", "0", "--quiet", "--json"]) == 0
            err = capsys.readouterr().err
            assert (f"Careful: {told}, as the record of its run says." in err) if told else "Careful" not in err
    Path("runs/mine/run.json").write_text(json.dumps(record))
    assert main(["export", "runs/mine", "--out", "shared", "--pairs", "dev.csv", "--resamples", "0", "--quiet"]) == 0
    assert "Careful: shared was trained on dev.csv" in capsys.readouterr().err
    assert "- Careful: shared was trained on dev.csv, as the record" in Path("shared/README.md").read_text("utf-8")
    Path("runs/mine/run.json").write_text("{")
    assert main([*ALONE, "--pairs", "dev.csv", "--resamples", "0", "--quiet"]) == 0
    assert "but it is damaged" in capsys.readouterr().err


def test_options_of_the_published_tasks_are_refused_beside_pairs(here: Path, capsys: pytest.CaptureFixture) -> None:
    for command, option in ((ALONE, "--transfer"), (ALONE, "--probing"), (ALONE, "--rows=9"), (BOTH, "--rows=9")):
        assert main([*command, "--pairs", "dev.csv", option]) == BAD_INPUT
        assert f"expected --pairs or {option.removesuffix('=9')}, got both" in capsys.readouterr().err


def test_reports_of_two_runs_stand_beside_each_other(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_OUT", "kept")
    monkeypatch.setattr(evaluate_command, "load_saved", lambda path, device: (Drawn(), f"Drawn {path}."))
    monkeypatch.setattr(evaluate_command, "load_sts", lambda rows: {"STS-B": TASK})
    for path in ("runs/a/encoder", "runs/b/encoder", "models/c"):
        assert main(["evaluate", path, "--quiet", "--resamples", "0"]) == 0
    assert sorted(one.parent.name for one in Path("kept/evaluate").glob("*/report.json")) == ["a", "b", "c"]
