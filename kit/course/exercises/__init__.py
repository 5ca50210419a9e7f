"""The exercises of the lessons: `check` an answer, take a `hint`, see the `solution` and your `progress`.

    from kit.course import check, hint, solution

lessonNN.py has the exercises of lesson NN: question, hints, solution, and the usual wrong answers, each with
the sentence that `check` gives. The fields are explained in exercise.py.
"""

from __future__ import annotations

from kit.course.exercises.checking import check
from kit.course.exercises.exercise import Exercise, Mistake
from kit.course.exercises.hints import hint, solution
from kit.course.exercises.progress_table import progress
from kit.course.exercises.registry import exercises, find_exercise, lessons

__all__ = ["check", "hint", "solution", "progress", "exercises", "find_exercise", "lessons", "Exercise", "Mistake"]
