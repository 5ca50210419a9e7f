"""The columns of a Parquet file, which may hold one text a million times in a few bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kit.data.hub import first_line
from kit.data.table import check_names
from kit.errors import KitError
from kit.owndata.excel_file import MOST_CELLS

CELLS_A_BYTE = 10  # more than these are copies: a word that is not the one before it takes a byte or more


def parquet_columns(file: Path) -> tuple[dict[str, list], dict[str, list[str]]]:
    """(column → its values, column → the names of its classes where `datasets` wrote them).

    Errors: `KitError` for what is no Parquet file, and for a few bytes that stand for more cells than memory holds.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        opened = pq.ParquetFile(file)
        _refuse_copies(file, opened.metadata.num_rows, len(opened.schema_arrow.names))
        table = opened.read()
        check_names(table.column_names, file.name)
        return table.to_pydict(), _classes_of(table.schema.metadata or {})
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise KitError(
            f"expected {file} as a Parquet file, but it cannot be read ({first_line(error)}): copy it again."
        ) from error


def _refuse_copies(file: Path, rows: int, columns: int) -> None:
    """Errors: `KitError` for more cells than `MOST_CELLS` in a file too small to hold as many that differ."""
    size = file.stat().st_size
    if rows * columns > max(MOST_CELLS, CELLS_A_BYTE * size):
        raise KitError(
            f"expected rows that differ in {file}, but its {size:,} bytes say that they hold {rows:,} rows of "
            f"{columns:,} columns: nearly all are copies, or it is damaged; leave out the copies, or copy it again."
        )


def _classes_of(metadata: Mapping) -> dict[str, list[str]]:
    """Column → the names of its classes, as `datasets` writes them beside a table; none where nobody did."""
    try:
        features = json.loads(metadata.get(b"huggingface", b"{}"))["info"]["features"]
        classes = {c: one for c, one in features.items() if isinstance(one, dict) and one.get("_type") == "ClassLabel"}
        return {column: list(one["names"]) for column, one in classes.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
