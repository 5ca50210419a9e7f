"""The progress file: which exercises were tried and what was predicted, stored on this machine only.

`.kit/progress.json` (or in KIT_OUT) has an entry for every exercise that was tried, and one for every question that
was answered before its answer showed. It is read again before each change and replaced atomically under a lock, so
two notebooks may write at once. Times are UTC, such as 2031-05-03T10:00:00Z.
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
from kit.storage.atomic import hidden_beside, sweep

LOCK_SECONDS = 2.0  # a write takes milliseconds: an older lock was left by a killed process
DEFAULTS = {
    "exercises": {"state": NOT_TRIED, "hints": 0, "solution_seen": False, "tries": 0, "first_tried": "", "solved": ""},
    "predictions": {"guess": "", "came": None, "at": ""},
}
SECTIONS = tuple(DEFAULTS)
Sections = dict[str, dict[str, dict]]  # section → name or question → entry


class Record:
    """The progress file at `path`; `unsaved` holds entries that could not be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unsaved: Sections = {section: {} for section in SECTIONS}

    def tried(self, name: str, right: bool) -> str:
        """Record an attempt; once right stays right. Returns a sentence about a problem with the file, or ""."""

        def change(entry: dict) -> dict:
            if entry["state"] == RIGHT:
                return {}
            at = now()
            solved = {"state": RIGHT, "solved": at} if right else {"state": NOT_YET}
            return {"tries": entry["tries"] + 1, "first_tried": entry["first_tried"] or at, **solved}

        return self._change("exercises", name, change)

    def took_hint(self, name: str, number: int) -> str:
        """Record that hint `number` (from 1) was shown."""
        return self._change("exercises", name, lambda entry: {"hints": max(number, entry["hints"])})

    def saw_solution(self, name: str) -> str:
        """Record that the solution was shown; it counts only if the exercise was not solved before."""
        return self._change(
            "exercises", name, lambda entry: {"solution_seen": entry["solution_seen"] or entry["state"] != RIGHT}
        )

    def predicted(self, question: str, guess: str, came: bool | None) -> str:
        """Record what was said before the answer showed, and whether it came so (None: not one of a few answers).

        A later guess changes nothing: whoever has seen the answer predicts no more.
        """
        return self._change(
            "predictions", question, lambda entry: {} if entry["guess"] else {"guess": guess, "came": came, "at": now()}
        )

    def entry(self, name: str) -> dict:
        """The entry of an exercise: DEFAULTS["exercises"] and what was recorded."""
        return with_defaults("exercises", self.entries()[0].get(name, {}))

    def prediction(self, question: str) -> dict:
        """The entry of a question: DEFAULTS["predictions"] and what was recorded."""
        return with_defaults("predictions", self.predictions().get(question, {}))

    def entries(self) -> tuple[dict[str, dict], str]:
        """All exercises' entries by name, and a sentence about a problem with the file, or ""."""
        sections, note = self._all()
        return sections["exercises"], note

    def predictions(self) -> dict[str, dict]:
        """All predictions' entries by question."""
        return self._all()[0]["predictions"]

    def _all(self) -> tuple[Sections, str]:
        try:
            saved, note = self._read()
        except OSError as error:
            saved, note = {section: {} for section in SECTIONS}, self._in_memory_only(error)
        return _merged(saved, self.unsaved), note

    def _change(self, section: str, name: str, change: Callable[[dict], dict]) -> str:
        sections, note = self._all()
        old = sections[section].get(name, {})
        new = {**old, **change(with_defaults(section, old))}
        if not any(self.unsaved.values()) and not note and new == old:
            return ""
        try:
            path = Path(os.path.realpath(self.path))  # a link stays one, and what it leads to is replaced
            path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(path.with_name(path.name + ".lock")):
                saved, problem = self._read()
                sections, note = _merged(saved, self.unsaved), note or problem
                old = sections[section].get(name, {})
                sections[section][name] = {**old, **change(with_defaults(section, old))}
                _replace(path, json.dumps(sections, indent=1))
        except OSError as error:
            self.unsaved[section][name] = new
            return self._in_memory_only(error)
        self.unsaved = {section: {} for section in SECTIONS}
        return note

    def _read(self) -> tuple[Sections, str]:
        """The entries in the file. A broken file is renamed, never overwritten."""
        try:
            return sections_of(json.loads(self.path.read_bytes())), ""
        except FileNotFoundError:
            return {section: {} for section in SECTIONS}, ""
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        number, path = 1, Path(os.path.realpath(self.path))
        while (aside := path.with_name(f"{path.stem}-broken-{number}.json")).exists():
            number += 1
        path.rename(aside)
        note = f"The progress file {self.path} could not be read: it is now {aside.name}, and a new one is begun."
        return {section: {} for section in SECTIONS}, note

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


def with_defaults(section: str, entry: dict) -> dict:
    """An entry with the values that it lacks: files of older kits have fewer."""
    return {**DEFAULTS[section], **entry}


def _merged(saved: Sections, unsaved: Sections) -> Sections:
    return {**saved, **{section: {**saved[section], **unsaved[section]} for section in SECTIONS}}


def sections_of(whole: dict) -> Sections:
    """What a progress file holds, from its JSON. Raises `ValueError`, `KeyError`, `TypeError` or `AttributeError` where
    it is not of the form that is written.
    """
    sections = {"predictions": {}, **whole, "exercises": whole["exercises"]}
    if not all(_is_sound(section, entry) for section in SECTIONS for entry in sections[section].values()):
        raise ValueError("an entry is not of the kind that is written")
    return sections


def _is_sound(section: str, entry: dict) -> bool:
    """Whether each value is of the kind that is written; what a newer kit adds is kept and not looked at."""
    whole = with_defaults(section, entry)
    kinds = all(type(whole[key]) is type(value) for key, value in DEFAULTS[section].items() if value is not None)
    if section == "predictions":
        return kinds and whole["came"] in (True, False, None)
    return kinds and whole["state"] in (NOT_TRIED, NOT_YET, RIGHT) and min(whole["hints"], whole["tries"]) >= 0


def now() -> str:
    """The time in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _replace(path: Path, text: str) -> None:
    """Replace the file atomically: a reader sees the old text or the new one. The disk may take its time."""
    sweep(path, "partial")
    partial = hidden_beside(path, "partial")
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
