"""Whose checkpoint is it? What determines a run is kept with each, and compared before one is resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit.errors import KitError


def check_identity(folder: Path | str, saved: dict, expected: dict) -> None:
    """Raise `KitError` where a checkpoint in `folder` belongs to another run than `expected`, in one of its parts."""
    expected = json.loads(json.dumps(expected))
    for part in expected:
        if saved.get(part) != expected[part]:
            raise KitError(
                f"expected a checkpoint of this run in {folder}, but it belongs to another "
                f"({part}: {_difference(saved.get(part), expected[part])}): choose another folder "
                "or delete this one."
            )


def _difference(saved: Any, expected: Any) -> str:
    """How two identities differ, short enough for one sentence."""
    if isinstance(saved, dict) and isinstance(expected, dict):
        keys = [k for k in expected if saved.get(k) != expected[k]]
        return ", ".join(f"{k}: {saved.get(k)!r} there, {expected[k]!r} here" for k in keys[:3])
    return f"{saved!r} there, {expected!r} here"
