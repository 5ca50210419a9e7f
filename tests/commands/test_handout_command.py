"""`kit handout`: students get no answers, instructors get all of them, and both are notebooks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from kit.commands import main
from kit.commands.handout_command import answered, default_notebooks, instructor, notes, student, unworked
from kit.course import check
from kit.course.exercises import exercises

NOTEBOOKS = sorted(default_notebooks().glob("*.ipynb"))


def lesson(path: Path) -> dict:
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def text(notebook: dict, kind: str) -> str:
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind)


def test_students_find_no_way_to_an_answer() -> None:
    for path in NOTEBOOKS:
        made = student(lesson(path))
        ids = [cell["id"] for cell in made["cells"]]
        assert ids == [cell["id"] for cell in unworked(lesson(path))["cells"]], path.name
        told = "\n".join("".join(c["source"]) for c in made["cells"] if c["id"].startswith(("exercise-", "answer-")))
        assert "solution(" not in told and "import check, hint, solution" not in text(made, "code"), path.name


def test_instructors_find_every_answer_and_what_students_get_wrong() -> None:
    import nbformat

    for path in NOTEBOOKS:
        made = instructor(lesson(path))
        nbformat.validate(made)
        for one in (one for one in exercises() if one.lesson == path.name[:2]):
            assert answered(one) in text(made, "code") and notes(one) in text(made, "markdown"), one.name
            assert all(mistake.message in notes(one) for mistake in one.mistakes)


@pytest.mark.slow
def test_every_answer_of_the_instructors_set_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_OUT", str(tmp_path))
    wrong = {}
    for one in exercises():
        said = []
        names = {"check": lambda name, answer, said=said: said.append(str(check(name, answer)))}
        exec(answered(one), names)
        if not said[0].startswith("Right"):
            wrong[one.name] = said[0]
    assert wrong == {}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["handout", "04", "--out", str(tmp_path / "class")]) == 0
    assert sorted(path.parent.name for path in (tmp_path / "class").rglob("04_*.ipynb")) == ["instructor", "student"]
    exam = {path.parts[-3]: path.read_text("utf-8") for path in (tmp_path / "class").glob("*/exam/04_*.md")}
    assert exam["student"].count("**1.**") == 1 and "*Answer.*" not in exam["student"]
    assert exam["instructor"].count("*Answer.*") == 5, "as many as there are questions"
    assert len(list((tmp_path / "class").glob("*/docs/glossary.md"))) == 2, "what the lessons link to, in either set"
    assert "progress.json" in capsys.readouterr().out
    assert main(["handout", "77", "--out", str(tmp_path / "class")]) == 2
    assert "got '77': write two digits, as 01" in capsys.readouterr().err
    assert main(["handout", "--notebooks", str(tmp_path), "--out", str(tmp_path / "x")]) == 2
    told = capsys.readouterr().err
    assert "name the folder with --notebooks" in told and "they are in the repository" in told


def test_every_link_to_a_file_leads_somewhere(tmp_path: Path) -> None:
    assert main(["handout", "--out", str(tmp_path)]) == 0
    pages = [*tmp_path.rglob("*.ipynb"), *tmp_path.rglob("*.md")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(((?:\.\./|docs/|\d\d_)[^)#\s\\]*)", page.read_text("utf-8"))
    ]
    assert len(links) > 100 and not any(link.startswith("..") for _, link in links), "a set is given away by itself"
    assert [str(page) + link for page, link in links if not (page.parent / link).exists()] == []


def test_a_handout_of_a_handout_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A teacher may have nothing but what another one gave away."""
    first, second = tmp_path / "first" / "student", tmp_path / "second" / "student"
    assert main(["handout", "00", "--out", str(first.parent)]) == 0
    assert main(["handout", "00", "--notebooks", str(first), "--out", str(second.parent)]) == 0
    given, made = (
        {p.relative_to(top): p.read_bytes() for p in top.rglob("*.*") if p.is_file()} for top in (first, second)
    )
    assert given == made and b"(docs/glossary.md" in made[Path("00_tour.ipynb")]
    for page in (first / "docs").iterdir():
        page.unlink()
    capsys.readouterr()
    assert main(["handout", "00", "--notebooks", str(first), "--out", str(tmp_path / "third")]) == 0
    assert "pages they link to were not found" in capsys.readouterr().out


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    assert main(["handout", "--out", str(tmp_path / "file")]) == 2
    assert "expected a folder for the handouts at" in capsys.readouterr().err


