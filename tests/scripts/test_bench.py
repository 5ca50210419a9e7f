"""The benchmarks' machinery: turns, ratios and targets, the gathering of programs.

How fast anything is stands in no test: seconds depend on the machine.
"""

from __future__ import annotations

import json
import os
import pkgutil
import re
import subprocess
import sys
import types
from pathlib import Path

import bench
import pytest

from kit.errors import KitError

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks"))  # its programs import each other by name, as they are run there

import imports  # noqa: E402
import rows  # noqa: E402
import sliders  # noqa: E402

FILES = sorted(path for path in (ROOT / "benchmarks").glob("*.py") if "--quick" in path.read_text("utf-8"))
# Seconds each. The others' quick runs are minutes on a busy machine: `make bench QUICK=1` runs them all.
QUICK = ("sliders", "span_sampler", "world_speed")
NIGHTLY = ("encode_speed", "evaluation_speed", "imports", "pretrain_speed", "training_speed")


# --- rows ---------------------------------------------------------------------------------------


def test_ways_take_turns_and_the_first_round_does_not_count() -> None:
    order: list[str] = []
    seconds = rows.interleaved(
        {"ours": lambda: order.append("ours"), "theirs": lambda: order.append("theirs")}, repetitions=3, warmup=1
    )
    assert order == ["ours", "theirs"] * 4
    assert [len(took) for took in seconds.values()] == [3, 3] and min(map(min, seconds.values())) >= 0


def test_a_way_may_count_for_itself() -> None:
    counted = iter([9.0, 1.0, 2.0])
    assert rows.interleaved({"own": lambda: next(counted)}, repetitions=2, warmup=1) == {"own": [1.0, 2.0]}


def test_the_ratio_is_the_median_of_the_ratios_of_neighbours() -> None:
    row = rows.compared("loss", "batch 64", [1.0, 2.0, 4.0], [3.0, 8.0, 4.0], "a loop", target="≥ 3")
    assert (row.ratio, row.lowest, row.highest) == (3.0, 1.0, 4.0)  # of 3, 4 and 1; of the medians it were 2
    assert (row.ours, row.theirs, row.unit, row.repetitions) == (2000.0, 4000.0, "ms", 3)
    assert row.met


def test_an_amount_makes_a_rate() -> None:
    row = rows.compared("encode", "", [2.0, 2.0], [4.0, 4.0], "a peer", unit="sentences/s", amount=100)
    assert (row.ours, row.theirs, row.ratio) == (50.0, 25.0, 2.0)


def test_met() -> None:
    for target, ours, ratio, met in [
        ("≥ 4", 1.0, 4.0, True),
        ("≥ 4", 9.0, 3.99, False),  # with a ratio, that counts
        ("≤ 40", 39.0, None, True),
        ("≤ 40", 41.0, None, False),
        ("≤ 0.3", 0.3, None, True),
        ("", 1.0, None, None),
    ]:
        assert rows.Row("what", "setting", "s", ours, ratio=ratio, target=target).met is met, (target, ours, ratio)


def test_rows_are_printed_and_saved_with_where_they_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = rows.Row("imports", "fresh", "s", 0.5, target="≤ 0.3")
    rows.save(tmp_path / "new" / "rows.json", [row])
    saved = json.loads((tmp_path / "new" / "rows.json").read_text("utf-8"))
    assert saved["rows"][0]["ours"] == 0.5 and saved["rows"][0]["met"] is False
    assert {"versions", "commit", "hardware", "date"} <= saved.keys()
    assert "imports · fresh: 0.5 s, target ≤ 0.3: NOT met" in capsys.readouterr().out


# --- gathering ----------------------------------------------------------------------------------

GOOD = """import argparse, json, os
options = argparse.ArgumentParser()
options.add_argument("--out"), options.add_argument("--quick", action="store_true"), options.add_argument("--device")
args = options.parse_args()
row = dict(what="{name}", setting=str(args.device), unit="ms", ours=1.0, peer="", theirs=None, ratio=None, lowest=None,
           highest=None, target="≤ 2", repetitions=5, note="", met=True)
wait = [name for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT") if name in os.environ]
json.dump(dict(rows=[row], threads=os.environ["OMP_NUM_THREADS"], wait=wait,
               versions=dict(torch="0"), hardware="a machine", date="2026-01-01", quick=args.quick),
          open(args.out, "w"))
"""
BAD = "raise ValueError('expected something else')"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.SimpleNamespace:
    """Three fake programs, one of which wants a GPU; nothing real is read or written."""
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    for name in ("first", "second"):
        (folder / f"{name}.py").write_text(GOOD.replace("{name}", name), "utf-8")
    programs = (
        bench.Program("first"),
        bench.Program(
            "first_gpu", ("--device", "cuda"), "first", planned=(bench.Planned("first", "on a GPU", "≥ 1.5", "a peer"),)
        ),
        bench.Program("second", keeps="second.json"),
    )
    for name, value in {
        "PROGRAMS_FOLDER": folder,
        "RESULTS": tmp_path / "results",
        "BENCH": tmp_path / "bench",
        "PROGRAMS": programs,
        "has_gpu": lambda: False,
    }.items():
        monkeypatch.setattr(bench, name, value)
    (tmp_path / "results").mkdir()
    return types.SimpleNamespace(
        folder=folder,
        programs=list(programs),
        file=tmp_path / "results" / "benchmarks.json",
        own=tmp_path / "results" / "second.json",
        bench=tmp_path / "bench",
    )


