"""The figures that the papers print: data/papers/published.csv, read with a schema check.

A figure keeps its printed digits, because they say how it was rounded: "66.2" stands for anything from
66.15 to 66.25.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from kit.errors import KitError, check_name
from kit.paths import bundle

COLUMNS = ("paper", "table", "model", "task", "metric", "value", "note")
PAPERS = {
    "liao2021": "Liao 2021",
    "supmpn2022": "Dehghan & Amasyali 2022 (SupMPN)",
    "declutr2021": "Giorgi et al. 2021 (DeCLUTR)",
    "pause2021": "Cao et al. 2021 (PAUSE)",
}
AVERAGE = "Avg"
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True)
class PublishedFigure:
    """One printed figure. `printed` holds its digits; `line` is its line in the file."""

    paper: str
    table: str
    model: str
    task: str
    metric: str
    printed: str
    note: str = ""
    line: int = 0

    @property
    def value(self) -> float:
        return float(self.printed)


@dataclass(frozen=True, eq=False)  # compared by identity: the same figures in another table are another row
class Row:
    """One printed row: task → digits, and the average (None if none is printed). Lesson 11."""

    paper: str
    table: str
    model: str
    metric: str
    cells: Mapping[str, str]
    average: str | None = None

    @property
    def place(self) -> str:
        """For example "Liao 2021, Table 3, SBERT baseline"."""
        return f"{PAPERS.get(self.paper, self.paper)}, Table {self.table}, {self.model}"


def read_published(path: Path | None = None) -> tuple[PublishedFigure, ...]:
    """Read all figures, in the order of the file.

    Raises `KitError`, naming the line, for columns other than `COLUMNS`, an unknown paper, an empty name
    or a value that is not a plain number. Lesson 11.
    """
    path = path or bundle("papers", "published.csv")
    if not path.is_file():
        raise KitError(
            f"expected the published figures in {path.name}, but there is no such file: "
            "get data/papers again from the repository."
        )
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = tuple(next(reader, ()))
        if header != COLUMNS:
            raise KitError(
                f"expected {path.name} with the columns {', '.join(COLUMNS)}, got {', '.join(header)}: "
                "the file is from another version of the kit."
            )
        figures = tuple(_figure(cells, reader.line_num, path.name) for cells in reader if cells)
    if not figures:
        raise KitError(f"expected at least one figure in {path.name}, got none.")
    return figures


def _figure(cells: list[str], line: int, name: str) -> PublishedFigure:
    if len(cells) != len(COLUMNS):
        raise KitError(f"expected {len(COLUMNS)} columns in line {line} of {name}, got {len(cells)}.")
    entry = dict(zip(COLUMNS, cells))
    check_name(f"paper in line {line} of {name}", entry["paper"], PAPERS)
    if empty := [column for column in ("table", "model", "task", "metric") if not entry[column].strip()]:
        raise KitError(f"expected a {empty[0]} in line {line} of {name}, got an empty cell.")
    if not _NUMBER.fullmatch(entry["value"]):
        raise KitError(f"expected a plain number such as 66.06 in line {line} of {name}, got {entry['value']!r}.")
    printed = entry.pop("value")
    return PublishedFigure(**entry, printed=printed, line=line)


def rows_of(figures: Iterable[PublishedFigure]) -> list[Row]:
    """Group figures into printed rows, in order; a task that repeats starts a new row of its model. Lesson 11."""
    found: list[tuple[tuple, dict[str, str]]] = []
    for figure in figures:
        name = (figure.paper, figure.table, figure.model, figure.metric)
        if not found or found[-1][0] != name or figure.task in found[-1][1]:
            found.append((name, {}))
        found[-1][1][figure.task] = figure.printed
    return [
        Row(*name, {task: text for task, text in cells.items() if task != AVERAGE}, cells.get(AVERAGE))
        for name, cells in found
    ]


def find(figures: Iterable[PublishedFigure], paper: str, table: str, model: str, task: str = AVERAGE) -> float:
    """One published value (of two rows of a model, the last). Raises `KitError` if there is none. Lesson 11."""
    found = [f for f in figures if (f.paper, f.table, f.model, f.task) == (paper, table, model, task)]
    if not found:
        raise KitError(
            f"expected a published figure for {model!r}, {task} in Table {table} of {paper}, got none: "
            "look the names up in data/papers/published.csv."
        )
    return found[-1].value


def half_unit(printed: str) -> Decimal:
    """Half a unit of the last printed digit: 0.005 for "66.06", 0.05 for "66.2", 0.5 for "80"."""
    return Decimal(5).scaleb(Decimal(printed).as_tuple().exponent - 1)


def bounds(printed: str) -> tuple[Decimal, Decimal]:
    """The (lowest, highest) value that rounds to the printed figure. Lesson 11."""
    value, half = Decimal(printed), half_unit(printed)
    return value - half, value + half
