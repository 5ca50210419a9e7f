"""Five questions a lesson that the lesson does not ask: for a class, with answers and with what an answer must have.

Whoever has worked through a lesson, and has nothing else, should answer four of the five.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kit.checks.argument_checks import checked
from kit.errors import check_name

_FILE = Path(__file__).with_name("exam_questions.json")


@dataclass(frozen=True)
class Question:
    """A question with its answer; must_have: the points without which an answer is not right; wrong: a usual one."""

    question: str
    answer: str
    must_have: tuple[str, ...]
    wrong: str
    why_wrong: str


def exam_lessons() -> tuple[str, ...]:
    """The lessons that have questions, by the names of their notebooks: all of the course."""
    return tuple(_questions())


@checked
def exam(lesson: str) -> tuple[Question, ...]:
    """The questions of a lesson by the name of its notebook, such as "04_temperature". Errors: `KitError`."""
    known = _questions()
    check_name("lesson", lesson, known)
    return known[lesson]


@checked
def exam_page(lesson: str, answers: bool = False) -> str:
    """The questions of a lesson as Markdown, for the students; with answers, for whoever marks them."""
    questions = exam(lesson)
    lines = [
        f"# Questions on lesson {lesson[:2]}",
        "",
        "Answer from the lesson alone; figures to two decimals, or exactly, unless another number is asked for.",
        "",
    ]
    for number, asked in enumerate(questions, 1):
        lines += [f"**{number}.** {asked.question}", ""]
        if answers:
            lines += [
                f"*Answer.* {asked.answer}",
                "",
                f"*Right only with:* {'; '.join(asked.must_have)}.",
                "",
                f"*A usual wrong one:* {asked.wrong} {asked.why_wrong}",
                "",
            ]
    return "\n".join(lines)


@cache
def _questions() -> dict[str, tuple[Question, ...]]:
    read = json.loads(_FILE.read_text("utf-8"))
    return {
        lesson: tuple(Question(**{**asked, "must_have": tuple(asked["must_have"])}) for asked in questions)
        for lesson, questions in read.items()
    }