def read(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


def test_programs_are_gathered_with_what_a_gpu_would_add(lab: types.SimpleNamespace) -> None:
    assert bench.run_all(lab.programs, lab.file, quick=False) == {}
    found = read(lab.file)
    assert list(found["programs"]) == ["first", "second"] and found["failed"] == []
    first = found["programs"]["first"]
    assert first["rows"][0]["what"] == "first" and first["hardware"] == "a machine"
    assert first["versions"].keys() == {"torch", *bench.PEERS} and first["load_average"] is not None
    assert found["not_measured"] == [
        {
            "what": "first",
            "setting": "on a GPU",
            "target": "≥ 1.5",
            "peer": "a peer",
            "why": "needs a GPU",
            "command": "benchmarks/first.py --device cuda",
        }
    ]
    assert read(lab.own)["rows"] == found["programs"]["second"]["rows"]


def test_another_machine_has_a_file_of_its_own_and_leaves_that_of_the_table(
    lab: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(bench.subprocess, "run", drawn_nothing(bench.subprocess.run))
    monkeypatch.setattr(bench, "ROOT", lab.folder.parent)
    monkeypatch.setattr(sys, "argv", ["bench", "--machine", "another"])
    with pytest.raises(SystemExit) as ended:
        bench.main()
    assert ended.value.code == 0 and not lab.file.exists() and not lab.own.exists()
    found = read(lab.file.with_name("benchmarks-another.json"))
    assert list(found["programs"]) == ["first", "second"] and found["not_measured"] == []
    monkeypatch.setattr(sys, "argv", ["bench", "--machine", "../another"])
    with pytest.raises(SystemExit, match="expected a --machine of small letters, digits and hyphens"):
        bench.main()
    monkeypatch.setattr(sys, "argv", ["bench", "--machine", "third", "--only", "sliders"])
    monkeypatch.setattr(bench, "PROGRAMS", (*lab.programs, bench.Program("sliders")))
    with pytest.raises(SystemExit, match="expected another program with --machine, got sliders alone"):
        bench.main()
    monkeypatch.setattr(sys, "argv", ["bench", "--machine", "third", "--only", "first_gpu"])
    with pytest.raises(SystemExit):
        bench.main()
    assert "measured nothing and wrote no" in capsys.readouterr().out


def drawn_nothing(run):
    """subprocess.run that does not render the tables of the repository."""
    return lambda command, **named: None if "render_results.py" in command[-1] else run(command, **named)


def test_programs_run_with_two_threads_that_wait_as_they_say(lab: types.SimpleNamespace, monkeypatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    monkeypatch.setenv("GOMP_SPINCOUNT", "5000")  # as the kit sets it in the process that calls them
    bench.run_all(lab.programs[:1], lab.file, quick=True)
    wrote = read(lab.bench / "first.json")
    assert (wrote["threads"], wrote["wait"], wrote["quick"]) == ("2", [], True)


def test_a_quick_run_leaves_no_figures_behind(lab: types.SimpleNamespace) -> None:
    bench.run_all(lab.programs, lab.bench / "benchmarks.json", quick=True)
    assert not lab.own.exists() and not lab.file.exists()


def test_with_a_gpu_its_rows_are_measured(lab: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "has_gpu", lambda: True)
    bench.run_all(lab.programs, lab.file, quick=False)
    found = read(lab.file)
    assert found["programs"]["first_gpu"]["rows"][0]["setting"] == "cuda" and found["not_measured"] == []
    monkeypatch.setattr(bench, "has_gpu", lambda: False)
    bench.run_all(lab.programs, lab.file, quick=False)
    assert "first_gpu" in read(lab.file)["programs"], "measured on another machine: still true"


def test_a_program_that_fails_loses_its_old_rows_and_stops_nobody(lab: types.SimpleNamespace) -> None:
    bench.run_all(lab.programs, lab.file, quick=False)
    (lab.folder / "first.py").write_text(BAD)
    assert bench.run_all(lab.programs, lab.file, quick=False) == {"first": "ValueError: expected something else"}
    found = read(lab.file)
    assert list(found["programs"]) == ["second"] and found["failed"] == ["first"]
    (lab.folder / "first.py").write_text(GOOD.replace("{name}", "again"), "utf-8")
    assert bench.run_all(lab.programs[:1], lab.file, quick=False) == {}
    found = read(lab.file)
    assert found["failed"] == [] and found["programs"]["first"]["rows"][0]["what"] == "again"
    assert list(found["programs"]) == ["first", "second"], "only the first ran: the second's rows stay"


def test_other_ways_to_fail(lab: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    for code, limit, why in [
        ("", 600, "exit code 0 and nothing written"),
        ("import time\ntime.sleep(600)", 0.5, "not done after"),
        ("raise SystemExit(3)", 600, "exit code 3"),
    ]:
        (lab.folder / "first.py").write_text(code)
        monkeypatch.setattr(bench, "LIMIT", limit)
        assert why in bench.run_all(lab.programs[:1], lab.file, quick=False)["first"]


def test_a_failure_is_one_line_and_exit_code_1(
    lab: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (lab.folder / "second.py").write_text(BAD)
    monkeypatch.setattr(sys, "argv", ["bench.py", "--quick", "--only", "first", "second"])
    with pytest.raises(SystemExit) as end:
        bench.main()
    assert end.value.code == 1
    *_, last = capsys.readouterr().out.strip().splitlines()
    assert last == "FAILED: second, its rows are left out: ValueError: expected something else"
    monkeypatch.setattr(sys, "argv", ["bench.py", "--quick", "--only", "first"])
    with pytest.raises(SystemExit) as end:
        bench.main()
    assert end.value.code == 0


def test_an_unknown_program_is_told_with_its_neighbours(
    lab: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.py", "--only", "frist"])
    with pytest.raises(SystemExit, match=r"unknown benchmark 'frist': did you mean 'first'"):
        bench.main()


# --- the programs -------------------------------------------------------------------------------


def test_every_program_is_in_the_list() -> None:
    assert {path.stem for path in FILES} == {program.file or program.name for program in bench.PROGRAMS}
    assert len({program.name for program in bench.PROGRAMS}) == len(bench.PROGRAMS)


HELPS = """
import contextlib, io, runpy, sys
folder, *names = sys.argv[1:]
sys.path.insert(0, folder)
for name in names:
    said, sys.argv = io.StringIO(), [name, "--help"]
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(f"{folder}/{name}", run_name="__main__")
    except SystemExit as end:
        if not end.code and {"--quick", "--out"} <= set(said.getvalue().split()):
            continue
    print(name)
"""


@pytest.mark.slow
def test_every_program_can_be_quick_and_told_where_to_write() -> None:
    """All in one process, where torch is imported once."""
    names = [path.name for path in FILES]
    run = [sys.executable, "-c", HELPS, str(FILES[0].parent), *names]
    done = subprocess.run(run, text=True, capture_output=True, check=True)
    assert names and done.stdout.split() == []


def test_what_a_program_replaces_in_the_kit_is_there() -> None:
    replaced = {name for path in FILES for name in re.findall(r'patch\("(kit\.[\w.]+)"', path.read_text("utf-8"))}
    assert replaced and all(callable(pkgutil.resolve_name(name)) for name in replaced)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.nightly) for name in NIGHTLY)])
def test_a_quick_run_writes_rows(name: str, tmp_path: Path, no_network: None) -> None:
    out = tmp_path / "rows.json"
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), "--quick", "--out", str(out)],
        cwd=ROOT,
        text=True,
        capture_output=True,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    wrote = [rows.Row(**{key: value for key, value in row.items() if key != "met"}) for row in read(out)["rows"]]
    assert wrote and all(row.ours > 0 and row.what and row.unit for row in wrote)


