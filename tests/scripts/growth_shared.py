"""Meters of work and of memory that need no clock: lines of Python, cells of tensors, bytes.

Texts count when they are compared, so that a scan inside a C loop shows among the lines.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Text(str):
    """A string whose comparisons are lines of Python."""

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def lines(task: Callable[[], object]) -> int:
    """Lines of Python that a task runs."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        task()
    finally:
        sys.settrace(before)
    return count


class Cells(TorchDispatchMode):
    """Counts the cells of every tensor that an operation makes: all of them, and the largest."""

    total = largest = 0

    def __torch_dispatch__(self, operation, types, arguments=(), keywords=None):
        made = operation(*arguments, **(keywords or {}))
        for tensor in made if isinstance(made, (tuple, list)) else [made]:
            if isinstance(tensor, torch.Tensor) and not any(tensor is given for given in arguments):
                self.total += tensor.numel()
                self.largest = max(self.largest, tensor.numel())
        return made


def cells(task: Callable[[], object]) -> Cells:
    with Cells() as counted:
        task()
    return counted


class Saved:
    """Counts the cells that autograd keeps for the backward pass, at the peak."""

    def __init__(self) -> None:
        self.live = self.peak = 0

    def pack(self, tensor: torch.Tensor) -> _Kept:
        return _Kept(tensor, self)


class _Kept:
    def __init__(self, tensor: torch.Tensor, counter: Saved) -> None:
        self.tensor, self.counter = tensor, counter
        counter.live += tensor.numel()
        counter.peak = max(counter.peak, counter.live)

    def __del__(self) -> None:
        self.counter.live -= self.tensor.numel()


def peak_bytes(task: Callable[[], object]) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
