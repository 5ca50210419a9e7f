"""Files that are there whole or not at all, and the leftovers of killed processes."""

from __future__ import annotations

import errno
import json
import math
import os
import signal
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.storage.atomic import hidden_beside, is_running, strict_json, sweep, write_atomically


def test_a_text_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_atomically(tmp_path / "deep" / "a.json", "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(KitError, match="'No space left on device'.*nothing was overwritten"):
            write_atomically(tmp_path / "deep" / "a.json", "new")
    assert [(p.name, p.read_text()) for p in (tmp_path / "deep").iterdir()] == [("a.json", "old")]
    write_atomically(tmp_path / "deep" / "a.json", "new")
    assert (tmp_path / "deep" / "a.json").read_text() == "new"


def dead_process() -> int:
    child = os.fork()
    if not child:
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return child


def test_what_a_killed_process_left_goes_with_the_next_writing(tmp_path: Path) -> None:
    dead = dead_process()
    for name in (f".a.json.{dead}.partial", f".a.json.{os.getppid()}.partial", f".ab.json.{dead}.partial"):
        (tmp_path / name).write_text("half")
    write_atomically(tmp_path / "a.json", "new")
    kept = {f".a.json.{os.getppid()}.partial", f".ab.json.{dead}.partial", "a.json"}
    assert {path.name for path in tmp_path.iterdir()} == kept, "a living process, and another file, keep theirs"


def test_folders_are_swept_too_and_names_are_no_patterns(tmp_path: Path) -> None:
    dead = dead_process()
    (tmp_path / f".a[1].{dead}.new" / "deep").mkdir(parents=True)
    (tmp_path / f".a1.{dead}.new").mkdir()
    sweep(tmp_path / "a[1]", "new")
    assert [path.name for path in tmp_path.iterdir()] == [f".a1.{dead}.new"]
    sweep(tmp_path / "nowhere" / "a", "new")  # nothing there, nothing to do


def test_who_runs(tmp_path: Path) -> None:
    assert is_running(os.getpid()) and is_running(1) and not is_running(dead_process()) and not is_running(10**30)
    assert hidden_beside(tmp_path / "a", "new").name == f".a.{os.getpid()}.new"


def test_strict_json_has_no_word_that_json_lacks() -> None:
    text = strict_json({"a": [math.nan, (math.inf, 1.5)], "b": {"c": -math.inf, "d": "NaN", "e": True}}, indent=1)
    found = json.loads(text, parse_constant=pytest.fail)
    assert found == {"a": [None, [None, 1.5]], "b": {"c": None, "d": "NaN", "e": True}}
    assert strict_json([0.1, 1e300]) == json.dumps([0.1, 1e300])
