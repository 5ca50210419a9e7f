"""How many threads torch may use: as many as the process has processors, by affinity and by quota.

In a container that may use one processor of 64, torch starts 64 threads, which then wait for each other.
"""

from __future__ import annotations

import os
from pathlib import Path


def use_allowed_threads() -> str:
    """Let torch use no more threads than the process has processors; OMP_NUM_THREADS goes before it.

    Returns a sentence that says what was changed, "" where nothing was.
    """
    import torch

    allowed, before = allowed_processors(), torch.get_num_threads()
    if before <= allowed or os.environ.get("OMP_NUM_THREADS"):
        return ""
    torch.set_num_threads(allowed)
    return f"torch would start {before} threads, this process may use {allowed} of the machine's processors: {allowed}."


def allowed_processors(root: Path = Path("/")) -> int:
    """The processors that this process may use: the fewer of its affinity and its quota, at least 1.

    root: where /proc and /sys are found.
    """
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(min(affinity, _quota(root))))


def _quota(root: Path) -> float:
    """Processors by control groups, version 2 or 1; infinite where nothing limits them."""
    groups = root / "sys" / "fs" / "cgroup"
    own = _read(root / "proc" / "self" / "cgroup").splitlines()
    place = next((line[3:].lstrip("/") for line in own if line.startswith("0::")), "")
    limits = [_read(folder / "cpu.max").split() for folder in (groups / place, *(groups / place).parents)]
    first = [_read(groups / "cpu" / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")]  # version 1
    return min(map(_affords, [*limits, first]))


def _affords(told: list[str]) -> float:
    """Processors of a quota and a period, both in microseconds; infinite for "max", -1 and what is no quota."""
    if len(told) != 2 or not told[0].isdigit() or not told[1].isdigit() or int(told[1]) == 0:
        return float("inf")
    return int(told[0]) / int(told[1])


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError:
        return ""