def test_import_kit_may_not_bring_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    assert imports.import_seconds("json") >= 0
    monkeypatch.setattr(imports, "FRESH", "print(0.1, 'torch')  # {module}")
    assert imports.import_seconds("kit.losses") == 0.1, "the losses may"
    with pytest.raises(KitError, match="neither torch nor transformers, but it loads torch"):
        imports.import_seconds("kit")


def test_the_sliders_rows_are_of_the_machine_and_day_of_their_measuring(tmp_path: Path, monkeypatch) -> None:
    """Copied on another machine they were taken for its own: a footnote and README's tally named the wrong one."""
    monkeypatch.setattr(sys, "argv", ["sliders.py", "--out", str(tmp_path / "sliders.json")])
    latency = ROOT / "data" / "results" / "latency.json"
    then = json.loads(latency.read_text("utf-8")) | {"hardware": "A Machine, 4 threads", "date": "2020-02-02"}
    (tmp_path / "data" / "results").mkdir(parents=True)
    (tmp_path / "data" / "results" / "latency.json").write_text(json.dumps(then), "utf-8")
    monkeypatch.setattr(sliders, "ROOT", tmp_path)
    sliders.main()
    found = json.loads((tmp_path / "sliders.json").read_text("utf-8"))
    assert len(found["rows"]) == 4
    assert {name: value for name, value in found.items() if name != "rows"} == {
        name: then[name] for name in ("versions", "commit", "python", "hardware", "date")
    }


def test_slow_sliders_do_not_meet_their_targets() -> None:
    latency = {
        "date": "2026-01-01",
        "targets": {"browser": {"median_ms": 50, "p95_ms": 100}},
        "sliders": [{"kind": "browser", "presses": 16}],
        "by_kind": {
            "browser": {"sliders": 1, "slowest_median_ms": 49.0, "slowest_p95_ms": 101.0},
            "kernel": {"sliders": 0},
        },
    }
    median, high = sliders.rows_of(latency)
    assert (median.met, high.met) == (True, False)
    assert "2026-01-01" in high.note and high.repetitions == 16
