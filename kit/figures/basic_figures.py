"""The figures of the tour: functions from numbers to a `CaptionedFigure`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError, shown
from kit.figures.caption_numbers import counted, part_name, written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_line_ends, name_peaks
from kit.figures.palette import (
    AFTER,
    BEFORE,
    CLASSIFY,
    CONTRAST,
    DASHES,
    NEUTRAL,
    POSITIVE,
    SCALE,
    dress,
    hover,
    strokes,
)
from kit.number_checks import whole_number

HATCHES = dict(zip(DASHES, ("", "/", "x", ".", "-", "|")))  # what a dash is to a line, of bars

UNSEEN = 1 / 500  # of the highest bar: one that is lower has less than half a pixel


def heat_maps(matrices: Mapping[str, Sequence[Sequence[float]]], labels: Sequence[str]) -> CaptionedFigure:
    """Cosine matrices [n, n] side by side, one per name, on one colour scale from 0 to 1.

    What is below 0 has the colour of 0; the scale and the summary say so where it occurs. The labels are
    "<topic> anchor", "<topic> +", "<topic> −" in threes; the summary counts in how many topics the positive is
    nearer to the anchor than the negative. Errors: `KitError` for no matrix, fewer than two labels, a matrix of
    another size, and a cosine that is not finite. Lesson 00.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    n = len(labels)
    if not matrices or n < 2:
        raise KitError(
            f"expected one matrix or more of two sentences or more, got {counted(len(matrices), 'name')} and "
            f"{counted(n, 'label')}: encode more sentences."
        )
    for name, matrix in matrices.items():
        if len(matrix) != n or any(len(row) != n for row in matrix):
            raise KitError(f"expected a {n} × {n} matrix for {name!r} (one row a label), got {len(matrix)} rows.")
        if not all(math.isfinite(value) for row in matrix for value in row):
            raise KitError(f"expected finite cosines for {name!r}, got nan or infinity: look at its vectors.")
    names, shown = list(matrices), list(map(for_plotly, labels))
    figure = make_subplots(1, len(names), subplot_titles=list(map(for_plotly, names)), horizontal_spacing=0.06)
    for column, name in enumerate(names, start=1):
        figure.add_trace(
            go.Heatmap(
                z=[list(map(float, row)) for row in matrices[name]],
                x=shown,
                y=shown,
                coloraxis="coloraxis",
                hovertemplate="%{y} · %{x}: %{z:.2f}<extra></extra>",
            ),
            1,
            column,
        )
        first = column == 1  # names beside the others would lie on the map before them
        named = {"title_text": "sentence" if first else None, "showticklabels": first}
        figure.update_yaxes(autorange="reversed", row=1, col=column, **named)
        figure.update_xaxes(title_text="sentence", tickangle=60, row=1, col=column)
    said = [_heat_map_summary(name, matrices[name]) for name in names]
    bar = {"title": "cosine", "thickness": 12}
    lowest = min(float(value) for matrix in matrices.values() for row in matrix for value in row)
    if written(lowest).startswith("−"):
        bar |= {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "ticktext": ["0 and<br>below", "0.2", "0.4", "0.6", "0.8", "1"]}
        said.append("All cosines below 0 have the colour of 0.")
    coloraxis = {"colorscale": SCALE, "cmin": 0, "cmax": 1, "colorbar": bar}
    dress(figure, height=470, coloraxis=coloraxis)
    return CaptionedFigure(figure, " ".join(said))


def _heat_map_summary(name: str, matrix) -> str:
    n = len(matrix)
    off = [float(matrix[i][j]) for i in range(n) for j in range(n) if i != j]
    topics = range(0, n - n % 3, 3)
    won = sum(float(matrix[i][i + 1]) > float(matrix[i][i + 2]) for i in topics)
    high = sum(c > 0.6 for c in off) / len(off)
    return (
        f"{name[:1].upper()}{name[1:]}: cosines from {written(min(off))} to {written(max(off))}, "
        f"{high:.0%} of them above 0.6; the positive is nearer than the negative in {won} of "
        f"{counted(len(topics), 'topic')}."
    )


