"""The questions for a class: five a lesson, none of which the lesson itself asks or answers word for word."""

from __future__ import annotations

import json
import math
import re
from dataclasses import astuple
from pathlib import Path

import pytest

from kit.course.exam import exam, exam_page
from kit.errors import KitError

NOTEBOOKS = {path.stem: path for path in sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))}


def text_of(lesson: str) -> str:
    cells = json.loads(NOTEBOOKS[lesson].read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


def test_every_lesson_has_five_whole_questions_of_its_own() -> None:
    seen: list[str] = []
    for lesson in NOTEBOOKS:
        asked = exam(lesson)
        assert len(asked) == 5, lesson
        assert all(all(astuple(one)) for one in asked), lesson
        assert not [one.question for one in asked if one.question in text_of(lesson) or one.answer == one.wrong]
        seen += [one.question for one in asked]
    assert len(set(seen)) == len(seen) == 5 * len(NOTEBOOKS)


def test_students_get_no_answer_and_teachers_all() -> None:
    for lesson in NOTEBOOKS:
        page, marked = exam_page(lesson), exam_page(lesson, answers=True)
        for one in exam(lesson):
            assert one.question in page and one.answer not in page
            assert all(part in marked for part in (one.question, one.answer, one.wrong, *one.must_have))


def test_a_right_figure_needs_no_more_decimals_than_the_sheet_asks_for() -> None:
    """Two, as its head says; where an exact figure has more, the rounded one beside it is right as well."""
    assert "figures to two decimals, or exactly, unless another number is asked for" in exam_page("00_tour")
    points = [(one, point) for lesson in NOTEBOOKS for one in exam(lesson) for point in one.must_have]
    long = [(one, point) for one, point in points if re.search(r"\d\.\d{3}", point)]
    assert len(long) >= 4
    for one, point in long:
        assert "decimals" in one.question or re.search(r"\d\.\d\d(?!\d)", point), point


def test_an_unknown_lesson_is_named() -> None:
    with pytest.raises(KitError, match="did you mean '04_temperature'"):
        exam("04_temprature")


def test_how_often_a_run_looks_at_validation_is_said_to_the_step() -> None:
    """The kit looks before the first step as well, so the question says after which steps this run does."""
    asked = exam("09_train")[0]
    assert "after steps 10, 20, 30 and so on to the last" in asked.question
    assert sum(step % 10 == 0 for step in range(1, 2 * math.ceil(5000 / 128) + 1)) == 8 and "8 looks" in asked.answer


def test_some_answers_worked_out() -> None:
    """Figures of six lessons, each from its formula."""

    def figure_in(lesson: str, number: int, value: float) -> None:
        asked = exam(lesson)[number - 1]
        assert f"{value:.2f}" in asked.answer.replace("−", "-"), (lesson, asked.answer)

    shares = [math.exp(x) for x in (5, 6, 3)]
    figure_in("00_tour", 1, math.log(1 + math.exp(-1)))
    figure_in("02_collapse", 2, math.exp(-0.8 * math.log(0.8) - 0.2 * math.log(0.2)))
    figure_in("04_temperature", 1, -math.log(shares[0] / sum(shares)))
    figure_in("04_temperature", 2, 0.05 * math.log(100))
    figure_in("07_spans", 4, math.log(23))
    figure_in("10_measure", 1, 3.5 / math.sqrt(22.5))
    figure_in("13_own_data", 1, (1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    figure_in("13_own_data", 3, math.log(1 + math.exp(2)))
