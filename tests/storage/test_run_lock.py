"""One owner for a run folder: refused in a sentence, ended by a kill, deleted by nobody else."""

from __future__ import annotations

import json
import os
import socket
import threading
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.storage import run_lock
from kit.storage.run_lock import LOCK, NOTE, delete_run, owner_of
from tests.storage.kills import kill, owning_child


def in_child(work) -> int:
    """The exit status of `work` in a child: 3 where it raised `KitError`."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        except KitError:
            code = 3
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] >> 8


def own(folder: Path) -> None:
    with owner_of(folder):
        pass


def test_another_process_is_refused_in_a_sentence_that_names_the_owner(tmp_path: Path) -> None:
    owner = owning_child(tmp_path)
    try:
        with pytest.raises(KitError) as told, owner_of(tmp_path):
            pass
    finally:
        kill(owner)
    sentence = str(told.value)
    assert f"process {owner} on {socket.gethostname()} uses it since 20" in sentence and "\n" not in sentence
    assert sentence.startswith(f"expected {tmp_path} to be free") and "choose another folder" in sentence


def test_a_kill_frees_it_and_its_stale_note_is_taken_over(tmp_path: Path) -> None:
    owner = owning_child(tmp_path)
    kill(owner)
    assert json.loads((tmp_path / NOTE).read_text())["process"] == owner, "what a kill leaves"
    with owner_of(tmp_path):
        assert json.loads((tmp_path / NOTE).read_text())["process"] == os.getpid()
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]


def test_the_same_thread_may_own_it_twice_and_another_may_not(tmp_path: Path) -> None:
    told = []

    def other() -> None:
        try:
            own(tmp_path)
        except KitError as error:
            told.append(str(error))

    with owner_of(tmp_path):
        with owner_of(tmp_path / "."):
            pass
        assert in_child(lambda: own(tmp_path)) == 3, "still owned after the inner block"
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert "another thread of this process" in told[0]
    assert in_child(lambda: own(tmp_path)) == 0
    other()
    assert len(told) == 1


def test_a_child_does_not_inherit_the_ownership_and_does_not_end_it(tmp_path: Path) -> None:
    with owner_of(tmp_path):
        assert in_child(lambda: own(tmp_path)) == 3
        assert in_child(run_lock._inherited.clear) == 0, "not even when the child drops what it inherited"
        assert in_child(lambda: own(tmp_path)) == 3


def test_an_exception_frees_it(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), owner_of(tmp_path):
        raise RuntimeError
    assert in_child(lambda: own(tmp_path)) == 0


def test_none_is_nothing_to_own() -> None:
    with owner_of(None):
        assert not run_lock._held


@pytest.mark.parametrize("content", ["", "[]", "{}", "half a no"])
def test_a_note_that_cannot_be_read_is_no_obstacle(tmp_path: Path, content: str) -> None:
    owner = owning_child(tmp_path)
    (tmp_path / NOTE).write_text(content)
    try:
        with pytest.raises(KitError, match="but another process uses it"):
            own(tmp_path)
    finally:
        kill(owner)
    own(tmp_path)


def test_a_system_that_does_not_lock_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_lock, "write_whole", full)
    with pytest.raises(KitError, match="expected to lock the folder .*'No space left on device'"):
        own(tmp_path)
    monkeypatch.undo()
    own(tmp_path)


def test_a_run_is_deleted_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    (folder / "step-1").mkdir(parents=True)
    owner = owning_child(folder)
    try:
        with pytest.raises(KitError, match=f"process {owner} on"):
            delete_run(folder)
    finally:
        kill(owner)
    with monkeypatch.context() as patch:  # the tests may run as root, whom no mode stops
        patch.setattr(os, "access", lambda path, mode: Path(path).name != "step-1")
        with pytest.raises(KitError, match="expected to delete .*run.*'step-1 cannot be written': nothing was deleted"):
            delete_run(folder)
    assert (folder / "step-1").is_dir()
    delete_run(folder)
    assert list(tmp_path.iterdir()) == []
