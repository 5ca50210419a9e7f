"""Rows of one's own as the shard of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from kit.checks.argument_checks import is_list
from kit.data.table import Source
from kit.errors import KitError, shown
from kit.scaling.row_files import READ_ROWS, Columns, Shards


def own_rows(rows: Iterable | Callable[[], Iterable], name: str) -> Shards:
    """Rows of one's own: dicts, sentences, or ready elements such as Group. Errors: as `stream_of`."""
    if not isinstance(name, str) or not name:
        raise KitError(f"expected a name for the rows, got {name!r}: it stands in messages and results.")
    if not callable(rows) and not (is_list(rows) or isinstance(rows, Iterator)):
        raise KitError(f"expected rows to iterate over, got {shown(rows)}: give a list, or a function that makes rows.")
    if isinstance(rows, Iterator):
        kind = type(rows).__name__
        raise KitError(f"expected rows to read once an epoch, got a {kind}: give the function that makes it.")

    def read(shard: int, row: int) -> Iterator[Columns]:
        found = islice(iter(rows() if callable(rows) else rows), row, None)
        while chunk := list(islice(found, READ_ROWS)):
            yield _as_columns(chunk, name, row)
            row += len(chunk)

    source = Source(name, "train", "own", "memory or a function", "not hashed", 0)
    return Shards(source, 1, read, len(rows) if isinstance(rows, Sequence) else None)


def _as_columns(rows: list, name: str, first: int) -> Columns:
    if isinstance(rows[0], str):
        return {"sentence": rows}
    if not isinstance(rows[0], dict):
        return {"element": rows}
    if any(not isinstance(row, dict) or row.keys() != rows[0].keys() for row in rows):
        raise KitError(
            f"{name}: expected every row to have the columns {', '.join(map(str, rows[0]))} and no other, but one of "
            f"the rows {first:,} to {first + len(rows) - 1:,} has not: make them alike."
        )
    return {column: [row[column] for row in rows] for column in rows[0]}
