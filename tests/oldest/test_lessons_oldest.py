"""Every lesson runs in the older world (Colab's), cell by cell, in the preset "smoke"."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SAMPLE = "04_temperature"  # runs in `make test`, too: one of the quickest
RUNNER = Path(__file__).with_name("run_lesson.py")


def run(notebook: Path, folder: Path) -> subprocess.CompletedProcess:
    """Run a notebook in a process of its own that keeps what it writes in `folder`."""
    environment = {name: value for name, value in os.environ.items() if name != "KIT_DATA"}
    environment |= {"KIT_OUT": str(folder), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(RUNNER), str(notebook)]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize(
    "notebook",
    [pytest.param(path, id=path.stem, marks=[] if path.stem == SAMPLE else pytest.mark.nightly) for path in NOTEBOOKS],
)
def test_every_lesson_runs(notebook: Path, no_network: None, tmp_path: Path) -> None:
    done = run(notebook, tmp_path)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-1000:]}"


@pytest.mark.slow
def test_an_error_stops_the_lesson_and_names_its_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "id": "ask", "metadata": {"tags": ["parameters"]}, "source": ["preset = 'laptop'"]},
        {"cell_type": "code", "id": "wrong", "metadata": {}, "source": ["print(preset)\n", "1 / 0"]},
        {"cell_type": "code", "id": "after", "metadata": {}, "source": ["print('never')"]},
    ]
    (tmp_path / "00.ipynb").write_text(json.dumps({"cells": cells}))
    done = run(tmp_path / "00.ipynb", tmp_path)
    assert done.returncode == 1 and "00.ipynb stopped in the cell wrong" in done.stderr
    assert "smoke" in done.stdout and "ZeroDivisionError" in done.stdout and "never" not in done.stdout
