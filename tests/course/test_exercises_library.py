"""Every exercise of every lesson: the solution is right, the stub not tried, each mistake named.

Runs over whatever lessons exist; a lesson is found by the name of its module.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import notebook_exercises
import numpy as np
import pytest
import torch

from kit.course.exercises import check, exercise, exercises, lessons
from kit.course.exercises.checking import judge
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.help import reference_code
from kit.course.exercises.verdict import NOT_TRIED, NOT_YET, RIGHT

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# once such a notebook exists, it has exercises
WITH_EXERCISES = ("01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12")
MAX_LINES = 12  # of a code cell in a notebook

every_exercise = pytest.mark.parametrize("asked", exercises(), ids=lambda asked: asked.name)
every_lesson = pytest.mark.parametrize("lesson", lessons())
every_mistake = pytest.mark.parametrize(
    ("asked", "number"),
    [(asked, number) for asked in exercises() for number in range(len(asked.mistakes))],
    ids=lambda value: value if isinstance(value, int) else value.name,
)


def test_names_are_words_and_occur_once() -> None:
    names = Counter(asked.name for asked in exercises())
    assert [name for name, times in names.items() if times > 1] == []
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > 50] == []
    assert all(exercise(name).name == name for name in names)


@every_lesson
def test_a_lesson_asks_enough(lesson: str) -> None:
    asked = exercises(lesson)
    assert len(asked) >= 4
    assert {one.lesson for one in asked} == {lesson}
    assert {bool(one.cases) for one in asked} == {True, False}, "both functions and values are asked for"


@every_exercise
def test_is_whole(asked: Exercise) -> None:
    assert asked.difficulty in (1, 2, 3) and type(asked.minutes) is int and asked.minutes > 0
    assert asked.title.strip() and asked.prompt.strip() and 0 < asked.tolerance < 1
    assert len(asked.hints) >= 2 and all(text.strip() for text in asked.hints)
    says = [mistake.says.strip() for mistake in asked.mistakes]
    assert len(says) >= 3 and all(says) and len(set(says)) == len(says)
    assert all("\n" not in text for text in (*says, *asked.hints, asked.remember)), "they are shown on one line"
    assert len(asked.cell.splitlines()) <= MAX_LINES and "..." in asked.stub
    assert asked.cell.splitlines()[-1] == f'check("{asked.name}", {asked.asks_for})'


@every_exercise
def test_stays_what_it_is(asked: Exercise) -> None:
    """The cases are drawn the same each time, and in float64."""
    if not asked.cases:
        return
    first, second = asked.cases(), asked.cases()
    assert first and len(first) == len(second)
    for left, right in zip(_tensors(first), _tensors(second)):
        assert torch.equal(left, right)
        assert left.dtype in (torch.float64, torch.int64, torch.bool)


@every_exercise
def test_the_solution_is_right(asked: Exercise) -> None:
    verdict = judge(asked, asked.solution)
    assert verdict.outcome == RIGHT, verdict


@every_exercise
def test_the_solution_as_shown_is_right(asked: Exercise) -> None:
    """A learner who copies it into an empty notebook has it accepted."""
    space: dict = {}
    exec(reference_code(asked), space)
    assert asked.asks_for in space, f"the solution must be called {asked.asks_for}, as in the stub"
    verdict = judge(asked, space[asked.asks_for])
    assert verdict.outcome == RIGHT, verdict


@every_exercise
def test_the_stub_is_not_tried(asked: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_OUT", str(tmp_path))
    verdicts = []
    exec(asked.cell, {"check": lambda *given: verdicts.append(check(*given)), "math": math, "torch": torch})
    assert [verdict.outcome for verdict in verdicts] == [NOT_TRIED], verdicts
    assert list(tmp_path.iterdir()) == []


@every_mistake
def test_a_mistake_is_rejected_by_its_name(asked: Exercise, number: int) -> None:
    """With its own message: no other mistake of the exercise gives the same answers."""
    mistake = asked.mistakes[number]
    verdict = judge(asked, mistake.answer)
    assert (verdict.outcome, verdict.message) == (NOT_YET, mistake.says)


@every_exercise
def test_hints_do_not_give_the_code_away(asked: Exercise) -> None:
    """The body of the solution does not stand in the hints, spaces and line breaks aside."""
    if not asked.cases:
        return
    source = inspect.getsource(asked.solution)
    body = re.sub(r'^def .*?:\n(\s*""".*?""")?', "", source, count=1, flags=re.DOTALL)
    assert (squeezed := re.sub(r"\s", "", body))
    assert squeezed.removeprefix("return") not in re.sub(r"\s", "", "".join(asked.hints))


@every_exercise
def test_choices_are_all_known(asked: Exercise) -> None:
    """Where one text is chosen, the solution is among the choices and every other choice is a named mistake."""
    if asked.choices and isinstance(asked.solution, str):
        assert {asked.solution, *(mistake.answer for mistake in asked.mistakes)} == set(asked.choices)


class Stubborn:
    """An object that refuses whatever it is asked."""

    def refuse(self, *anything, **more):
        raise RuntimeError("no")

    __eq__ = __bool__ = __len__ = __iter__ = __float__ = __repr__ = __str__ = __array__ = refuse
    __hash__ = None
    shape = property(refuse)


ODD = (
    Stubborn,
    Stubborn(),
    object(),
    torch,
    torch.nn.Linear(2, 2),
    torch.float32,
    np.datetime64("2020"),
    b"x",
    "",
    "x" * 5000,
    1j,
    10**400,
    -(10**30),
    math.nan,
    -math.inf,
    Fraction(1, 3),
    Decimal("2.5"),
    {"a": 1},
    {1},
    range(3),
    (i for i in ()),
    [],
    [[1], [2, 3]],
    [None],
    (1, "a", None),
    [Stubborn()],
    np.zeros(3),
    np.array(["a"]),
    np.array([None]),
    np.array("a"),
    np.float32(7.5),
    np.zeros(0),
    np.zeros(2, complex),
    torch.Size([2, 9]),
    torch.zeros(0),
    torch.zeros(2, 0, 3),
    torch.tensor(1j),
    torch.eye(9).to_sparse(),
    torch.zeros(3, device="meta"),
    torch.zeros(3, dtype=torch.int8),
    torch.full((4,), math.nan),
    torch.nn.Parameter(torch.full((5, 5), 7e33)),
    torch.arange(30).reshape(2, 3, 5) - 1e9,
)


@every_exercise
def test_nothing_upsets_the_checker(asked: Exercise) -> None:
    """Whatever is given or returned: a verdict of one line that is not "right", never an exception."""
    for odd in ODD:
        for answer in [odd, lambda *given, odd=odd: odd] if asked.cases else [odd]:
            verdict = judge(asked, answer)
            assert verdict.outcome == NOT_YET and len(verdict.message.splitlines()) == 1, (type(odd), verdict)
            assert len(verdict.message) < 700 and verdict._repr_html_(), verdict


# --- the notebooks --------------------------------------------------------------------------------


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_have_the_cells(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert notebook_exercises.main(["--check", str(path)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("lesson", WITH_EXERCISES)
def test_a_lesson_with_a_notebook_has_exercises(lesson: str) -> None:
    if any(path.name.startswith(f"{lesson}_") for path in NOTEBOOKS):
        assert lesson in lessons()


def notebook(folder: Path, *ids: str, name: str = "01_x.ipynb") -> Path:
    cells = [
        {
            "cell_type": "code",
            "id": one,
            "metadata": {"tags": ["x"]},
            "source": "old",
            "outputs": [],
            "execution_count": None,
        }
        for one in ids
    ]
    path = folder / name
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [
        Exercise(name, lesson, "A title", 2, 1, "Do it.", "x = ...", ("a", "b"), 1, ())
        for name, lesson in (("one", "01"), ("two", "02"))
    ]
    monkeypatch.setattr(notebook_exercises, "exercises", lambda: tuple(made))


def test_cells_are_filled_and_then_in_order(two: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = notebook(tmp_path, "title", "exercise-one", "answer-one", "next")
    before = path.read_text()
    assert notebook_exercises.main(["--check", str(path)]) == 1 and path.read_text() == before
    assert "differ from kit/course/exercises" in capsys.readouterr().out
    assert notebook_exercises.main([str(path)]) == 0
    assert notebook_exercises.main(["--check", str(path)]) == 0
    title, question, answer, after = json.loads(path.read_text())["cells"]
    assert (title["source"], after["source"], question["cell_type"]) == (["old"], ["old"], "markdown")
    assert "".join(question["source"]) == (
        "### Exercise: A title\n\n●●○ difficulty 2 of 3 · about 1 minute\n\nDo it.\n\n"
        'Stuck? Run `hint("one")`; the reference answer is `solution("one")`.'
    )
    assert (answer["cell_type"], answer["source"]) == ("code", ["x = ...\n", 'check("one", x)'])
    assert answer["metadata"] == {"tags": ["x"]}


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ([], "expected one cell exercise-one and one cell answer-one, got 0 and 0."),
        (["exercise-one"], "got 1 and 0."),
        (["exercise-one", "answer-one", "answer-one"], "got 1 and 2."),
        (["answer-one", "exercise-one"], "answer-one does not stand right after exercise-one."),
        (["exercise-one", "answer-one", "exercise-three"], "for an exercise that does not exist: three."),
        (["exercise-one", "answer-one", "answer-two"], "answer-two is for an exercise of lesson 02."),
    ],
)
@pytest.mark.parametrize("option", [[], ["--check"]])
def test_wrong_places_are_told(
    two: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], ids: list[str], told: str, option: list[str]
) -> None:
    path = notebook(tmp_path, *ids)
    before = path.read_text()
    assert notebook_exercises.main([*option, str(path)]) == 1
    assert told in capsys.readouterr().out and path.read_text() == before


def _tensors(value: object) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [found for one in value for found in _tensors(one)] if isinstance(value, (list, tuple)) else []
