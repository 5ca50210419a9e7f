"""Ctrl-C while `kit train` trains: the step ends, a checkpoint is written, and the same command goes on from there."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any


@contextlib.contextmanager
def stopping_with_a_checkpoint(run: Any) -> Iterator[None]:
    """Inside, Ctrl-C calls `run.stop_soon()`; a second one stops at once, as everywhere else.

    Only the main thread may say what a signal does; in another one nothing is changed.
    """
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
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
