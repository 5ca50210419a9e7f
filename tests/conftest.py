"""What all tests share: quiet threads, the folder of real data, the network switched off."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Before anything imports torch: two threads beside a busy process are slower than one.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def mirror() -> Path:
    """The folder of real data: KIT_DATA, else `shared/data` beside the repository."""
    folder = Path(os.environ.get("KIT_DATA") or ROOT.parent / "shared" / "data").resolve()
    if not folder.is_dir():
        pytest.skip(f"NO REAL DATA: {folder} is not there; set KIT_DATA to a mirror folder")
    return folder


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python process started from here on reaches this machine and nothing else."""
    guard = str(ROOT / "tests" / "no_network")
    known = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([guard, known] if known else [guard]))
    monkeypatch.setenv("KIT_DENY_NETWORK", "1")
    # With a mirror of real data, what a notebook shows would depend on the machine.
    monkeypatch.delenv("KIT_DATA", raising=False)
