"""Trainings that leave the CPU: every recipe takes a step where tensors of two devices do not mix, as on a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kit.training import RECIPES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_every_recipe_takes_a_step_on_a_device_of_its_own() -> None:
    pytest.importorskip("torch.utils.backend_registration")
    command = [sys.executable, str(ROOT / "tests" / "training" / "fake_gpu.py")]
    run = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=900
    )
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout)
    assert "same device" in found["mixed"], "else it would notice nothing"
    assert {name.split(" ")[0] for name in found["steps"]} == set(RECIPES)
    assert {name: error for name, error in found["steps"].items() if error} == {}
