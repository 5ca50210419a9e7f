"""Every exercise of every lesson: the solution is right, the stub not tried, each mistake named."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import notebook_exercises
import numpy as np
import pytest
import torch

from kit.course.exercises import check, exercises, find_exercise, lessons
from kit.course.exercises.checking import judge
from kit.course.exercises.exercise import Exercise
from kit.course.exercises.hints import reference_code
from kit.course.exercises.judging_functions import call
from kit.course.exercises.verdict import NOT_TRIED, NOT_YET, RIGHT

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LESSONS = [path.name[:2] for path in NOTEBOOKS[1:]]  # the tour has no exercises
MAX_LINES = 12  # of a code cell in a notebook

every_lesson = pytest.mark.parametrize("lesson", LESSONS)


def with_cases(lesson: str | None = None) -> list[Exercise]:
    """The exercises that ask for a function."""
    return [one for one in exercises(lesson) if one.cases]


def test_every_lesson_asks_for_functions_and_values() -> None:
    assert list(lessons()) == LESSONS
    for lesson in LESSONS:
        asked = exercises(lesson)
        assert len(asked) >= 4 and {one.lesson for one in asked} == {lesson}, lesson
        assert {bool(one.cases) for one in asked} == {True, False}, lesson
    assert len(exercises()) >= 86 and sum(len(one.mistakes) for one in exercises()) >= 362, "some were lost"


def test_names_are_words_and_occur_once() -> None:
    names = Counter(one.name for one in exercises())
    assert [name for name, times in names.items() if times > 1] == []
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > 50] == []
    assert all(find_exercise(name).name == name for name in names)


def missing(one: Exercise) -> Iterator[str]:
    """What an exercise lacks, or has too much of."""
    texts = [mistake.message.strip() for mistake in one.mistakes]
    if one.difficulty not in (1, 2, 3) or type(one.minutes) is not int or one.minutes <= 0:
        yield "difficulty or minutes"
    if not (one.title.strip() and one.prompt.strip() and 0 < one.tolerance < 1):
        yield "title, prompt or tolerance"
    if len(one.hints) < 2 or not all(text.strip() for text in one.hints):
        yield "hints"
    if len(texts) < 3 or not all(texts) or len(set(texts)) < len(texts):
        yield "mistakes"
    if any("\n" in text for text in (*texts, *one.hints, one.remember)):
        yield "texts shown on one line"
    if len(one.cell.splitlines()) > MAX_LINES or "..." not in one.stub:
        yield "stub"
    if one.cell.splitlines()[-1] != f'check("{one.name}", {one.asks_for})':
        yield "check in the last line"


def test_exercises_are_complete() -> None:
    assert [f"{one.name}: {problem}" for one in exercises() for problem in missing(one)] == []


def test_cases_are_the_same_each_time_and_in_float64() -> None:
    offenders = []
    for one in with_cases():
        first, second = one.cases(), one.cases()
        left, right = _tensors(first), _tensors(second)
        same = first and len(first) == len(second) and all(map(torch.equal, left, right))
        if not same or not {tensor.dtype for tensor in left} <= {torch.float64, torch.int64, torch.bool}:
            offenders.append(one.name)
    assert offenders == []


@every_lesson
def test_the_solution_is_right(lesson: str) -> None:
    """Also as it is shown: a learner who copies it into an empty notebook has it accepted."""
    wrong = []
    for one in exercises(lesson):
        space: dict = {}
        exec(reference_code(one), space)
        assert one.asks_for in space, f"the solution of {one.name} must be called {one.asks_for}, as in the stub"
        verdicts = [judge(one, answer) for answer in (one.solution, space[one.asks_for])]
        wrong += [f"{one.name}: {verdict}" for verdict in verdicts if verdict.outcome != RIGHT]
    assert wrong == []


@every_lesson
def test_the_stub_is_not_tried(lesson: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIT_OUT", str(tmp_path))
    for one in exercises(lesson):
        space = {"math": math, "torch": torch}
        exec(one.cell.replace(f'check("{one.name}"', f'verdict = check("{one.name}"'), space | {"check": check}, space)
        assert space["verdict"].outcome == NOT_TRIED, (one.name, space["verdict"])
    assert list(tmp_path.iterdir()) == []


def written_out(wrong: object, right: object) -> object:
    """The wrong answer with right parts where it says that they do not matter."""
    if not isinstance(wrong, tuple):
        return wrong
    return tuple(other if one is ... else one for one, other in zip(wrong, right))


@every_lesson
def test_each_mistake_is_told_with_its_own_sentence(lesson: str) -> None:
    """So no two mistakes of an exercise give the same answers."""
    unnamed = []
    for one in exercises(lesson):
        for wrong, mistake in ((wrong, each) for each in one.mistakes for wrong in (each.answer, *each.also)):
            verdict = judge(one, written_out(wrong, one.solution))
            if (verdict.outcome, verdict.message) != (NOT_YET, mistake.message):
                unnamed.append(f"{one.name}: {mistake.message} GOT {verdict}")
    assert unnamed == []


def test_a_mistake_stops_nowhere_but_at_a_zero() -> None:
    """One that stops by a slip of its own is nobody's mistake: no answer would be told its sentence."""
    stopped = [
        f"{one.name}: {mistake.message} {own.error}"
        for one in with_cases()
        for mistake in one.mistakes
        for wrong in (mistake.answer, *mistake.also)
        for own in (call(wrong, case) for case in one.cases())
        if own.error and own.error[0] != "ZeroDivisionError"
    ]
    assert stopped == []


