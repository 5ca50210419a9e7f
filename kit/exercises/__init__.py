"""The exercises of the lessons: `check` an answer, ask for a `hint`, see the `solution`, and your `progress`.

    from kit.exercises import check, hint, solution

What an exercise consists of is in kit/exercises/exercise.py; those of lesson 01 are in lesson01.py.
"""

from __future__ import annotations

from kit.exercises.checking import check
from kit.exercises.exercise import Exercise, Mistake
from kit.exercises.help import hint, solution
from kit.exercises.overview import progress
from kit.exercises.registry import exercise, exercises, lessons

__all__ = ["check", "hint", "solution", "progress", "exercise", "exercises", "lessons", "Exercise", "Mistake"]
