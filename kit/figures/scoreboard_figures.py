"""The scoreboard of claims: published effect against measured effect, with intervals and verdicts.

A row is one comparison. The verdict shows twice, as a colour and as a shape; the same rows make an
interactive figure, a plain SVG for pages without scripts, and a table.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from kit.course.papers.rule import CONTRADICTED, NOT_COMPARABLE, REPLICATES, UNDECIDED
from kit.course.papers.scoreboard import Entry, Measured
from kit.figures.caption_numbers import written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.page_table import PageTable
from kit.figures.palette import BEFORE, NEGATIVE, NEUTRAL, POSITIVE, dress
from kit.figures.scoreboard_rows import POINTS, ScoreRow, reach, scoreboard_rows, scoreboard_summary, signed

# verdict → colour, plotly's name of the shape
LOOK = {
    REPLICATES: (POSITIVE, "circle"),
    UNDECIDED: (BEFORE, "square-open"),
    CONTRADICTED: (NEGATIVE, "x"),
    NOT_COMPARABLE: (NEUTRAL, "triangle-up-open"),
}

EFFECT = "effect in points, 95 % interval over seeds"


def scoreboard_figure(board: Mapping[str, Entry]) -> CaptionedFigure:
    """`kit.course.papers.read_scoreboard()` as a figure with its summary. Errors as `scoreboard_rows`. Lesson 11."""
    from plotly import graph_objects as go

    rows = scoreboard_rows(board)
    figure = go.Figure()
    for name, (colour, shape) in LOOK.items():
        mine = [row for row in rows if row.verdict == name]
        figure.add_trace(
            go.Scatter(
                x=[row.mean for row in mine],
                y=[row.label for row in mine],
                name=f"measured: {name}",
                mode="markers",
                marker={"color": colour, "symbol": shape, "size": 10, "line": {"width": 2, "color": colour}},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [row.high - row.mean for row in mine],
                    "arrayminus": [row.mean - row.low for row in mine],
                    "color": colour,
                    "thickness": 2,
                    "width": 7,  # so that an interval narrower than its mark shows its ends
                },
                hovertemplate="%{y}: %{x:+.2f}<extra>" + name + "</extra>",
            )
        )
    quoted = [row for row in rows if row.published is not None]
    figure.add_trace(
        go.Scatter(
            x=[row.published for row in quoted],
            y=[row.label for row in quoted],
            name="published",
            mode="markers",
            marker={"color": NEUTRAL, "symbol": "diamond-tall", "size": 10},
            hovertemplate="%{y}: %{x:+.2f}<extra>published</extra>",
        )
    )
    left, right = reach(rows)
    cut = [(left, row) for row in rows if row.low < left] + [(right, row) for row in rows if row.high > right]
    for end, row in cut:
        arrow = {"ax": 14 if end == left else -14, "ay": 0, "arrowhead": 2, "arrowwidth": 2}
        figure.add_annotation(x=end, y=row.label, text="", arrowcolor=LOOK[row.verdict][0], **arrow)
    places = []  # of each line, from the top: its name in the data, and what stands at the axis
    for paper, mine in groupby(rows, lambda row: row.paper):
        places += [(paper, f"<b>{paper}</b>"), *((row.label, f"{row.name} ({row.claim})") for row in mine)]
    # The legend stays: its marks are a verdict each, spread over all rows, and no line ends where a name could stand.
    dress(figure, height=175 + 22 * len(places))
    figure.update_layout(margin_b=75)
    figure.update_xaxes(range=[left, right], zeroline=True, zerolinewidth=2, zerolinecolor=figure.layout.font.color)
    # Up to the axis's right end, and not in its middle: longer than the axis of a phone, it reaches to the left.
    title = {"text": EFFECT, "x": 1, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "top"}
    figure.add_annotation(**title, yshift=-32, showarrow=False)
    keys, said = zip(*reversed(places))
    order = {"categoryorder": "array", "categoryarray": keys, "tickvals": keys, "range": [-0.8, len(keys) - 0.2]}
    figure.update_yaxes(ticktext=said, **order)
    return CaptionedFigure(figure, scoreboard_summary(board))


def scoreboard_table(board: Mapping[str, Entry], papers: Sequence[str] | None = None) -> PageTable:
    """A row for each comparison; under those of a claim what differs, and its command. papers: keys, or all.

    Lesson 11.
    """
    rows, notes = [], []
    for key, entry in board.items():
        if papers is not None and entry.claim.paper not in papers:
            continue
        for part in entry.parts:
            first, last = part is entry.parts[0], part is entry.parts[-1]  # what holds for all of a claim is said once
            claim = f"{key}: {entry.claim.statement}" if first else key
            rows.append([claim, part.part.name, part.why, published_shown(part), effect_shown(part)])
            notes.append(f"What differs: {entry.differs}. Run it again: {entry.command}" if last else "")
    return PageTable(
        ("claim", "comparison", "verdict", "published", "measured"),
        rows,
        "In square brackets: 95 % intervals over seeds.",
        words=3,
        notes=notes,
    )


def effect_shown(part: Measured) -> str:
    """The mean effect with its interval and unit, or that all seeds have this one value. Lesson 11."""
    effect, unit = part.effect, "" if part.part.unit == POINTS else f" {part.part.unit}"
    plain = part.part.rule == "reaches"  # a level, not a difference
    numbers = [written(value, ".1f") if plain else signed(value) for value in (effect.mean, effect.low, effect.high)]
    alone = numbers[0] + unit + (f" in all {effect.n} seeds" if effect.n > 1 else "")
    return f"{numbers[0]} [{numbers[1]}, {numbers[2]}]{unit}" if effect.has_interval else alone


def published_shown(part: Measured) -> str:
    """The published effect; a dash where the paper shows a plot or words only. Lesson 11."""
    if part.published is None:
        return "–"
    return written(part.published, "g") if part.part.rule == "reaches" else signed(part.published)


# --- the plain picture ----------------------------------------------------------------------------

LABELS, PLOT, WORDS, LINE, TOP, BOTTOM = 300, 320, 210, 20, 64, 40
INK, GRID, BAND, PAPER = "#333333", "#dddddd", "#f4f4f4", "#ffffff"


def scoreboard_svg(board: Mapping[str, Entry]) -> str:
    """The figure as plain SVG: no script, no font but the reader's own, its summary as its description."""
    rows = scoreboard_rows(board)
    left, right = reach(rows)
    height = TOP + LINE * len(rows) + BOTTOM

    def x(value: float) -> float:
        return round(LABELS + PLOT * (min(max(value, left), right) - left) / (right - left), 1)

    parts = [f'<rect width="100%" height="100%" fill="{PAPER}"/>', *_bands(rows), *_legend()]
    for tick in ticks(left, right):
        parts.append(_line(x(tick), TOP - 8, x(tick), height - BOTTOM, INK if tick == 0 else GRID, 1))
        parts.append(_text(x(tick), height - BOTTOM + 16, written(tick, "g"), "middle"))
    parts.append(_text(LABELS + PLOT / 2, height - 6, EFFECT, "middle"))
    for number, row in enumerate(rows):
        y = TOP + LINE * number + LINE / 2
        colour = LOOK[row.verdict][0]
        parts += [_text(LABELS - 12, y + 4, row.label, "end"), _line(x(row.low), y, x(row.high), y, colour, 2)]
        parts += [_end(x(end), y, colour, (end > right) - (end < left)) for end in (row.low, row.high)]
        if row.published is not None:
            parts.append(_diamond(x(row.published), y))
        parts += [
            _mark(row.verdict, x(row.mean), y),
            _text(LABELS + PLOT + 14, y + 4, f"{signed(row.mean)}  {row.verdict}", "start"),
        ]
    width = LABELS + PLOT + WORDS
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="12" fill="{INK}"><title>Published and measured effects'
        f"</title><desc>{html.escape(scoreboard_summary(board))}</desc>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def ticks(left: float, right: float) -> list[float]:
    """Round numbers within the range, five to ten of them."""
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if (right - left) / s <= 10)
    return [round(step * i, 6) for i in range(math.ceil(left / step), math.floor(right / step) + 1)]


