"""A cache of results by a hash of their inputs, so that an interrupted evaluation can be resumed.

One JSON file for each result, named by a hash of its ingredients: the vectors, the labels and
the settings. A change in any of them changes the name, so that no stale result is read.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from kit.storage.atomic import writable, write_atomically


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
        self.folder = None if folder is None else writable(folder, "results")

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
            write_atomically(self.folder / f"{key}.json", json.dumps(result, indent=1))
