"""Curves of measured sweeps: the numbers of the file, their intervals, a summary computed from both."""

from __future__ import annotations

import json
import math

import pytest

from kit.errors import KitError
from kit.figures.training_curves import MEASURES, as_numbers, ends, overlapping, sweep_curve, sweep_points, sweep_table


def interval(mean: float, half: float | None = 1.0) -> dict:
    """As scripts/measuring.py writes it; one seed has no interval."""
    if half is None:
        return {"mean": mean, "n": 1}
    return {"mean": mean, "sd": half / 2.5, "low": mean - half, "high": mean + half, "n": 3}


def sweep(means: dict[str, float], varies: str = "τ", half: float | None = 1.0) -> dict:
    """Every measure has the same means, geometry a tenth of them."""
    points = {
        label: {
            "average": {name: interval(mean, half) for name in ("all", "mean", "wmean")},
            "geometry": {
                name: interval(mean / 10, half and half / 10)
                for name, (place, _) in MEASURES.items()
                if place == "geometry"
            },
        }
        for label, mean in means.items()
    }
    return {"recipe": "simcse", "varies": varies, "points": points}


TAUS = {"0.01": 58.0, "0.05": 64.0, "0.1": 63.0, "1": 50.0}
LAMBDAS = {"0": 55.0, "0.3": 58.0, "1": 57.0}
NAMED = {"as the paper": 58.0, "rows shuffled": 51.0}


def test_curve_draws_the_numbers_of_the_sweep() -> None:
    for means in [TAUS, LAMBDAS, NAMED, {"1": 50.0}]:
        for measure in MEASURES:
            given = sweep(means)
            picture = sweep_curve(given, measure)
            [trace] = picture.figure.data
            points = sweep_points(given, measure)
            assert list(trace.y) == [p["mean"] for p in points.values()]
            assert [m + e for m, e in zip(trace.y, trace.error_y.array)] == pytest.approx(
                [p["high"] for p in points.values()]
            )
            assert [m - e for m, e in zip(trace.y, trace.error_y.arrayminus)] == pytest.approx(
                [p["low"] for p in points.values()]
            )
            assert "nan" not in picture.summary.lower() and picture.summary.endswith(".")


def test_axis_suits_the_labels() -> None:
    """Logarithmic for temperatures, linear where 0 is among them, side by side for names."""
    for means, kind, x in [
        (TAUS, "log", [0.01, 0.05, 0.1, 1.0]),
        (LAMBDAS, None, [0.0, 0.3, 1.0]),
        (NAMED, None, list(NAMED)),
    ]:
        picture = sweep_curve(sweep(means), ["all", "uniformity"])
        for axis in (picture.figure.layout.xaxis, picture.figure.layout.xaxis2):
            assert axis.type == kind and list(axis.ticktext) == list(means) and axis.title.text == "τ"
        assert list(picture.figure.data[0].x) == x
        assert ("lines" in picture.figure.data[0].mode) == (means is not NAMED), "nothing lies between two names"
        assert len({trace.marker.color for trace in picture.figure.data}) == 2
        assert picture.figure.layout.yaxis.title.text == "STS average (all)"
        assert picture.figure.layout.yaxis2.title.text == "uniformity"


def test_a_measure_has_its_colour_in_every_place() -> None:
    hues = {}
    for measures in (["all", "uniformity"], ["mean", "mean_cosine", "effective_rank"], ["uniformity", "mean_cosine"]):
        for name, trace in zip(measures, sweep_curve(sweep(TAUS), measures).figure.data):
            hues.setdefault(name, set()).add(trace.marker.color)
    assert hues.pop("mean") == hues["all"], "both are STS averages"
    assert all(len(found) == 1 for found in hues.values()) and len(set.union(*hues.values())) == len(hues)


def test_sentence_names_highest_lowest_and_who_overlaps() -> None:
    said = sweep_curve(sweep(TAUS), "all").summary
    assert "highest at τ = 0.05 (64.0 [63.0, 65.0])" in said and "overlaps with that of 0.1," in said
    assert "lowest at 1 (50.0 [49.0, 51.0])" in said
    assert "overlaps with those of 0.01, 0.1, 1," in sweep_curve(sweep(TAUS, half=20.0), "all").summary
    assert "overlaps with no other," in sweep_curve(sweep(TAUS, half=0.1), "all").summary


def test_sentence_of_equal_figures_says_that_they_are_equal() -> None:
    """Means that differ behind the digits shown have no highest and no lowest."""
    said = sweep_curve(sweep({"1": 2.114, "2": 2.106}), "mean_cosine").summary
    assert said.startswith("Mean cosine rounds to 0.21 at every point, the widest interval is [0.11, 0.31].")
    said = sweep_curve(sweep({"1": 50.01, "2": 50.02}, half=None), "all").summary
    assert said == "STS average (all) rounds to 50.0 at every point."


def test_sentence_has_the_short_name_of_what_varies() -> None:
    for varies, place in (("A, anchors in a document", "A = 2"), ("ℓmax", "ℓmax = 2"), ("batch size", "batch size 2")):
        said = sweep_curve(sweep({"1": 50.0, "2": 60.0}, varies), "all").summary
        assert f"is highest at {place} (60.0 " in said


