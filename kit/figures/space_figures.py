"""Figures of whole spaces: their spectra, sentences on a map by word frequency, repairs in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.caption_numbers import counted, written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_line_ends
from kit.figures.page_table import PageTable
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, CONTRAST, NEUTRAL, POSITIVE, SCALE, dress, strokes

HUES = (BEFORE, AFTER, POSITIVE, CLASSIFY, CONTRAST, NEUTRAL)
TINY = 1e-6  # a share of the variance below this is a direction without any


def spectra(spaces: Mapping[str, Sequence[float]]) -> CaptionedFigure:
    """Spectra (shares of the variance, descending) on a logarithmic axis, a colour (then a dash) per name.

    The summary says how many directions hold nine tenths of the variance, and names directions
    without any. Errors: `KitError` for a space without variance. Lesson 02.
    """
    import numpy as np
    from plotly import graph_objects as go

    figure, said = go.Figure(), []
    for (name, spectrum), (hue, dash) in zip(spaces.items(), strokes(len(spaces), HUES)):
        shares = np.asarray(spectrum, dtype=float)
        if not shares.sum() > 0:
            raise KitError(f"expected a spectrum with some variance for {name!r}, got none: are all vectors the same?")
        shares = shares / shares.sum()
        some = shares[shares > TINY]
        figure.add_trace(
            go.Scatter(
                x=list(range(1, len(some) + 1)),
                y=some.tolist(),
                name=for_plotly(name),
                mode="lines",
                line={"color": hue, "width": 2.5, "dash": dash},
                hovertemplate="direction %{x}: %{y:.2%}<extra>" + for_plotly(name) + "</extra>",
            )
        )
        needed = int((shares.cumsum() < 0.9 - 1e-9).sum()) + 1
        none = len(shares) - len(some)
        said.append(
            f"{name}: {needed} of {len(shares)} directions hold{'s' * (needed == 1)} nine tenths of the variance"
            + (f" ({none} with no variance at all)" if none else "")
        )
    dress(figure, height=360)
    figure.update_xaxes(title_text="direction, the strongest first")
    figure.update_yaxes(title_text="share of the variance (logarithmic)", type="log", tickformat="~%")
    name_line_ends(figure)
    return CaptionedFigure(figure, "; ".join(said) + ".")


def frequency_map(
    maps: Mapping[str, Sequence[Sequence[float]]], frequencies: Sequence[float], sentences: Sequence[str]
) -> CaptionedFigure:
    """Sentences as points [n, 2] on maps side by side, coloured by mean word frequency [n].

    The summary gives Spearman's correlation of the frequency with each axis of each map.
    Errors: `KitError` where there is not one point and one sentence for each frequency. Lesson 02.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    from kit.evaluation import spearman

    if not maps or not len(frequencies):
        raise KitError("expected one map or more of one sentence or more, got none: give some points.")
    figure = make_subplots(1, len(maps), subplot_titles=list(map(for_plotly, maps)), horizontal_spacing=0.1)
    low, high = min(frequencies), max(frequencies)
    said = []
    for column, (name, points) in enumerate(maps.items(), start=1):
        if not len(points) == len(frequencies) == len(sentences):
            raise KitError(
                f"expected as many points on {name!r} as frequencies and sentences, got {len(points)}, "
                f"{len(frequencies)} and {len(sentences)}."
            )
        x, y = ([float(point[axis]) for point in points] for axis in (0, 1))
        marker = {"color": list(map(float, frequencies)), "coloraxis": "coloraxis", "size": 6}
        figure.add_trace(
            go.Scatter(
                x=x,
                y=y,
                mode="markers",
                marker=marker,
                text=list(map(for_plotly, sentences)),
                showlegend=False,
                hovertemplate="%{text}<extra></extra>",
            ),
            1,
            column,
        )
        figure.update_xaxes(title_text=f"first axis of {for_plotly(name)}", showticklabels=False, row=1, col=column)
        # One unit for both axes, whatever the width of the page: distances are looked at.
        anchor = {"scaleanchor": f"x{column if column > 1 else ''}", "constrain": "domain", "showticklabels": False}
        figure.update_yaxes(title_text=f"second axis of {for_plotly(name)}", **anchor, row=1, col=column)
        known = [spearman(axis, frequencies) for axis in (x, y)]
        first, second = ("undefined" if rho is None else written(rho) for rho in known)
        said.append(f"on {name} its correlation is {first} with the first axis and {second} with the second")
    dress(
        figure,
        height=420,
        coloraxis={
            "colorscale": SCALE,
            "cmin": low,
            "cmax": high,
            "colorbar": {"title": "mean log<br>word<br>frequency", "thickness": 12},
        },
    )
    return CaptionedFigure(
        figure, f"Colour is the mean log word frequency of {counted(len(sentences), 'sentence')}: {'; '.join(said)}."
    )


def repairs_table(measured: Mapping, caption: str = "") -> PageTable:
    """data/results/repairs.json as a table: STS average (all) of each repair and pooling, and what was published.

    A figure over several seeds stands with its 95 % interval. Lesson 02.
    """
    poolings = list(measured["poolings"])
    rows = []
    for name, repair in measured["repairs"].items():
        cells = [_with_interval(repair["average"][pooling]["all"]) for pooling in poolings]
        published = measured["published"]["figures"].get(name)
        rows.append((repair["title"], *cells, "–" if published is None else f"{published['Avg']:.2f}"))
    heads = [measured["poolings"][pooling]["title"] for pooling in poolings]
    return PageTable(("repair", *heads, "published, BERT-base"), rows, caption)


def _with_interval(point: Mapping) -> str:
    if "low" not in point:
        return written(point["mean"], ".1f")
    mean, low, high = (written(point[key], ".1f") for key in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"
