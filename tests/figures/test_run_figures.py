"""Two runs side by side: curves with names, what differs, and no false comparison of losses."""

from __future__ import annotations

import pytest

from kit.errors import KitError
from kit.figures import runs_figure, runs_table
from kit.figures.run_figures import run_curve
from kit.training.fit import FitResult


def a_run(lam: float = 0.3, end: float = 60.0, seed: int = 0, **changes) -> dict:
    history = [{"step": n, "loss": 4 / n, "lr": 1e-3, "rows": 96} for n in range(1, 31)]
    history[14] |= {"validation": 55.0, "mean_cosine": 0.4}
    history[-1] |= {"validation": end, "mean_cosine": 0.2}
    recipe = {"name": "scl", "title": "SCL", "source": "a paper", "lam": lam, "temperature": 1.0, "batch_size": 64}
    return {
        "name": "run",
        "recipe": recipe,
        "about": {"data": "SNLI", "encoder": "tiny"},
        "seed": seed,
        "steps": 30,
        "sentences": 2880,
        "seconds": 12.4,
        "hardware": "a machine",
        "history": history,
        "validation": end,
        "untrained": {"validation": 48.46, "mean_cosine": 0.7},
        **changes,
    }


def test_each_run_has_its_name_and_colour_in_every_plot() -> None:
    picture = runs_figure({"with": a_run(), "without": a_run(lam=0.0, end=57.25)})
    data = picture.figure.data
    assert [trace.name for trace in data] == ["with", "without"] * 3
    assert len({trace.line.color for trace in data}) == 2
    named = [(note.yref, note.text) for note in picture.figure.layout.annotations]
    assert named == [(axis, name) for axis in ("y", "y2", "y3") for name in ("with", "without")]
    titles = [picture.figure.layout[f"yaxis{i}"].title.text for i in ("", 2, 3)]
    assert titles == ["loss (mean of 20 steps)", "validation × 100", "mean cosine"]
    assert [picture.figure.layout[f"xaxis{i}"].title.text for i in ("", 2, 3)] == [None, None, "step"], "shared"
    assert "Validation × 100 ends at 60 (with), 57.2 (without)." in picture.summary


def test_a_measure_that_no_run_has_is_an_empty_plot() -> None:
    bare = a_run(untrained={}, history=[{"step": 1, "loss": 2.0}])
    assert not runs_figure({"bare": bare}, ["validation"]).figure.layout.annotations


def test_plots_below_one_another_have_one_range_of_steps() -> None:
    """A run that was stopped has losses behind its last validation."""
    stopped = a_run(history=[*a_run()["history"], *({"step": n, "loss": 4 / n} for n in range(31, 60))])
    drawn = runs_figure({"whole": a_run(), "stopped": stopped}).figure
    left, right = drawn.layout.xaxis.range
    assert left < 0 and right > 59 and {axis.range for axis in drawn.select_xaxes()} == {(left, right)}
    assert {trace.name: trace.line.dash for trace in drawn.data} == {"whole": "solid", "stopped": "dash"}


def test_validation_is_called_by_its_measure_and_two_measures_do_not_compare() -> None:
    order, rank, older = a_run(measure="average precision × 100"), a_run(measure="Spearman × 100"), a_run()
    alike, apart = {"a": order, "b": order}, {"a": order, "b": older}
    assert runs_figure(alike).figure.layout.yaxis2.title.text == "validation: average precision × 100"
    assert "Validation: average precision × 100 ends at 60 (a)" in runs_figure(alike).summary
    assert "validation: average precision × 100, trained" in [row[0] for row in runs_table(alike).rows]
    said = "of different measures and do not compare (a: average precision × 100; b: Spearman × 100)."
    assert said in runs_figure(apart).summary and said in runs_table(apart).caption
    assert runs_figure(apart).figure.layout.yaxis2.title.text == "validation × 100"
    assert "different measures" not in runs_figure(apart, ["loss"]).summary + runs_figure(alike).summary
    assert "validation: Spearman × 100, trained" in [row[0] for row in runs_table({"a": rank, "b": older}).rows]


def test_losses_of_different_objectives_are_not_compared() -> None:
    different = runs_figure({"a": a_run(), "b": a_run(lam=0.0)}).summary
    assert "different objectives" in different
    dot = a_run()
    dot["recipe"] = {**dot["recipe"], "similarity": "dot"}
    assert "different objectives" in runs_figure({"cosine": a_run(), "dot": dot}, ["loss"]).summary
    alike = runs_figure({"a": a_run(), "b": a_run(seed=1)}).summary
    assert "different objectives" not in alike
    assert "different objectives" not in runs_figure({"a": a_run(), "b": a_run(lam=0.0)}, ["validation"]).summary


