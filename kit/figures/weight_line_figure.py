"""The straight line between the weights of two runs: how good the encoders on it are. Lesson 09."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_line_ends
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, NEGATIVE, POSITIVE, layout

COLOURS = (AFTER, NEGATIVE, BEFORE, POSITIVE, CLASSIFY)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def weight_line(
    lines: Mapping[str, Mapping[str, Sequence[float]]], measure: str = "STS average (all)", theme: str = "auto"
) -> CaptionedFigure:
    """Scores along the line from one run's weights to another's: {name: {"places": [n], "all": [n]}}.

    A place is the share of the second run: 0 the first run, 1 the second, ½ the mean of their weights. The runs
    themselves have filled markers. The summary has for each line its ends, its middle and its lowest and highest place.
    Errors: `KitError` for no line, and one of fewer than three places or without both ends. Lesson 09.
    """
    from plotly import graph_objects as go

    if not lines:
        raise KitError("expected at least one line between two runs, got none: measure it first.")
    figure, said = go.Figure(), []
    for (name, line), colour, dash in zip(lines.items(), COLOURS * len(lines), DASHES * len(lines)):
        places, scores = _in_order(name, line)
        at_end = [place in (0, 1) for place in places]
        figure.add_trace(
            go.Scatter(
                x=places,
                y=scores,
                name=for_plotly(name),
                mode="lines+markers",
                line={"color": colour, "width": 2, "dash": dash},
                marker={"size": [11 if end else 6 for end in at_end], "symbol": "circle"},
                hovertemplate="%{x:.0%} of the second run: %{y:.2f}<extra>" + for_plotly(name) + "</extra>",
            )
        )
        said.append(f"{name}: {_course(places, scores)}")
    figure.update_layout(**layout(theme, height=420))
    ticks = {0: "one run", 0.25: "¼", 0.5: "half each", 0.75: "¾", 1: "the other"}
    figure.update_xaxes(title_text="share of the other run's weights", tickvals=list(ticks), ticktext=[*ticks.values()])
    figure.update_yaxes(title_text=measure)
    name_line_ends(figure, theme)
    return CaptionedFigure(figure, "; ".join(said) + ".")


def _in_order(name: str, line: Mapping) -> tuple[list[float], list[float]]:
    """Places ascending, and their scores."""
    if len(line["places"]) != len(line["all"]):
        came = f"{len(line['places'])} places and {len(line['all'])} scores"
        raise KitError(f"expected a score for each place on the line of {name}, got {came}.")
    both = sorted(zip(line["places"], line["all"]))
    places = [place for place, _ in both]
    if len(places) < 3 or not {0, 1} <= set(places):
        raise KitError(f"expected at least three places from 0 to 1 on the line of {name}, got {places}.")
    return places, [score for _, score in both]


def _course(places: list[float], scores: list[float]) -> str:
    """In words: the ends, and where between them the line is highest or lowest, whichever is farther from the ends."""
    ends = [score for place, score in zip(places, scores) if place in (0, 1)]
    between = [(score, place) for place, score in zip(places, scores) if 0 < place < 1]
    (low, low_at), (high, high_at) = min(between), max(between)
    rises, falls = high - max(ends), min(ends) - low
    if max(rises, falls) <= 0:
        course = "never above or below both ends between them"
    elif rises >= falls:
        course = f"highest {high:.1f} at {high_at:.0%} of the other, {rises:.1f} above the better end"
    else:
        course = f"lowest {low:.1f} at {low_at:.0%} of the other, {falls:.1f} below the worse end"
    return f"{ends[0]:.1f} and {ends[1]:.1f} at the ends, {course}"
