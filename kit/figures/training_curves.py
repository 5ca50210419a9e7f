"""Measured sweeps as figures: a measure against a setting, with its interval over seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kit.errors import KitError, check_name
from kit.figures.caption_numbers import written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.page_table import PageTable
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, NEGATIVE, POSITIVE, dress

# name in data/results/sweeps.json → where it stands there, and what it is called on an axis
MEASURES = {
    "all": ("average", "STS average (all)"),
    "mean": ("average", "STS average (mean)"),
    "wmean": ("average", "STS average (wmean)"),
    "mean_cosine": ("geometry", "mean cosine"),
    "share_above": ("geometry", "share of pairs above 0.6"),
    "effective_rank": ("geometry", "effective rank"),
    "uniformity": ("geometry", "uniformity"),
}
# one for each measure, in whatever plot of a figure it stands
COLOURS = dict.fromkeys(("all", "mean", "wmean"), AFTER) | {
    "mean_cosine": CLASSIFY, "share_above": BEFORE, "effective_rank": POSITIVE, "uniformity": NEGATIVE,
}  # fmt: skip


def sweep_points(sweep: Mapping, measure: str) -> dict[str, dict]:
    """{label: {"mean", "low", "high", "n"}} of one measure, in the order of the sweep.

    sweep: one of the sweeps of data/results/sweeps.json. STS averages are Spearman × 100. Where
    there was one seed only, low and high are the mean. Errors: `KitError` for an unknown measure
    and a sweep without points. Lesson 04.
    """
    check_name("measure", measure, MEASURES)
    if not sweep.get("points"):
        raise KitError("expected a sweep with at least one point, got none: measure it first.")
    place = MEASURES[measure][0]
    found = {label: point[place][measure] for label, point in sweep["points"].items()}
    return {label: {"low": values["mean"], "high": values["mean"], **values} for label, values in found.items()}


def sweep_curve(sweep: Mapping, measures: str | Sequence[str]) -> CaptionedFigure:
    """One or several measures of a sweep, side by side, each mean with its 95 % interval over seeds.

    Labels that are numbers make the axis: logarithmic where all are above 0, linear otherwise;
    other labels stand side by side. The summary names the highest and the lowest points of each
    measure, and which intervals overlap with those of the highest; or the mean that all points
    round to. Errors as `sweep_points`. Lesson 04.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    names = [measures] if isinstance(measures, str) else list(measures)
    columns = [sweep_points(sweep, name) for name in names]
    labels = list(sweep["points"])
    numbers = as_numbers(labels)
    figure = make_subplots(1, len(names), horizontal_spacing=0.28 / len(names))
    axis = {"title_text": sweep["varies"], "tickvals": labels if numbers is None else numbers}
    axis["ticktext"] = _tick_texts(labels, len(names))
    if numbers is not None and min(numbers) > 0:
        axis["type"] = "log"
    for at, (name, points) in enumerate(zip(names, columns), start=1):
        means, title = [p["mean"] for p in points.values()], MEASURES[name][1]
        figure.add_trace(
            go.Scatter(
                x=labels if numbers is None else numbers,
                y=means,
                name=title,
                showlegend=False,
                mode="markers" if numbers is None else "lines+markers",
                marker={"size": 9, "color": COLOURS[name]},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [p["high"] - p["mean"] for p in points.values()],
                    "arrayminus": [p["mean"] - p["low"] for p in points.values()],
                },
                hovertemplate=sweep["varies"] + " %{x}: %{y:.3g}<extra>" + title + "</extra>",
            ),
            1,
            at,
        )
        figure.update_yaxes(title_text=title, row=1, col=at)
    dress(figure, height=340)
    figure.update_xaxes(**axis, tickfont_size=13 if len(names) < 3 else 11)
    lines = [_extremes(sweep["varies"], MEASURES[name][1], points) for name, points in zip(names, columns)]
    seeds = sorted({n for points in columns for point in points.values() if (n := point.get("n", 1)) > 1})
    if seeds:
        span = f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else seeds[0]
        lines.append(f"In square brackets: 95 % intervals over {span} seeds.")
    return CaptionedFigure(figure, " ".join(lines))


def _tick_texts(labels: Sequence[str], panels: int) -> list[str]:
    """Labels that neighbours do not touch: words in two lines, and in a third of the page every second number lower."""
    if as_numbers(labels) is None:
        return [label.replace(", ", ",<br>") for label in labels]
    lower = panels > 2 and len(labels) > 5
    return [f"<br>{label}" if lower and at % 2 else label for at, label in enumerate(labels)]


