"""The progress file and the table made of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kit.course import check, hint, progress, solution
from kit.course.exercises.progress_record import Record, record
from kit.course.exercises.verdict import NOT_TRIED, RIGHT
from tests.course.small_exercises import sum_of_rows, total

ROOT = Path(__file__).resolve().parents[2]


def test_states_and_the_table(progress_file: Path) -> None:
    check("mean-rows", ...), check("half", ...)
    assert not progress_file.exists(), "a notebook that is only run leaves no trace"
    check("mean-rows", sum_of_rows), hint("mean-rows")
    solution("total"), check("total", total)
    check("half", 0.5), solution("half"), check("half", 3)
    table = progress()
    assert str(table).splitlines()[:5] == [
        "lesson  exercise   difficulty  minutes  state                          hints taken",
        "01      mean-rows  ●●○         5        not yet                        1 of 3",
        "01      total      ●○○         1        right, with the solution seen  0 of 2",
        "02      stats      ●●●         9        not tried                      0 of 2",
        "02      half       ●○○         2        right                          0 of 2",
    ]
    assert table.summary == ("2 of 7 exercises are right (1 with the solution seen); the others take about 20 minutes.")
    assert '<td style="text-align:left" aria-label="difficulty 2 of 3">●●○</td>' in table._repr_html_()
    assert [row[1] for row in progress("01").rows] == ["mean-rows", "total"]
    assert progress("01").summary.startswith("1 of 2")


def test_predictions_are_summed_up_for_the_whole_course(progress_file: Path) -> None:
    said = progress().summary
    for question, came in (("Does it rise?", True), ("Does it fall?", False), ("How far?", None)):
        record().predicted(question, "yes", came)
    assert progress().summary == f"{said} 1 of 2 predictions came true."
    assert "predictions" not in progress("01").summary


def test_tries_are_counted_until_it_is_right(progress_file: Path) -> None:
    check("half", 3), check("half", 4), check("half", 0.5), check("half", 3)
    entry = record().entry("half")
    assert entry["tries"] == 3 and entry["state"] == RIGHT
    assert entry["first_tried"].endswith("Z") and entry["first_tried"] <= entry["solved"]


def test_a_second_kernel_goes_on_from_the_file(progress_file: Path) -> None:
    hint("total"), check("half", 0.5)
    again = Record(progress_file)
    assert again.entry("total")["hints"] == 1 and again.entry("half")["state"] == RIGHT
    assert again.entry("never")["state"] == NOT_TRIED


def test_what_is_not_ours_is_kept(progress_file: Path) -> None:
    entry = {"state": RIGHT, "hints": 0, "solution_seen": False, "new": 1}
    progress_file.write_text(json.dumps({"exercises": {"of-a-newer-kit": entry}}))
    hint("total")
    kept = json.loads(progress_file.read_text())["exercises"]
    assert kept["of-a-newer-kit"] == entry and kept["total"]["hints"] == 1


BROKEN = [
    b"[" * 100_000,
    b"",
    b"{",
    b"\xff\xfe\x00",
    b"[]",
    b'{"exercises": 3}',
    b'{"exercises": {"total": 3}}',
    b'{"exercises": {"total": {"hints": "many"}}}',
    b'{"exercises": {"total": {"state": "great"}}}',
    b'{"exercises": {}, "predictions": {"Does it rise?": {"came": 3}}}',
]


def test_a_broken_file_is_renamed(progress_file: Path) -> None:
    for number, broken in enumerate(BROKEN, start=1):
        progress_file.write_bytes(broken)
        shown = hint("total", 1)
        assert str(shown).startswith("Hint 1 of 2: a The progress file ")
        aside = progress_file.parent / f"progress-broken-{number}.json"
        assert shown.note.endswith(f"could not be read: it is now {aside.name}, and a new one is begun.")
        assert aside.read_bytes() == broken
        assert hint("total", 1).note == ""
    assert record().entry("total")["hints"] == 1


def test_an_unwritable_place_is_told_and_nothing_is_lost(progress_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = progress_file.parent / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("KIT_OUT", str(blocked))
    assert [hint("mean-rows").number for _ in range(2)] == [1, 2]
    verdict = check("half", 0.5)
    assert verdict.outcome == RIGHT and "remembered only until this kernel stops" in verdict.note
    assert "remembered only" in progress().note and record().entry("half")["state"] == RIGHT
    blocked.unlink()
    assert check("total", total).note == ""
    saved = json.loads((blocked / "progress.json").read_text())["exercises"]
    assert (saved["mean-rows"]["hints"], saved["half"]["state"], saved["total"]["state"]) == (2, RIGHT, RIGHT)


def test_a_link_to_the_file_stays_one(progress_file: Path, tmp_path: Path) -> None:
    """As in a folder that is synced: what it leads to is written, and renamed where it is broken."""
    (tmp_path / "synced").mkdir()
    real = tmp_path / "synced" / "real.json"
    progress_file.symlink_to(real)
    hint("total")
    assert progress_file.is_symlink() and json.loads(real.read_text())["exercises"]["total"]["hints"] == 1
    real.write_text("{")
    assert "it is now real-broken-1.json, and a new one is begun" in hint("total", 1).note
    assert progress_file.is_symlink() and "total" in real.read_text()
    assert {path.name for path in real.parent.iterdir()} == {"real.json", "real-broken-1.json"}


def test_a_full_disk_leaves_the_old_file(progress_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hint("total")
    before = progress_file.read_bytes()

    def full(*arguments, **settings):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert "(No space left on device)" in hint("total").note
    assert progress_file.read_bytes() == before and record().entry("total")["hints"] == 2
    assert not progress_file.with_name("progress.json.lock").exists()


def test_a_lock_left_behind_does_not_block(progress_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.course.exercises.progress_record.LOCK_SECONDS", 0.05)
    progress_file.with_name("progress.json.lock").touch()
    assert hint("total").note == "" and json.loads(progress_file.read_text())["exercises"]["total"]["hints"] == 1
    assert not progress_file.with_name("progress.json.lock").exists()


@pytest.mark.slow
def test_two_notebooks_write_at_once(progress_file: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from kit.course.exercises.progress_record import Record\n"
        "record = Record(Path(sys.argv[1]))\n"
        "notes = [record.tried(f'{sys.argv[2]}-{i}', right=True) for i in range(40)]\n"
        "assert notes == [''] * 40, notes"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(progress_file), name], cwd=ROOT) for name in ("left", "right")
    ]
    assert [one.wait() for one in both] == [0, 0]
    assert len(json.loads(progress_file.read_text())["exercises"]) == 80
    assert [path.name for path in progress_file.parent.iterdir()] == ["progress.json"]