def test_what_a_teacher_changed_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["handout", "04", "--out", str(tmp_path)]
    assert main(asked) == 0
    (lesson_04,) = tmp_path.glob("student/04_*.ipynb")
    written, mine = lesson_04.read_text("utf-8"), "my own lesson"
    assert main(asked) == 0, "what nobody changed is written again"
    lesson_04.write_text(mine, "utf-8")
    capsys.readouterr()
    assert main(asked) == 2
    assert f"changed since it was written, got {lesson_04}: give another folder" in capsys.readouterr().err
    assert lesson_04.read_text("utf-8") == mine
    assert main([*asked, "--replace"]) == 0
    assert lesson_04.read_text("utf-8") == written


def test_what_an_older_kit_wrote_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["handout", "04", "--out", str(tmp_path)]
    monkeypatch.setattr("kit.commands.handout_command.exam_page", lambda stem, answers: "as of last year")
    assert main(asked) == 0
    monkeypatch.undo()
    assert main(asked) == 0, "changed by the kit, not by anybody"
    assert "**1.**" in next(tmp_path.glob("student/exam/04_*.md")).read_text("utf-8")
    (tmp_path / ".handout.json").write_text("[damaged")
    assert main(asked) == 0, "what is to be written stands there already"


def worked(folder: Path) -> Path:
    """A folder with lesson 04 as a student leaves it: an answer, an output, a cell of an instructor's set."""
    (source,) = default_notebooks().glob("04_*.ipynb")
    notebook = json.loads(source.read_text("utf-8"))
    (answer,) = (cell for cell in notebook["cells"] if cell["id"] == "answer-smallest-loss")
    answer |= {"source": "def smallest_loss(n, tau):\n    return 'MINE'", "execution_count": 7}
    answer["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "MINE"}]
    notebook["cells"].append({"cell_type": "markdown", "id": "notes-x", "metadata": {}, "source": "MINE"})
    folder.mkdir()
    (folder / source.name).write_text(json.dumps(notebook), "utf-8")
    return folder / source.name


def test_nothing_that_was_worked_in_a_notebook_is_handed_out(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    own = worked(tmp_path / "own")
    (tmp_path / "docs").symlink_to(default_notebooks().parent / "docs")
    assert main(["handout", "04", "--notebooks", str(own.parent), "--out", str(tmp_path / "a")]) == 0
    assert main(["handout", "04", "--out", str(tmp_path / "b")]) == 0
    for kind in ("student", "instructor"):
        made, fresh = ((tmp_path / one / kind / own.name).read_text("utf-8") for one in "ab")
        assert "MINE" not in made and json.loads(made)["cells"] == json.loads(fresh)["cells"]
    notebook = lesson(own)
    notebook["cells"].append({"cell_type": "code", "id": "x", "metadata": {}, "source": "solution('smallest-loss')"})
    own.write_text(json.dumps(notebook), "utf-8")
    capsys.readouterr()
    assert main(["handout", "--notebooks", str(own.parent), "--out", str(tmp_path / "c")]) == 2
    assert "a cell calls solution(…): take the cell out" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()


def test_copies_are_left_out_and_damaged_notebooks_told(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    own = worked(tmp_path / "own")
    for other in ("04_temperature-Copy1.ipynb", "14_mine.ipynb"):
        own.with_name(other).write_text("{}")
    asked = ["handout", "--notebooks", str(own.parent), "--out", str(tmp_path / "a")]
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert "Left out: 04_temperature-Copy1.ipynb, 14_mine.ipynb; no lesson" in told and "student: 1 notebook," in told
    for damaged in ("{bad", "[]", '{"cells": [{"cell_type": "code"}]}'):
        own.write_text(damaged)
        assert main(asked) == 2
        assert f"expected a notebook in {own}, but it cannot be read" in capsys.readouterr().err


def test_a_set_says_how_to_open_it_and_leads_to_no_lesson_with_answers(tmp_path: Path) -> None:
    assert main(["handout", "--out", str(tmp_path)]) == 0
    for path in tmp_path.rglob("*.ipynb"):
        (start,) = ("".join(one["source"]) for one in lesson(path)["cells"] if one["id"] == "badges")
        assert '`pip install "pullpush-kit[notebook] @ git+https://github.com/' in start and "](" not in start, path


def test_a_closed_folder_of_notebooks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def closed(folder) -> None:  # the tests may run as root, whom no mode stops
        raise PermissionError(13, "Permission denied", str(folder))

    (tmp_path / "theirs").mkdir()
    monkeypatch.setattr(os, "listdir", closed)
    assert main(["handout", "--notebooks", str(tmp_path / "theirs"), "--out", str(tmp_path / "out")]) == 2
    assert f"expected {tmp_path / 'theirs'} to be open to you" in capsys.readouterr().err
