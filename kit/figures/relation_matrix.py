"""The relations of a batch as a coloured matrix: who is pulled, who is pushed, who is ignored."""

from __future__ import annotations

from collections.abc import Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.caption_numbers import counted
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.palette import NEGATIVE, NEUTRAL, POSITIVE, dress

KINDS = ("ignored", "negative", "positive")  # as the numbers 0, 1, 2 of the heat map
COLOURS = (NEUTRAL, NEGATIVE, POSITIVE)
SIGNS = ("", "−", "+")
NAMED = 8  # up to so many anchors the summary names each


def relations_figure(relations, row_labels: Sequence[str], column_labels: Sequence[str]) -> CaptionedFigure:
    """A `kit.losses.Relations` as a matrix: green + positive, vermilion − negative, grey ignored.

    row_labels: one per anchor (a premise may be an anchor twice); column_labels: one per
    candidate. The summary counts the three kinds, and the positives of each anchor.
    Errors: `KitError` for another number of labels than the matrix has rows and columns. Lesson 06.
    """
    from plotly import graph_objects as go

    positive, negative = relations.positive.tolist(), relations.negative.tolist()
    shape = tuple(relations.positive.shape)
    if shape != (len(row_labels), len(column_labels)):
        raise KitError(
            f"expected a label for each of {shape[0]} anchors and {shape[1]} candidates, "
            f"got {len(row_labels)} and {len(column_labels)}: give one name per row and column."
        )
    kinds = [[2 if p else int(n) for p, n in zip(*rows)] for rows in zip(positive, negative)]
    # Places, not labels, are the coordinates: two rows of one name would fall into one.
    figure = go.Figure(
        go.Heatmap(
            z=kinds,
            text=[[SIGNS[kind] for kind in row] for row in kinds],
            texttemplate="%{text}",
            customdata=[[KINDS[kind] for kind in row] for row in kinds],
            zmin=-0.5,
            zmax=2.5,
            xgap=2,
            ygap=2,
            hovertext=[[for_plotly(f"{row} · {column}") for column in column_labels] for row in row_labels],
            hovertemplate="%{hovertext}: %{customdata}<extra></extra>",
            textfont={"size": 15, "color": "#111111"},
            colorscale=[[(at + end) / 3, colour] for at, colour in enumerate(COLOURS) for end in (0, 1)],
            showscale=False,
        )
    )
    for kind in sorted({kind for row in kinds for kind in row}, reverse=True):  # a key to what occurs
        look = {"color": COLOURS[kind], "symbol": "square", "size": 14}
        name = f"{KINDS[kind]} {SIGNS[kind]}".strip()
        figure.add_scatter(x=[None], y=[None], mode="markers", marker=look, name=name, hoverinfo="skip")
    height = 150 + 34 * max(shape[0], 1)
    dress(figure, height=height)
    figure.update_layout(showlegend=True, legend_itemclick=False, legend_itemdoubleclick=False)
    figure.update_xaxes(
        title_text="candidate",
        tickvals=list(range(shape[1])),
        ticktext=list(map(for_plotly, column_labels)),
        tickangle=60,
        showgrid=False,
        zeroline=False,
    )
    figure.update_yaxes(
        title_text="anchor",
        tickvals=list(range(shape[0])),
        ticktext=list(map(for_plotly, row_labels)),
        autorange="reversed",
        showgrid=False,
        zeroline=False,
    )
    return CaptionedFigure(figure, _summary(kinds, row_labels, shape))


def _summary(kinds: list[list[int]], row_labels: Sequence[str], shape: tuple[int, int]) -> str:
    counts = [sum(row.count(kind) for row in kinds) for kind in range(3)]
    line = (
        f"{counted(shape[0], 'anchor')} and {counted(shape[1], 'candidate')}: {counts[2]} positive, "
        f"{counts[1]} negative and {counts[0]} ignored pairs"
    )
    positives = [row.count(2) for row in kinds]
    if not positives:
        return f"{line}; without an anchor nothing is pulled and nothing pushed."
    if len(positives) > NAMED:
        least, most = min(positives), max(positives)
        if least == most:
            return f"{line}; each anchor has {counted(least, 'positive')}."
        return f"{line}; an anchor has {least} to {most} positives."
    each = ", ".join(f"{label}: {count}" for label, count in zip(row_labels, positives))
    return f"{line}. Positives of each anchor: {each}."
