"""The figures of lesson 03: regions against the margin, collapse, counts of triplets, reductions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.caption_numbers import counted
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_line_ends
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE, dress, hover, strokes

COLOURS = (AFTER, NEGATIVE, POSITIVE, CLASSIFY, BEFORE, CONTRAST)
REGION_COLOURS = {"easy": NEUTRAL, "semi-hard": BEFORE, "hard": NEGATIVE}
GONE, HALF = 0.01, 0.5  # a mean distance below this share of the first one: collapsed, shrunk


def region_curve(shares: Mapping[float, Mapping[str, float]]) -> CaptionedFigure:
    """The share of easy, semi-hard and hard triplets at each margin: {margin: {region: share}}.

    Errors: `KitError` without a margin. Lesson 03.
    """
    margins = sorted(shares)
    if not margins:
        raise KitError("expected shares for at least one margin, got none: count the regions first.")
    figure = _figure("margin", "share of the triplets", yaxis_tickformat=".0%")
    figure.update_xaxes(type="log", tickvals=margins, ticktext=[f"{margin:g}" for margin in margins])
    told = "margin %{x:~g}: %{y:.1%}"
    for region, colour in REGION_COLOURS.items():
        _line(figure, region, margins, [shares[margin][region] for margin in margins], (colour, "solid"), told)
    name_line_ends(figure)
    low, high = shares[margins[0]], shares[margins[-1]]
    return CaptionedFigure(
        figure,
        f"At a margin of {margins[0]:g}, {low['easy']:.0%} of the triplets are easy and "
        f"{low['semi-hard']:.0%} semi-hard; at {margins[-1]:g}, {high['easy']:.0%} are easy and "
        f"{high['semi-hard']:.0%} semi-hard. The share of hard ones, {low['hard']:.0%}, "
        "does not depend on the margin.",
    )


def collapse_curve(histories: Mapping[str, Sequence[Mapping[str, float]]], margin: float) -> CaptionedFigure:
    """Loss and mean distance of several runs against the step; each step is {"step", "loss", "distance"}.

    The summary says of each run where it ended, in the words of `ending`. A dotted line marks the margin. Lesson 03.
    Errors: `KitError` without a run or a step.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    if not histories or not all(histories.values()):
        raise KitError("expected at least one run with at least one step, got none: train first.")
    figure = make_subplots(1, 2, horizontal_spacing=0.3)
    for (name, history), (colour, dash) in zip(histories.items(), strokes(len(histories), COLOURS)):
        for column, (key, says) in enumerate((("loss", "loss"), ("distance", "mean distance")), start=1):
            figure.add_trace(
                go.Scatter(
                    x=[h["step"] for h in history],
                    y=[h[key] for h in history],
                    name=for_plotly(name),
                    mode="lines",
                    line={"color": colour, "width": 2, "dash": dash},
                    hovertemplate=hover(f"step %{{x:,}}: {says} %{{y:.3g}}", name),
                ),
                1,
                column,
            )
    dress(figure, height=360)
    figure.update_xaxes(title_text="step")
    figure.update_yaxes(title_text="loss", row=1, col=1)
    figure.update_yaxes(title_text="mean distance", type="log", dtick=1, row=1, col=2)
    ends = [min(h[0]["step"] for h in histories.values()), max(h[-1]["step"] for h in histories.values())]
    dotted = {"color": NEUTRAL, "width": 2, "dash": "dot"}
    told = {"name": "the margin", "hovertemplate": hover("at %{y:~g}", "the margin")}
    figure.add_trace(go.Scatter(x=ends, y=[margin, margin], mode="lines", line=dotted, **told), 1, 1)
    name_line_ends(figure)
    rule = f"Collapsed: below {GONE:.0%} of the first mean distance; shrunk: below {HALF:.0%}; open: above."
    return CaptionedFigure(
        figure, " ".join([*(_ended(name, history, margin) for name, history in histories.items()), rule])
    )


def ending(history: Sequence[Mapping[str, float]]) -> str:
    """How a run ended, by its last mean distance as a share of its first: "collapsed" below 1 %, "shrunk" below
    50 %, else "open". Errors: `KitError` for distances that give no share. Lesson 03."""
    first, last = history[0]["distance"], history[-1]["distance"]
    if not (first > 0 and math.isfinite(last / first)):
        raise KitError(f"expected finite mean distances, the first above 0, got {first:g} to {last:g}: train anew.")
    share = last / first
    return "collapsed" if share < GONE else "shrunk" if share < HALF else "open"


