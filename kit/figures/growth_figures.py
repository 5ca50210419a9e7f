"""How cost grows: measured time and memory against a size, the power law under the largest sizes, its exponent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import cycle

from kit.errors import KitError, unknown_name
from kit.figures.caption_numbers import written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_line_ends
from kit.figures.page_table import PageTable
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE, dress

HUES = (AFTER, NEGATIVE, POSITIVE, CLASSIFY, BEFORE, CONTRAST, NEUTRAL)
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down")
PANELS = {"time": ("seconds", "processor time (s)"), "memory": ("megabytes", "peak memory (MB)")}
GAP = 0.3  # with the names between the two panels, of the width
NO_BREAK = "\u00a0"  # a space at which no line is broken
SHOWN_FROM = 0.01  # MB: below, a logarithmic axis would show the allocator


def growth_figure(result: Mapping, subject: str) -> CaptionedFigure:
    """Time and memory against one subject of data/results/growth.json, on logarithmic axes.

    Markers are measured; a line is factor · size^exponent, drawn through where it was fitted and dotted
    below. Names stand at the lines' ends, with exponents and their standard errors, which the summary has as well.
    Errors: `KitError` for an unknown subject, and one without curves. Lesson 12.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    curves, axis = curves_of(result, subject), result["subjects"][subject]
    figure = make_subplots(1, 2, horizontal_spacing=GAP)
    for column, (of, (unit, _)) in enumerate(PANELS.items(), start=1):
        for curve, hue, symbol in zip(curves, cycle(HUES), cycle(SYMBOLS)):
            shown = _shown(curve, of)
            spread = _spread(shown, hue) if of == "time" else None
            exponent = _exponent(curve[of]).replace(" ", NO_BREAK)
            shared = {"name": f"{curve['title']}: {exponent}"}
            figure.add_trace(
                go.Scatter(
                    **shared,
                    x=[point["size"] for point in shown],
                    y=[point[unit] for point in shown],
                    mode="markers",
                    marker={"color": hue, "symbol": symbol, "size": 8},
                    error_y=spread,
                    hovertemplate=f"{axis} %{{x:,}}: %{{y:.3g}}<extra>{curve['title']}</extra>",
                ),
                1,
                column,
            )
            for x, y, dash in _lines(curve, curve[of]):
                figure.add_trace(
                    go.Scatter(
                        **shared,
                        x=x,
                        y=y,
                        mode="lines",
                        hoverinfo="skip",
                        line={"color": hue, "width": 2, "dash": dash},
                    ),
                    1,
                    column,
                )
    _dress(figure, axis, curves)
    return CaptionedFigure(figure, _summary(result, subject, curves))


def growth_table(result: Mapping, subject: str | None = None, caption: str = "") -> PageTable:
    """A row for each curve of a subject (None: of all): exponents, and what the largest size took.

    Errors as `growth_figure`. Lesson 12.
    """
    rows = []
    for curve in _curves(result) if subject is None else curves_of(result, subject):
        last = curve["points"][-1]
        rows.append(
            (
                curve["title"],
                result["subjects"][curve["subject"]],
                *(_exponent(curve[of]) for of in PANELS),
                f"{last['size']:,}",
                _seconds(last["seconds"]),
                _megabytes(last["megabytes"]),
            )
        )
    return PageTable(
        ("what", "against", "time, exponent", "memory, exponent", "at most", "time there", "memory there"),
        rows,
        caption,
    )


def curves_of(result: Mapping, subject: str) -> list[Mapping]:
    """The curves of one subject, in the order of the file. Errors as `growth_figure`."""
    if subject not in result["subjects"]:
        raise unknown_name("subject of growth", subject, result["subjects"])
    return [curve for curve in _curves(result) if curve["subject"] == subject] or _curves({"curves": ()})


def _curves(result: Mapping) -> Sequence[Mapping]:
    if not result["curves"]:
        raise KitError("expected at least one measured curve, got none: measure it first (benchmarks/growth.py).")
    return result["curves"]


def _shown(curve: Mapping, of: str) -> list[Mapping]:
    return [point for point in curve["points"] if of == "time" or point["megabytes"] >= SHOWN_FROM]


def _lines(curve: Mapping, law: Mapping | None) -> list[tuple[list[float], list[float], str]]:
    """(sizes, values, dash) of both ends of the line: where it was fitted, and below."""
    if not law:
        return []
    first, last = curve["points"][0]["size"], curve["points"][-1]["size"]
    return [
        ([start, end], [law["factor"] * size ** law["exponent"] for size in (start, end)], dash)
        for start, end, dash in ((law["from"], last, "solid"), (first, law["from"], "dot"))
        if start < end
    ]


def _spread(points: Sequence[Mapping], hue: str) -> dict:
    """From the lowest to the highest repetition."""
    return {
        "symmetric": False,
        "array": [point["high"] - point["seconds"] for point in points],
        "color": hue,
        "arrayminus": [point["seconds"] - point["low"] for point in points],
        "thickness": 1,
        "width": 2,
    }


def _dress(figure, axis: str, curves: Sequence[Mapping]) -> None:
    sizes = sorted({point["size"] for curve in curves for point in curve["points"]})
    shown = sizes if len(sizes) <= 4 else sizes[::2]  # more would touch on a phone
    ticks = {"tickvals": shown, "ticktext": [f"{size:,}" for size in shown]} if len(sizes) <= 7 else {"dtick": 1}
    dress(figure, height=200 + 56 * len(curves))
    figure.update_layout(margin_t=30)
    for column, (of, (unit, title)) in enumerate(PANELS.items(), start=1):
        values = [point[unit] for curve in curves for point in _shown(curve, of)]
        figure.update_yaxes(title_text=title, row=1, col=column, **_ticks(values))
    figure.update_xaxes(type="log", title_text=axis, tickformat=",", tickangle=0, **ticks)
    figure.update_yaxes(type="log")
    name_line_ends(figure)


def _ticks(values: Sequence[float]) -> dict:
    """Powers of ten for a logarithmic axis, and twice and five times those where it spans two of them or fewer."""
    low, high = math.log10(min(values, default=1)), math.log10(max(values, default=1))
    steps = (1, 2, 5) if high - low < 2.2 else (1,)
    at = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    return {"tickvals": at, "ticktext": [f"{value:,.0f}" if value >= 1 else f"{value:g}" for value in at]}


def _summary(result: Mapping, subject: str, curves: Sequence[Mapping]) -> str:
    said = []
    for curve in curves:
        last = curve["points"][-1]
        said.append(
            f"{curve['title']} {_exponent(curve['time'])} and {_exponent(curve['memory'])} "
            f"({_seconds(last['seconds'])} and {_megabytes(last['megabytes'])} at {last['size']:,})"
        )
    threads = "one thread" if result["threads"] == 1 else f"{result['threads']} threads"
    return (
        f"Fitted exponents of time and of memory against {result['subjects'][subject]}, on {threads}: "
        f"{'; '.join(said)}."
    )


def _exponent(law: Mapping | None) -> str:
    return f"{written(law['exponent'])} ± {law['error']:.2f}" if law else "too small to fit"


def _seconds(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
    return f"{1000 * seconds:.{0 if seconds >= 0.01 else 1}f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def _megabytes(megabytes: float) -> str:
    return "below 1 MB" if megabytes < 1 else f"{megabytes:,.0f} MB"
