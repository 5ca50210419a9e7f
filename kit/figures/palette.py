"""Colours that are safe for colour-blind readers, on white and on black.

The qualitative colours are those of Okabe and Ito (2008), made for colour-blind readers;
the sequential scale is cividis, which looks alike to nearly everyone. Text is a grey that has
4.2 : 1 contrast on white and on JupyterLab's dark background alike, as no colour has 4.5 : 1 on
both; JupyterLab and the site put their own ink in its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from kit.checks.plain_text import for_plotly

POSITIVE, NEGATIVE, NEUTRAL = "#009E73", "#D55E00", "#8c8c8c"  # green, vermilion, grey
BEFORE, AFTER = "#E69F00", "#0072B2"  # orange, blue
CONTRAST, CLASSIFY = "#56B4E9", "#CC79A7"  # sky, reddish purple
SCALE = "Cividis"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

INK, GRID = "#7a7a7a", "rgba(128,128,128,0.25)"  # of words and of lines behind the data


def dress(figure, **changes) -> None:
    """Lay over a figure, and the axes of all its plots, what all figures share: no background, one font, thin grid."""
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(gridcolor=GRID, zerolinecolor=GRID, automargin=True)
    shared = {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": INK, "size": 13},
        "margin": {"l": 60, "r": 20, "t": 50, "b": 50},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hoverlabel": {"namelength": -1},  # whole names, where plotly would cut them after 15 letters
    }
    figure.update_layout(shared | changes)


def hover(template: str, name: object) -> str:
    """What a mark of the line `name` says when it is pointed at; the template is plotly's, %{x} and %{y} in it."""
    return f"{template}<extra>{for_plotly(name)}</extra>"


def strokes(count: int, colours: Sequence[str]) -> list[tuple[str, str]]:
    """(colour, dash) for each of `count` lines; where the colours begin anew, the next dash tells the lines apart."""
    return [(colours[at % len(colours)], DASHES[at // len(colours) % len(DASHES)]) for at in range(count)]
