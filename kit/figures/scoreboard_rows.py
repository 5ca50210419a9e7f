"""What the figure of the scoreboard draws: a row a comparison, how far the axis reaches, and both in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kit.course.papers.published import PAPERS
from kit.course.papers.scoreboard import Entry, summary
from kit.errors import KitError
from kit.figures.caption_numbers import written

POINTS = "points"  # the unit that rows of the figure share; others stand in the table alone
ROOM = 8.0  # points beside the outermost mark; an interval that is longer is cut, and ends in an arrow


@dataclass(frozen=True)
class ScoreRow:
    """One comparison of the figure, in points."""

    claim: str
    paper: str
    name: str
    published: float | None
    mean: float
    low: float
    high: float
    verdict: str

    @property
    def label(self) -> str:
        return f"{self.claim}: {self.name}"


def scoreboard_rows(board: Mapping[str, Entry]) -> list[ScoreRow]:
    """The comparisons that are measured in points, in the order of the claims.

    Errors: `KitError` for a board without any.
    """
    rows = [
        ScoreRow(key, PAPERS[entry.claim.paper], part.part.name, part.published, e.mean, e.low, e.high, part.verdict)
        for key, entry in board.items()
        for part in entry.parts
        for e in [part.effect]
        if part.part.unit == POINTS
    ]
    if not rows:
        raise KitError("expected at least one measured claim to draw, got none: run make claims.")
    return rows


def reach(rows: Sequence[ScoreRow]) -> list[float]:
    """The range of the axis: every mark, zero, and as much of the intervals as `ROOM` allows."""
    marks = [0.0, *(row.mean for row in rows), *(row.published for row in rows if row.published is not None)]
    lowest, highest = min([*marks, *(row.low for row in rows)]), max([*marks, *(row.high for row in rows)])
    return [max(min(marks) - ROOM, lowest - 0.5), min(max(marks) + ROOM, highest + 0.5)]


def scoreboard_summary(board: Mapping[str, Entry]) -> str:
    """How the claims fared, what is farthest from the published effect, and what is not drawn or cut."""
    rows = [row for row in scoreboard_rows(board) if row.published is not None]
    line = summary(board)
    if rows:
        far = max(rows, key=lambda row: abs(row.mean - row.published))
        inside = sum(row.low <= row.published <= row.high for row in rows)
        line += (
            f" The interval holds the published effect in {inside} of {len(rows)} comparisons; farthest "
            f"off is {far.label} (published {signed(far.published)}, measured {signed(far.mean)})."
        )
    return line + not_in_picture(board)


def not_in_picture(board: Mapping[str, Entry]) -> str:
    """What is not drawn, and what is cut, each in a sentence after a space; "" where there is nothing of it."""
    units = {key: part.part.unit for key, entry in board.items() for part in entry.parts if part.part.unit != POINTS}
    absent = ", ".join(f"{key} ({unit})" for key, unit in units.items())
    line = f" Not drawn, as they are not in points: {absent}." if absent else ""
    rows = scoreboard_rows(board)
    left, right = reach(rows)
    cut = ", ".join(row.label for row in rows if row.low < left or row.high > right)
    return line + (f" Longer than the picture: the interval of {cut}." if cut else "")


def signed(value: float) -> str:
    return written(value, sign="+")
