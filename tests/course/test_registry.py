"""Exercises are found by the names of their files, imported late, and made of parts."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kit.course.exercises import exercises, registry
from kit.course.exercises.exercise import variation
from kit.errors import KitError
from tests.course.small_exercises import HALF, MEAN, mean_rows

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_importing_the_exercises_is_light() -> None:
    code = "import sys, kit.course.exercises; print(*{'torch', 'IPython', 'numpy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        text=True,
        capture_output=True,
        cwd=ROOT,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.strip() == ""


def test_a_lesson_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = types.SimpleNamespace(name="lesson99")
    monkeypatch.setattr(registry.pkgutil, "iter_modules", lambda where: [found, types.SimpleNamespace(name="lessons")])
    monkeypatch.setitem(sys.modules, "kit.course.exercises.lesson99", types.SimpleNamespace(EXERCISES=(HALF,)))
    assert exercises() == exercises("99") == (HALF,) and registry.find_exercise("half") is HALF
    with pytest.raises(KitError, match="unknown lesson with exercises '98'.*Known: 99"):
        exercises("98")


def test_the_stub_ends_in_the_check() -> None:
    for stub in ("def f(x):\n    ...\n", 'def f(x):\n    ...\n\ncheck("a", f)'):
        assert replace(MEAN, name="a", stub=stub).cell == 'def f(x):\n    ...\n\ncheck("a", f)'
    assert HALF.cell == 'answer = ...\ncheck("half", answer)'


def test_a_variation_is_the_solution_with_other_code() -> None:
    summed = variation(mean_rows, ".mean", ".sum")
    x = torch.ones(2, 5)
    assert summed(x, 2.0).tolist() == [10.0, 10.0] and mean_rows(x, 2.0).tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match="mean_rows has no 'median'"):
        variation(mean_rows, "median", "sum")