def cosine_histogram(cosines: Mapping[str, Sequence[float]]) -> CaptionedFigure:
    """A histogram of the cosines of random sentence pairs, a colour (then a hatching) per name.

    Errors: `KitError` for a name without cosines, and a cosine that is not finite. Lesson 02.
    """
    import numpy as np
    from plotly import graph_objects as go

    edges = np.linspace(-1, 1, 81)
    figure, parts = go.Figure(), []
    looks = strokes(len(cosines), (BEFORE, AFTER, POSITIVE, CLASSIFY))
    for (name, values), (colour, dash) in zip(cosines.items(), looks):
        values = np.asarray(values, dtype=float)
        if not len(values):
            raise KitError(f"expected cosines for {name!r}, got none: encode at least two sentences.")
        if not np.isfinite(values).all():
            raise KitError(f"expected finite cosines for {name!r}, got nan or infinity: look at its vectors.")
        share = np.histogram(values.clip(-1, 1), bins=edges)[0] / len(values)
        figure.add_trace(
            go.Bar(
                x=(edges[:-1] + edges[1:]) / 2,
                y=share,
                name=for_plotly(name),
                marker_color=colour,
                marker_pattern_shape=HATCHES[dash],
                opacity=0.75,
                hovertemplate="cosine %{x:.2f}: %{y:.1%}<extra>" + for_plotly(name) + "</extra>",
            )
        )
        parts.append(f"{name}: mean {written(values.mean())}, {np.mean(values > 0.6):.0%} above 0.6")
    dress(figure, barmode="overlay", bargap=0, height=340)
    highest = max(max(bars.y) for bars in figure.data)
    seen = min(x for bars in figure.data for x, y in zip(bars.x, bars.y) if y > UNSEEN * highest)
    left = -0.5 if seen > -0.5 else -1
    figure.update_xaxes(title_text="cosine of two random sentences", range=[left, 1])
    figure.update_yaxes(title_text="share of pairs", tickformat=".0%")
    name_peaks(figure)
    counts = {len(values) for values in cosines.values()}  # told, because a draw's mean is not that of all pairs
    pairs = counted(counts.pop(), "random pair") if len(counts) == 1 else "random pairs"
    beyond = sum(int((np.asarray(values) < left - 1e-6).sum()) for values in cosines.values())
    cut = f" Left of the axis, below {written(left, 'g')}: {counted(beyond, 'pair')}." if beyond else ""
    return CaptionedFigure(figure, f"Cosines of {pairs}. " + "; ".join(parts) + f".{cut}")


def loss_curve(
    history: Sequence[Mapping[str, float]], parts: Sequence[str] = ("loss",), smooth: int = 20, panels: bool = False
) -> CaptionedFigure:
    """Loss and its parts against the step, as means over the last `smooth` steps.

    The mean is over fewer steps at the beginning, so that the curve starts at the first loss, and over at
    most a quarter of the run, so that a run of eight steps has a curve, too. panels: each part in a plot of its own,
    for parts of unlike size. Errors: `KitError` for an empty history. Lesson 07.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    if not history:
        raise KitError("expected at least one step to draw, got an empty history: train first.")
    colours = {"loss": AFTER, "cross_entropy": CLASSIFY, "contrastive": CONTRAST, "mlm": BEFORE, "pu": POSITIVE}
    curves = {name: [(h["step"], h[name]) for h in history if name in h] for name in parts}
    curves = {name: rows for name, rows in curves.items() if rows}
    if not curves:
        raise KitError(f"expected parts among {', '.join(history[0])}, got {shown(list(parts))}: name one of these.")
    whole_number("smooth", smooth, 1)
    columns = len(curves) if panels else 1
    figure, said = make_subplots(1, columns, horizontal_spacing=0.24 / columns), []
    for at, (name, rows) in enumerate(curves.items(), start=1):
        steps, values = zip(*rows)
        width = min(smooth, max(1, len(values) // 4))
        mean, label = running_mean(values, width), part_name(name)
        column = at if panels else 1
        line = {"color": colours.get(name, NEUTRAL), "width": 2}
        mode = "lines+markers" if len(values) <= 12 else "lines"
        drawn = {"x": list(steps), "y": mean, "name": for_plotly(label), "mode": mode, "line": line}
        told = hover("step %{x:,}: %{y:.3g}", label)
        figure.add_trace(go.Scatter(**drawn, hovertemplate=told), 1, column)
        figure.update_yaxes(title_text=f"{for_plotly(label) if panels else 'loss'}{over(width)}", row=1, col=column)
        said.append(
            f"{label} from {written(mean[0])} at {'the first step' if steps[0] == 1 else f'step {steps[0]:,}'} to "
            f"{written(mean[-1])}{over(width)}"
        )
    dress(figure, height=320, showlegend=False)
    figure.update_xaxes(title_text="step")
    if len(curves) > 1 and not panels:
        name_line_ends(figure)
    return CaptionedFigure(figure, f"Over {counted(history[-1]['step'], 'step')}: " + ", ".join(said) + ".")


def running_mean(values: Sequence[float], width: int) -> list[float]:
    """The mean of each value and of those before it, `width` in all where there are so many."""
    windows = (values[max(0, at + 1 - width) : at + 1] for at in range(len(values)))
    return [sum(window) / len(window) for window in windows]


def over(width: int) -> str:
    """Behind a mean over so many steps."""
    return f" (mean of {width} steps)" if width > 1 else ""
