"""Two or more saved runs side by side: their curves, and the settings in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit.checks.plain_text import for_plotly
from kit.errors import KitError, check_name
from kit.figures.basic_figures import over, running_mean
from kit.figures.caption_numbers import written
from kit.figures.captioned_figure import CaptionedFigure
from kit.figures.direct_labels import name_line_ends
from kit.figures.page_table import PageTable
from kit.figures.palette import AFTER, CLASSIFY, CONTRAST, DASHES, POSITIVE, dress, hover

MEASURES = {"loss": "loss", "validation": "validation × 100", "mean_cosine": "mean cosine", "lr": "learning rate"}
COLOURS = (AFTER, CLASSIFY, POSITIVE, CONTRAST)
SPEARMAN = "Spearman × 100"
SMOOTH = 20  # steps of the running mean of losses: those of the loss that a run says it went to


def runs_figure(
    runs: Mapping[str, Mapping], measures: Sequence[str] = ("loss", "validation", "mean_cosine")
) -> CaptionedFigure:
    """The curves of runs (records as `kit.workshop.saved_runs` reads them), a colour a run, a measure a plot.

    Plots stand below one another; later runs are dashed, so that one on top of another can be seen.

    Losses are running means of `SMOOTH` steps; the summary says where each run ends, and warns
    where the losses belong to different objectives. Errors: `KitError` for no runs, more than
    there are colours, a run without a step, and an unknown measure. Lesson 09.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    _check(runs)
    for measure in measures:
        check_name("measure", measure, MEASURES)
    longest = max(len(run["history"]) for run in runs.values())
    titles = MEASURES | {"loss": f"loss{over(min(SMOOTH, longest))}", "validation": _validation_title(runs)}
    figure = make_subplots(len(measures), 1, shared_xaxes=True, vertical_spacing=0.1 / len(measures))
    said = []
    for row, measure in enumerate(measures, start=1):
        place = {"row": row, "col": 1}
        ends = []
        for (name, run), colour, dash in zip(runs.items(), COLOURS, DASHES):
            steps, values = run_curve(run, measure)
            figure.add_trace(
                go.Scatter(
                    x=steps,
                    y=values,
                    name=for_plotly(name),
                    mode="lines",
                    line={"color": colour, "width": 2, "dash": dash},
                    hovertemplate=hover("step %{x:,}: %{y:.3g}", name),
                ),
                **place,
            )
            if values:
                ends.append(f"{written(values[-1], '.3f' if measure == 'loss' else '.3g')} ({name})")
        figure.update_yaxes(title_text=for_plotly(titles[measure]), **place)
        if ends:
            said.append(f"{titles[measure][:1].upper()}{titles[measure][1:]} ends at {', '.join(ends)}.")
    if "validation" in measures:
        said += _of_measures(runs)
    if "loss" in measures and len({_objective(run) for run in runs.values()}) > 1:
        said.append(
            "The losses belong to different objectives and have different scales: compare the validation figures."
        )
    dress(figure, height=100 + 200 * len(measures))
    figure.update_xaxes(title_text="step", row=len(measures), col=1)
    name_line_ends(figure)
    return CaptionedFigure(figure, " ".join(said))


def runs_table(runs: Mapping[str, Mapping], caption: str = "") -> PageTable:
    """A row for each setting in which the runs differ, then their results and cost.

    Errors: `KitError` for no runs, and a run without a step. Lesson 09.
    """
    _check(runs)
    title = _validation_title(runs)
    settings = {name: _settings(run) for name, run in runs.items()}
    keys = dict.fromkeys(key for found in settings.values() for key in found)
    differing = [key for key in keys if len({str(found.get(key)) for found in settings.values()}) > 1]
    rows = [[key, *(_cell(found.get(key)) for found in settings.values())] for key in differing]
    first, last = [run["untrained"] for run in runs.values()], [_kept(run) for run in runs.values()]
    rows += [
        [f"{title}, untrained", *(_cell(look.get("validation")) for look in first)],
        [f"{title}, trained", *(_cell(run.get("validation")) for run in runs.values())],
        ["mean cosine, untrained", *(_cell(look.get("mean_cosine")) for look in first)],
        ["mean cosine, trained", *(_cell(look.get("mean_cosine")) for look in last)],
        ["steps", *(f"{run['steps']:,}" for run in runs.values())],
        ["sentences", *(f"{run['sentences']:,}" for run in runs.values())],
        ["seconds", *(f"{run['seconds']:.0f}" for run in runs.values())],
    ]
    alike = "" if differing or len(runs) == 1 else "The runs have the same settings. "
    return PageTable(("", *runs), rows, alike + " ".join([*_of_measures(runs), *filter(None, [caption])]))


def _judged_by(runs: Mapping[str, Mapping]) -> dict[str, str]:
    """Run → by what it was validated; nothing where no run notes it. Those that do not are older, and had Spearman."""
    noted = {name: str(run.get("measure", SPEARMAN)) for name, run in runs.items() if "validation" in run}
    return noted if any("measure" in run for run in runs.values()) else {}


def _validation_title(runs: Mapping[str, Mapping]) -> str:
    """What validation figures are called beside one another: by their measure where they have one alone."""
    kinds = set(_judged_by(runs).values())
    return f"validation: {kinds.pop()}" if len(kinds) == 1 else MEASURES["validation"]


def _of_measures(runs: Mapping[str, Mapping]) -> list[str]:
    """That validation figures are of different measures, if they are."""
    noted = _judged_by(runs)
    if len(set(noted.values())) < 2:
        return []
    each = "; ".join(f"{name}: {kind}" for name, kind in noted.items())
    return [f"The validation figures are of different measures and do not compare ({each})."]


def _kept(run: Mapping) -> Mapping:
    """The step of the encoder that the run has kept: the best one where it keeps that, else the last."""
    if "best" not in run:
        return run["history"][-1]
    return next((step for step in run["history"] if step["step"] == run["best"]["step"]), run["untrained"])


def run_curve(run: Mapping, measure: str) -> tuple[list[int], list[float]]:
    """(steps, values) of a measure of one run, from the untrained encoder on where it was measured then."""
    rows = [(step["step"], step[measure]) for step in run["history"] if measure in step]
    if measure != "loss":
        start = [(0, run["untrained"][measure])] if measure in run["untrained"] else []
        steps, values = zip(*start, *rows) if start or rows else ((), ())
        return list(steps), list(values)
    return [step for step, _ in rows], running_mean([loss for _, loss in rows], SMOOTH)


def _check(runs: Mapping[str, Mapping]) -> None:
    if not 1 <= len(runs) <= len(COLOURS):
        raise KitError(f"expected one to {len(COLOURS)} runs to compare, got {len(runs)}: choose some of them.")
    for name, run in runs.items():
        if not run["history"]:
            raise KitError(f"expected runs with at least one step, but {name!r} has none: train it first.")


def _objective(run: Mapping) -> tuple:
    """What makes losses comparable."""
    recipe, keys = run["recipe"], ("objective", "data_format", "lam", "temperature", "similarity", "batch_size")
    return tuple(str(recipe.get(key)) for key in keys)


def _settings(run: Mapping) -> dict:
    """What was chosen for a run: recipe, data, encoder, seed."""
    described = ("name", "title", "source", "deviations")
    recipe = {key: value for key, value in run["recipe"].items() if key not in described}
    return {"recipe": run["recipe"]["name"], **run["about"], **recipe, "seed": run["seed"]}


def _cell(value: object) -> str:
    if isinstance(value, float):
        return written(value, ".4g")
    return "–" if value is None else str(value)
