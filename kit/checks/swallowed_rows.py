"""Cells of a CSV file that hold rows: a quotation mark at the start of one and another far behind it make them."""

from __future__ import annotations

from collections.abc import Sequence

FEW_CELLS = 3  # of several lines, which may be a mistake; more than one row in twenty is how texts are written
SWALLOWING = (  # after "a cell … goes", "cells … go"
    "on over lines that look like rows of their own: if they are, a quotation mark stands at the start of "
    "such a cell and another far behind it, and all between them is one cell."
)


def with_rows_inside(rows: Sequence[Sequence[str]], separator: str, width: int) -> list[int]:
    """The places of the rows with a cell over several lines of which each could be a row.

    The first line of such a cell lacks what stands before it in its row, the last what stands behind it. Where many
    cells of a single column are so, it is how the texts of this file are written.
    """

    def swallows(place: int, cell: str) -> bool:
        if len(lines := cell.splitlines()) < 2:
            return False
        first, *inner, last = [line.count(separator) for line in lines]
        lines_of_rows = first == width - 1 - place and last == place and all(one >= width - 1 for one in inner)
        return lines_of_rows and (len(inner) > 0 or first > 0)

    found = [at for at, cells in enumerate(rows) if any(swallows(i, cell) for i, cell in enumerate(cells))]
    return [] if width == 1 and len(found) > max(FEW_CELLS, len(rows) // 20) else found
