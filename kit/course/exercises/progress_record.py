"""What a reader has tried, in a file of their own: nothing leaves the machine.

`.kit/progress.json` (or KIT_OUT) holds an entry for every exercise that was tried. It is read
again before each change and replaced whole, so that two notebooks may write it at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from kit.course.exercises.verdict import NOT_TRIED, NOT_YET, RIGHT
from kit.paths import output

LOCK_SECONDS = 2.0  # a change takes milliseconds: a lock this old was left by a process that was killed


class Record:
    """The progress file at `path`, and in `unsaved` what could not be written into it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unsaved: dict[str, dict] = {}

    def tried(self, name: str, right: bool) -> str:
        """Note an attempt; once right stays right. Returns a sentence on trouble with the file, or ""."""
        return self._change(name, lambda entry: {"state": RIGHT if right or entry["state"] == RIGHT else NOT_YET})

    def took_hint(self, name: str, number: int) -> str:
        """Note that hint `number` (from 1) was shown."""
        return self._change(name, lambda entry: {"hints": max(number, entry["hints"])})

    def saw_solution(self, name: str) -> str:
        """Note that the solution was shown; it counts only if the answer was not right before."""
        return self._change(name, lambda entry: {"solution_seen": entry["solution_seen"] or entry["state"] != RIGHT})

    def entry(self, name: str) -> dict:
        """{"state", "hints", "solution_seen"} of an exercise."""
        return _whole(self.entries()[0].get(name, {}))

    def entries(self) -> tuple[dict[str, dict], str]:
        """All entries by name, and a sentence on trouble with the file, or ""."""
        try:
            saved, note = self._read()
        except OSError as error:
            saved, note = {}, self._kept_here(error)
        return {**saved, **self.unsaved}, note

    def _change(self, name: str, change: Callable[[dict], dict]) -> str:
        entries, note = self.entries()
        old = entries.get(name, {})
        if not self.unsaved and not note and {**old, **change(_whole(old))} == old:
            return ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path.with_name(self.path.name + ".lock")):
                saved, found = self._read()
                entries, note = {**saved, **self.unsaved}, note or found
                entries[name] = {**entries.get(name, {}), **change(_whole(entries.get(name, {})))}
                _replace(self.path, json.dumps({"exercises": entries}, indent=1, ensure_ascii=False))
        except OSError as error:
            self.unsaved[name] = {**old, **change(_whole(old))}
            return self._kept_here(error)
        self.unsaved.clear()
        return note

    def _read(self) -> tuple[dict[str, dict], str]:
        """The entries in the file. A broken file is put aside, never overwritten."""
        try:
            entries = json.loads(self.path.read_bytes())["exercises"]
            if all(_is_sound(entry) for entry in entries.values()):
                return entries, ""
        except FileNotFoundError:
            return {}, ""
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        number = 1
        while (aside := self.path.with_name(f"{self.path.stem}-broken-{number}.json")).exists():
            number += 1
        self.path.rename(aside)
        return {}, f"The progress file {self.path} could not be read: it is now {aside.name}, and a new one is begun."

    def _kept_here(self, error: OSError) -> str:
        return (
            f"The progress file {self.path} could not be written ({error.strerror or error}): "
            "your progress is remembered only until this kernel stops."
        )


def record() -> Record:
    """The record of the folder this process keeps its results in."""
    return _record_at(output("progress.json"))


@lru_cache
def _record_at(path: Path) -> Record:
    return Record(path)  # one a path: what could not be saved must not be forgotten


def _whole(entry: dict) -> dict:
    return {"state": NOT_TRIED, "hints": 0, "solution_seen": False, **entry}


def _is_sound(entry: dict) -> bool:
    whole = _whole(entry)
    return (
        whole["state"] in (NOT_TRIED, NOT_YET, RIGHT)
        and type(whole["hints"]) is int
        and whole["hints"] >= 0
        and type(whole["solution_seen"]) is bool
    )


def _replace(path: Path, text: str) -> None:
    """Whoever reads sees the old file or the new one, never half of one."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text, "utf-8")
    partial.replace(path)


@contextlib.contextmanager
def _locked(lock: Path) -> Iterator[None]:
    """Hold `lock`, a file that only one process can create."""
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.monotonic() > until:
                break
            time.sleep(0.01)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
