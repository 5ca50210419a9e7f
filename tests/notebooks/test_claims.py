"""What the lessons say in words about measured results, held against the results files.

Figures are printed by cells; a sentence such as "the classifier alone ends with the lowest mean
cosine" cannot be. A new measurement that contradicts one of them fails here.
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "data" / "results"


def results(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text("utf-8"))


def ends(name: str, key: str, **settings) -> dict[float, dict]:
    """The last frames of the recorded runs, by τ or λ."""
    return {
        run[key]: run["frames"][-1]
        for run in results("live")[name]["runs"]
        if all(run[k] == v for k, v in settings.items())
    }


def sweep(name: str, kind: str, measure: str) -> dict[str, dict]:
    return {label: point[kind][measure] for label, point in results("sweeps")["sweeps"][name]["points"].items()}


def test_lesson_04_live_read() -> None:
    """That the effective rank "may fall while STS does not": neither alone is a verdict."""
    last, first = ends("tau", "tau"), results("live")["tau"]["runs"][0]["frames"][0]
    assert any(end["effective_rank"] < first["effective_rank"] and end["sts"] > first["sts"] for end in last.values())


def test_lesson_04_says_what_the_ends_of_the_recorded_runs_are() -> None:
    """The largest τ loses the common direction and most others, the smallest keeps the knot: the first sentences."""
    last, start, said = ends("tau", "tau"), results("live")["tau"]["runs"][0]["frames"][0], []
    cells = json.loads((ROOT / "notebooks" / "04_temperature.ipynb").read_text("utf-8"))["cells"]
    source = next("".join(cell["source"]) for cell in cells if cell["id"] == "live-ends")
    names = {"start": start, "hottest": last[max(last)], "coldest": last[min(last)]}
    exec(source, {**names, "finding": lambda held, *_: said.append(held)})
    assert said == [True, True]


def test_lesson_06_live_read() -> None:
    """The classifier alone needs few directions; a little contrast holds the others open, and agrees better."""
    last, first = ends("lambda", "lam", tau=0.1), results("live")["lambda"]["runs"][0]["frames"][0]
    assert last[0.0]["effective_rank"] < first["effective_rank"] / 2
    assert last[0.1]["effective_rank"] > 1.5 * last[0.0]["effective_rank"]
    assert last[0.0]["sts"] < last[0.1]["sts"]


def test_lesson_06_reading() -> None:
    """λ = 0 has the lowest mean cosine, the fewest directions and the least agreement with people;
    any contrast matters more than how much of it."""
    cosine, rank, sts = (
        sweep("lambda", *which)
        for which in (("geometry", "mean_cosine"), ("geometry", "effective_rank"), ("average", "wmean"))
    )
    for measure in (cosine, rank, sts):
        assert min(measure, key=lambda lam: measure[lam]["mean"]) == "0"
    with_contrast = [point["mean"] for lam, point in sts.items() if lam != "0"]
    assert max(with_contrast) - min(with_contrast) < (min(with_contrast) - sts["0"]["mean"]) / 2


def test_lesson_06_what_remains_after_shuffling() -> None:
    """One positive against strangers is not nothing: it beats no contrast at all."""
    shuffled, none = sweep("batches", "average", "wmean")["rows shuffled"], sweep("lambda", "average", "wmean")["0"]
    assert shuffled["low"] > none["high"]


def test_where_it_was_measured_is_said() -> None:
    for name in ("sweeps", "live", "foundation"):
        assert results(name)["hardware"] and results(name)["versions"]["torch"], name
