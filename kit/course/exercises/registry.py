"""Find exercises: every module kit/course/exercises/lessonNN.py has a tuple EXERCISES.

The modules are found by name and imported on first use, so a new lesson needs no entry here.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from pathlib import Path

from kit.course.exercises.exercise import Exercise
from kit.errors import KitError, shown, unknown_name


def lessons() -> tuple[str, ...]:
    """The numbers of the lessons that have exercises, in order: ("01", "04", …)."""
    modules = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return tuple(sorted(name.removeprefix("lesson") for name in modules if re.fullmatch(r"lesson\d\d", name)))


def exercises(lesson: str | None = None) -> tuple[Exercise, ...]:
    """The exercises of a lesson ("01"), or of all lessons in order.

    Raises `KitError` for a lesson without exercises.
    """
    if lesson is not None and lesson not in lessons():
        raise unknown_name("lesson with exercises", lesson, lessons())
    wanted = lessons() if lesson is None else (lesson,)
    modules = (importlib.import_module(f"kit.course.exercises.lesson{number}") for number in wanted)
    return tuple(one for module in modules for one in module.EXERCISES)


def find_exercise(name: str) -> Exercise:
    """The exercise called `name`. Raises `KitError`, with near matches, for an unknown name."""
    known = {one.name: one for one in exercises()}
    if not isinstance(name, str):
        meant = [one.name for one in known.values() if one.asks_for == getattr(name, "__name__", "")]
        example = (*meant, *known)[0]
        raise KitError(
            f"expected the name of an exercise, in quotation marks, got {shown(name)}: begin with it, "
            f'`check("{example}", …)` or `hint("{example}")`; `progress()` lists all names.'
        )
    if name not in known:
        near = difflib.get_close_matches(name[:100], known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise KitError(f"unknown exercise {shown(name)}: {hint}`progress()` lists all names.")
    return known[name]