def test_sentence_of_named_settings_quotes_them() -> None:
    said = sweep_curve(sweep(NAMED), "all").summary
    assert "highest with “as the paper” (58.0 [57.0, 59.0])" in said and "lowest with “rows shuffled” (51.0" in said
    assert "In square brackets: 95 % intervals over 3 seeds." in said
    assert "overlaps with that of “rows shuffled”" in sweep_curve(sweep(NAMED, half=9.0), "all").summary


def test_sentence_names_all_that_are_highest_and_lowest() -> None:
    said = sweep_curve(sweep({"0.01": 50.0, "0.05": 70.0, "0.1": 70.0, "1": 50.0}), "all").summary
    assert (
        "highest at τ = 0.05 (70.0 [69.0, 71.0]) and 0.1 (70.0 [69.0, 71.0]), whose intervals overlap with no" in said
    )
    assert "lowest at 0.01 (50.0 [49.0, 51.0]) and 1 (50.0 [49.0, 51.0])" in said
    wide = sweep_curve(sweep({"0.01": 50.0, "0.05": 70.0, "0.1": 70.0}, half=20.0), "all").summary
    assert "whose intervals overlap with that of 0.01," in wide, "and not with one another's"


def test_sentence_says_where_points_have_fewer_seeds() -> None:
    given = sweep(TAUS)
    given["points"]["1"]["average"]["all"]["n"] = 5
    assert sweep_curve(given, "all").summary.endswith("95 % intervals over 3 to 5 seeds.")


def test_negative_measures_keep_their_sign() -> None:
    assert "lowest at 0.05 (0.00 [−1.00, 1.00])" in sweep_curve(sweep({"0.05": -0.001, "1": 5.0}), "all").summary
    given = sweep({"0.05": -30.0, "1": -10.0})
    assert "lowest at 0.05 (−3.00 [−3.10, −2.90])" in sweep_curve(given, "uniformity").summary


def test_one_seed_has_no_interval() -> None:
    given = sweep(TAUS, half=None)
    assert sweep_points(given, "all")["0.05"] == {"mean": 64.0, "low": 64.0, "high": 64.0, "n": 1}
    assert "highest at τ = 0.05 (64.0) and lowest at 1 (50.0)." in sweep_curve(given, "all").summary
    assert "brackets" not in sweep_curve(given, "all").summary
    assert set(sweep_curve(given, "all").figure.data[0].error_y.array) == {0.0}


def test_overlap_is_symmetric_and_includes_touching() -> None:
    points = {"a": interval(10), "b": interval(12), "c": interval(12.1), "d": interval(30)}
    assert overlapping(points, "a") == ["b"] and overlapping(points, "b") == ["a", "c"]
    assert overlapping(points, "d") == [] and ends(points) == (["d"], ["a"])


def test_table_puts_published_figures_beside_measured_ones() -> None:
    published = {"1": 70.05, "0.5": 68.24}
    table = sweep_table(sweep({"0.1": 50.0, "1": 58.0}), ["wmean", "uniformity"], {"published": published})
    assert table.header == ("τ", "STS average (wmean)", "uniformity", "published")
    assert table.rows == [
        ["0.1", "50.0 [49.0, 51.0]", "5.00 [4.90, 5.10]", "–"],
        ["0.5", "–", "–", "68.24"],
        ["1", "58.0 [57.0, 59.0]", "5.80 [5.70, 5.90]", "70.05"],
    ]
    assert [row[0] for row in sweep_table(sweep(NAMED), ["all"]).rows] == list(NAMED)
    assert [row[0] for row in sweep_table(sweep({"2": 5.0, "10": 6.0}), ["all"]).rows] == ["2", "10"], "as numbers"


def test_labels_that_are_numbers() -> None:
    for labels, expected in [(["0.1", "3"], [0.1, 3.0]), (["0.1", "three"], None), ([], [])]:
        assert as_numbers(labels) == expected


def test_nonsense_is_refused() -> None:
    with pytest.raises(KitError, match="unknown measure 'wmaen': did you mean 'wmean'"):
        sweep_curve(sweep(TAUS), "wmaen")
    with pytest.raises(KitError, match="expected a sweep with at least one point"):
        sweep_points({"varies": "τ", "points": {}}, "all")


def test_the_measured_file_has_what_the_lessons_draw() -> None:
    """data/results/sweeps.json itself, every sweep in every measure."""
    from kit.paths import bundle

    sweeps = json.loads(bundle("results", "sweeps.json").read_text("utf-8"))["sweeps"]
    assert {"tau_cosine", "tau_dot", "lambda", "batches"} <= sweeps.keys()
    for one in sweeps.values():
        picture = sweep_curve(one, list(MEASURES))
        assert len(picture.figure.data) == len(MEASURES)
        assert all(math.isfinite(y) for trace in picture.figure.data for y in trace.y)


def test_the_labels_of_neighbours_do_not_touch() -> None:
    """In a third of the page every second number stands lower; a label of several words has two lines."""
    many = dict.fromkeys(("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"), 1.0)
    three, one = (
        sweep_curve(sweep(many), names).figure.layout.xaxis.ticktext
        for names in (["all", "mean_cosine", "uniformity"], "all")
    )
    assert [text.startswith("<br>") for text in three] == [False, True] * 3 + [False] and list(one) == list(many)
    words = sweep_curve(sweep({"copy": 1.0, "copy, no dropout": 2.0}), "all").figure.layout.xaxis
    assert list(words.ticktext) == ["copy", "copy,<br>no dropout"] and words.tickvals[1] == "copy, no dropout"
