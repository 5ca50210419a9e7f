"""The figures of lesson 08: STS against the labels kept, and a risk estimate beside the true risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError
from kit.figures.caption_numbers import written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_line_ends
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, CONTRAST, NEGATIVE, NEUTRAL, POSITIVE, dress, hover, strokes

COLOURS = (AFTER, CLASSIFY, CONTRAST, POSITIVE, BEFORE, NEGATIVE)
RISKS = (BEFORE, AFTER, NEUTRAL, CLASSIFY, POSITIVE, NEGATIVE)  # naive, then nnPU, as the board of nnPU has them


def labels_curve(series: Mapping[str, Mapping[str, Mapping[str, float] | float] | float]) -> CaptionedFigure:
    """STS averages against the labels kept: {name: {percent: a number, or {"mean", "low", "high"}}}.

    percent as a text, e.g. "10"; the axis is logarithmic. Means with an interval have bars. {name: a number} is a level
    that no label changes, a grey dashed line across all curves. The summary says what each curve loses from its most to
    its fewest labels. Errors: `KitError` for no points. Lesson 08.
    """
    from plotly import graph_objects as go

    curves = [points for points in series.values() if isinstance(points, Mapping)]
    if not curves or not all(curves):
        raise KitError("expected at least one curve with at least one point, got none: measure it first.")
    ends = [end(float(label) for points in curves for label in points) for end in (min, max)]
    figure, said, places = go.Figure(), [], {}
    looks = iter(strokes(len(curves), COLOURS))
    for name, points in series.items():
        if not isinstance(points, Mapping):
            line, told = {"color": NEUTRAL, "width": 2, "dash": "dash"}, hover("%{y:.2f}", name)
            figure.add_scatter(
                x=ends, y=[points] * 2, name=for_plotly(name), mode="lines", line=line, hovertemplate=told
            )
            said.append(f"{name}: {written(points, '.1f')}")
            continue
        colour, dash = next(looks)
        kept = sorted(points, key=float)
        values = {
            label: p if isinstance(p, Mapping) else {"mean": p, "low": p, "high": p} for label, p in points.items()
        }
        means = [values[label]["mean"] for label in kept]
        highs, lows = ([values[label].get(end, values[label]["mean"]) for label in kept] for end in ("high", "low"))
        places |= {float(label): label for label in kept}
        figure.add_trace(
            go.Scatter(
                x=[float(label) for label in kept],
                y=means,
                name=for_plotly(name),
                mode="lines+markers",
                line={"color": colour, "width": 2, "dash": dash},
                marker={"size": 8},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [high - mean for high, mean in zip(highs, means)],
                    "arrayminus": [mean - low for low, mean in zip(lows, means)],
                },
                hovertemplate=hover("%{x} % of the labels: %{y:.2f}", name),
            )
        )
        line = f"{name}: {written(means[-1], '.1f')} with {kept[-1]} % of the labels"
        change = written(means[0] - means[-1], ".1f", "+")
        said.append(line + (f", {written(means[0], '.1f')} with {kept[0]} % ({change})" if len(means) > 1 else ""))
    dress(figure, height=380)
    shown = _distant(sorted(places))
    words = [places[x] if x in shown else "" for x in sorted(places)]
    figure.update_xaxes(title_text="labels kept, %", type="log", tickvals=sorted(places), ticktext=words)
    figure.update_yaxes(title_text="STS average (all)")
    name_line_ends(figure)
    return CaptionedFigure(figure, "; ".join(said) + ".")


def _distant(places: Sequence[float]) -> list[float]:
    """Of ascending places those that are not within a factor of two of the next one shown, so that no words touch."""
    shown: list[float] = []
    for place in reversed(places):
        if not shown or 2 * place <= shown[-1]:
            shown.append(place)
    return shown


def risk_curve(runs: Mapping[str, Sequence[Mapping[str, float]]]) -> CaptionedFigure:
    """The estimated and the true risk of a training: {name: [{"step", "estimate", "true"} …]}.

    The estimate is drawn solid, the true risk dashed; a line marks zero. The summary names the first
    step at which an estimate is below zero. Errors: `KitError` for no steps, and for more runs than colours. Lesson 08.
    """
    from plotly import graph_objects as go

    if not runs or not all(runs.values()):
        raise KitError("expected at least one run with at least one step, got none: train first.")
    if len(runs) > len(RISKS):  # a dash says which risk it is, so it cannot tell runs apart as well
        raise KitError(f"expected one to {len(RISKS)} runs to compare, got {len(runs)}: choose some of them.")
    figure, said = go.Figure(), []
    for (name, history), colour in zip(runs.items(), RISKS):
        for key, dash in (("estimate", "solid"), ("true", "dash")):
            figure.add_trace(
                go.Scatter(
                    x=[h["step"] for h in history],
                    y=[h[key] for h in history],
                    mode="lines",
                    name=f"{name}, {key}",
                    line={"color": colour, "width": 2, "dash": dash},
                    hovertemplate=hover("step %{x:,}: %{y:.3f}", f"{name}, {key}"),
                )
            )
        below = next((h["step"] for h in history if h["estimate"] < 0), None)
        last = history[-1]
        crossed = "is never below zero" if below is None else f"is first below zero at step {below}"
        estimate, true = (written(last[key], ".3f") for key in ("estimate", "true"))
        said.append(f"{name}: the estimate {crossed} and ends at {estimate}, the true risk ends at {true}")
    figure.add_hline(0, line_dash="dot", line_color=NEUTRAL)
    dress(figure, height=380)
    figure.update_xaxes(title_text="step")
    figure.update_yaxes(title_text="risk")
    name_line_ends(figure)
    return CaptionedFigure(figure, "; ".join(said) + ".")
