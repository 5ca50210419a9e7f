"""The drawings of lessons 09 to 12: what they say in words is what they draw."""

from __future__ import annotations

from kit.course.papers import Effect, verdict
from kit.figures.training_drawings import interval_rows

SVG = "{http://www.w3.org/2000/svg}"


def test_the_verdicts_that_are_drawn_are_those_of_the_rule() -> None:
    for low, high, words, _ in interval_rows():
        found = verdict("above", Effect((low + high) / 2, low, high, 5), margin=0.5)
        assert words.startswith(found), words
    assert "no effect" in interval_rows()[3][2]
