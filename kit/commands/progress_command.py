"""`kit progress`: what a progress file holds, on the screen or in a file for a teacher."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from kit.course.exercises.progress_export import as_rows, as_text, is_export, read_progress
from kit.course.exercises.verdict import RIGHT
from kit.errors import KitError
from kit.paths import output
from kit.storage.atomic import write_atomically

FOLDERS = ("notebooks", "student")  # of a checkout, and of a handout


def show_progress(options: argparse.Namespace) -> None:
    """Print a line for each lesson and one for the predictions; with --export write all rows to that file."""
    if options.name and options.export is None:
        raise KitError("expected --export beside --name, got none: the name stands in the file that is handed in.")
    path = options.file or _found()
    rows = as_rows(read_progress(path), options.name)
    if options.export is not None:
        text = as_text(rows, options.export.suffix)
        if options.export.resolve() == path.resolve():
            raise KitError(f"expected --export as another file than the progress file itself, got {options.export}.")
        if options.export.exists() and not is_export(options.export):
            raise KitError(
                f"expected --export as a new file, or as one that this command wrote, got {options.export}, which "
                "holds something else: give another name; nothing was written."
            )
        write_atomically(options.export, text)
        print(f"{options.export}: {len(rows)} rows from {path}. It stays on this machine until you hand it in.")
        return
    print("\n".join(summary(rows)))


def summary(rows: list[dict[str, object]]) -> list[str]:
    """A line for each lesson, and one for the predictions."""
    exercises = [row for row in rows if row["kind"] == "exercise"]
    of_lesson = Counter(row["lesson"] for row in exercises)
    solved = Counter(row["lesson"] for row in exercises if row["state"] == RIGHT)
    tries = Counter()
    for row in exercises:
        tries[row["lesson"]] += row["tries"]
    lines = [
        f"lesson {lesson or '?'}: {solved[lesson]} of {count} exercises solved, {tries[lesson]} tries"
        for lesson, count in sorted(of_lesson.items())
    ]
    said = Counter(row["state"] for row in rows if row["kind"] == "prediction")
    chosen = said["came so"] + said["came otherwise"]
    return [
        *lines,
        f"predictions: {said['came so']} of {chosen} came true, {said['in words']} more in words of your own",
    ]


def _found() -> Path:
    """The progress file here or in KIT_OUT, else the one beside the notebooks below this folder."""
    here = output("progress.json")
    below = [path for name in FOLDERS if (path := Path(name, ".kit", "progress.json")).is_file()]
    return below[0] if below and not here.is_file() else here
