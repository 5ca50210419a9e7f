"""The progress file: which exercises were tried, stored on this machine only.

`.kit/progress.json` (or in KIT_OUT) has an entry for every exercise that was tried. It is read again
before each change and replaced atomically under a lock, so two notebooks may write at once.
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

LOCK_SECONDS = 2.0  # a write takes milliseconds: an older lock was left by a killed process


class Record:
    """The progress file at `path`; `unsaved` holds entries that could not be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unsaved: dict[str, dict] = {}

    def tried(self, name: str, right: bool) -> str:
        """Record an attempt; once right stays right. Returns a sentence about a problem with the file, or ""."""
        return self._change(name, lambda entry: {"state": RIGHT if right or entry["state"] == RIGHT else NOT_YET})

    def took_hint(self, name: str, number: int) -> str:
        """Record that hint `number` (from 1) was shown."""
        return self._change(name, lambda entry: {"hints": max(number, entry["hints"])})

    def saw_solution(self, name: str) -> str:
        """Record that the solution was shown; it counts only if the exercise was not solved before."""
        return self._change(name, lambda entry: {"solution_seen": entry["solution_seen"] or entry["state"] != RIGHT})

    def entry(self, name: str) -> dict:
        """{"state", "hints", "solution_seen"} of an exercise."""
        return _with_defaults(self.entries()[0].get(name, {}))

    def entries(self) -> tuple[dict[str, dict], str]:
        """All entries by name, and a sentence about a problem with the file, or ""."""
        try:
            saved, note = self._read()
        except OSError as error:
            saved, note = {}, self._in_memory_only(error)
        return {**saved, **self.unsaved}, note

    def _change(self, name: str, change: Callable[[dict], dict]) -> str:
        entries, note = self.entries()
        old = entries.get(name, {})
        if not self.unsaved and not note and {**old, **change(_with_defaults(old))} == old:
            return ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path.with_name(self.path.name + ".lock")):
                saved, problem = self._read()
                entries, note = {**saved, **self.unsaved}, note or problem
                entries[name] = {**entries.get(name, {}), **change(_with_defaults(entries.get(name, {})))}
                _replace(self.path, json.dumps({"exercises": entries}, indent=1, ensure_ascii=False))
        except OSError as error:
            self.unsaved[name] = {**old, **change(_with_defaults(old))}
            return self._in_memory_only(error)
        self.unsaved.clear()
        return note

    def _read(self) -> tuple[dict[str, dict], str]:
        """The entries in the file. A broken file is renamed, never overwritten."""
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

    def _in_memory_only(self, error: OSError) -> str:
        return (
            f"The progress file {self.path} could not be written ({error.strerror or error}): "
            "your progress is remembered only until this kernel stops."
        )


def record() -> Record:
    """The record in this process's output folder."""
    return _record_at(output("progress.json"))


@lru_cache
def _record_at(path: Path) -> Record:
    return Record(path)  # one per path, so that unsaved entries are not lost


def _with_defaults(entry: dict) -> dict:
    return {"state": NOT_TRIED, "hints": 0, "solution_seen": False, **entry}


def _is_sound(entry: dict) -> bool:
    whole = _with_defaults(entry)
    return (
        whole["state"] in (NOT_TRIED, NOT_YET, RIGHT)
        and type(whole["hints"]) is int
        and whole["hints"] >= 0
        and type(whole["solution_seen"]) is bool
    )


def _replace(path: Path, text: str) -> None:
    """Replace the file atomically: a reader sees the old text or the new one."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(text, "utf-8")
    partial.replace(path)


@contextlib.contextmanager
def _locked(lock: Path) -> Iterator[None]:
    """Hold `lock`, a file that only one process can create at a time."""
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
