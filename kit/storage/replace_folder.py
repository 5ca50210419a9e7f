"""Replace a whole folder in one step: after a kill its name holds the old content or the new, never none or half.

The new content is written into a hidden folder beside it, onto the disk, and the two names are exchanged by one call
of the system (Linux `renameat2`, macOS `renamex_np`). Where a file system cannot exchange (NFS), two renames do it;
a kill between them leaves the old folder under its hidden name, where a reader finds it (`content_of`), and the next
replacement puts it back first.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from kit.errors import KitError, shown
from kit.storage.atomic import hidden_beside, hidden_names, remove, sweep, sync

NEW, OLD = "new", "old"
LITTER = {".DS_Store", "Thumbs.db", "desktop.ini"}  # what a desktop leaves in any folder that it has shown
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_HERE = -100  # AT_FDCWD
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV}


def replace_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill(empty folder)` write what `folder` shall hold, and put it there in one step.

    What `fill` raises goes through, and `folder` stays as it was. All files get the modes of the user's umask.
    Errors: `OSError` of the system, likewise; `KitError` for the folder that one works in.
    """
    check_elsewhere(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _put_back(folder)
    sweep(folder, NEW, OLD)
    partial = hidden_beside(folder, NEW)
    remove(partial)
    try:
        partial.mkdir()
        fill(partial)
        _give_usual_modes(partial)
        for place in [*partial.rglob("*"), partial]:
            sync(place)
        _commit(partial, folder)
        sync(folder.parent)
    finally:
        remove(partial)  # half-written; or, exchanged, what was there before


def check_replaceable(folder: Path, kind: str, note: str, ours: re.Pattern[str]) -> None:
    """Refuse a `folder` in which `replace_folder` would lose something else than what was written before.

    kind: what may be replaced, in words. note: the file by which it is known. ours: the paths in it that may go, beside
    what a desktop leaves.
    """
    check_elsewhere(folder)
    try:
        str(folder).encode()
    except UnicodeEncodeError as error:
        raise KitError(
            f"expected a folder whose name is UTF-8 for {kind}, got {shown(folder.name)} in {folder.parent}: what "
            "writes and reads the weights takes no other, so choose one."
        ) from error
    held, is_known = "is a file" if folder.is_file() else "", (folder / note).is_file()
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        is_folder = path.is_dir() and not path.is_symlink()
        if not (is_folder or path.name in LITTER or (is_known and ours.fullmatch(name))):
            held = f"holds {name}"
            break
    if held:
        raise KitError(
            f"expected a new folder or {kind} to replace, but {folder} {held}, which would be lost: choose another."
        )


def check_elsewhere(folder: Path) -> None:
    """Refuse the folder that this process works in, and those above it.

    Who stands in a folder, the shell too, stays in the old one when the names are exchanged: a moment later it is
    deleted, and neither relative paths nor some libraries that are loaded then work any more. Errors: that of the
    system, too, where a link leads back to itself or the hidden name beside the folder is too long.
    """
    if (there := folder.absolute()).name:  # the root has none
        try:
            hidden_beside(there, NEW).lstat()
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENAMETOOLONG):
                raise
    try:
        here = Path.cwd()
        lost = folder.is_dir() and any(folder.samefile(place) for place in (here, *here.parents))
    except OSError:  # somebody has deleted the one or the other
        return
    if lost:
        raise KitError(
            f"expected another folder than the one you work in or one above it, got {folder}, which is replaced as a "
            "whole: give a new name in it, or go out of it (cd ..) and name it from there."
        )


def exchange(first: Path, second: Path) -> bool:
    """Exchange what two names of one file system stand for, in one step; False where the system cannot."""
    libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
    names = os.fsencode(first), os.fsencode(second)
    if sys.platform == "linux" and hasattr(libc, "renameat2"):
        failed = libc.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)
    elif sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(*names, _EXCHANGE)
    else:
        return False
    if failed and ctypes.get_errno() not in _CANNOT:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
    return not failed


def _commit(partial: Path, folder: Path) -> None:
    if not folder.exists():
        try:
            partial.rename(folder)
            return
        except OSError:
            if not folder.exists():
                raise  # else another process was faster
    if exchange(partial, folder):
        return
    old = hidden_beside(folder, OLD)
    remove(old)
    folder.rename(old)
    try:
        partial.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    remove(old)


def content_of(folder: Path) -> Path:
    """Where the content of `folder` is: there, or under its hidden name between two renames. Nothing is changed."""
    if folder.exists():
        return folder
    # A pattern of the shell would take the "m.v2" beside an "m" for the "m" of a machine "v2".
    ours = hidden_names([folder.name], OLD)
    left = [path for path in folder.parent.glob(f".*.{OLD}") if ours.fullmatch(path.name)]
    return max(left, key=lambda path: path.stat().st_mtime) if left else folder


def _put_back(folder: Path) -> None:
    """Undo the first of two renames where a killed process did not come to the second."""
    if (left := content_of(folder)) != folder:
        left.rename(folder)


def _give_usual_modes(folder: Path) -> None:
    """The modes that new files and folders get; libraries that write through temporary files leave 0600."""
    probe = folder / ".mode"
    probe.touch()
    usual = probe.stat().st_mode & 0o777
    probe.unlink()
    for path in folder.rglob("*"):
        if path.is_file() and path.stat().st_mode & 0o777 != usual:  # some mounts refuse what would change nothing
            path.chmod(usual)
