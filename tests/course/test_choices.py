"""Exercises with options a to d: neither a letter nor the length of an option gives the right one away."""

from __future__ import annotations

import re
from collections import Counter

from kit.course.exercises import exercises
from kit.course.exercises.exercise import Exercise

LETTERS = ("a", "b", "c", "d")


def options(exercise: Exercise) -> dict[str, str]:
    """The text of each option by its letter; {} where the options are rows of a table."""
    parts = re.split(r"\n- \*\*([a-d])\*\* ", exercise.prompt)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def with_letters() -> list[Exercise]:
    return [one for one in exercises() if one.choices == LETTERS and isinstance(one.solution, str)]


def test_the_options_stand_in_the_order_of_their_letters() -> None:
    found = {one.name: tuple(options(one)) for one in with_letters()}
    assert len(found) >= 22
    assert {name: letters for name, letters in found.items() if letters != LETTERS} == {"the-wrong-row": ()}


def test_no_letter_is_right_too_often() -> None:
    asked = with_letters()
    right = Counter(one.solution for one in asked)
    assert set(right) == set(LETTERS) and max(right.values()) <= 0.4 * len(asked), right


def test_the_longest_option_is_right_in_half_of_them_at_most() -> None:
    asked = [(one, options(one)) for one in with_letters() if options(one)]
    longest = [one.name for one, texts in asked if max(texts, key=lambda letter: len(texts[letter])) == one.solution]
    assert len(longest) <= len(asked) / 2, longest
