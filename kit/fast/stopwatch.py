"""How long ways to the same result take on this machine, whoever else works on it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import torch

# What a thread has worked, not what passed meanwhile. On Windows that clock ticks too seldom for a product.
clock = time.perf_counter if sys.platform == "win32" else time.thread_time


def least_seconds(*ways: Callable[[], object], rounds: int = 5) -> list[float]:
    """The least time of each way; they take turns, and a round before the others, which compiles, does not count.

    On one thread: several wait for each other, and beside busy programs the way that waits more would look slower. Then
    the answer, and with it how a training rounds, would change from run to run.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        taken = [[seconds(way) for way in ways] for _ in range(rounds + 1)]
    finally:
        torch.set_num_threads(threads)
    return [min(times) for times in zip(*taken[1:])]


def seconds(way: Callable[[], object]) -> float:
    """How long one call of `way` works."""
    began = clock()
    way()
    return clock() - began
