"""The records that runs leave in their folders, read back."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

from kit.checks.argument_checks import check_kind, checked
from kit.errors import KitError, KitWarning
from kit.paths import kept

RECORD = "run.json"
PARTS = {"name", "recipe", "about", "steps", "finished", "seconds", "hardware", "untrained", "history"}  # of a record


@checked
def saved_runs(folder: Path | str | None = None) -> dict[str, dict]:
    """The records of all runs in `folder` (default: runs in KIT_OUT or .kit) by name, oldest first. Lesson 09.

    A damaged record is named in a warning and left out.
    """
    check_kind("folder", folder, "None", "Path")
    place = Path(folder if folder is not None else kept("runs")).expanduser()
    records = {}
    for file in sorted(place.glob(f"*/{RECORD}"), key=lambda file: file.stat().st_mtime_ns):
        try:
            records[file.parent.name] = read_record(file)
        except KitError as problem:
            warnings.warn(KitWarning(str(problem)), stacklevel=2)
    return records


def read_record(file: Path) -> dict:
    """What `Run` wrote. Errors: `KitError` where there is none, and where it is damaged or misses a part."""
    try:
        record = json.loads(file.read_text("utf-8"))
        if not isinstance(record, dict) or not record.keys() >= PARTS:
            raise ValueError("it is not the record of a run")
    except FileNotFoundError as error:
        raise KitError(
            f"expected the record of a run at {file}, but there is none: it is written when training ends or pauses."
        ) from error
    except (OSError, ValueError, RecursionError) as error:  # of JSON and of UTF-8 alike
        raise KitError(
            f"expected the record of a run in {file}, but it is damaged ({error}): the same run, trained again, "
            "goes on from its checkpoint and writes it anew."
        ) from error
    return record
