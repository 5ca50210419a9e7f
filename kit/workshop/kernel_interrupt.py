"""The notebook's stop button ends what trains in the background.

Jupyter sends the kernel an interrupt. In a cell that is KeyboardInterrupt, in the main thread only; between cells the
kernel ignores it. Either way a background thread would go on.
"""

from __future__ import annotations

import signal
import sys
import threading
import weakref
from typing import Any

_stoppable: weakref.WeakSet = weakref.WeakSet()  # what has a `stop_soon()`
_watched: weakref.WeakSet = weakref.WeakSet()  # kernels that call us


def stop_on_interrupt(training: Any) -> None:
    """Call `training.stop_soon()` whenever the kernel is interrupted, in a cell or between two; outside one, nothing.

    training: held weakly.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return
    _stoppable.add(training)
    if kernel not in _watched:
        _watched.add(kernel)
        shell.events.register("pre_run_cell", _before_cell)
        # The handler that ipykernel puts back after a cell, where its version keeps one.
        if hasattr(kernel, "saved_sigint_handler"):
            kernel.saved_sigint_handler = _between_cells
    _before_cell()


def _before_cell(info: Any = None) -> None:
    """ipykernel puts its own handler in place before every message, so ours follows it before every cell."""
    if threading.current_thread() is threading.main_thread():
        between = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, _between_cells if between else _in_a_cell)


def _in_a_cell(number: int, frame: Any) -> None:
    # First, and not when the cell has ended: a second interrupt can keep what follows a cell from running.
    _stop_all()
    signal.default_int_handler(number, frame)


def _between_cells(number: int, frame: Any) -> None:
    _stop_all()


def _stop_all() -> None:
    for training in list(_stoppable):
        training.stop_soon()
