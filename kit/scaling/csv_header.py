"""CSV files of a stream: the names of their columns, whether their rows will be read under them, and rows in cells."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable
from pathlib import Path

from kit.checks.swallowed_rows import SWALLOWING, with_rows_inside
from kit.data.catalogue import NLI_COLUMNS
from kit.data.table import check_names
from kit.errors import KitError, KitWarning
from kit.scaling.text_lines import csv_rows, is_utf8, open_text

Headers = list[tuple[Path, list[str]]]


def first_lines(file: Path) -> tuple[list[str], list[str]] | None:
    """The column names of a CSV file and its first row, as written; [] where there is none.

    None where it cannot be read, which is told elsewhere.
    """
    try:
        with open_text(file) as opened:
            rows = (cells for _, cells in csv_rows(opened))
            header, first = next(rows, []), next(rows, [])
            return (header, first) if all(map(is_utf8, header)) else None
    except (OSError, EOFError, csv.Error):
        return None


def headers_of(files: list[Path], name: str) -> Headers:
    """Every file with its column names, [] where they cannot be read.

    A file without a line, which pandas cannot read, is left out with a warning. Errors: `KitError` where all are so,
    or where names cannot be used.
    """
    heads = [(file, first_lines(file)) for file in files]
    empty = [file for file, lines in heads if lines == ([], [])]
    if len(empty) == len(files):
        raise KitError(f"{empty[0]} should be a csv file with rows, but is empty: copy it again or choose another.")
    if empty:
        more = f" and {len(empty) - 1:,} more" if len(empty) > 1 else ""
        warnings.warn(KitWarning(f"{name}: left out as empty, without even a header: {empty[0]}{more}."), stacklevel=2)
    for file, lines in heads:
        header, first = lines or ([], [])
        check_names(header, file)
        check_width(header, first, file)
    return [(file, lines[0] if lines else []) for file, lines in heads if lines != ([], [])]


def columns_of(headers: Headers, name: str) -> list[str]:
    """The columns to read, all as text, as 2019 and "true" are texts too; [] where no header can be read.

    Errors: `KitError` where the files differ, but for what stands beside premise, hypothesis and label.
    """
    known = [(file, header) for file, header in headers if header]
    columns = known[0][1] if known else []
    other = next(((file, header) for file, header in known if set(header) != set(columns)), None)
    if other is None:
        return columns
    if all(set(header) >= set(NLI_COLUMNS) for _, header in known):
        return list(NLI_COLUMNS)
    raise KitError(
        f"{name}: expected the same columns in every file, but {known[0][0]} has {', '.join(columns)} and {other[0]} "
        f"{', '.join(other[1])}: make them alike."
    )


def teller_of_rows_inside(headers: Headers, name: str, place: Callable[[int, int], str]) -> Callable:
    """A function of (shard, first row, Arrow table) that warns, once for each file, of a cell that holds rows."""
    told: set[int] = set()

    def tell(shard: int, first: int, table) -> None:
        import pyarrow.compute as pc

        columns = dict(zip(table.column_names, table.columns))
        texts = [column for column in columns.values() if str(column.type) in ("string", "large_string")]
        if shard in told or not any(pc.any(pc.match_substring_regex(column, "[\r\n]")).as_py() for column in texts):
            return
        header = headers[shard][1]
        cells = [columns[one].to_pylist() if one in columns else [""] * len(table) for one in header]
        if found := with_rows_inside(list(zip(*cells)), ",", len(header)):
            told.add(shard)
            said = f"{name}: a cell on {place(shard, first + found[0])} goes {SWALLOWING}"
            warnings.warn(KitWarning(said), stacklevel=2)

    return tell


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
