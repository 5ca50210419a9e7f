"""Pictures of scores: every figure drawn and said, nothing undefined drawn."""

from __future__ import annotations

import pytest

from kit.errors import KitError
from kit.figures.score_figures import Score, score_bars, score_points

STS = {
    "all": {"STS12": Score(50.0, 45.0, 56.0), "STS13": Score(None)},
    "mean": {"STS12": Score(60.0), "STS13": Score(62.5)},
}


def test_points_have_their_intervals_and_leave_out_what_is_undefined():
    picture = score_points(STS, "STS", "Spearman × 100")
    first, second = picture.figure.data
    assert list(first.x) == ["STS12"] and list(second.x) == ["STS12", "STS13"]
    assert first.error_y.array[0] == 6 and first.error_y.arrayminus[0] == 5 and second.error_y.array[0] == 0
    assert picture.summary == ("STS. all: STS12 50.00 (45.00 to 56.00), STS13 undefined; mean: from 60.00 to 62.50.")
    assert first.marker.color != second.marker.color and first.marker.symbol != second.marker.symbol
    assert picture.figure.layout.scattermode == "group", "side by side, not on one another"
    assert picture.figure.layout.xaxis.title.text == "task"
    assert picture.figure.layout.yaxis.title.text == "Spearman × 100"


def test_bars_have_a_line_at_what_guessing_gives():
    picture = score_bars({"MR": Score(80.0)}, {"MR": 50.0}, "largest class", "Transfer", "accuracy × 100")
    bars, floor = picture.figure.data
    assert list(bars.y) == [80.0] and list(floor.y) == [50.0]
    assert floor.marker.symbol == "line-ew", "a level, not a point"
    assert picture.figure.layout.yaxis.range == (0, 100), "bars begin at zero, so that their lengths compare"
    assert picture.summary == "Transfer. MR 80.00 (largest class 50.00)."
    assert picture.figure.layout.yaxis.title.text == "accuracy × 100"


def test_the_floor_of_a_task_stands_on_its_own_bar():
    """Also beside a task without a score, which has neither."""
    floors = {"MR": 50.0, "CR": 64.0}
    bars, floor = score_bars({"MR": Score(None), "CR": Score(80.0)}, floors, "largest class", "a", "b").figure.data
    assert (bars.x, bars.y) == (("CR",), (80.0,)) and (floor.x, floor.y) == (("CR",), (64.0,))


def test_nothing_to_draw_is_refused():
    for draw in [
        lambda: score_points({}, "a", "b"),
        lambda: score_points({"all": {}}, "a", "b"),
        lambda: score_bars({}, {}, "c", "a", "b"),
    ]:
        with pytest.raises(KitError, match="at least one score"):
            draw()
