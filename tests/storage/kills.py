"""Processes that own a folder, or are killed at each call; also for `scripts/hard_use.py`. What is synced when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kit.storage.run_lock import owner_of


def owning_child(folder: Path) -> int:
    """A process that owns `folder` until it is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with owner_of(folder):
            os.write(writing, b"!")
            signal.pause()
        os._exit(0)
    os.read(reading, 1)
    return child


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


# What Python tells its audit hooks before it asks the system to change names or files; ctypes for other calls.
CALLS = ("open", "os.", "shutil.", "ctypes.dlsym", "ctypes.set_errno", "ctypes.get_errno")


def dies_at(call: int, work: Callable[[], Any]) -> bool:
    """Do `work` in a child that SIGKILL ends right before its `call`-th call (from 0); whether it came that far."""
    child = os.fork()
    if not child:
        count = 0

        def hook(event: str, _: tuple) -> None:
            nonlocal count
            if event.startswith(CALLS) and event != "os.kill":
                if count == call:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1

        code = 1
        try:
            sys.addaudithook(hook)
            work()
            code = 0
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), f"ended with {status} at call {call}"
    return status != 0


# What changes names or content, where strace is at hand: the system's own calls, those from other languages too.
SYSTEM_CALLS = (
    *("open", "openat", "creat", "write", "pwrite64", "writev", "ftruncate", "fsync", "fdatasync", "mkdir", "mkdirat"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "chmod", "fchmod", "fchmodat"),
)


def dies_at_system_call(name: str) -> Callable[[int, Callable], bool]:
    """A `dies_at` that has strace kill at the system's calls of this name, in the main thread."""

    def dies(call: int, work: Callable[[], Any]) -> bool:
        child = os.fork()
        if not child:
            code = 1
            try:
                os.kill(os.getpid(), signal.SIGSTOP)
                work()
                code = 0
            finally:
                os._exit(code)
        os.waitpid(child, os.WUNTRACED)
        inject = f"inject=?{name}:signal=KILL:when={call + 1}"
        command = ["strace", "-qq", "-o", os.devnull, "-e", f"trace=?{name}", "-e", inject, "-p", str(child)]
        tracer = subprocess.Popen(command)
        while f"TracerPid:\t{tracer.pid}\n" not in Path(f"/proc/{child}/status").read_text():
            assert tracer.poll() is None, "strace could not attach"
            time.sleep(0.001)
        os.kill(child, signal.SIGCONT)
        status = os.waitpid(child, 0)[1]
        tracer.wait()
        assert status in (0, signal.SIGKILL), f"ended with {status} at call {call}"
        return status != 0

    return dies


def kill_at_each_call(
    work: Callable, look: Callable[[], Any], repair: Callable, dies: Callable[[int, Callable], bool] = dies_at
) -> tuple[int, list]:
    """Kill `work` at its first call, its second, and so on; (how often, what `look` found after each).

    repair: called where `look` has found something new, so that each `work` begins with what was there at first.
    """
    seen: list = []
    first, call = look(), 0
    while dies(call, work):
        seen.append(look())
        if seen[-1] != first:
            repair()
        call += 1
    return call, seen


def syncs_and_renames(monkeypatch: pytest.MonkeyPatch) -> list[int | str]:
    """A list into which go, from now on, the inode of all that is synced, and "rename" where a path is renamed."""
    seen: list[int | str] = []
    fsync, rename = os.fsync, Path.rename
    monkeypatch.setattr(os, "fsync", lambda file: (seen.append(os.fstat(file).st_ino), fsync(file))[1])
    monkeypatch.setattr(Path, "rename", lambda self, target: (seen.append("rename"), rename(self, target))[1])
    return seen
