"""The figure of one's own data: how long the texts are, beside what the encoder reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, NEGATIVE, NEUTRAL, POSITIVE, layout

COLOURS = {"anchor": AFTER, "sentence1": AFTER, "text": AFTER, "positive": POSITIVE, "positives": POSITIVE,
           "sentence2": BEFORE, "negative": NEGATIVE, "negatives": NEGATIVE}  # fmt: skip
BARS = 30


def lengths_figure(lengths: Mapping[str, Sequence[int]], limit: int, theme: str = "auto") -> CaptionedFigure:
    """How many texts of each column have how many word pieces; a line where the encoder cuts them off.

    lengths: column → word pieces of each text. The summary gives median, longest and the share that is cut. Lengths
    beyond three limits stand in the last bar. Errors: `KitError` without a text. Lesson 13.
    """
    import numpy as np
    from plotly import graph_objects as go

    if not lengths or not all(len(values) for values in lengths.values()):
        raise KitError("expected the lengths of one column or more, got none: read some data first.")
    longest = min(3 * limit, max(max(values) for values in lengths.values()))
    edges = np.linspace(0, max(longest, 2), min(BARS, max(longest, 2)) + 1).round().astype(int)
    figure, said = go.Figure(), []
    for column, values in lengths.items():
        counts = np.histogram(np.minimum(values, edges[-1]), edges)[0]
        figure.add_trace(
            go.Scatter(
                x=((edges[:-1] + edges[1:]) / 2).tolist(),
                y=counts.tolist(),
                name=for_plotly(column),
                mode="lines",
                line={"color": COLOURS.get(column, CLASSIFY), "shape": "hvh", "width": 2},
                customdata=[f"{a} to {b}" for a, b in pairwise(edges)],
                hovertemplate="%{customdata} word pieces: %{y:,} texts<extra>" + for_plotly(column) + "</extra>",
            )
        )
        cut = sum(value > limit for value in values)
        said.append(
            f"{column}: median {np.median(values):.0f} word pieces, longest {max(values):,}, {cut:,} of "
            f"{len(values):,} ({cut / len(values):.1%}) longer than {limit}"
        )
    if limit <= edges[-1]:
        figure.add_vline(x=limit, line={"color": NEUTRAL, "dash": "dash"}, annotation_text=f"cut at {limit}")
    figure.update_layout(**layout(theme, height=320))
    figure.update_xaxes(title_text="word pieces, with [CLS] and [SEP]")
    figure.update_yaxes(title_text="texts")
    return CaptionedFigure(figure, "; ".join(said) + ".")
