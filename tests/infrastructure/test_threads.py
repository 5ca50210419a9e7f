"""The threads that torch may use, in containers of both kinds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from kit import threads
from kit.fast import WAITING


def machine(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "allowed"),
    [
        ({}, 8),
        ({"sys/fs/cgroup/cpu.max": "max 100000\n"}, 8),
        ({"sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
        ({"sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1),
        ({"sys/fs/cgroup/cpu.max": "6400000 100000\n"}, 8),
        ({"sys/fs/cgroup/cpu.max": "250000 100000", "proc/self/cgroup": "0::/a/b\n"}, 2),
        ({"sys/fs/cgroup/a/cpu.max": "300000 100000", "proc/self/cgroup": "0::/a/b\n"}, 3),
        ({"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "150000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"}, 1),
        ({"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"}, 8),
        ({"sys/fs/cgroup/cpu.max": "nonsense"}, 8),
    ],
)
def test_affinity_and_quota(files: dict, allowed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert threads.allowed_processors(machine(tmp_path, files)) == allowed


def test_torch_is_held_to_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    try:
        torch.set_num_threads(3)
        monkeypatch.setattr(threads, "allowed_processors", lambda: 2)
        assert "3 threads" in threads.use_allowed_threads() and torch.get_num_threads() == 2
        assert threads.use_allowed_threads() == ""
        torch.set_num_threads(3)
        monkeypatch.setenv("OMP_NUM_THREADS", "3")
        assert threads.use_allowed_threads() == "" and torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("own", "expected"),
    [({}, WAITING["GOMP_SPINCOUNT"]), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "ACTIVE"}, None)],
)
def test_waiting_threads_sleep_soon_unless_the_reader_says_how_they_wait(own: dict, expected: str | None) -> None:
    usual = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    ask = "import kit, os, sys; print(os.environ.get('GOMP_SPINCOUNT'), 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], env=usual | own, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(expected), "False"], "before torch is loaded, which reads it once"
