"""When a cell runs again, the boards that it made before are replaced: what they drive would go on without a handle."""

from __future__ import annotations

import sys

_made: dict[str, tuple[int, list]] = {}  # cell → its newest execution, and the boards made in that


def close_replaced(board) -> None:
    """Close what an earlier execution of the cell at hand made; `board` is what this one makes.

    Outside of a notebook nothing happens.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if not shell:
        return
    header = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = header.get("metadata", {}).get("cellId") or shell.user_ns.get("In", [""])[-1]  # else by its text
    execution, boards = _made.get(cell, (0, []))
    if execution != shell.execution_count:
        for old in boards:
            old.close()
        boards = []
    _made[cell] = (shell.execution_count, [*boards, board])
