"""`kit progress`: a line for each lesson, and a file to hand in that holds no more than the progress file."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from pathlib import Path

import pytest

from kit.commands import BAD_INPUT, main
from kit.course import check, hint
from kit.course.exercises import exercises
from kit.course.exercises.progress_export import FORMAT, MARK, as_text
from kit.course.exercises.progress_record import record

CHOICE = next(one for one in exercises() if one.choices)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A progress file: one exercise wrong and then right, a hint, four predictions."""
    monkeypatch.setenv("KIT_OUT", str(tmp_path / "kept"))
    hint(CHOICE.name)
    for answer in (next(one for one in CHOICE.choices if one != CHOICE.solution), CHOICE.solution, CHOICE.solution):
        check(CHOICE.name, answer)
    record().predicted("Does it rise?", "yes", True)
    record().predicted("Does it fall?", "yes", False)
    record().predicted("How far?", "=1+1", None)
    record().predicted("How so?", "\r=1+1", None)
    return tmp_path / "kept" / "progress.json"


def test_what_was_done_is_summed_up(kept: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["progress"]) == 0
    lines = capsys.readouterr().out.splitlines()
    count = sum(one.lesson == CHOICE.lesson for one in exercises())
    assert f"lesson {CHOICE.lesson}: 1 of {count} exercises solved, 2 tries" in lines
    assert lines[-1] == "predictions: 1 of 2 came true, 2 more in words of your own"


