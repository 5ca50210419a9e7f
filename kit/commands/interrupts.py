"""Ctrl-C while `kit train` trains: the step ends, a checkpoint is written, and the same command goes on from there."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any


@contextlib.contextmanager
def stopping_with_a_checkpoint(run: Any, patience: float = 1.0) -> Iterator[list[float]]:
    """Inside, Ctrl-C calls `run.stop_soon()`, if it runs; a second one stops at once, as everywhere else.

    Yields a list that is empty until then. patience: seconds in which a second one is taken for the same, as a launcher
    passes on what the terminal has sent already. Only the main thread may say what a signal does; in another one, and
    where somebody has the signal ignored (a shell does, of what it starts in the background), nothing is changed.
    """
    before, first = signal.getsignal(signal.SIGINT), []

    def stop(number: int, frame: FrameType | None) -> None:
        if first and time.monotonic() - first[0] < patience:
            return
        if first or not run.running:
            signal.signal(signal.SIGINT, before)
            raise KeyboardInterrupt
        first.append(time.monotonic())
        run.stop_soon()
        with contextlib.suppress(OSError):  # not by print: the signal may come in the middle of another one
            os.write(2, b"\nkit: stopping after this step, with a checkpoint (Ctrl-C again: at once) ...\n")

    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield first
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield first
    finally:
        signal.signal(signal.SIGINT, before)
