"""Files that are there whole or not at all, and the leftovers of killed processes."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from kit.errors import KitError
from kit.storage import atomic
from kit.storage.atomic import hidden_beside, is_running, strict_json, sweep, sync, write_atomically, write_together
from tests.storage.kills import kill_at_each_call


def test_a_text_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_atomically(tmp_path / "deep" / "a.json", "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(KitError, match="'No space left on device'.*choose another folder; a.json is as it was"):
            write_atomically(tmp_path / "deep" / "a.json", "new")
    assert [(p.name, p.read_text()) for p in (tmp_path / "deep").iterdir()] == [("a.json", "old")]
    write_atomically(tmp_path / "deep" / "a.json", "new")
    assert (tmp_path / "deep" / "a.json").read_text() == "new"


def test_files_that_belong_together_are_there_together(tmp_path: Path) -> None:
    """After a kill at any call too, but between the renames; the next writing removes what it left."""
    texts = {tmp_path / name: name * 3 for name in "abc"}

    def there() -> str:
        return "".join("." if path.name.startswith(".") else path.name for path in sorted(tmp_path.iterdir()))

    def none_there() -> None:
        for path in tmp_path.iterdir():
            path.unlink()

    _, seen = kill_at_each_call(lambda: write_together(texts.items()), there, none_there)
    assert {"", ".", "..", "...", "..a", ".ab", "abc"} == set(seen) and seen.count("..a") == seen.count(".ab") == 1
    none_there()
    left_by(dead_process(), tmp_path / "b", "partial").write_text("half")
    write_together(texts.items())
    assert {path: path.read_text() for path in tmp_path.iterdir()} == texts

    def interrupted():
        yield tmp_path / "d", "d"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_together(interrupted())
    assert {path: path.read_text() for path in tmp_path.iterdir()} == texts


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.ENOSPC, errno.EIO])
def test_a_share_that_cannot_sync_a_folder_is_written_to_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """As CIFS mounts do; a disk that is full or broken is told, and so is a file that cannot be synced."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(number, os.strerror(number))))
    told = number in (errno.ENOSPC, errno.EIO)
    with pytest.raises(OSError) if told else contextlib.nullcontext():
        sync(tmp_path)
    with pytest.raises(OSError):
        sync(tmp_path / "file")


def dead_process() -> int:
    child = os.fork()
    if not child:
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return child


def left_by(process: int, path: Path, kind: str, machine: str = "") -> Path:
    """The name under which a thread of that process prepared what would be at `path`."""
    name = hidden_beside(path, kind).name.replace(f".{os.getpid()}.", f".{process}.")
    return path.with_name(name.replace(atomic._machine(), machine) if machine else name)


def test_what_a_killed_process_left_goes_with_the_next_writing(tmp_path: Path) -> None:
    dead, target = dead_process(), tmp_path / "a.json"
    living = left_by(os.getppid(), target, "partial")
    another_file = left_by(dead, tmp_path / "ab.json", "partial")
    for path in (left_by(dead, target, "partial"), living, another_file):
        path.write_text("half")
    write_atomically(target, "new")
    assert set(tmp_path.iterdir()) == {target, living, another_file}


def test_what_another_machine_writes_is_left_alone_for_a_day(tmp_path: Path) -> None:
    """A shared folder: its number here says nothing, and a container often has the number of another's."""
    theirs, abandoned = (left_by(os.getpid(), tmp_path / "a", "new", machine) for machine in ("0" * 8, "1" * 8))
    for folder in (theirs, abandoned):
        folder.mkdir()
    os.utime(abandoned, (0, 0))
    sweep(tmp_path / "a", "new")
    assert list(tmp_path.iterdir()) == [theirs]


def test_two_threads_may_write_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have begun before either renames: one of the two contents stands there, whole."""
    both, replace = threading.Barrier(2), Path.replace

    def together(self: Path, target: Path) -> Path:
        both.wait()
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", together)
    texts = ["short", "much longer than the other"]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda text: write_atomically(tmp_path / "a", text), texts))
    assert (tmp_path / "a").read_text() in texts and len(list(tmp_path.iterdir())) == 1


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for link in (hidden_beside(tmp_path / "a", "partial"), tmp_path / "a"):
        link.symlink_to(tmp_path / "mine")
    write_atomically(tmp_path / "a", "new")
    assert (tmp_path / "mine").read_text() == "mine" and (tmp_path / "a").read_text() == "new"


def test_folders_are_swept_too_and_names_are_no_patterns(tmp_path: Path) -> None:
    dead = dead_process()
    left, other = (left_by(dead, tmp_path / name, "new") for name in ("a[1]", "a1"))
    (left / "deep").mkdir(parents=True)
    other.mkdir()
    sweep(tmp_path / "a[1]", "new")
    assert list(tmp_path.iterdir()) == [other]
    sweep(tmp_path / "nowhere" / "a", "new")  # nothing there, nothing to do


def test_who_runs() -> None:
    assert is_running(os.getpid()) and is_running(1) and not is_running(dead_process()) and not is_running(10**30)


def test_another_users_process_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system says of it only that it may not be sent anything."""

    def refuse(*_) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "kill", refuse)
    assert is_running(12345)


def test_strict_json_has_no_word_that_json_lacks() -> None:
    text = strict_json({"a": [math.nan, (math.inf, 1.5)], "b": {"c": -math.inf, "d": "NaN", "e": True}}, indent=1)
    found = json.loads(text, parse_constant=pytest.fail)
    assert found == {"a": [None, [None, 1.5]], "b": {"c": None, "d": "NaN", "e": True}}
    assert strict_json([0.1, 1e300]) == json.dumps([0.1, 1e300])


def test_strict_json_takes_the_numbers_of_numpy_and_torch() -> None:
    lone = {"a": np.float32(0.5), "b": [torch.tensor(2), np.array([math.nan])], 4: torch.tensor(-math.inf)}
    assert json.loads(strict_json(lone), parse_constant=pytest.fail) == {"a": 0.5, "b": [2, None], "4": None}


@pytest.mark.parametrize("value", [np.zeros(2), torch.zeros(2), object(), {1, 2}, np.datetime64("2020-01-01"), 1j])
def test_strict_json_says_what_it_cannot_hold(value: object) -> None:
    with pytest.raises(KitError, match="expected numbers, text or lists in a history, got .*: convert it"):
        strict_json({"step": 1, "x": value, "nan": math.nan})
