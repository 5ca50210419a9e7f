"""Processes that begin with torch and transformers imported: forks of one server, which a test worker starts once.

For what happens to a process after its start, being killed for one; what a start does itself is tested with real ones.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["torch", "transformers.models.bert.modeling_bert"])


def end_of(work: Callable, *args: object) -> int:
    """The exit code of a process that does `work(*args)`; minus the number of the signal that ended it.

    work: a function that can be imported by its name.
    """
    process = FORKS.Process(target=work, args=args)
    process.start()
    process.join()
    return process.exitcode


def say_into(file: Path) -> None:
    """From here on, what this process prints or complains of goes into `file`."""
    with file.open("wb") as said:
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
