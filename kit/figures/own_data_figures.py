"""The figures of one's own data: which rows hang together in a split, how long the texts are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_peaks
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, NEGATIVE, NEUTRAL, POSITIVE, dress
from kit.figures.schematics import Canvas, Drawing

COLOURS = {"anchor": AFTER, "sentence1": AFTER, "text": AFTER, "positive": POSITIVE, "positives": POSITIVE,
           "sentence2": BEFORE, "negative": NEGATIVE, "negatives": NEGATIVE}  # fmt: skip
BARS = 30
CLUSTERS = (  # of `split_drawing`: the part that each goes to, and the places of its rows
    ("train", ((45, 75), (105, 75), (165, 75))),
    ("test", ((75, 172), (135, 172))),
    ("train", ((200, 172),)),
)
SHIFTS = {"train": 400, "test": 600}  # how far to the right of its place a row is dealt out to


def split_drawing() -> Drawing:
    """Rows, the twins among them, and a split that deals out what hangs together as a whole. Lesson 13."""
    page = Canvas(760, 240, folds=(375,))
    page.text(150, 26, "six rows; a line joins twins", bold=True)
    page.box(415, 40, 217, 150, colour=NEUTRAL, strength=0.08)
    page.box(650, 40, 105, 150, colour=NEUTRAL, strength=0.08)
    page.text(523, 26, "train", bold=True)
    page.text(702, 26, "test", bold=True)
    for part, rows in CLUSTERS:
        dealt = AFTER if part == "train" else CLASSIFY
        for shift, colour in ((0, NEUTRAL), (SHIFTS[part], dealt)):
            for (x1, y1), (x2, y2) in pairwise(rows):
                page.line(x1 + shift, y1, x2 + shift, y2, width=3)
            for x, y in rows:
                page.circle(x + shift, y, 14, colour=colour)
    page.line(135, 48, 135, 102, colour=NEGATIVE, width=2.5, dashed=True)
    page.text(150, 126, "a cut here: one twin is learnt,")
    page.text(150, 143, "the other asked for")
    page.arrow(285, 115, 414, 115)
    page.text(322, 104, "dealt out")
    page.text(322, 135, "whole")
    page.text(585, 222, "no line between the two parts")
    return page.drawing(
        "Rows with twins, and a split that cuts no two of them apart",
        "Six rows as discs, a line between two that share a text or have near-duplicates: three rows in a chain, two "
        "joined, one alone. A split by rows may cut a line, and then one twin is learnt and the other is asked for. A "
        "split by clusters keeps what hangs together in one part: here the chain and the single row go to train, the "
        "pair goes to test, and no line leads from one part to the other.",
    )


def lengths_figure(lengths: Mapping[str, Sequence[int]], limit: int) -> CaptionedFigure:
    """How many texts of each column have how many word pieces; a line where the encoder cuts them off.

    lengths: column → word pieces of each text. The summary gives median, longest and the share that is cut. Lengths
    beyond three limits stand in the last bar. Errors: `KitError` without a text. Lesson 13.
    """
    import numpy as np
    from plotly import graph_objects as go

    if not lengths or not all(len(values) for values in lengths.values()):
        raise KitError("expected the lengths of one column or more, got none: read some data first.")
    longest = max(2, min(3 * limit, max(max(values) for values in lengths.values())))
    width = math.ceil(longest / BARS)  # a whole number, so that all bars hold equally many lengths
    edges = width * np.arange(longest // width + 2)  # the last is above the longest
    figure = go.Figure()
    for column, values in lengths.items():
        counts = np.histogram(np.minimum(values, longest), edges)[0]
        figure.add_trace(
            go.Scatter(
                x=((edges[:-1] + edges[1:]) / 2).tolist(),
                y=counts.tolist(),
                name=for_plotly(column),
                mode="lines",
                line={"color": COLOURS.get(column, CLASSIFY), "shape": "hvh", "width": 2},
                customdata=_ranges(edges.tolist(), max(values) >= edges[-1]),
                hovertemplate="%{customdata} word pieces, texts: %{y:,}<extra>" + for_plotly(column) + "</extra>",
            )
        )
    if limit <= edges[-1]:
        figure.add_vline(x=limit, line={"color": NEUTRAL, "dash": "dash"}, annotation_text=f"cut at {limit}")
    dress(figure, height=320)
    figure.update_xaxes(title_text="word pieces, with [CLS] and [SEP]")
    figure.update_yaxes(title_text="texts")
    name_peaks(figure)
    return CaptionedFigure(figure, lengths_summary(lengths, limit))


def lengths_summary(lengths: Mapping[str, Sequence[int]], limit: int) -> str:
    """Median and longest of each column, and how many texts are longer than the limit."""
    said = []
    for column, values in lengths.items():
        cut = sum(value > limit for value in values)
        said.append(
            f"{column}: median {median(values):.0f} word pieces, longest {max(values):,}, {cut:,} of "
            f"{len(values):,} ({cut / len(values):.1%}) longer than {limit}"
        )
    return "; ".join(said) + "."


def _ranges(edges: list[int], clipped: bool) -> list[str]:
    """The word pieces of each bar: from an edge to below the next; the last has also all that is longer."""
    bars = [f"{a} to {b - 1}" if a < b - 1 else str(a) for a, b in pairwise(edges)]
    return [*bars[:-1], f"{edges[-2]} or more"] if clipped else bars