def test_curves_begin_with_the_untrained_encoder_and_losses_are_smoothed() -> None:
    assert run_curve(a_run(), "validation") == ([0, 15, 30], [48.46, 55.0, 60.0])
    steps, values = run_curve(a_run(), "loss")
    assert steps == list(range(1, 31)) and values[0] == 4
    assert values[-1] == pytest.approx(sum(4 / n for n in range(11, 31)) / 20)
    assert run_curve(a_run(untrained={}), "mean_cosine")[0] == [15, 30]


def test_the_loss_at_the_end_is_the_one_that_the_runs_say() -> None:
    """Two runs whose last twenty and last ten steps are ordered otherwise: one window, named, in equal digits."""
    ends = {"linear": [1.0] * 20, "constant": [0.968] * 10 + [1.0013] * 10}
    runs = {
        name: a_run(history=[{"step": n, "loss": loss} for n, loss in enumerate([2.0] * 30 + tail, start=1)])
        for name, tail in ends.items()
    }
    said = runs_figure(runs, ["loss"]).summary
    assert "Loss (mean of 20 steps) ends at 1.000 (linear), 0.985 (constant)." in said
    for name, run in runs.items():
        summary = FitResult(run["history"], 50, 400, 1.0, "a CPU", 50).summary()
        assert f"{summary.split(' to ')[-1].rstrip('.')} ({name})" in said
    short = {"short": a_run(history=[{"step": 1, "loss": 2.0}])}
    assert "Loss ends at 2.000 (short)." in runs_figure(short, ["loss"]).summary


def test_the_table_has_what_differs_and_what_it_came_to() -> None:
    table = runs_table({"with": a_run(), "without": a_run(lam=0.0, end=57.25, seconds=9.6)}, "One seed.")
    rows = {row[0]: list(row[1:]) for row in table.rows}
    assert rows["lam"] == ["0.3", "0"] and "temperature" not in rows and "data" not in rows
    assert rows["validation × 100, trained"] == ["60", "57.25"]
    assert rows["validation × 100, untrained"] == ["48.46", "48.46"]
    assert rows["steps"] == ["30", "30"] and rows["sentences"] == ["2,880", "2,880"]
    assert rows["mean cosine, untrained"] == ["0.7", "0.7"] and rows["seconds"] == ["12", "10"]
    assert table.header == ("", "with", "without") and table.caption == "One seed."


@pytest.mark.parametrize(("best", "cosine"), [(None, "0.2"), (30, "0.2"), (15, "0.4"), (0, "0.7")])
def test_the_mean_cosine_is_that_of_the_encoder_that_is_kept(best: int | None, cosine: str) -> None:
    """Step 0 is the untrained encoder: no training was better."""
    kept = {} if best is None else {"best": {"step": best, "validation": 60.0}}
    rows = {row[0]: list(row[1:]) for row in runs_table({"run": a_run(**kept)}).rows}
    assert rows["mean cosine, trained"] == [cosine]


def test_equal_settings_are_said_to_be_equal() -> None:
    assert "same settings" in runs_table({"a": a_run(), "b": a_run(end=61.0)}).caption
    rows = {row[0]: row[1:] for row in runs_table({"a": a_run(), "b": a_run(seed=3)}).rows}
    assert list(rows["seed"]) == ["0", "3"]


def test_a_setting_that_only_one_has() -> None:
    other = a_run()
    other["recipe"] = {**other["recipe"], "name": "declutr", "max_span": 64}
    rows = {row[0]: list(row[1:]) for row in runs_table({"a": a_run(), "b": other}).rows}
    assert rows["max_span"] == ["–", "64"] and rows["recipe"] == ["scl", "declutr"]


def test_bad_input() -> None:
    with pytest.raises(KitError, match="one to 4 runs to compare, got 0"):
        runs_figure({})
    with pytest.raises(KitError, match="'a' has none: train it first"):
        runs_table({"a": a_run(history=[])})
    with pytest.raises(KitError, match="unknown measure 'los': did you mean 'loss'"):
        runs_figure({"a": a_run()}, ["los"])


OTHERS = {"objective": "margin", "data_format": "triplets", "temperature": 0.05, "similarity": "dot", "batch_size": 16}


@pytest.mark.parametrize("setting", OTHERS)
def test_losses_under_another_setting_are_not_compared(setting: str) -> None:
    other = a_run()
    other["recipe"] = {**other["recipe"], setting: OTHERS[setting]}
    assert "different objectives" in runs_figure({"a": a_run(), "b": other}, ["loss"]).summary


def test_drawn_is_the_curve_of_its_run() -> None:
    runs, measures = {"a": a_run(), "b": a_run(end=57.25)}, ["loss", "validation", "mean_cosine"]
    drawn = [(list(trace.x), list(trace.y)) for trace in runs_figure(runs, measures).figure.data]
    assert drawn == [run_curve(run, measure) for measure in measures for run in runs.values()]
