"""Rows of text as an aligned table or as Markdown, and figures as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from kit.errors import unknown_name

STYLES = ("text", "markdown")
UNDEFINED = "–"


def figure(value: float | None, undefined: str = UNDEFINED) -> str:
    """Two decimals; a dash (or `undefined`) where there is no value, never NaN."""
    return undefined if value is None else f"{value:.2f}"


def table(rows: Sequence[Sequence[str]], style: str = "text") -> str:
    """`rows`, the first one the head; raises KitError unless `style` is "text" or "markdown"."""
    if style == "text":
        return _aligned(rows)
    if style == "markdown":
        return _markdown(rows)
    raise unknown_name("table style", style, STYLES)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join((head, "|---|" + "---:|" * (len(rows[0]) - 1), *body))