def _ended(name: str, history: Sequence[Mapping[str, float]], margin: float) -> str:
    first, last = history[0], history[-1]
    return (
        f"{name[:1].upper()}{name[1:]}: after {counted(last['step'], 'step')} the loss is {last['loss']:.4f} (margin "
        f"{margin:g}) and the mean distance {last['distance']:.3g}, "
        f"{100 * last['distance'] / first['distance']:.3g}% of the first: {ending(history)}."
    )


def count_curve(counts: Mapping[str, Mapping[int, int]]) -> CaptionedFigure:
    """Triplets against the sentences they are made of, {name: {sentences: triplets}}, both logarithmic.

    The summary names the power by which each grows: the slope between its ends. Errors: `KitError` for fewer than
    two sizes, and none to draw. Lesson 03.
    """
    if not counts:
        raise KitError("expected the counts of one kind or more, got none: count first.")
    figure = _figure("sentences in the batch", "valid triplets", yaxis_type="log", yaxis_dtick=1)
    said = []
    for (name, points), stroke in zip(counts.items(), strokes(len(counts), COLOURS)):
        sizes = sorted(points)
        if len(sizes) < 2 or min(points.values()) < 1:
            raise KitError(f"expected at least two sizes with triplets for {name!r}, got {dict(points)}: count more.")
        _line(figure, name, sizes, [points[size] for size in sizes], stroke, "%{x:,} sentences: %{y:,}")
        first, last = sizes[0], sizes[-1]
        power = math.log(points[last] / points[first]) / math.log(last / first)
        said.append(
            f"{name}: from {counted(points[first], 'triplet')} of {counted(first, 'sentence')} to "
            f"{points[last]:,} of {last:,}, growing like the power {power:.1f}"
        )
    ticks = sorted({size for points in counts.values() for size in points})
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:,}" for tick in ticks])
    name_line_ends(figure)
    summary = "; ".join(said) + "."
    return CaptionedFigure(figure, summary[:1].upper() + summary[1:])


def reduction_curve(norms: Mapping[str, Mapping[float, float]]) -> CaptionedFigure:
    """The length of the gradient against the share of active triplets, {reduction: {share: length}}.

    Errors: `KitError` where nothing is above zero. Lesson 03.
    """
    if not norms:
        raise KitError("expected the lengths of one reduction or more, got none: measure one first.")
    figure = _figure("share of active triplets", "length of the gradient", yaxis_type="log", yaxis_dtick=1)
    lowest = min((share for points in norms.values() for share in points if share > 0), default=1.0)
    ticks = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    if lowest > 0.1:  # within a power of ten, one half of it would be all that stands beside the end
        ticks = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{100 * tick:g}%" for tick in ticks])
    said = []
    for (name, points), stroke in zip(norms.items(), strokes(len(norms), COLOURS)):
        shares = sorted(share for share in points if share > 0 and points[share] > 0)
        if not shares:
            raise KitError(f"expected active triplets somewhere for {name!r}, got none: widen the margin.")
        _line(figure, name, shares, [points[share] for share in shares], stroke, "%{x:.3~p} active: %{y:.3g}")
        ends = [f"{points[share]:.3g} at {100 * share:.3g}%" for share in (shares[-1], shares[0])]
        said.append(f"{name} from {ends[0]} to {ends[1]}")
    name_line_ends(figure)
    return CaptionedFigure(figure, f"As the share of active triplets falls, the gradient goes: {', '.join(said)}.")


def _figure(x: str, y: str, **axes):
    from plotly import graph_objects as go

    figure = go.Figure()
    dress(figure, height=340, xaxis_title_text=x, yaxis_title_text=y, **axes)
    return figure


def _line(figure, name: str, x: Sequence[float], y: Sequence[float], stroke: tuple[str, str], told: str) -> None:
    colour, dash = stroke
    figure.add_scatter(
        x=list(x),
        y=list(y),
        name=name,
        mode="lines+markers",
        marker={"size": 6, "color": colour},
        line={"width": 2, "color": colour, "dash": dash},
        hovertemplate=hover(told, name),
    )
