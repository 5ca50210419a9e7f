"""Names where lines end and where histograms have their peaks, in place of a legend.

A name is written beside its line and tied to it by a thin grey stroke, which nobody takes for data. Names that would
lie on one another are moved apart, as little as they can be. Words are in a shade of the line's colour that can be read
on white and on JupyterLab's dark background alike.
"""

from __future__ import annotations

import colorsys
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kit.figures.palette import NEUTRAL

LINE, LETTER = 17, 7.2  # pixels: from line to line of a name, and across a letter of it
OVER = 12  # pixels by which a name may stand out above or below its panel
WIDEST = 15  # letters in a line of a name
AWAY = 8  # pixels beside names
PHONE = 260  # pixels across a panel where names have the least room
LUMINANCE = 0.19  # of words: 4.3 : 1 on white as on #111


@dataclass
class _Name:
    """A name, and the point that it belongs to, as plotly's axes count."""

    words: str
    colour: str
    x: float
    y: float
    line: Sequence[tuple[float, float]] = ()  # all of the line's points, by which `_on_their_sides` compares

    @property
    def lines(self) -> int:
        return self.words.count("<br>") + 1

    @property
    def width(self) -> float:
        return max(map(len, self.words.split("<br>"))) * LETTER


def name_line_ends(figure) -> None:
    """Write the name of every named line beside its last point, in every panel, and take the legend away.

    Sets the ranges of the axes, which plotly would widen for the names, and the right margin to what these need. Call
    it last: the figure's height, margins and the kinds of its axes have to be known. Of traces with one name in a panel
    the first is named.
    """
    layout, notes = figure.layout, []
    one_axis = any(axis.matches for axis in figure.select_xaxes())  # the axis that others match has no mark of it
    panels: dict[str, list] = {}
    for trace in figure.data:
        if trace.name and len(trace.x if trace.x is not None else ()):
            panels.setdefault(trace.yaxis or "y", []).append(trace)
    for axis, traces in panels.items():
        across, vertical = layout[axis.replace("y", "xaxis")], layout[axis.replace("y", "yaxis")]
        alike = figure.data if one_axis or len(panels) == 1 else traces
        start, end = _range([list(trace.x) for trace in alike if trace.x is not None], across.type == "log", 0.04)
        low, high = _range([_with_bars(trace) for trace in traces], vertical.type == "log", 0.05)
        across.range, vertical.range = [start, end], [low, high]
        domain = vertical.domain or (0, 1)
        tall = (layout.height - layout.margin.t - layout.margin.b) * (domain[1] - domain[0])
        names = _ends(traces, across.type == "log", vertical.type == "log")
        wanted = _on_their_sides(names, [tall * (name.y - low) / (high - low) for name in names])
        for name, place in zip(names, apart(wanted, [name.lines for name in names], tall)):
            beside = {"ax": end + 0.01 * (end - start), "ay": low + place / tall * (high - low), "xanchor": "left"}
            notes.append((name, _note(name, axis, axref=axis.replace("y", "x"), ayref=axis, **beside)))
    widest = max((name.width for name, _ in notes), default=0)  # runs may lack the measure that is drawn
    figure.update_layout(showlegend=False, annotations=[*layout.annotations, *(note for _, note in notes)])
    figure.update_layout(margin={"r": math.ceil(widest) + 2 * AWAY})


def name_peaks(figure) -> None:
    """Write the name of every histogram above its highest bar, and take the legend away.

    The axes are linear; sets the range of the vertical one, which starts at zero and has room for the names.
    """
    layout = figure.layout
    left, right = layout.xaxis.range or (
        min(min(trace.x) for trace in figure.data),
        max(max(trace.x) for trace in figure.data),
    )
    tall = layout.height - layout.margin.t - layout.margin.b
    top = 1.25 * max(max(trace.y) for trace in figure.data)
    taken: list[tuple[float, float, float]] = []  # from, to (along the axis) and height in pixels of what is written
    notes = []
    for trace in sorted(figure.data, key=lambda trace: -max(trace.y)):
        y, x = max(zip(trace.y, trace.x))
        name = _Name(_wrapped(trace.name), _colour(trace), x, y)
        half = name.width / 2 * (right - left) / PHONE
        middle = min(max(x, left + half), right - half)
        below = [y, *(v for one in figure.data for u, v in zip(one.x, one.y) if abs(u - middle) <= half)]
        height = tall * max(below) / top + LINE
        while any(a < middle + half and b > middle - half and abs(h - height) < LINE for a, b, h in taken):
            height += LINE
        taken.append((middle - half, middle + half, height))
        shift = (middle - x) / (right - left) * PHONE
        notes.append(_note(name, "y", ax=shift, ay=tall * y / top - height))
    figure.update_yaxes(range=[0, top * max(1, *(h / (tall - LINE / 2) for _, _, h in taken))])
    figure.update_layout(showlegend=False, annotations=[*layout.annotations, *notes])


