"""The rows of an Excel file, read one by one, so that two cells far apart do not fill the memory between them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kit.data.hub import first_line
from kit.errors import KitError
from kit.number_checks import is_whole

MOST_CELLS = 30_000_000  # of the rectangle that holds all that is written: about 1 GB
MOST_ROWS = 1_048_576  # Excel's own


def excel_rows(file: Path, sheet: str | int) -> tuple[list[list], list[str]]:
    """(rows, names of all sheets): the cells of a sheet, by name or number from 0, up to the last of each row.

    A cell is text, a number, a date, a truth value, or None where nothing or an error of a formula stands; rows after
    the last with something in it are left out. Errors: `KitError` for what is no Excel file, a sheet that it has not,
    and cells too far apart.
    """
    try:
        import openpyxl
    except ImportError as error:
        raise KitError("expected openpyxl to read Excel, but it is not installed: pip install openpyxl.") from error
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = {str(one.title): one for one in book.worksheets}
            one = _named(file, sheets, sheet)
            one.reset_dimensions()  # what a file says of them need not be true
            return _rows_of(file, one.rows), list(sheets)
        finally:
            book.close()
    except KitError:
        raise
    except Exception as error:  # zipfile's, openpyxl's, XML's: the file is none of Excel's
        reason = first_line(error.__cause__ or error)  # of openpyxl, whose own says no more than that it failed
        raise KitError(
            f"expected {file} as an Excel file, but it cannot be read ({reason}): save it as .xlsx again."
        ) from error


def _named(file: Path, sheets: dict[str, Any], sheet: str | int) -> Any:
    if is_whole(sheet) and -len(sheets) <= sheet < len(sheets):
        return list(sheets.values())[sheet]
    if sheet in sheets:
        return sheets[sheet]
    raise KitError(f"expected a sheet {sheet!r} in {file}, but it has {', '.join(sheets) or 'none'}: name one of them.")


def _rows_of(file: Path, written: Iterable) -> list[list]:
    rows: list[list] = []
    count = width = 0  # of the rectangle that holds all that is written
    for number, cells in enumerate(written, start=1):
        row = [_value_of(cell) for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if row:
            count, width = number, max(width, len(row))
        if count * width > MOST_CELLS or number > MOST_ROWS:
            raise KitError(
                f"expected a table of at most {MOST_CELLS:,} cells in {file}, but what is written in it reaches over "
                f"{number:,} rows and {width:,} columns or more: delete what stands far from the table, or save it as "
                ".csv."
            )
        rows.append(row)
    return rows[:count]


def _value_of(cell: Any) -> Any:
    value = cell.value
    if value == "" or cell.data_type == "e":
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value