def test_a_table_to_hand_in(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    before = kept.read_bytes()
    target = tmp_path / "ada.csv"
    assert main(["progress", str(kept), "--export", str(target), "--name", "Ada"]) == 0
    assert "stays on this machine" in capsys.readouterr().out and kept.read_bytes() == before
    assert target.read_bytes().startswith(b"\xef\xbb\xbf"), "so that Excel reads it as UTF-8"
    with open(target, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(exercises()) + 4 and {row["student"] for row in rows} == {"Ada"}
    [row] = [row for row in rows if row["what"] == CHOICE.name]
    assert (row["state"], row["tries"], row["hints"]) == ("right", "2", "1")
    assert row["first"].endswith("Z") and row["first"] <= row["solved"]
    assert {row["what"]: (row["state"], row["answer"]) for row in rows[-4:]} == {
        "Does it rise?": ("came so", "yes"),
        "Does it fall?": ("came otherwise", "yes"),
        "How far?": ("in words", "'=1+1"),
        "How so?": ("in words", "'\n=1+1"),
    }, "no spreadsheet runs what a student wrote"


@pytest.mark.parametrize("sign", ["=1+1", "+1", "-2+3", "@SUM(1)"])
def test_no_cell_becomes_a_formula_where_semicolons_or_tabs_part_the_cells(sign: str) -> None:
    """The quotation marks of csv do not help there: they stand in the middle of a cell."""
    rows = [{"student": f"Ada;{sign}", "answer": f"so; \t{sign}"}, {"student": f"\t{sign}", "answer": f"a,;;{sign}"}]
    text = as_text(rows, ".csv").removeprefix(MARK)
    for line in csv.reader(io.StringIO(text)):
        for cell in line:
            assert not any(part.lstrip().startswith(sign) for part in re.split("[;\t]", cell)), cell
    harmless = ["a;b; c", "x = 1; y = 2", "1-2;3+4", "a\tb", "l'été; non", "a - b @ c"]
    written = list(
        csv.DictReader(io.StringIO(as_text([{"answer": one} for one in harmless], ".csv").removeprefix(MARK)))
    )
    assert [row["answer"] for row in written] == harmless


def test_the_same_as_json(kept: Path, tmp_path: Path) -> None:
    assert main(["progress", str(kept), "--export", str(tmp_path / "x.json")]) == 0
    told = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert told["format"] == FORMAT and told["rows"][-2]["answer"] == "=1+1" and told["rows"][0]["student"] == ""


@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_only_an_earlier_table_is_written_over(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture, ending: str
) -> None:
    target = tmp_path / f"mine{ending}"
    for _ in range(2):
        assert main(["progress", str(kept), "--export", str(target)]) == 0
    for foreign in (b"marks,of,the,class\n", b"\xff\xfe"):
        target.write_bytes(foreign)
        capsys.readouterr()
        assert "which holds something else: give another name" in refused([str(kept), "--export", str(target)], capsys)
        assert target.read_bytes() == foreign


def test_the_file_of_a_handout_is_found_from_the_folder_above(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "student" / ".kit").mkdir(parents=True)
    kept.rename(tmp_path / "student" / ".kit" / "progress.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_OUT")
    assert main(["progress"]) == 0
    assert "predictions: 1 of 2 came true" in capsys.readouterr().out
    assert main(["progress", "--export", "MINE.CSV"]) == 0


def test_a_file_in_a_folder_that_takes_no_files_is_read(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a teacher reads a student's; nothing is made, and nothing said of where files would go."""
    (tmp_path / ".kit").mkdir()
    kept.rename(tmp_path / ".kit" / "progress.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_OUT")
    monkeypatch.setattr("kit.paths.takes_files", lambda folder: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "kept"))
    assert main(["progress"]) == 0
    said = capsys.readouterr()
    assert "predictions: 1 of 2 came true" in said.out and not said.err
    assert not list((tmp_path / "kept").iterdir())


def test_a_file_of_an_older_kit_is_read(kept: Path, capsys: pytest.CaptureFixture) -> None:
    kept.write_text(json.dumps({"exercises": {CHOICE.name: {"state": "right", "hints": 0, "solution_seen": False}}}))
    assert main(["progress"]) == 0
    assert "predictions: 0 of 0 came true" in capsys.readouterr().out


def refused(arguments: list[str], capsys: pytest.CaptureFixture) -> str:
    assert main(["progress", *arguments]) == BAD_INPUT
    told = capsys.readouterr().err
    assert told.startswith("kit: expected ") and told.count("\n") == 1
    return told


def test_bad_input_is_one_sentence(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert "No such file" in refused([str(tmp_path / "none.json")], capsys)
    assert "Is a directory" in refused([str(tmp_path)], capsys)
    assert "a file .json or .csv, got '.xlsx'" in refused(["--export", str(tmp_path / "x.xlsx")], capsys)
    assert "another file than the progress file" in refused(["--export", str(kept)], capsys)
    assert "a name of at most 100" in refused(["--name", "a" * 101, "--export", "x.csv"], capsys)
    assert "without line breaks" in refused(["--name", "a\nb", "--export", "x.csv"], capsys)
    for broken in (
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"exercises": 3}',
        b'{"exercises": {}, "predictions": {"a": {"guess": 1}}}',
    ):
        kept.write_bytes(broken)
        assert "not one or is damaged" in refused([str(kept)], capsys)
        assert kept.read_bytes() == broken and list(kept.parent.iterdir()) == [kept], "left as it is"


HANDED = {
    "ada.csv": ("Ada", {"a": ("right", 1, False), "b": ("not yet", 4, True)}, {"Up?": True, "Far?": None}),
    "bob.json": ("Bob", {"a": ("right", 3, False)}, {"Up?": False, "Down?": True}),
    "c.csv": ("", {"a": ("not yet", 2, False), "b": ("right", 6, False)}, {"Up?": False}),
}


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """What three students handed in; the third gave no name."""
    folder = tmp_path / "class"
    folder.mkdir()
    for name, (student, solved, predicted) in HANDED.items():
        own = {"exercises": {}, "predictions": {}}
        for what, (state, tries, seen) in solved.items():
            own["exercises"][what] = {"state": state, "tries": tries, "solution_seen": seen}
        for question, came in predicted.items():
            own["predictions"][question] = {"guess": "x", "came": came, "at": "2031-05-03T10:00:00Z"}
        (tmp_path / "own.json").write_text(json.dumps(own), "utf-8")
        command = ["progress", str(tmp_path / "own.json"), "--export", str(folder / name), "--name", student]
        assert main(command) == 0
    return folder


def told(folder: Path, capsys: pytest.CaptureFixture, *more: str) -> str:
    capsys.readouterr()
    assert main(["progress", "--class", str(folder), *more]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_a_class_is_read_together(handed_in: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (handed_in / "marks.csv").write_text("marks,of,the,class\n1,2,3,4\n", "utf-8")
    whole = (handed_in / "c.csv").read_text("utf-8-sig")
    for name, tries in (("many", "1" + "0" * 400), ("fewer", "-1")):
        table = list(csv.DictReader(whole.splitlines()))
        with open(handed_in / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, table[0])
            writer.writeheader()
            writer.writerows(row | {"student": name, "tries": tries} for row in table)
    of_a_spreadsheet = (handed_in / "ada.csv").read_text("utf-8-sig").replace(",", ";").replace("True", "TRUE")
    (handed_in / "semicolons.csv").write_text(of_a_spreadsheet.replace("Ada", "Anaïs"), "cp1252", "replace")
    (handed_in / "ada.csv").unlink()
    out = told(handed_in, capsys, "--export", str(tmp_path / "all.csv"))
    for name in ("marks", "many", "fewer"):
        assert f"{name}.csv is no table of kit progress --export: left out." in out
    count = len(exercises()) + 2  # of "a" and "b", which the course does not have
    assert f"1 of {count} 1 of 1 Bob" in out and f"1 of {count - 1} 1 of 2 c" in out, "by name; Far? was in words"
    assert "saw the solution b ? 1 of 2 5.0 1 a ? 2 of 3 2.0 0 predictions" in out, "the hardest first"
    assert "came true Up? 1 of 3 Down? 1 of 1" in out
    with open(tmp_path / "all.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["student"] for row in rows} == {"Anaïs", "Bob", "c"} and len(rows) == 3 * count - 1 + 5
    assert f"{len(rows)} rows of 3 students" in out


def test_a_class_that_has_tried_nothing(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    kept.write_text('{"exercises": {}, "predictions": {}}', "utf-8")
    (tmp_path / "class").mkdir()
    assert main(["progress", str(kept), "--export", str(tmp_path / "class" / "x.csv")]) == 0
    out = told(tmp_path / "class", capsys)
    assert "nobody has tried one yet" in out and "nobody has chosen one yet" in out


def test_what_is_no_class_is_refused(handed_in: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "empty").mkdir()
    assert "got none: put what was handed in there" in refused(["--class", str(tmp_path / "empty")], capsys)
    assert "the system said" in refused(["--class", str(tmp_path / "nowhere")], capsys)
    assert "a progress file or a name beside it" in refused(["--class", str(handed_in), "--name", "x"], capsys)
    inside = str(handed_in / "all.csv")
    assert "expected --export outside" in refused(["--class", str(handed_in), "--export", inside], capsys)
    (handed_in / "ada2.csv").write_bytes((handed_in / "ada.csv").read_bytes())
    assert "ada.csv and ada2.csv are both from Ada" in refused(["--class", str(handed_in)], capsys)


DAMAGED = {
    "cut.csv": "student,kind,lesson\nAda,exercise,01\n",
    "empty.csv": "student,kind,lesson,what,state,answer,tries,hints,solution_seen,first,solved\n",
    "tries.csv": "student,kind,lesson,what,state,answer,tries,hints,solution_seen,first,solved\n"
    "Ada,exercise,01,a,right,,many,0,False,,\n",
    "list.json": "[1, 2]",
    "rows.json": '{"format": "pullpush-progress-1", "rows": [3]}',
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_table_costs_only_itself(handed_in: Path, capsys: pytest.CaptureFixture, name: str) -> None:
    (handed_in / name).write_text(DAMAGED[name], "utf-8")
    assert f"{name} is no table of kit progress --export: left out." in told(handed_in, capsys)
