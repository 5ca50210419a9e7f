"""The line between two runs: its points are the scores, its sentence is computed from them."""

from __future__ import annotations

import pytest

from kit.errors import KitError
from kit.figures import weight_line

PLACES = [0, 0.25, 0.5, 0.75, 1]


def test_a_hump_and_a_valley_are_told_by_what_is_farthest_from_the_ends() -> None:
    hump, valley = [70.0, 71.0, 72.5, 71.0, 70.5], [60.0, 50.0, 44.0, 43.5, 61.0]
    picture = weight_line({"one start": {"places": PLACES, "all": hump}, "two": {"places": PLACES, "all": valley}})
    assert "one start: 70.0 and 70.5 at the ends, highest 72.5 at 50% of the other, 2.0 above the better end" in (
        picture.summary
    )
    assert (
        "two: 60.0 and 61.0 at the ends, lowest 43.5 at 75% of the other, 16.5 below the worse end." in picture.summary
    )
    first, second = picture.figure.data
    assert list(first.x) == PLACES and list(first.y) == hump and list(second.y) == valley
    assert first.line.color != second.line.color and first.line.dash != second.line.dash
    assert [size > first.marker.size[1] for size in first.marker.size] == [True, False, False, False, True]
    assert picture.figure.layout.xaxis.title.text and picture.figure.layout.yaxis.title.text


def test_a_line_that_stays_between_its_ends_is_told_so_and_places_are_put_in_order() -> None:
    picture = weight_line({"flat": {"places": [1, 0.5, 0], "all": [3.0, 2.0, 1.0]}})
    assert picture.summary == "flat: 1.0 and 3.0 at the ends, never above or below both ends between them."
    assert list(picture.figure.data[0].x) == [0, 0.5, 1]


def test_what_is_no_line_is_said() -> None:
    for lines, said in (
        ({}, "at least one line"),
        ({"short": {"places": [0, 1], "all": [1.0, 2.0]}}, "three places"),
        ({"open": {"places": [0.1, 0.5, 1], "all": [1.0, 2.0, 3.0]}}, "on the line of open"),
        ({"uneven": {"places": [0, 0.5, 1], "all": [1.0, 2.0]}}, "a score for each place"),
    ):
        with pytest.raises(KitError, match=said):
            weight_line(lines)
