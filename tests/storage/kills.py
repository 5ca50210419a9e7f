"""Processes that are killed at each call of the system, one after another; also for `scripts/hard_use.py`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

# What Python tells its audit hooks before it asks the system to change names or files; ctypes for other calls.
CALLS = ("open", "os.", "shutil.", "ctypes.dlsym", "ctypes.set_errno", "ctypes.get_errno")


def dies_at(call: int, work: Callable[[], Any]) -> bool:
    """Do `work` in a child that SIGKILL ends right before its `call`-th call (from 0); whether it came that far."""
    child = os.fork()
    if not child:
        count = 0

        def hook(event: str, _: tuple) -> None:
            nonlocal count
            if event.startswith(CALLS) and event != "os.kill":
                if count == call:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1

        code = 1
        try:
            sys.addaudithook(hook)
            work()
            code = 0
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), f"ended with {status} at call {call}"
    return status != 0


def kill_at_each_call(work: Callable, look: Callable[[], Any], repair: Callable) -> tuple[int, list]:
    """Kill `work` at its first call, its second, and so on; (how often, what `look` found after each).

    repair: called where `look` has found something new, so that each `work` begins with what was there at first.
    """
    seen: list = []
    first, call = look(), 0
    while dies_at(call, work):
        seen.append(look())
        if seen[-1] != first:
            repair()
        call += 1
    return call, seen
