"""The course's material: exercises with a checker (`kit.course.exercises`), the papers' tables and claims
(`kit.course.papers`).

    from kit.course import check, hint, progress, solution
"""

from __future__ import annotations

import importlib

__all__ = ["check", "hint", "progress", "solution"]


def __getattr__(name: str):  # loaded when asked for: the papers are used without the exercises
    if name in __all__:
        return getattr(importlib.import_module("kit.course.exercises"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
