"""What a class handed in, read together: who solved what, which exercises were hardest, what was predicted."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from kit.course.exercises.progress_export import COLUMNS, FORMAT, MARK
from kit.course.exercises.verdict import NOT_TRIED, RIGHT
from kit.errors import KitError, printable
from kit.figures.page_table import PageTable

MOST_TRIES = 10**6  # a table with more tries or hints of one exercise is damaged
LONGEST_CELL = 60  # characters of a question or name on the screen; the exported table has all of it
SHOWN = 10  # exercises and predictions on the screen


@dataclass(frozen=True)
class HandIns:
    """Every row of every student under `COLUMNS`, and a sentence for each file that is not one of those tables."""

    rows: list[dict[str, object]]
    students: tuple[str, ...]
    problems: tuple[str, ...]


def read_hand_ins(folder: Path) -> HandIns:
    """The tables of `kit progress --export` in a folder, .csv and .json, in order of their names.

    Who gave no name is called by the file. Errors: `KitError` for a folder that is not there or has no such table, and
    for two files from one student.
    """
    try:
        files = sorted(p for p in folder.iterdir() if p.suffix.lower() in (".csv", ".json") and p.is_file())
    except OSError as error:
        raise KitError(f"expected a folder of tables at {folder}, but the system said '{error.strerror}'.") from error
    rows, whose, problems = [], {}, []
    for file in files:
        if (table := _table(file)) is None:
            problems.append(f"{file.name} is no table of kit progress --export: left out.")
            continue
        student = str(table[0]["student"]) or file.stem
        if student in whose:
            raise KitError(
                f"expected one table of each student, but {whose[student].name} and {file.name} are both from "
                f"{student}: take one of them out of {folder}."
            )
        whose[student] = file
        rows += [row | {"student": student} for row in table]
    if not whose:
        raise KitError(
            f"expected tables of kit progress --export (.csv or .json) in {folder}, got none: put what was handed in "
            "there."
        )
    return HandIns(rows, tuple(sorted(whose, key=str.casefold)), tuple(problems))


def class_lines(given: HandIns) -> list[str]:
    """Three tables for the screen: students by lessons, the hardest exercises, the predictions that came true least.

    An exercise is hard if few of those who tried it solved it, and after that if they needed many tries.
    """
    return [*_of_students(given), "", *_of_exercises(given), "", *_of_predictions(given)]


def _table(file: Path) -> list[dict[str, object]] | None:
    """The rows of one table, at least one; None for anything else. A spreadsheet may have put ; between the cells."""
    try:
        text = _text(file).removeprefix(MARK)
        if file.suffix.lower() == ".json":
            told = json.loads(text)
            rows = told["rows"] if told["format"] == FORMAT else []
        else:
            mark = next((mark for mark in ",;\t" if text.startswith(mark.join(COLUMNS[:2]) + mark)), ",")
            rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
        return [_row(row) for row in rows] or None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, csv.Error):
        return None


def _text(file: Path) -> str:
    """What a file says. Excel's "CSV" is in the encoding of Windows. Errors: OSError, ValueError."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        if file.suffix.lower() == ".json":
            raise
        return file.read_text(encoding="cp1252")


def _row(row: dict) -> dict[str, object]:
    """A row as it was exported: numbers as numbers again, the rest as text. Errors: KeyError, ValueError."""
    values: dict[str, object] = {column: str(row[column]) for column in COLUMNS}
    for column in ("tries", "hints"):
        values[column] = int(values[column] or 0)
        if not 0 <= values[column] <= MOST_TRIES:
            raise ValueError(f"{column} out of bounds")
    return values


def _of_students(given: HandIns) -> list[str]:
    lessons = sorted({str(row["lesson"]) for row in given.rows if row["kind"] == "exercise"})
    solved = Counter((row["student"], row["lesson"]) for row in given.rows if row["state"] == RIGHT)
    all_of = Counter((row["student"], row["kind"]) for row in given.rows)
    came = Counter((row["student"], row["state"]) for row in given.rows if row["kind"] == "prediction")
    header = ("solved in lesson", *(lesson or "?" for lesson in lessons), "all", "predictions that came true")
    table = []
    for student in given.students:
        counts = [solved[student, lesson] for lesson in lessons]
        chosen = came[student, "came so"] + came[student, "came otherwise"]
        all_solved = f"{sum(counts)} of {all_of[student, 'exercise']}"
        table.append((student, *map(str, counts), all_solved, f"{came[student, 'came so']} of {chosen}"))
    return _lines(header, table)


def _of_exercises(given: HandIns) -> list[str]:
    tried = defaultdict(list)
    for row in given.rows:
        if row["kind"] == "exercise" and row["state"] != NOT_TRIED:
            tried[row["lesson"], row["what"]].append(row)

    def ease(rows: list[dict]) -> tuple[float, float]:
        return mean(row["state"] == RIGHT for row in rows), -mean(row["tries"] for row in rows)

    if not tried:
        return ["hardest exercises: nobody has tried one yet"]
    table = []
    for (lesson, what), rows in sorted(tried.items(), key=lambda item: ease(item[1]))[:SHOWN]:
        right, tries = sum(row["state"] == RIGHT for row in rows), mean(row["tries"] for row in rows)
        seen = sum(row["solution_seen"].lower() == "true" for row in rows)
        table.append((what, lesson or "?", f"{right} of {len(rows)}", f"{tries:.1f}", str(seen)))
    return _lines(("hardest exercises", "lesson", "solved", "tries each", "saw the solution"), table)


def _of_predictions(given: HandIns) -> list[str]:
    asked = defaultdict(Counter)
    for row in given.rows:
        if row["kind"] == "prediction" and row["state"] != "in words":
            asked[row["what"]][row["state"]] += 1

    def share(states: Counter) -> float:
        return states["came so"] / states.total()

    if not asked:
        return ["predictions: nobody has chosen one yet"]
    least = sorted(asked.items(), key=lambda item: share(item[1]))[:SHOWN]
    table = [(what, f"{states['came so']} of {states.total()}") for what, states in least]
    return _lines(("predictions that came true least", "came true"), table)


def _lines(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return str(PageTable(header, [tuple(map(_short, row)) for row in rows])).splitlines()


def _short(text: str) -> str:
    text = printable(" ".join(str(text).split()))
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 2]} …"
