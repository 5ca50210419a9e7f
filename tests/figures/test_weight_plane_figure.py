"""The plane through three runs: the map is the grid, its marks and its sentence are computed from it."""

from __future__ import annotations

import copy
import math

import pytest

from kit.errors import KitError
from kit.figures import weight_planes
from kit.figures.weight_plane_figure import HEIGHT, PLACES

X, Y = [-0.5, 0.0, 0.5, 1.0, 1.5], [HEIGHT * place / 3 for place in (-1, 0, 1, 2, 3, 4)]


def plane(height) -> dict:
    """A grid whose scores are `height` of the shares of the three runs."""

    def shares(x: float, y: float) -> tuple[float, float, float]:
        third = y / HEIGHT
        return 1 - (x - third / 2) - third, x - third / 2, third

    return {"task": "a task", "x": X, "y": Y, "all": [[height(*shares(x, y)) for x in X] for y in Y]}


def test_the_marks_are_the_runs_and_their_mean() -> None:
    hill = plane(lambda a, b, c: 10 * a + 20 * b + 30 * c)
    picture = weight_planes({"one start": hill})
    contour, marks = picture.figure.data
    assert [list(row) for row in contour.z] == hill["all"] and (list(contour.x), list(contour.y)) == (X, Y)
    assert list(marks.text) == ["10.0", "20.0", "30.0", "20.0"] and list(marks.hovertext) == list(PLACES)
    assert (
        "one start: the runs score 10.0, 20.0, 30.0, their mean 20.0, the lowest place inside their triangle 10.0."
        in picture.summary
    )
    assert picture.summary.startswith("a task, ")
    assert list(marks.marker.symbol) == ["circle"] * 3 + ["diamond"], "the mean looks unlike a run"
    assert list(zip(marks.x, marks.y)) == list(PLACES.values())
    across, up = picture.figure.layout.xaxis, picture.figure.layout.yaxis
    assert (across.tickvals, across.ticktext) == ((0, 1), ("run 1", "run 2"))
    assert (up.tickvals, up.ticktext) == ((HEIGHT,), ("run 3",)), "at its own height"


def test_a_line_for_each_point_of_score() -> None:
    """Of all maps together, so that lines of one score lie in each."""
    low, high = plane(lambda a, b, c: 10.5 + c), plane(lambda a, b, c: 14 + b)
    scores = [score for one in (low, high) for row in one["all"] for score in row]
    for trace in weight_planes({"low": low, "high": high}).figure.data[::2]:
        lines = trace.contours
        assert (lines.start, lines.end, lines.size) == (math.ceil(min(scores)), math.floor(max(scores)), 1)


def test_the_worst_place_is_looked_for_in_the_triangle_alone() -> None:
    def islands(a: float, b: float, c: float) -> float:
        return 50.0 if max(a, b, c) > 0.99 else 7.0 if min(a, b, c) > -1e-9 else -99.0

    said = weight_planes({"two starts": plane(islands), "again": plane(lambda a, b, c: 1.0)}).summary
    assert (
        "two starts: the runs score 50.0, 50.0, 50.0, their mean 7.0, the lowest place inside their triangle 7.0"
        in said
    )
    assert "again: the runs score 1.0" in said


def test_both_maps_have_one_scale_of_colours_and_axes_with_titles() -> None:
    figure = weight_planes({"low": plane(lambda a, b, c: 1.0), "high": plane(lambda a, b, c: 9.0)}).figure
    assert {trace.coloraxis for trace in figure.data if trace.type == "contour"} == {"coloraxis"}
    assert figure.layout.coloraxis.colorbar.title.text == "a task"
    assert [note.text for note in figure.layout.annotations] == ["low", "high"]
    assert [trace.z[0][0] for trace in figure.data[::2]] == [1, 9], "each under its name"
    assert (figure.layout.yaxis.scaleanchor, figure.layout.yaxis2.scaleanchor) == ("x", "x2"), "equal sides look equal"
    assert figure.layout.xaxis.title.text and figure.layout.xaxis2.title.text and figure.layout.yaxis.title.text


def test_what_is_no_plane_is_said() -> None:
    with pytest.raises(KitError, match="at least one plane"):
        weight_planes({})
    without = copy.deepcopy(plane(lambda a, b, c: 1.0))
    without["x"] = [x + 0.01 for x in X]
    with pytest.raises(KitError, match="shifted has no place"):
        weight_planes({"shifted": without})
