"""The metrics of a run, one JSON line for each step, in a file that only grows.

A checkpoint notes the size of this file, and appends what is new since the one before it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

NAME = "history.jsonl"  # in the folder of the checkpoints


class HistoryFile:
    """A growing list of steps and the file that holds them.

    size: bytes that count, as noted in the checkpoint that is resumed; what a killed run wrote beyond is cut off.
    """

    def __init__(self, folder: Path | str, steps: list[dict], size: int = 0):
        self.path, self.steps, self.size = Path(folder) / NAME, steps, size
        self.written = len(steps) if size else 0

    def write(self) -> int:
        """Write the steps that the file lacks, onto the disk; returns its size. Errors: `OSError`."""
        with open(self.path, "ab") as file:
            if file.tell() < self.size:  # somebody has shortened it
                self.size = self.written = 0
            file.truncate(self.size)
            file.write("".join(json.dumps(step) + "\n" for step in self.steps[self.written :]).encode())
            file.flush()
            os.fsync(file.fileno())
            self.size, self.written = file.tell(), len(self.steps)
        return self.size


def read_history(folder: Path | str, size: int) -> list[dict]:
    """The steps in the first `size` bytes. Errors: `OSError`, or `ValueError` where they are not all there."""
    with open(Path(folder) / NAME, "rb") as file:
        found = file.read(size)
    if len(found) < size:
        raise ValueError(f"{NAME} has {len(found)} of {size} bytes")
    return [json.loads(line) for line in found.splitlines()]
