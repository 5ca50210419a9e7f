"""Ctrl-C while `kit train` trains: the step ends, a checkpoint is written, and the same command goes on from there."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any


@contextlib.contextmanager
def stopping_with_a_checkpoint(run: Any, patience: float = 1.0) -> Iterator[None]:
    """Inside, Ctrl-C calls `run.stop_soon()`; a second one stops at once, as everywhere else.

    patience: seconds in which a second one is taken for the same, as a launcher passes on what the terminal has sent
    already. Only the main thread may say what a signal does; in another one nothing is changed.
    """
    before, first = signal.getsignal(signal.SIGINT), []

    def stop(number: int, frame: FrameType | None) -> None:
        if first:
            if time.monotonic() - first[0] >= patience:
                signal.signal(signal.SIGINT, before)
                raise KeyboardInterrupt
            return
        first.append(time.monotonic())
        # Not by print: the signal may come in the middle of another one.
        os.write(2, b"\nkit: stopping after this step, with a checkpoint (Ctrl-C again: at once) ...\n")
        run.stop_soon()

    try:
        signal.signal(signal.SIGINT, stop)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
