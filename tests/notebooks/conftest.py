"""Gathers what the executed notebooks cost into build/notebooks/costs.json."""

from __future__ import annotations

from pathlib import Path

from tests.notebooks.execute import save_costs

BUILT = Path(__file__).resolve().parents[2] / "build" / "notebooks"


def pytest_sessionfinish(session) -> None:
    if not hasattr(session.config, "workerinput"):  # once, not in every parallel worker
        save_costs(BUILT)
