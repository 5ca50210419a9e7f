"""The metrics of a run, one JSON line for each step, in two files that only grow.

A checkpoint notes the size and the checksum of the history up to its step, and appends what is new to one file; the
next checkpoint takes the other. So the two newest checkpoints share no byte: damage to a file costs one of them, and
writing one cannot spoil the one before it. Nothing notes which file is whose: a checksum finds it.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from kit.storage.atomic import strict_json

NAMES = ("history.jsonl", "history-2.jsonl")  # in the folder of the checkpoints


class HistoryFile:
    """A growing list of steps and the files that hold them.

    A file that begins with the `steps` so far goes on from there; what a killed run wrote beyond is cut off, and
    any other file is written anew.
    """

    def __init__(self, folder: Path | str, steps: list[dict]):
        self.folder, self.steps = Path(folder), steps
        self._digest, self._size, self._lines = hashlib.sha256(), 0, 0  # of the steps that `_take_new_steps` took
        self._new: dict[str, list[bytes]] = {name: [] for name in NAMES}  # what a file lacks
        self._sizes = dict.fromkeys(NAMES, 0)  # what it has
        self._take_new_steps()
        whole = [name for name in NAMES if steps and _starts_with(self.folder / name, self._note()) is not None]
        for name in whole:
            self._new[name], self._sizes[name] = [], self._size
        self._next = NAMES.index(whole[0]) + 1 if whole else 0

    def write(self) -> dict:
        """Append the steps that are new, onto the disk; returns the size and checksum of all. Errors: `OSError`."""
        self._take_new_steps()
        name = NAMES[self._next % len(NAMES)]
        if (self.folder / name).is_symlink():  # what it leads to is somebody else's
            (self.folder / name).unlink()
        with open(self.folder / name, "ab") as file:
            if file.tell() < self._sizes[name]:  # somebody has shortened it
                file.truncate(0)
                self._sizes[name], self._new[name] = 0, [_line(step) for step in self.steps]
            file.truncate(self._sizes[name])
            file.write(b"".join(self._new[name]))
            file.flush()
            os.fsync(file.fileno())
        self._sizes[name], self._new[name] = self._size, []
        self._next += 1
        return self._note()

    def _note(self) -> dict:
        return {"bytes": self._size, "sha256": self._digest.hexdigest()}

    def _take_new_steps(self) -> None:
        lines = [_line(step) for step in self.steps[self._lines :]]
        for line in lines:
            self._digest.update(line)
        self._size, self._lines = self._size + sum(map(len, lines)), len(self.steps)
        for waiting in self._new.values():
            waiting.extend(lines)


def read_history(folder: Path | str, note: dict) -> list[dict]:
    """The steps that `note` speaks of. Errors: `ValueError` where no file has them all; what is damaged is not read."""
    for name in NAMES:
        found = _starts_with(Path(folder) / name, note)
        if found is not None:
            return [json.loads(line) for line in found.splitlines()]
    raise ValueError(f"{' and '.join(NAMES)} do not hold its history")


def _starts_with(path: Path, note: dict) -> bytes | None:
    """The first bytes of a file if they are those of `note`; None where it has others or is not there."""
    try:
        with open(path, "rb") as file:
            found = file.read(note["bytes"])
    except OSError:
        return None
    # checkpoints before there were checksums note the size alone
    proved = len(found) == note["bytes"] and note.get("sha256") in (None, hashlib.sha256(found).hexdigest())
    return found if proved else None


def _line(step: dict) -> bytes:
    return f"{strict_json(step)}\n".encode()
