"""What `check` makes of an answer to an exercise, as one line of a test."""

from __future__ import annotations

from kit.course.exercises import find_exercise
from kit.course.exercises.checking import judge
from kit.course.exercises.verdict import NOT_YET, RIGHT


def taken(name: str, answer: object) -> None:
    verdict = judge(find_exercise(name), answer)
    assert verdict.outcome == RIGHT, str(verdict)


def refused(name: str, answer: object, told: str) -> None:
    """told: words of the reason; "" for any."""
    verdict = judge(find_exercise(name), answer)
    assert verdict.outcome == NOT_YET and told in verdict.message, str(verdict)
