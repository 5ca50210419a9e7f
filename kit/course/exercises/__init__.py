"""The exercises of the lessons: `check` an answer, ask for a `hint`, see the `solution`, and your `progress`.

    from kit.course import check, hint, solution

What an exercise consists of is in kit/course/exercises/exercise.py; those of lesson 01 are in lesson01.py.
"""

from __future__ import annotations

from kit.course.exercises.checking import check
from kit.course.exercises.exercise import Exercise, Mistake
from kit.course.exercises.help import hint, solution
from kit.course.exercises.overview import progress
from kit.course.exercises.registry import exercise, exercises, lessons

__all__ = ["check", "hint", "solution", "progress", "exercise", "exercises", "lessons", "Exercise", "Mistake"]
