"""The notebook's stop button ends what trains in the background.

Jupyter sends the kernel an interrupt. In a cell that is KeyboardInterrupt, in the main thread only; between cells the
kernel ignores it. Either way a background thread would go on.
"""

from __future__ import annotations

import signal
import sys
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
    if kernel in _watched:
        return
    _watched.add(kernel)
    shell.events.register("post_run_cell", _after_cell)
    # The handler that ipykernel puts in place between cells. Where a version has none, the cell's interrupt is left.
    if hasattr(kernel, "saved_sigint_handler"):
        kernel.saved_sigint_handler = _between_cells
    elif signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, _between_cells)


def _after_cell(result: Any) -> None:
    if isinstance(getattr(result, "error_in_exec", None), KeyboardInterrupt):
        _stop_all()


def _between_cells(number: int, frame: Any) -> None:
    _stop_all()


def _stop_all() -> None:
    for training in list(_stoppable):
        training.stop_soon()
