"""`kit handout`: students get no answers, instructors get all of them, and both are notebooks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kit.commands import main
from kit.commands.handout_command import answered, default_notebooks, instructor, notes, student
from kit.course import check
from kit.course.exercises import exercises

NOTEBOOKS = sorted(default_notebooks().glob("*.ipynb"))


def lesson(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


def text(notebook: dict, kind: str) -> str:
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind)


def test_students_find_no_way_to_an_answer() -> None:
    for path in NOTEBOOKS:
        made = student(lesson(path))
        ids = [cell["id"] for cell in made["cells"]]
        assert ids == [cell["id"] for cell in lesson(path)["cells"]], path.name
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
    assert (tmp_path / "class" / "docs" / "glossary.md").is_file(), "what the lessons link to"
    assert "progress.json" in capsys.readouterr().out
    assert main(["handout", "77", "--out", str(tmp_path / "class")]) == 2
    assert "got '77': write two digits, as 01" in capsys.readouterr().err
    assert main(["handout", "--notebooks", str(tmp_path), "--out", str(tmp_path / "x")]) == 2
    assert "name the folder with --notebooks" in capsys.readouterr().err


def test_every_link_to_a_file_leads_somewhere(tmp_path: Path) -> None:
    assert main(["handout", "--out", str(tmp_path)]) == 0
    pages = [*tmp_path.rglob("*.ipynb"), *tmp_path.rglob("*.md")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(((?:\.\./|\d\d_)[^)#\s\\]*)", page.read_text("utf-8"))
    ]
    assert len(links) > 100
    assert [str(page) + link for page, link in links if not (page.parent / link).exists()] == []


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
