"""The course's material: exercises with a checker (`kit.course.exercises`), the papers' tables and claims
(`kit.course.papers`), sentences that test themselves (`kit.course.findings`).

    from kit.course import check, finding, hint, progress, solution
"""

from __future__ import annotations

import importlib

_ROOMS = {"finding": "kit.course.findings"}  # the rest stands in kit.course.exercises

__all__ = ["check", "finding", "hint", "progress", "solution"]


def __getattr__(name: str):  # loaded when asked for: the papers are used without the exercises
    if name in __all__:
        return getattr(importlib.import_module(_ROOMS.get(name, "kit.course.exercises")), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
