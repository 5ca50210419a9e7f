"""A cache of results by a hash of their inputs, so that an interrupted evaluation can be resumed.

One JSON file for each result, named by a hash of its ingredients: the vectors, the labels and
the settings. A change in any of them changes the name, so that no stale result is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kit.errors import KitError
from kit.storage.atomic import write_whole


def content_hash(*ingredients: Any) -> str:
    """Twenty hex digits that change with any ingredient: arrays by their bytes, else by their JSON."""
    digest = hashlib.sha256()
    for part in ingredients:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype} {part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            digest.update(json.dumps(part, sort_keys=True).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:20]


class ResultCache:
    """A folder of results; None as the folder keeps nothing.

    Raises KitError where the folder cannot be made or written: before the work, not after.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder).expanduser()
        if self.folder is not None:
            with self._told():
                self.folder.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryDirectory(prefix=".writing-probe-", dir=self.folder).cleanup()

    def get(self, key: str) -> dict | None:
        """The result kept under `key`; None where there is none or its file is damaged."""
        if self.folder is None:
            return None
        try:
            result = json.loads((self.folder / f"{key}.json").read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return result if isinstance(result, dict) else None

    def put(self, key: str, result: dict) -> None:
        """Keep `result` (JSON-ready) under `key`; the file is written completely or not at all."""
        if self.folder is not None:
            with self._told():
                write_whole(self.folder / f"{key}.json", json.dumps(result, indent=1))

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What the system refuses inside, as a `KitError`."""
        try:
            yield
        except OSError as error:
            raise KitError(
                f"expected a folder for results at {self.folder}, but the system said "
                f"'{error.strerror or error}': choose another folder."
            ) from error
