"""Write a file so that whoever looks, after a kill too, finds the old content or the new, never half of one.

The content goes into a hidden file beside it, onto the disk, and is renamed: the rename is the point of commitment.
A killed process leaves its hidden file; the next one that writes the same name removes it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kit.errors import KitError, shown

ABANDONED = 24 * 3600  # seconds without a change: what another machine left so long ago, nobody writes any more
_NO_SYNC = {errno.EACCES, errno.EPERM, errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EOPNOTSUPP}  # of a folder


def writable(folder: Path | str, what: str) -> Path:
    """Make `folder`, which is for `what`, if need be, and try whether it takes files: before the work, not after it.

    Returns it as an absolute path: a notebook may change its folder meanwhile. Errors: `KitError` where it does not.
    """
    try:
        folder = Path(folder).expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryDirectory(prefix=".writing-probe-", dir=folder).cleanup()
    except (OSError, RuntimeError) as error:  # there is no home for ~
        raise KitError(
            f"expected a folder for {what} at {folder}, but the system said "
            f"'{getattr(error, 'strerror', None) or error}': choose another folder."
        ) from error
    return folder.absolute()


def write_atomically(path: Path | str, text: str) -> None:
    """Write a text file whole or not at all. Errors: `KitError` if the system refuses; the old file is untouched."""
    path = Path(path).expanduser()
    try:
        write_whole(path, text)
    except OSError as error:
        raise KitError(
            f"expected to write {path}, but the system said '{error.strerror or error}': "
            f"free space or choose another folder; {path.name} is as it was."
        ) from error


def write_together(texts: Iterable[tuple[Path, str]]) -> None:
    """Write new text files, all or none, in a folder that the caller owns and in which none of them is yet.

    All are on the disk before the first gets its name: only a kill right between two renames leaves some without the
    others. Errors: `KitError` if the system refuses; none of them stays.
    """
    prepared: dict[Path, Path] = {}
    named: list[Path] = []
    try:
        for path, text in texts:
            sweep(path, "partial")
            prepared[path] = hidden_beside(path, "partial")
            remove(prepared[path])
            write_synced(prepared[path], text.encode())
        for path, partial in prepared.items():
            partial.rename(path)
            named.append(path)
    except BaseException as error:  # Ctrl-C, too
        for written in named:
            remove(written)
        if not isinstance(error, OSError):
            raise
        raise KitError(
            f"expected to write {path}, but the system said '{error.strerror or error}': free space or choose another "
            "folder; none of the files that belong together was written."
        ) from error
    finally:
        for partial in prepared.values():
            remove(partial)


def write_whole(path: Path, content: str | bytes) -> None:
    """`write_atomically` for text and bytes, with the system's own `OSError`; makes the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path, "partial")
    partial = hidden_beside(path, "partial")
    remove(partial)
    try:
        write_synced(partial, content.encode() if isinstance(content, str) else content)
        partial.replace(path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()  # is still there only where something failed


def words_of_system(error: Exception) -> str:
    """What the system said where it took no file; "" where `error` is of another kind.

    safetensors wraps it in a type of its own, and tokenizers in a bare `Exception`.
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    is_safetensors = "safetensor" in type(error).__name__.lower()
    is_tokenizers = type(error) is Exception and "(os error" in str(error)
    return str(error) if is_safetensors or is_tokenizers else ""


def write_synced(path: Path, blob: bytes) -> None:
    """Write a new file, and wait until the disk has it. Errors: `FileExistsError`; no link is followed."""
    with open(path, "xb") as file:
        file.write(blob)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder; where a system cannot sync a folder, do nothing.

    Windows opens no folder, and syncs a file only where it is open for writing; many network shares refuse folders.
    """
    is_folder = path.is_dir()
    try:
        descriptor = os.open(path, os.O_RDONLY if is_folder or os.name == "posix" else os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if not is_folder or error.errno not in _NO_SYNC:
            raise


def hidden_beside(path: Path, kind: str) -> Path:
    """The hidden name beside `path` under which this thread prepares what will be there: .name.machine.process.kind

    Processes of two machines, or of two containers, may have one number and share a folder; so may threads.
    """
    return path.with_name(f".{path.name}.{_machine()}-{threading.get_native_id()}.{os.getpid()}.{kind}")


def hidden_names(names: Iterable[str], *kinds: str) -> re.Pattern[str]:
    """What `hidden_beside` calls these names: a pattern whose groups are the machine and the process."""
    alike = "|".join(map(re.escape, names))
    return re.compile(rf"\.(?:{alike})\.([0-9a-f]{{8}})-\d+\.(\d+)\.(?:{'|'.join(kinds)})")


def sweep(path: Path, *kinds: str) -> None:
    """Remove what processes that no longer run have left under their `hidden_beside(path, kind)`.

    Of another machine's nobody here knows whether they run: theirs goes when it has not changed for a day.
    """
    left = hidden_names([path.name], *kinds)
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(path.parent)):
            if not (found := left.fullmatch(entry.name)):
                continue
            if found[1] == _machine():
                ended = not is_running(int(found[2]))
            else:
                ended = time.time() - entry.stat(follow_symlinks=False).st_mtime > ABANDONED
            if ended:
                remove(Path(entry.path))


def _machine() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def remove(path: Path) -> None:
    """Remove a file or a folder as far as the system allows."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def is_running(process: int) -> bool:
    """Whether a process of this number runs on this machine (also this one); True where nobody can say."""
    if os.name == "nt":  # there, signal 0 ends a process
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True


def strict_json(content: Any, **how: Any) -> str:
    """`content` as JSON that every reader takes: NaN and the infinities, which JSON has not, become null.

    Numbers of NumPy and torch are written as numbers. Errors: `KitError` for what JSON cannot hold.
    """
    try:
        return json.dumps(content, allow_nan=False, default=_plain, **how)
    except KitError:
        raise
    except ValueError:  # NaN or infinity, which may come out of `_plain`
        plain = json.loads(json.dumps(content, default=_plain))
        return json.dumps(_without(plain, lambda value: isinstance(value, float) and not math.isfinite(value)), **how)


def _plain(value: Any) -> Any:
    """The number in an array or tensor that holds one."""
    with contextlib.suppress(AttributeError, TypeError, ValueError, RuntimeError):  # it has none, or several
        if isinstance(number := value.item(), bool | int | float | str):
            return number
    raise KitError(f"expected numbers, text or lists in a history, got {shown(value)}: convert it in the callback.")


def _without(content: Any, bad: Callable[[Any], bool]) -> Any:
    """The same lists and dicts with None for every value that is `bad`."""
    if isinstance(content, dict):
        return {key: _without(value, bad) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_without(value, bad) for value in content]
    return None if bad(content) else content
