"""The margin board and the pictures of lesson 03; the browser test compares the JavaScript."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest

from kit.boards.margin_widget import REACH, margin_board, margin_state, margin_summary, margin_values
from kit.errors import KitError
from kit.figures.margin_figures import collapse_curve, count_curve, ending, reduction_curve, region_curve
from kit.figures.palette import BEFORE, NEGATIVE, NEUTRAL
from kit.losses import DISTANCES, REGIONS

STATE = margin_state()


def controls(margin=1.0, distance="euclidean", anchor=(0.0, 0.0), positive=(1.0, 0.0), negative=(0.0, 1.5)) -> dict:
    places = {"anchor": anchor, "positive": positive, "negative": negative}
    return {
        "margin": margin,
        "distance": distance,
        **{f"{name}_{axis}": value for name, at in places.items() for axis, value in zip("xy", at)},
    }


def figure(**settings) -> dict:
    return margin_values(STATE, controls(**settings))


def test_regions_and_loss_of_a_negative_that_walks_away() -> None:
    for negative, region, loss in [
        ((0.0, 0.5), "hard", 1.5),
        ((0.0, 1.0), "hard", 1.0),
        ((0.0, 1.5), "semi-hard", 0.5),
        ((0.0, 2.0), "easy", 0.0),
        ((0.0, 2.2), "easy", 0.0),
    ]:
        found = figure(negative=negative)
        assert REGIONS[found["region"]] == region and found["loss"] == pytest.approx(loss)
        assert found["boundaries"] == [1.0, 2.0]
        assert any(strength > 0 for strength in found["strengths"]) == (loss > 0)


def test_euclidean_forces_are_unit_arrows_towards_and_away() -> None:
    found = figure()
    assert found["forces"] == [pytest.approx([1.0, -1.0]), pytest.approx([-1.0, 0.0]), pytest.approx([0.0, 1.0])]
    assert found["strengths"] == pytest.approx([math.sqrt(2), 1.0, 1.0])


@pytest.mark.parametrize(("distance", "force"), [("euclidean", 1.0), ("squared_euclidean", 0.02)])
def test_near_the_anchor_a_squared_distance_has_no_force_left(distance, force) -> None:
    found = figure(distance=distance, positive=(0.01, 0.0), negative=(0.0, 0.01))
    assert found["strengths"][1:] == pytest.approx([force, force])


@pytest.mark.parametrize("distance", DISTANCES)
def test_everything_is_finite_everywhere(distance) -> None:
    for negative, margin in product([(0.0, 0.0), (1.0, 0.0), REACH, (-REACH[0], -REACH[1])], [0.05, 1.0, 5.0]):
        for anchor in ((0.0, 0.0), (1.0, 0.0), (-3.0, 2.2)):
            chosen = controls(margin, distance, anchor, negative=negative)
            found = margin_values(STATE, chosen)
            forces = [x for force in found["forces"] for x in force]
            numbers = [found["loss"], *found["strengths"], *found["boundaries"], *forces]
            assert all(map(math.isfinite, numbers))
            assert f"{found['loss']:.3f}" in margin_summary(found, chosen)


def test_a_step_along_the_forces_lowers_the_loss() -> None:
    for distance in DISTANCES:
        start = controls(distance=distance, anchor=(0.4, 0.3), negative=(1.1, 0.8))
        found, step = margin_values(STATE, start), 1e-4
        moved = dict(start)
        for name, force in zip(("anchor", "positive", "negative"), found["forces"]):
            for axis, value in zip("xy", force):
                moved[f"{name}_{axis}"] += step * value
        fall = found["loss"] - margin_values(STATE, moved)["loss"]
        assert fall == pytest.approx(step * sum(s**2 for s in found["strengths"]), rel=1e-2)


def test_nonsense_is_one_clear_sentence() -> None:
    for wrong, words in [
        ({"margin": 0}, "margin above 0"),
        ({"distance": "manhattan"}, "unknown distance"),
        ({"anker": (0, 0)}, "unknown point"),
        ({"anchor": (9.0, 0.0)}, "expected anchor within"),
    ]:
        with pytest.raises(KitError, match=words):
            margin_board(**wrong)


def test_the_board_starts_where_it_says_and_travels_as_json() -> None:
    board = margin_board(margin=2.0, distance="cosine", negative=(2.0, -1.0))
    assert board.controls["margin"] == 2.0 and board.controls["negative_x"] == 2.0
    assert board.summary == margin_summary(margin_values(board.state, board.controls), board.controls)
    assert len(json.dumps(board.state)) < 1000 and "drag: typeof drag" in board.widget._esm


# the pictures


def history(distances, losses) -> list[dict]:
    return [{"step": i, "loss": loss, "distance": d} for i, (d, loss) in enumerate(zip(distances, losses), start=1)]


def test_a_collapse_is_called_by_its_name() -> None:
    dead, alive = history([2.0, 0.5, 0.01], [1.4, 1.1, 1.0]), history([2.0, 1.5, 3.0], [1.4, 1.0, 0.6])
    small, steady = history([2.0, 1.5, 0.9], [1.4, 1.0, 0.9]), history([2.0, 1.5, 1.1], [1.4, 1.0, 0.9])
    assert [ending(run) for run in (dead, small, steady, alive)] == ["collapsed", "shrunk", "open", "open"]
    picture = collapse_curve({"high rate": dead, "low rate": alive}, margin=1.0)
    assert "High rate: after 3 steps the loss is 1.0000 (margin 1) and the mean distance 0.01" in picture.summary
    assert "0.5% of the first: collapsed." in picture.summary and "150% of the first: open." in picture.summary
    names = [trace.name for trace in picture.figure.data]
    assert names == ["high rate", "high rate", "low rate", "low rate", "the margin"]
    loss, distance, *other, _ = picture.figure.data
    assert (loss.y, distance.y) == ((1.4, 1.1, 1.0), (2.0, 0.5, 0.01))
    assert loss.line.color == distance.line.color != other[0].line.color == other[1].line.color
    axes = picture.figure.layout.yaxis, picture.figure.layout.yaxis2
    assert [axis.title.text for axis in axes] == ["loss", "mean distance"]


def test_the_power_of_a_count_is_its_slope() -> None:
    picture = count_curve({"quadratic": {100: 10_000, 10: 100}, "cubic": {10: 1000, 20: 8000}})
    assert [(trace.x, trace.y) for trace in picture.figure.data] == [
        ((10, 100), (100, 10_000)),
        ((10, 20), (1000, 8000)),
    ]
    assert picture.figure.layout.xaxis.type == picture.figure.layout.yaxis.type == "log", "a power is a straight line"
    assert "10,000 of 100, growing like the power 2.0" in picture.summary
    assert picture.summary.endswith("growing like the power 3.0.")


def test_region_and_reduction_curves_say_their_ends() -> None:
    shares = {1.0: {"easy": 0.2, "semi-hard": 0.5, "hard": 0.3}, 0.1: {"easy": 0.6, "semi-hard": 0.1, "hard": 0.3}}
    picture = region_curve(shares)
    assert "At a margin of 0.1, 60% of the triplets are easy" in picture.summary and "hard ones, 30%" in picture.summary
    drawn = {trace.name: (trace.y, trace.line.color) for trace in picture.figure.data}
    assert drawn == {
        "easy": ((0.6, 0.2), NEUTRAL),
        "semi-hard": ((0.1, 0.5), BEFORE),
        "hard": ((0.3, 0.3), NEGATIVE),
    }, "in the colours that the plane of a triplet has"
    assert picture.figure.layout.xaxis.type == "log"
    picture = reduction_curve({"mean": {1.0: 2.0, 0.01: 0.05}, "sum": {1.0: 80.0, 0.01: 3.0, 0.0: 0.0}})
    assert "mean from 2 at 100% to 0.05 at 1%, sum from 80 at 100% to 3 at 1%." in picture.summary
    assert [(trace.x, trace.y) for trace in picture.figure.data] == [((0.01, 1), (0.05, 2)), ((0.01, 1), (3, 80))]
    axis = picture.figure.layout.xaxis
    assert axis.type == picture.figure.layout.yaxis.type == "log"
    assert dict(zip(axis.tickvals, axis.ticktext))[0.01] == "1%"
    axis = reduction_curve({"mean": {1.0: 2.0, 0.23: 0.5}}).figure.layout.xaxis
    within = [text for at, text in zip(axis.tickvals, axis.ticktext) if axis.range[0] <= math.log10(at)]
    assert within == ["30%", "50%", "70%", "100%"], "two of them would not tell the axis"


def test_nothing_to_draw_is_told() -> None:
    for draw, nothing in [
        (region_curve, {}),
        (count_curve, {"a": {10: 5}}),
        (count_curve, {"a": {10: 0, 20: 5}}),
        (reduction_curve, {"mean": {0.0: 0.0}}),
    ]:
        with pytest.raises(KitError, match="expected"):
            draw(nothing)
        with pytest.raises(KitError, match="at least one run"):
            collapse_curve({"a": []}, margin=1.0)
