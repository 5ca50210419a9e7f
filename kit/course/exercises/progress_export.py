"""The progress file as a table for somebody else: exercises, tries, times and predictions, as JSON or CSV.

Nothing leaves this machine: who wants to hand the file in carries it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

from kit.course.exercises import registry
from kit.course.exercises.progress_record import Sections, now, sections_of, with_defaults
from kit.errors import KitError

FORMAT = "pullpush-progress-1"
COLUMNS = ("student", "kind", "lesson", "what", "state", "answer", "tries", "hints", "solution_seen", "first", "solved")
LONGEST_NAME = 100
MARK = "\ufeff"  # at the start of a CSV: without it Excel takes τ and λ for other letters


def read_progress(path: Path) -> Sections:
    """What a progress file holds; it is not changed. Errors: `KitError` if it is not there or is not such a file."""
    try:
        return sections_of(json.loads(path.read_bytes()))
    except OSError as error:
        raise KitError(
            f"expected a progress file at {path}, but the system said '{error.strerror or error}': name the one beside "
            "the notebooks, such as notebooks/.kit/progress.json."
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise KitError(
            f"expected a progress file of this kit, got {path}, which is not one or is damaged: nothing was written."
        ) from None


def as_rows(progress: Sections, student: str = "") -> list[dict[str, object]]:
    """A row under COLUMNS for each exercise of the course, tried or not, and for each prediction in order of time.

    Errors: `KitError` for a name that is too long or has control characters.
    """
    if len(student) > LONGEST_NAME or not student.isprintable():
        raise KitError(f"expected a name of at most {LONGEST_NAME} characters without line breaks, got {student!r}.")
    known = {one.name: one.lesson for one in registry.exercises()}
    rows = []
    for name in [*known, *(name for name in progress["exercises"] if name not in known)]:
        entry = with_defaults("exercises", progress["exercises"].get(name, {}))
        rows.append({"kind": "exercise", "lesson": known.get(name, ""), "what": name, "first": entry["first_tried"]})
        rows[-1] |= {key: entry[key] for key in ("state", "tries", "hints", "solution_seen", "solved")}
    said = {question: with_defaults("predictions", entry) for question, entry in progress["predictions"].items()}
    for question, entry in sorted(said.items(), key=lambda pair: pair[1]["at"]):
        state = {True: "came so", False: "came otherwise", None: "in words"}[entry["came"]]
        rows.append({"kind": "prediction", "what": question, "state": state, "answer": entry["guess"]})
        rows[-1]["first"] = entry["at"]
    return [{column: (student if column == "student" else row.get(column, "")) for column in COLUMNS} for row in rows]


def as_text(rows: list[dict[str, object]], kind: str) -> str:
    """The rows as ".json" or ".csv". Errors: `KitError` for another ending."""
    kind = kind.lower()
    if kind == ".json":
        return json.dumps({"format": FORMAT, "written": now(), "rows": rows}, indent=1, ensure_ascii=False) + "\n"
    if kind != ".csv":
        raise KitError(f"expected a file .json or .csv, got {kind or 'no ending'!r}: name it so.")
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows({column: _plain(value) for column, value in row.items()} for row in rows)
    return MARK + text.getvalue()


def is_export(path: Path) -> bool:
    """Whether `as_text` wrote this file: by how it begins."""
    try:
        with open(path, encoding="utf-8") as file:
            start = file.read(200)
    except (OSError, ValueError):
        return False
    return start.removeprefix(MARK).startswith(",".join(COLUMNS) + "\n") or f'"format": "{FORMAT}"' in start


def _plain(value: object) -> object:
    """A cell that no spreadsheet takes for a formula, nor for two rows: a student's words may begin with = or @.

    One that parts cells at ; or tabs begins a new one behind them, within the quotation marks of csv too.
    """
    if not isinstance(value, str):
        return value
    value = "\n".join(value.splitlines())  # a carriage return alone would end the row, as csv does not quote it
    value = f"'{value}" if value.lstrip().startswith(("=", "+", "-", "@")) else value
    return re.sub(r"([;\t]\s*)(?=[=+\-@])", r"\1'", value)
