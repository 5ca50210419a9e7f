"""Peak memory of one call, measured in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
# Allocators (glibc's, MKL's) that give back at once what is freed, in small pages, so that the peak is what is held.
TIDY = {"MALLOC_MMAP_THRESHOLD_": "65536", "MKL_DISABLE_FAST_MM": "1", "OMP_WAIT_POLICY": "PASSIVE"}
TIDY |= {"THP_MEM_ALLOC_ENABLE": "0"}


def peak_megabytes(call: Callable[[], object]) -> float:
    """The most memory (MB) that the process holds during `call` beyond what it holds before. Linux only."""
    RESET.write_text("5")  # forgets the peak so far: what the imports once took is not ours
    before = _kilobytes("VmRSS")
    call()
    return (_kilobytes("VmHWM") - before) / 1024


def in_a_process(program: str, *arguments: object, threads: int = 1, tidy: bool = True) -> Any:
    """What `python program arguments…` prints last, as JSON, where nothing else has touched the memory."""
    done = subprocess.run(
        [sys.executable, program, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | (TIDY if tidy else {}) | {"OMP_NUM_THREADS": str(threads)},
    )
    if done.returncode:
        raise RuntimeError(f"{Path(program).name} {arguments}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def _kilobytes(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1])