def test_hints_do_not_give_the_code_away() -> None:
    """The body of the solution does not stand in the hints, spaces and line breaks aside."""
    offenders = []
    for one in with_cases():
        source = inspect.getsource(one.solution)
        body = re.sub(r'^def .*?:\n(\s*""".*?""")?', "", source, count=1, flags=re.DOTALL)
        squeezed = re.sub(r"\s", "", body).removeprefix("return")
        if not squeezed or squeezed in re.sub(r"\s", "", "".join(one.hints)):
            offenders.append(one.name)
    assert offenders == []


def test_choices_are_all_known() -> None:
    """Where one text is chosen, the solution is among the choices and every other choice is a named mistake."""
    chosen = [one for one in exercises() if one.choices and isinstance(one.solution, str)]
    offenders = [
        one.name for one in chosen if {one.solution, *(wrong.answer for wrong in one.mistakes)} != set(one.choices)
    ]
    assert chosen and offenders == []


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
    np.array(["z"]),
    np.array([None]),
    np.array("z"),
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


@every_lesson
@pytest.mark.slow
def test_nothing_upsets_the_checker(lesson: str) -> None:
    """Whatever is given or returned: a verdict of one line that is not "right", never an exception."""
    for one in exercises(lesson):
        for odd in ODD:
            for answer in [odd, lambda *given, odd=odd: odd] if one.cases else [odd]:
                verdict = judge(one, answer)
                place = (one.name, type(odd), verdict)
                assert verdict.outcome == NOT_YET and len(verdict.message.splitlines()) == 1, place
                assert len(verdict.message) < 700 and verdict._repr_html_(), place


SHORT = {"torch": "torch", "np": "numpy", "math": "math", "F": "torch.nn.functional"}


def unknown_names(notebook: dict, asked: dict[str, Exercise]) -> Iterator[str]:
    """Modules in the hints of an exercise that no code cell up to its own imports, nor a hint itself."""
    before = ""
    for cell in notebook["cells"]:
        before += "".join(cell["source"]) + "\n" if cell["cell_type"] == "code" else ""
        if one := asked.get(cell["id"].removeprefix("answer-")) if cell["id"].startswith("answer-") else None:
            told = "\n".join(one.hints)
            for short in sorted(set(re.findall(r"\b(torch|np|math|F)\.\w", told)) & set(SHORT)):
                known = rf"import {re.escape(SHORT[short])}{'' if short == SHORT[short] else f' as {short}'}(?![\w.])"
                if not re.search(known, before + told):
                    yield f"{one.name}: {short}"


def test_what_a_hint_uses_is_imported_where_it_is_read() -> None:
    asked = {one.name: one for one in with_cases()}
    assert [name for path in NOTEBOOKS for name in unknown_names(json.loads(path.read_text("utf-8")), asked)] == []


def test_a_first_hint_is_a_direction_only() -> None:
    """It has neither the code nor the whole formula."""
    for name, told in (("seconds-of-a-run", "[2:]"), ("similarity-gradient", "/ τ")):
        first, *others = find_exercise(name).hints
        assert "`" not in first and told not in first and any(told in hint for hint in others), name


# --- the notebooks --------------------------------------------------------------------------------


def test_notebooks_have_the_cells(capsys: pytest.CaptureFixture[str]) -> None:
    assert notebook_exercises.main(["--check", *map(str, NOTEBOOKS)]) == 0, capsys.readouterr().out


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
def test_wrong_places_are_told(
    two: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], ids: list[str], told: str
) -> None:
    path = notebook(tmp_path, *ids)
    before = path.read_text()
    for options in ([], ["--check"]):
        assert notebook_exercises.main([*options, str(path)]) == 1
        assert told in capsys.readouterr().out and path.read_text() == before


def _tensors(value: object) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [found for one in value for found in _tensors(one)] if isinstance(value, (list, tuple)) else []
