"""Scores of an evaluation as figures: points with intervals, bars with the score of guessing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.caption_numbers import written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, POSITIVE, dress

COLOURS = (AFTER, CLASSIFY, POSITIVE)


@dataclass(frozen=True)
class Score:
    """A figure, and where known the limits of its interval; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def said(self) -> str:
        if self.value is None:
            return "undefined"
        interval = "" if self.low is None else f" ({written(self.low)} to {written(self.high)})"
        return written(self.value) + interval


def score_points(scores: Mapping[str, Mapping[str, Score]], title: str, axis: str) -> CaptionedFigure:
    """Points with intervals: name → (task → Score), a colour for each name; undefined ones are left out.

    axis: the title of the vertical axis; the summary begins with `title` and gives every figure of the
    first name and the span of the others. Raises KitError where there is nothing to draw.
    """
    from plotly import graph_objects as go

    if not any(scores.values()):
        raise KitError("expected at least one score to draw, got none: evaluate some tasks first.")
    figure = go.Figure()
    for place, (name, tasks) in enumerate(scores.items()):
        known = {task: score for task, score in tasks.items() if score.value is not None}
        up = [0 if s.high is None else s.high - s.value for s in known.values()]
        down = [0 if s.low is None else s.value - s.low for s in known.values()]
        colour = COLOURS[place % len(COLOURS)]
        figure.add_trace(
            go.Scatter(
                x=list(map(for_plotly, known)),
                y=[s.value for s in known.values()],
                name=for_plotly(name),
                mode="markers",
                marker={"color": colour, "size": 9, "symbol": ("circle", "diamond", "square")[place % 3]},
                error_y={"type": "data", "array": up, "arrayminus": down, "color": colour, "thickness": 1.5},
                hovertemplate="%{x}: %{y:.2f}<extra>" + for_plotly(name) + "</extra>",
            )
        )
    dress(figure, height=400, scattermode="group")
    figure.update_xaxes(title_text="task")
    figure.update_yaxes(title_text=axis)
    return CaptionedFigure(figure, f"{title}. {_points_summary(scores)}")


def score_bars(
    scores: Mapping[str, Score], floor: Mapping[str, float], floor_name: str, title: str, axis: str
) -> CaptionedFigure:
    """A bar for each task, and on it a line at `floor`: what is right without any embedding.

    Raises KitError where there is nothing to draw.
    """
    from plotly import graph_objects as go

    if not scores:
        raise KitError("expected at least one score to draw, got none: evaluate some tasks first.")
    known = {task: score for task, score in scores.items() if score.value is not None}
    figure = go.Figure(
        go.Bar(
            x=list(map(for_plotly, known)),
            y=[s.value for s in known.values()],
            name="accuracy",
            marker_color=AFTER,
            hovertemplate="%{x}: %{y:.2f}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=list(map(for_plotly, known)),
            y=[floor[task] for task in known],
            name=floor_name,
            mode="markers",
            marker={"symbol": "line-ew", "size": 34, "line": {"width": 4, "color": BEFORE}},
            hovertemplate="%{x}: %{y:.2f}<extra>" + floor_name + "</extra>",
        )
    )
    dress(figure, height=400)
    figure.update_xaxes(title_text="task")
    figure.update_yaxes(title_text=axis, range=[0, 100])
    scores_said = "; ".join(f"{task} {score.said} ({floor_name} {floor[task]:.2f})" for task, score in known.items())
    return CaptionedFigure(figure, f"{title}. {scores_said or 'No task has a score'}.")


def _points_summary(scores: Mapping[str, Mapping[str, Score]]) -> str:
    (first, tasks), *others = scores.items()
    parts = [f"{first}: " + ", ".join(f"{task} {score.said}" for task, score in tasks.items())]
    parts += [f"{name}: {_span(list(found.values()))}" for name, found in others]
    return "; ".join(parts) + "."


def _span(scores: Sequence[Score]) -> str:
    values = [score.value for score in scores if score.value is not None]
    return f"from {written(min(values))} to {written(max(values))}" if values else "undefined"
