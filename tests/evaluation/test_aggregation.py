"""The three aggregations, by hand on tiny numbers."""

from __future__ import annotations

import numpy as np
import pytest

from kit.errors import KitError
from kit.evaluation import Aggregated, SubsetScore, aggregate, by_subset, mean_or_none, subset_mean, subset_wmean

# Subset "a" (4 pairs) is ordered perfectly, "b" (2 pairs) the wrong way round.
SUBSETS = ["a", "a", "b", "a", "a", "b"]
SCORES = [1, 2, 5, 3, 4, 6]
COSINES = [0.1, 0.2, 0.6, 0.3, 0.4, 0.5]


def test_the_three_aggregations_differ_as_computed_by_hand():
    found = aggregate(COSINES, SCORES, SUBSETS)
    # together: ranks of the cosines 1 2 6 3 4 5, of the scores 1 2 5 3 4 6; Σd² = 2
    assert found.all == pytest.approx(100 * (1 - 6 * 2 / (6 * 35)))
    assert found.mean == pytest.approx((100 - 100) / 2)
    assert found.wmean == pytest.approx((4 * 100 - 2 * 100) / 6)


def test_subsets_keep_their_order_and_their_pairs():
    assert [(part.name, part.pairs) for part in by_subset(COSINES, SCORES, SUBSETS)] == [("a", 4), ("b", 2)]
    backwards = by_subset(COSINES[::-1], SCORES[::-1], SUBSETS[::-1])
    assert [part.name for part in backwards] == ["b", "a"]
    assert [part.spearman for part in backwards] == pytest.approx([-100, 100])


def test_only_all_minds_that_two_subsets_have_different_levels():
    """Both subsets are ordered perfectly, but on scales that do not match."""
    cosines = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]
    scores = [4, 4.5, 5, 0, 0.5, 1]
    found = aggregate(cosines, scores, ["low"] * 3 + ["high"] * 3)
    assert found.mean == found.wmean == pytest.approx(100)
    assert found.all < 0


def test_one_subset_makes_all_three_equal():
    found = aggregate(COSINES, SCORES, ["STS-B"] * 6)
    assert found.all == found.mean == found.wmean


def test_an_undefined_subset_leaves_the_means_undefined_but_not_all():
    found = aggregate([0.1, 0.2, 0.5, 0.5], [1, 2, 3, 4], ["a", "a", "b", "b"])
    assert found.all == pytest.approx(94.8683, abs=1e-4)
    assert (found.mean, found.wmean) == (None, None)


def test_constant_cosines_leave_everything_undefined():
    assert aggregate([0.5] * 4, [1, 2, 3, 4], list("aabb")) == Aggregated(None, None, None)


def test_means_of_given_subset_scores():
    parts = [SubsetScore("a", 3, 50.0), SubsetScore("b", 1, 90.0)]
    assert subset_mean(parts) == 70.0
    assert subset_wmean(parts) == 60.0
    assert subset_mean([]) is None and subset_wmean([]) is None and mean_or_none([1, None]) is None
    assert mean_or_none([0.0, 0.0]) == 0.0


def test_bad_input_is_refused():
    for cosines, scores, subsets, message in [
        ([0.1], [1, 2], ["a", "a"], "got 1, 2 and 2"),
        ([0.1, 0.2], [1, 2], ["a"], "got 2, 2 and 1"),
        ([], [], [], "at least one pair"),
        ([0.1, float("nan")], [1, 2], ["a", "a"], "finite cosines"),
        ([0.1, 0.2], [1, float("inf")], ["a", "a"], "finite gold scores"),
    ]:
        with pytest.raises(KitError, match=message):
            aggregate(cosines, scores, subsets)


def test_pearson_is_aggregated_alike():
    cosines = [0.1, 0.2, 0.9, 0.3, 0.4, 0.8]
    found = aggregate(cosines, SCORES, SUBSETS, "pearson")
    parts = {part.name: part.pearson for part in by_subset(cosines, SCORES, SUBSETS)}
    assert parts == {"a": pytest.approx(100), "b": pytest.approx(-100)}  # both subsets lie on a line
    assert (found.mean, found.wmean) == (pytest.approx(0), pytest.approx(100 / 3))
    assert found.all == pytest.approx(100 * np.corrcoef(cosines, SCORES)[0, 1])
    assert found.all != pytest.approx(aggregate(cosines, SCORES, SUBSETS).all)
    with pytest.raises(KitError, match="did you mean 'pearson'"):
        aggregate(cosines, SCORES, SUBSETS, "person")
