"""The plane through three runs: how good the encoders on it are, as a map. Lesson 09."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.palette import SCALE, dress

HEIGHT = 3**0.5 / 2  # of a triangle with sides of 1
PLACES = {"run 1": (0.0, 0.0), "run 2": (1.0, 0.0), "run 3": (0.5, HEIGHT), "mean": (0.5, HEIGHT / 3)}
NEAR = 1e-6  # a place of the grid is one of these
WIDEST = 17  # letters of a line over a map, as many as a phone has room for


def weight_planes(planes: Mapping[str, Mapping]) -> CaptionedFigure:
    """Scores all over the plane through three runs' weights: {name: {"x": [n], "y": [m], "all": [m, n], "task"}}.

    The runs are the corners of a triangle with sides of 1, at (0, 0), (1, 0) and (½, √3/2), and their mean is its
    middle: all four are places of the grid. One map a name, side by side, in one scale of colours. The summary has for
    each the scores of the runs and of their mean, and the lowest inside the triangle. A line for each point of score.
    Errors: `KitError` for no plane, and a grid without one of these places. Lesson 09.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    if not planes:
        raise KitError("expected at least one plane through three runs, got none: measure it first.")
    scores = [score for plane in planes.values() for row in plane["all"] for score in row]
    task = next(iter(planes.values()))["task"]
    figure = make_subplots(1, len(planes), subplot_titles=[_heading(name) for name in planes], shared_yaxes=True)
    said = []
    for column, (name, plane) in enumerate(planes.items(), start=1):
        found = {place: score_at(name, plane, *at) for place, at in PLACES.items()}
        figure.add_trace(
            go.Contour(
                x=plane["x"],
                y=plane["y"],
                z=plane["all"],
                coloraxis="coloraxis",
                contours={"start": math.ceil(min(scores)), "end": math.floor(max(scores)), "size": 1},
                line={"width": 0.5},
                hovertemplate=f"%{{z:.1f}}<extra>{for_plotly(name)}</extra>",
            ),
            1,
            column,
        )
        figure.add_trace(_corners(go, found), 1, column)
        runs = ", ".join(f"{found[run]:.1f}" for run in ("run 1", "run 2", "run 3"))
        said.append(
            f"{name}: the runs score {runs}, their mean {found['mean']:.1f}, the lowest place inside their triangle "
            f"{min(_inside(plane)):.1f}"
        )
    _dress(figure, planes, task)
    return CaptionedFigure(figure, f"{task}, Spearman × 100. " + "; ".join(said) + ".")


def score_at(name: str, plane: Mapping, x: float, y: float) -> float:
    """The score at a place of the grid."""
    at = [
        [i for i, known in enumerate(plane[axis]) if abs(known - place) < NEAR] for axis, place in (("x", x), ("y", y))
    ]
    if not all(at):
        raise KitError(
            f"expected a grid with the three runs and their mean on it, but {name} has no place ({x}, {y:.3f})."
        )
    return plane["all"][at[1][0]][at[0][0]]


def _heading(name: str) -> str:
    return "<br>".join(map(for_plotly, textwrap.wrap(name, WIDEST)))


def _corners(go, found: Mapping[str, float]):
    """The three runs and their mean as marks with their scores."""
    return go.Scatter(
        x=[x for x, _ in PLACES.values()],
        y=[y for _, y in PLACES.values()],
        mode="markers+text",
        text=[f"{score:.1f}" for score in found.values()],
        textposition=["bottom center", "bottom center", "top center", "top center"],
        textfont={"color": "black", "size": 14, "shadow": "0 0 2px white, 0 0 4px white, 0 0 6px white"},
        marker={
            "size": 11,
            "symbol": ["circle", "circle", "circle", "diamond"],
            "color": "white",
            "line": {"color": "black", "width": 2},
        },
        hovertext=list(found),
        hovertemplate="%{hovertext}: %{text}<extra></extra>",
        showlegend=False,
    )


def _inside(plane: Mapping) -> Sequence[float]:
    """The scores in the triangle, its sides with it."""
    return [
        score
        for y, row in zip(plane["y"], plane["all"])
        for x, score in zip(plane["x"], row)
        if y >= -NEAR and y / HEIGHT <= 2 * min(x, 1 - x) + NEAR
    ]


def _dress(figure, planes: Mapping, task: str) -> None:
    bar = {"title": {"text": task}, "thickness": 12, "outlinewidth": 0, "tickformat": ".0f"}
    lines = max(_heading(name).count("<br>") for name in planes)
    dress(figure, height=420, coloraxis={"colorscale": SCALE, "colorbar": bar})
    figure.update_layout(margin_t=40 + 20 * lines)
    axis = {"showgrid": False, "zeroline": False}
    figure.update_xaxes(**axis, title_text="towards run 2", tickvals=[0, 1], ticktext=["run 1", "run 2"])
    figure.update_yaxes(**axis, tickvals=[HEIGHT], ticktext=["run 3"])
    figure.update_yaxes(title_text="towards run 3", col=1)
    for column in range(1, len(planes) + 1):  # a triangle with equal sides looks like one
        figure.update_yaxes(scaleanchor=f"x{column if column > 1 else ''}", constrain="domain", col=column)
    figure.update_xaxes(constrain="domain")