def _bands(rows: Sequence[ScoreRow]) -> list[str]:
    """A band behind every other claim, so that the comparisons of one are seen together."""
    order = list(dict.fromkeys(row.claim for row in rows))
    return [
        f'<rect x="0" y="{TOP + LINE * i}" width="100%" height="{LINE}" fill="{BAND}"/>'
        for i, row in enumerate(rows)
        if order.index(row.claim) % 2
    ]


def _legend() -> list[str]:
    parts, at = [_text(12, 24, "measured:", "start")], 84
    for name in LOOK:
        parts += [_mark(name, at, 20), _text(at + 12, 24, name, "start")]
        at += 44 + 7 * len(name)
    return [*parts, _diamond(at, 20), _text(at + 12, 24, "published", "start")]


def _end(x: float, y: float, colour: str, way: int) -> str:
    """A bar; where the interval is cut at the edge (way 1 to the right, -1 to the left), the head of an arrow."""
    if not way:
        return _line(x, y - 4, x, y + 4, colour, 2)
    return f'<path d="M{x} {y}l{-9 * way} -5v10Z" fill="{colour}"/>'


def _mark(verdict: str, x: float, y: float) -> str:
    """A dot, an open square, an open triangle or a cross."""
    colour = LOOK[verdict][0]
    if verdict == REPLICATES:
        return f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>'
    if verdict == NOT_COMPARABLE:
        shape = f"M{x - 5} {y + 4}L{x + 5} {y + 4}L{x} {y - 5}Z"
        return f'<path d="{shape}" fill="{PAPER}" stroke="{colour}" stroke-width="2"/>'
    if verdict == UNDECIDED:
        return (
            f'<rect x="{x - 5}" y="{y - 5}" width="10" height="10" fill="{PAPER}" stroke="{colour}" stroke-width="2"/>'
        )
    return (
        f'<path d="M{x - 5} {y - 5}L{x + 5} {y + 5}M{x - 5} {y + 5}L{x + 5} {y - 5}" stroke="{colour}" '
        'stroke-width="3"/>'
    )


def _diamond(x: float, y: float) -> str:
    return f'<path d="M{x} {y - 7}L{x + 4} {y}L{x} {y + 7}L{x - 4} {y}Z" fill="{NEUTRAL}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{html.escape(text)}</text>'
