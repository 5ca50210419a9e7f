"""Tables for the page: aligned for readers, and the same as plain text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kit.captions import with_minus
from kit.errors import KitError
from kit.figures.caption_numbers import written

# a number, with its interval or its error, and its unit: "49.4 [49.3, 49.5]", "2.20 ± 0.20", "15.7 TFLOP/s"
FIGURE = re.compile(r"[+−]?\d\S*( \[[^]]*\]| ± \S+)?( \S+)?")


@dataclass(frozen=True)
class PageTable:
    """Rows of cells under a header, with a caption; the first `words` columns align left, the others right.

    notes: for each row a line below it, over the whole width, "" for none; () for no notes at all.
    A hyphen before a number is shown as a minus. A figure on the right stays on one line. Lesson 01.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    words: int = 1
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise KitError(f"expected rows of {len(self.header)} cells under {list(self.header)}, got {list(row)}.")
        if len(self.notes) not in (0, len(self.rows)):
            raise KitError(f"expected a note for each of {len(self.rows)} rows, or none at all, got {len(self.notes)}.")

    def __str__(self) -> str:
        table = [list(self.header), *(list(map(with_minus, row)) for row in self.rows)]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.header))]
        lines = [
            "  ".join(c.ljust(w) if i < self.words else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths)))
            for row in table
        ]
        for at in reversed(range(len(self.notes))):
            lines[at + 2 : at + 2] = [f"    {self.notes[at]}"] if self.notes[at] else []
        return "\n".join([*lines, self.caption] if self.caption else lines)

    def _repr_html_(self) -> str:
        def style(i, cell):
            if i < self.words:
                return "text-align:left"
            return "text-align:right" + (";white-space:nowrap" if FIGURE.fullmatch(cell) else "")

        def cells(row, tag, more=""):
            return "".join(
                f'<{tag} style="{style(i, c)}{more}">{html.escape(c)}</{tag}>'
                for i, c in enumerate(map(with_minus, row))
            )

        def below_it(note):
            told = f'<td colspan="{len(self.header)}" style="text-align:left">{html.escape(note)}</td>'
            return f"<tr>{told}</tr>" if note else ""

        notes = self.notes or [""] * len(self.rows)
        body = "".join(
            f"<tr>{cells(row, 'td', ';border-bottom:0' if note else '')}</tr>{below_it(note)}"
            for row, note in zip(self.rows, notes)
        )
        below = "caption-side:bottom;text-align:left;padding:0.5em 0.5em 0"
        note = f'<caption style="{below}">{html.escape(self.caption)}</caption>' if self.caption else ""
        return f"<table>{note}<thead><tr>{cells(self.header, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def before_after(before: dict[str, float | None], after: dict[str, float | None], caption: str = "") -> PageTable:
    """One row a measure, with the change; a measure that is undefined shows a dash. Lesson 07."""
    rows = []
    for name in before:
        a, b = before[name], after[name]
        change = "–" if a is None or b is None else written(round(b, 2) - round(a, 2), sign="+")
        rows.append((name, *("–" if x is None else written(x) for x in (a, b)), change))
    return PageTable(("measure", "before", "after", "change"), rows, caption)
