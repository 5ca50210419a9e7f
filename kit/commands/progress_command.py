"""`kit progress`: what a progress file holds, on the screen or in a file for a teacher; and what a class handed in."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from kit.commands.class_table import class_lines, read_hand_ins
from kit.course.exercises.progress_export import as_rows, as_text, is_export, read_progress
from kit.course.exercises.verdict import RIGHT
from kit.errors import KitError, printable
from kit.paths import kept
from kit.storage.atomic import write_atomically

FOLDERS = ("notebooks", "student")  # of a checkout, and of a handout


def show_progress(options: argparse.Namespace) -> None:
    """Print a line for each lesson and one for the predictions; with --export write all rows to that file."""
    if options.of_class is not None:
        return _show_class(options)
    if options.name and options.export is None:
        raise KitError("expected --export beside --name, got none: the name stands in the file that is handed in.")
    path = options.file or _found()
    rows = as_rows(read_progress(path), options.name)
    if options.export is None:
        return print("\n".join(summary(rows)))
    if options.export.resolve() == path.resolve():
        raise KitError(f"expected --export as another file than the progress file itself, got {options.export}.")
    _export(options.export, rows)
    print(f"{options.export}: {len(rows)} rows from {path}. It stays on this machine until you hand it in.")


def _show_class(options: argparse.Namespace) -> None:
    """Print what a class handed in; with --export write all rows of all students to one file."""
    folder = options.of_class
    if options.file is not None or options.name:
        raise KitError(
            "expected --class alone or with --export, got a progress file or a name beside it: leave it out."
        )
    if options.export is not None and options.export.resolve().parent == folder.resolve():
        raise KitError(f"expected --export outside {folder}, or it would be taken for a student's table the next time.")
    given = read_hand_ins(folder)
    print("\n".join([*map(printable, given.problems), *class_lines(given)]))
    if options.export is not None:
        _export(options.export, given.rows)
        print(f"{options.export}: {len(given.rows)} rows of {len(given.students)} students.")


def _export(target: Path, rows: list[dict[str, object]]) -> None:
    """Write the rows to a new file, or over one that this command wrote."""
    text = as_text(rows, target.suffix)
    if target.exists() and not is_export(target):
        raise KitError(
            f"expected --export as a new file, or as one that this command wrote, got {target}, which holds something "
            "else: give another name; nothing was written."
        )
    write_atomically(target, text)


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
    here = kept("progress.json")
    below = [path for name in FOLDERS if (path := Path(name, ".kit", "progress.json")).is_file()]
    return below[0] if below and not here.is_file() else here
