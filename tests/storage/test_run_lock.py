"""One owner for a run folder: refused in a sentence, ended by a kill, deleted by nobody else."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import socket
import threading
import warnings
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.storage import run_lock
from kit.storage.checkpoint import save_checkpoint
from kit.storage.run_lock import LOCK, NOTE, delete_run, keep_owning, owner_of
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


@pytest.mark.parametrize("who", [os.getppid(), 1, 10**12], ids=["runs", "runs always", "none"])
def test_a_note_of_somebody_else_is_not_believed(tmp_path: Path, who: int) -> None:
    """Numbers of processes come again, and a note may be of another machine: the lock alone counts."""
    (tmp_path / LOCK).touch()
    for host in (socket.gethostname(), "elsewhere"):
        (tmp_path / NOTE).write_text(json.dumps({"process": who, "host": host, "since": "2020"}))
        own(tmp_path)
        owner = owning_child(tmp_path)
        (tmp_path / NOTE).write_text(json.dumps({"process": 10**12, "host": host, "since": "2020"}))
        try:
            with pytest.raises(KitError, match="to be free"):
                own(tmp_path)
        finally:
            kill(owner)


def test_a_folder_deleted_under_its_owner_is_taken_anew_or_given_up(tmp_path: Path) -> None:
    """What `rm -r` takes away is the lock too: the next process would own the same folder."""
    folder = tmp_path / "run"
    folder.mkdir()
    with owner_of(folder):
        shutil.rmtree(folder)
        lost = run_lock._held[folder.resolve()].lock
        keep_owning(folder)
        assert not lost.is_locked, "let go of, and not when it happens to be collected"
        assert in_child(lambda: own(folder)) == 3, "taken anew"
        (folder / LOCK).unlink()
        other = owning_child(folder)
        try:
            note = (folder / NOTE).read_text()
            with pytest.raises(KitError, match=f"process {other} on"):
                keep_owning(folder)
            with pytest.raises(KitError, match=f"process {other} on"):
                save_checkpoint(folder, 1, {}, {})
        finally:
            kill(other)
    assert (folder / NOTE).read_text() == note, "another's note stays"
    keep_owning(tmp_path)  # nobody owns it, nothing to keep


def test_a_lock_that_is_a_link_is_refused_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / LOCK).symlink_to(tmp_path / "mine")
    with pytest.raises(KitError, match="expected to lock the folder .*is a link to another file"):
        own(tmp_path / "run")
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_file_system_without_locks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stand-in is taken: a file that means "locked" by being there outlives a kill."""

    def missing(*_) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(fcntl, "flock", missing)
        with pytest.raises(KitError, match="expected to lock the folder .*choose a folder on a disk of this machine"):
            own(tmp_path)
    own(tmp_path)


def test_a_system_that_does_not_lock_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_lock, "write_whole", full)
    with pytest.raises(KitError, match="expected to lock the folder .*'No space left on device': free space."):
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


def test_a_link_to_a_run_stays_one_and_what_it_leads_to_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "disk" / "run" / "step-1").mkdir(parents=True)
    (tmp_path / "run").symlink_to(tmp_path / "disk" / "run")
    delete_run(tmp_path / "run")
    assert (tmp_path / "run").is_symlink() and list((tmp_path / "run").iterdir()) == []
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["run"]


def test_a_lock_of_somebody_else_is_told_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(run_lock, "write_whole", closed)  # modes do not stop root
    with pytest.raises(KitError, match="'Permission denied': it, or .owner.lock in it, is not yours to write, so"):
        own(tmp_path)
