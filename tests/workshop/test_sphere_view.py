"""Vectors on a sphere: true angles to the pole, a plane that stands still, and shares of cosines."""

from __future__ import annotations

import numpy as np
import pytest

from kit.workshop.sphere_view import COSINES, SphereView, cosine_shares, mean_direction, nearest, plane_round, unit


def test_known_places() -> None:
    """The pole is the first axis; the plane the second and third."""
    view = SphereView(np.eye(4)[0], np.eye(4)[1:3])
    points = unit([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [-1, 0, -1e-9, 0], [0, 0, 0, 1]])
    assert view.places(points) == {"theta": [0, 450, 900, 1800, 900], "phi": [0, 0, 90, 270, 0]}


def test_the_pole_is_the_mean_of_directions_whatever_their_lengths() -> None:
    assert mean_direction(np.array([[9.0, 0], [0, 0.1]])) == pytest.approx([0.5**0.5, 0.5**0.5])


def test_a_point_that_stands_still_stays_where_it_is_seen() -> None:
    dice = np.random.default_rng(0)
    points = unit(dice.normal(size=(30, 12)))
    pole = mean_direction(points)
    view = SphereView(pole, plane_round(pole, points))
    before, moved = view.places(points), points.copy()
    moved[1:] = unit(points[1:] + dice.normal(size=(29, 12)))
    after = view.places(moved)
    assert [before[key][0] for key in before] == [after[key][0] for key in after] and before != after
    along = np.var(points @ view.plane.T, axis=0)
    others = np.var(points @ np.linalg.qr(dice.normal(size=(12, 12)))[0], axis=0)
    assert along.min() > np.median(others), "the plane in which they differ"


def test_shares_are_thousandths_of_all_cosines() -> None:
    shares = cosine_shares(np.array([[1.0, 0], [1, 0], [0, 1]]), [-1, -0.5, 0.5, 1])
    assert shares == [0, 667, 333]
    assert COSINES[0] == -1 and COSINES[-1] == 1, "no cosine is outside"


def test_the_nearest_are_other_points_in_their_order() -> None:
    angles = np.radians([0, 10, 30, 90])
    assert nearest(np.stack([np.cos(angles), np.sin(angles)], axis=1), 2) == [[1, 2], [0, 2], [1, 0], [2, 1]]
