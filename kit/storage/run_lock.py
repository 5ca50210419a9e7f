"""One owner for a run folder: a lock that a killed process loses, and a note that names who holds it.

The lock is the operating system's, on a file in the folder (package `filelock`): it ends with the process, however
that ends, so a lock is never stale. A note beside it says who holds it; it is only read to be shown.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.storage.atomic import hidden_beside, remove, sweep, write_whole

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}  # what a system says of a disk without space
LOCK, NOTE = ".owner.lock", ".owner.json"  # in the folder


@dataclass
class _Held:
    """A folder that a thread of this process owns. file: that of the lock; depth: how many `owner_of` it is in."""

    lock: Any
    file: tuple[int, int] | None
    thread: int
    depth: int = 0


_held: dict[Path, _Held] = {}  # by the folder's real path
_inherited: list[_Held] = []  # of the parent process; to let go of them here would take them from it
_guard = threading.RLock()


def _forget_in_child() -> None:
    global _guard
    _guard = threading.RLock()
    _inherited.extend(_held.values())
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


@contextlib.contextmanager
def owner_of(folder: Path | str | None) -> Iterator[None]:
    """Own `folder`, which exists, inside the `with` block; the same thread may do so again within it. None: nothing.

    Errors: `KitError`, at once, where another process or thread owns it; it names process, host and time.
    """
    if folder is None:
        yield
        return
    folder = Path(folder).resolve()
    with _guard:
        held = _held.get(folder)
        if held is None:
            held = _held[folder] = _Held(_lock(folder), _lock_file(folder), threading.get_ident())
        elif held.thread != threading.get_ident():
            raise _refused(folder)
        held.depth += 1
    try:
        yield
    finally:
        with _guard:
            held.depth -= 1
            if not held.depth:
                del _held[folder]
                _unlock(folder, held)


def keep_owning(folder: Path | str) -> None:
    """Make sure that this process still owns what it owns: a lock that somebody has deleted is taken anew.

    Errors: `KitError` where another process has taken the folder meanwhile: two would mix their files.
    """
    folder = Path(folder).resolve()
    with _guard:
        held = _held.get(folder)
        if held is None or _lock_file(folder) == held.file:
            return
        folder.mkdir(parents=True, exist_ok=True)
        lock = _lock(folder)
        held.lock.release(force=True)
        held.lock, held.file = lock, _lock_file(folder)


def delete_run(folder: Path) -> None:
    """Delete a folder that nobody owns. Errors: `KitError` where somebody does, or it cannot be: nothing is deleted."""
    linked, folder = folder.is_symlink(), folder.resolve()
    gone = hidden_beside(folder, "gone")
    try:
        for place, _, _ in os.walk(folder):
            if not os.access(place, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, f"{Path(place).name} cannot be written")
        with owner_of(folder):
            pass
        sweep(folder, "gone")
        folder.rename(gone)
        if linked:  # a link stays one, to an empty folder
            folder.mkdir()
    except OSError as error:
        raise KitError(
            f"expected to delete {folder}, but the system said '{error.strerror or error}': nothing was deleted; "
            "make the folder writable, or choose another name."
        ) from error
    remove(gone)


def _lock(folder: Path):
    from filelock import FileLock, SoftFileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=0, thread_local=False)
    try:
        if (folder / LOCK).is_symlink():
            raise OSError(errno.ELOOP, f"{LOCK} is a link to another file")
        lock.acquire()
        if isinstance(lock, SoftFileLock):  # a mere file, which a killed process would leave
            raise OSError(errno.ENOSYS, "this file system has no locks")
        me = {"process": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        write_whole(folder / NOTE, json.dumps(me))
    except Timeout:
        raise _refused(folder) from None
    except (OSError, NotImplementedError) as error:
        lock.release(force=True)
        number = getattr(error, "errno", None)
        remedy = "free space" if number in FULL else "choose a folder on a disk of this machine"
        if number == errno.EACCES:
            remedy = f"it, or {LOCK} in it, is not yours to write, so choose another folder, or ask its owner"
        raise KitError(
            f"expected to lock the folder {folder}, but the system said '{getattr(error, 'strerror', None) or error}': "
            f"{remedy}."
        ) from error
    return lock


def _lock_file(folder: Path) -> tuple[int, int] | None:
    """What tells the file of a lock from another of its name."""
    with contextlib.suppress(OSError):
        found = (folder / LOCK).stat()
        return found.st_dev, found.st_ino
    return None


def _unlock(folder: Path, held: _Held) -> None:
    if _lock_file(folder) == held.file:  # else another's note stands there
        with contextlib.suppress(OSError):
            (folder / NOTE).unlink()
    held.lock.release(force=True)  # the file stays: to remove a lock that somebody waits for makes two owners


def _refused(folder: Path) -> KitError:
    try:
        note = json.loads((folder / NOTE).read_text("utf-8"))
        who = f"process {note['process']} on {note['host']} uses it since {note['since']}"
        if (note["process"], note["host"]) == (os.getpid(), socket.gethostname()):
            who = f"another thread of this process ({note['process']} on {note['host']}) uses it since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):  # it has just begun or ended
        who = "another process uses it"
    return KitError(
        f"expected {folder} to be free, but {who}: wait until that ends, stop it, or choose another folder."
    )
