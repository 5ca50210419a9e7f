"""The small exercises in place of the lessons', and a progress file of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.course.exercises import registry
from tests.course.small_exercises import ALL


@pytest.fixture
def progress_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(
        registry, "exercises", lambda lesson=None: tuple(one for one in ALL if lesson in (None, one.lesson))
    )
    monkeypatch.setenv("KIT_OUT", str(tmp_path))
    return tmp_path / "progress.json"