def apart(places: Sequence[float], lines: Sequence[int], tall: float) -> list[float]:
    """Heights in pixels [n] at which names of so many lines [n] do not lie on one another, near their own [n].

    Names that meet form a group, which stands where its members want to be on the average; between 0 and `tall`, or
    `OVER` outside, as far as there is room. Equal places keep their order from above.
    """
    order = sorted(range(len(places)), key=lambda i: (places[i], -i))
    groups: list[list[int]] = []  # from below

    def half(i: int) -> float:
        return lines[i] * LINE / 2

    def bottom(group: list[int]) -> float:
        """Where the lowest of a group has its middle."""
        offsets, at = [0.0], 0.0
        for one, other in pairwise(group):
            at += half(one) + half(other)
            offsets.append(at)
        wanted = sum(places[i] - offset for i, offset in zip(group, offsets)) / len(group)
        highest = tall + OVER - half(group[-1]) - offsets[-1]
        return max(min(wanted, highest), half(group[0]) - OVER)

    def top(group: list[int]) -> float:
        return bottom(group) + sum(half(a) + half(b) for a, b in pairwise(group))

    for i in order:
        groups.append([i])
        while len(groups) > 1 and bottom(groups[-1]) - half(groups[-1][0]) < top(groups[-2]) + half(groups[-2][-1]):
            last = groups.pop()
            groups[-1] += last
    found = [0.0] * len(places)
    for group in groups:
        at = bottom(group)
        for one, other in zip(group, [*group[1:], group[-1]]):
            found[one] = at
            at += half(one) + half(other)
    return found


def readable(colour: str) -> str:
    """The hue of #rrggbb at a lightness that words can have: `LUMINANCE`, that of WCAG, between 0 and 1.

    >>> readable("#E69F00")
    '#9a6b00'
    """
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    hue, _, saturation = colorsys.rgb_to_hls(*parts)
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if _luminance(colorsys.hls_to_rgb(hue, middle, saturation)) < LUMINANCE:
            low = middle
        else:
            high = middle
    return "#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hls_to_rgb(hue, low, saturation))


def _luminance(parts: Sequence[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _on_their_sides(names: Sequence[_Name], ends: Sequence[float]) -> list[float]:
    """The heights in pixels [n] at which names want to stand, of those of their last points [n].

    A line that ends before others stays on its side of them, a pixel away, as its stroke would cross them.
    """
    wanted = list(ends)
    for i, name in sorted(enumerate(names), key=lambda one: -one[1].x):
        for j, other in enumerate(names):
            if other.x > name.x:
                above = name.y >= np.interp(name.x, *zip(*other.line))
                wanted[i] = max(wanted[i], wanted[j] + 1) if above else min(wanted[i], wanted[j] - 1)
    return wanted


def _ends(traces, across: bool, upwards: bool) -> list[_Name]:
    """A name for each of the traces' names, at its last point. across, upwards: whether that axis is logarithmic."""
    first = {trace.name: trace for trace in reversed(traces)}
    shown = {  # a logarithmic axis has no place for a 0
        name: [(x, y) for x, y in zip(first[name].x, first[name].y) if not upwards or y > 0]
        for name in dict.fromkeys(trace.name for trace in traces)
    }
    lines = {
        name: [(math.log10(x) if across else x, math.log10(y) if upwards else y) for x, y in places]
        for name, places in shown.items()
    }
    return [_Name(_wrapped(name), _colour(first[name]), *line[-1], line) for name, line in lines.items() if line]


def _range(columns: Sequence[Sequence[float]], logarithmic: bool, share: float) -> tuple[float, float]:
    """From the lowest to the highest value and a share more on both sides, as plotly's axis counts."""
    values = [value for column in columns for value in column]
    if logarithmic:
        values = [math.log10(value) for value in values if value > 0]
    low, high = min(values), max(values)
    more = share * (high - low) or share * abs(high) or 1.0
    return low - more, high + more


def _with_bars(trace) -> list[float]:
    """The trace's values, and both ends of their error bars."""
    values = list(trace.y)
    for bar, sign in ((trace.error_y.array, 1), (trace.error_y.arrayminus, -1)):
        if bar is not None:
            values += [y + sign * length for y, length in zip(trace.y, bar)]
    return values


def _colour(trace) -> str:
    return trace.marker.color if trace.type == "bar" or trace.mode == "markers" else trace.line.color


def _wrapped(name: str) -> str:
    return "<br>".join(textwrap.wrap(name, WIDEST, break_long_words=False)) or name


def _note(name: _Name, axis: str, **place) -> dict:
    return {
        "text": name.words,
        "x": name.x,
        "y": name.y,
        "xref": axis.replace("y", "x"),
        "yref": axis,
        **place,
        "align": "left",
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": NEUTRAL,
        "font": {"color": readable(name.colour)},
    }