def sweep_table(
    sweep: Mapping, measures: Sequence[str], beside: Mapping[str, Mapping[str, float]] | None = None, caption: str = ""
) -> PageTable:
    """The same as a table: a row a label, a column a measure with its interval.

    beside: {heading: {label: value}} adds columns, such as published figures; where a label has
    none, a dash, and a label that only they have gets a row of its own. Lesson 04.
    """
    beside = beside or {}
    columns = {name: sweep_points(sweep, name) for name in measures}
    labels = list(dict.fromkeys([*sweep["points"], *(label for more in beside.values() for label in more)]))
    if as_numbers(labels) is not None:
        labels.sort(key=float)
    rows = [
        [
            label,
            *(_with_interval(points.get(label)) for points in columns.values()),
            *("–" if label not in more else f"{more[label]:.2f}" for more in beside.values()),
        ]
        for label in labels
    ]
    return PageTable((sweep["varies"], *(MEASURES[name][1] for name in measures), *beside), rows, caption)


def overlapping(points: Mapping[str, Mapping], label: str) -> list[str]:
    """The other labels whose interval shares a value with that of `label`."""
    mine = points[label]
    return [
        other for other, p in points.items() if other != label and p["low"] <= mine["high"] and p["high"] >= mine["low"]
    ]


def ends(points: Mapping[str, Mapping]) -> tuple[list[str], list[str]]:
    """The labels with the largest mean, and those with the smallest; more than one where means are the same."""
    means = {label: point["mean"] for label, point in points.items()}
    most, least = max(means.values()), min(means.values())
    return [label for label in means if means[label] == most], [label for label in means if means[label] == least]


def as_numbers(labels: Sequence[str]) -> list[float] | None:
    """The labels as numbers; None where one is not a number."""
    try:
        return [float(label) for label in labels]
    except ValueError:
        return None


def _extremes(varies: str, title: str, points: Mapping[str, Mapping]) -> str:
    tops, bottoms = ends(points)
    top, bottom = tops[0], bottoms[0]
    named = as_numbers(list(points)) is None
    symbol = re.fullmatch(r"(\w+)(, .+)?", varies)  # "A, anchors in a document" is A
    place = "with" if named else f"at {symbol[1]} =" if symbol else f"at {varies}"
    line = f"{title[:1].upper()}{title[1:]} is highest {place} {_placed(tops, points, named)}"
    if len(points) == 1:
        return f"{line}, the only point."
    if points[top]["mean"] == points[bottom]["mean"]:
        return f"{title[:1].upper()}{title[1:]} is the same at every point ({_with_interval(points[top])})."
    rounded, least = (_rounded(points[label]["mean"], points[label]["mean"]) for label in (top, bottom))
    if rounded == least:
        widest = max(points.values(), key=lambda point: point["high"] - point["low"])
        interval = "" if widest["low"] == widest["high"] else f", the widest interval is {_interval(widest)}"
        return f"{title[:1].upper()}{title[1:]} rounds to {rounded} at every point{interval}."
    lowest = f"lowest {'with' if named else 'at'} {_placed(bottoms, points, named)}."
    if all(points[label].get("n") == 1 for label in tops):  # without an interval
        return f"{line} and {lowest}"
    met = {label for top in tops for label in overlapping(points, top)}.difference(tops)
    alike = [label for label in points if label in met]
    others = f"{'that' if len(alike) == 1 else 'those'} of {_listed(alike, named)}" if alike else "no other"
    whose = "whose interval overlaps" if len(tops) == 1 else "whose intervals overlap"
    return f"{line}, {whose} with {others}, and {lowest}"


def _placed(labels: Sequence[str], points: Mapping[str, Mapping], named: bool) -> str:
    return " and ".join(f"{_listed([label], named)} ({_with_interval(points[label])})" for label in labels)


def _listed(labels: Sequence[str], named: bool) -> str:
    return ", ".join(f"“{label}”" if named else label for label in labels)


def _with_interval(point: Mapping | None) -> str:
    if point is None:
        return "–"
    mean = _rounded(point["mean"], point["mean"])
    return mean if point["low"] == point["high"] else f"{mean} {_interval(point)}"


def _interval(point: Mapping) -> str:
    return f"[{_rounded(point['low'], point['mean'])}, {_rounded(point['high'], point['mean'])}]"


def _rounded(value: float, mean: float) -> str:
    """With one digit behind the point where the mean is 10 or more, else with two."""
    return written(value, ".1f" if abs(mean) >= 10 else ".2f")
