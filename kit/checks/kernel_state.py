"""What a notebook's kernel lacks: cells that have not run yet, and modules whose import was broken off half-way."""

from __future__ import annotations

import importlib
import signal
import threading
import traceback
from typing import Any


def import_whole(name: str) -> None:
    """Import a module to its end: who presses stop meanwhile interrupts what comes after it.

    An import that is broken off leaves some of its modules behind, and those of scipy fail in each later one.
    """
    stop, pressed = signal.getsignal(signal.SIGINT), []
    if not callable(stop) or threading.current_thread() is not threading.main_thread():  # nothing interrupts it
        importlib.import_module(name)
        return
    signal.signal(signal.SIGINT, lambda *call: pressed.append(call))
    try:
        importlib.import_module(name)
    finally:
        signal.signal(signal.SIGINT, stop)
    if pressed:
        stop(*pressed[0])


def advice(error: BaseException | None, page: dict[str, Any]) -> str | None:
    """What to do about the error that ended a cell, where that lies in the state of the kernel; else None.

    page: the names of the notebook, in which its cells run.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)] if error else []
    if type(error) is NameError and frames and frames[-1].f_globals is page:
        return (
            f"No cell that has run in this kernel defines {error.name!r}. Where a cell above does, run those above "
            "first: Run > Run All Above Selected Cell (in Colab, Runtime > Run before)."
        )
    if isinstance(error, KeyboardInterrupt) and any(
        frame.f_code.co_name == "<module>" and frame.f_globals is not page for frame in frames
    ):
        return (
            "This broke off an import half-way. If the cell fails when it runs again, restart the kernel "
            "(in Colab, the session) and run the cells above first."
        )
    return None
