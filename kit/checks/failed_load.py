"""Why something did not load or run, in one sentence: a closed file and a machine's limits are no fault of a copy."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from kit.checks.argument_checks import closed_to_us
from kit.errors import KitError

LACKS_MEMORY = ("out of memory", "not enough memory", "allocate memory")


def lacks_memory(error: BaseException) -> bool:
    """Whether `error` says that memory lacks; torch and safetensors have types of their own for it."""
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in LACKS_MEMORY)


def not_loaded(name: str, location: str, error: Exception, line: str) -> KitError:
    """What to say where the model `name` did not load from `location`; line: `error` on one line."""
    for file in sorted(Path(location).glob("*")):
        if not os.access(file, os.R_OK):
            return closed_to_us(PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file)))
    if lacks_memory(error) or "start new thread" in line:
        return KitError(
            f"expected memory and threads enough to load {name}, but there are not ({line or 'MemoryError'}): end "
            "other programs, or raise the limit that this process has."
        )
    if "safetensor" in type(error).__name__.lower():
        return KitError(
            f"expected whole safetensors weights in {location}, but the file is damaged ({error}): copy or download it "
            "again."
        )
    return KitError(
        f"expected {name} to load from {location}, but transformers said: {line}. Check that the download or the copy "
        "is complete."
    )
