"""The first lines of a CSV file: the names of its columns, and whether its rows will be read under them."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from kit.errors import KitError


def first_lines(file: Path) -> tuple[list[str], list[str]]:
    """The column names of a CSV file and its first row, as written; [] where it cannot be read (told elsewhere)."""
    try:
        with (gzip.open if file.suffix == ".gz" else open)(
            file, "rt", encoding="utf-8-sig", errors="replace"
        ) as opened:
            lines = (cells for cells in csv.reader(opened) if cells)
            return next(lines, []), next(lines, [])
    except (OSError, EOFError, csv.Error):
        return [], []


def check_width(header: list[str], first: list[str], file: Path) -> None:
    """Errors: `KitError` for a column without a name, and a first row with more cells than there are names.

    pandas would take the first column of such a file for its index, and read the others under the names before theirs.
    """
    if header and not all(name.strip() for name in header):
        at = next(i for i, name in enumerate(header, 1) if not name.strip())
        raise KitError(
            f"expected a name for every column of {file}, but the {len(header)} of its first line have none at place "
            f"{at}: name it, or take the comma off the end of each line."
        )
    if len(first) > len(header) > 0:
        raise KitError(
            f"expected {len(header)} cells in each row of {file}, as it has columns, but its first row has "
            f"{len(first)}: put texts with commas between quotes, or take the comma off the end of each line."
        )
