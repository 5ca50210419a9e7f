"""Intervals and paired tests: a plain loop as the reference, coverage, power, and what is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from kit.errors import KitError
from kit.evaluation import interval, p_value, resample, swapped_differences
from kit.evaluation.aggregation import rows_of
from kit.evaluation.significance import _draws

LIBRARY = {"spearman": spearmanr, "pearson": pearsonr}


def correlated(n: int, rho: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two normal variables [n] with correlation `rho`."""
    generator = np.random.default_rng(seed)
    gold = generator.normal(size=n)
    return rho * gold + math.sqrt(1 - rho**2) * generator.normal(size=n), gold


@pytest.mark.filterwarnings("ignore:An input array is constant")
@pytest.mark.parametrize("correlation", ["spearman", "pearson"])
def test_every_resample_is_what_the_library_gives_for_the_pairs_drawn(correlation):
    """Plain loop: write out each resample pair by pair and correlate it, subset by subset."""
    generator = np.random.default_rng(1)
    subsets = [("big", "small", "other")[place] for place in generator.choice(3, 60, p=[0.6, 0.15, 0.25])]
    predicted, gold = generator.integers(0, 9, 60) / 3, generator.integers(0, 6, 60).astype(float)  # many ties
    found = resample(predicted, gold, subsets, 40, seed=5, correlation=correlation)
    weights = np.concatenate(list(_draws(rows_of(subsets), 40, 5))).astype(int)
    correlate, labels = LIBRARY[correlation], np.array(subsets)
    sizes = {name: int((labels == name).sum()) for name in found.parts}
    assert list(found.parts) == list(dict.fromkeys(subsets))
    for number, drawn in enumerate(weights):
        rows = np.repeat(np.arange(60), drawn)
        assert len(rows) == 60
        parts = {}
        for name in sizes:
            inside = rows[labels[rows] == name]
            parts[name] = 100 * correlate(predicted[inside], gold[inside])[0]
        assert found.aggregated["all"][number] == pytest.approx(100 * correlate(predicted[rows], gold[rows])[0])
        for name, value in parts.items():
            assert (labels[rows] == name).sum() == sizes[name]  # every subset keeps its size
            assert found.parts[name][number] == pytest.approx(value, abs=1e-9, nan_ok=True)
        assert found.aggregated["mean"][number] == pytest.approx(sum(parts.values()) / 3, nan_ok=True)
        weighted = sum(sizes[name] * value for name, value in parts.items()) / 60
        assert found.aggregated["wmean"][number] == pytest.approx(weighted, nan_ok=True)
    assert np.isfinite(found.aggregated["wmean"]).sum() > 30


def test_an_outlier_takes_no_resample_away():
    """Where it is not drawn the others still differ, by little beside it."""
    predicted, gold = correlated(50, 0.7)
    predicted[7] = 1e7
    found = resample(predicted, gold, resamples=200, correlation="pearson").aggregated["all"]
    weights = np.concatenate(list(_draws(rows_of(["own"] * 50), 200, 0))).astype(int)
    rows = [np.repeat(np.arange(50), drawn) for drawn in weights]
    assert found == pytest.approx([100 * pearsonr(predicted[one], gold[one])[0] for one in rows], abs=1e-6)
    assert any(7 not in one for one in rows) and any(7 in one for one in rows)
    swapped = swapped_differences(predicted, correlated(50, 0.7, seed=1)[0], gold, swaps=50, correlation="pearson")
    assert np.isfinite(swapped).all()
    assert resample([3.0, 3.0, 9e6], [1, 2, 3], resamples=60, correlation="pearson").aggregated["all"].tolist() != []


def test_nothing_depends_on_how_many_resamples_are_held_at_a_time(monkeypatch):
    predicted, gold = correlated(50, 0.5)
    whole = resample(predicted, gold, resamples=30)
    swapped = swapped_differences(predicted, -gold, gold, swaps=30)
    assert len(whole.aggregated["all"]) == len(swapped) == 30
    for cells in (50 * 7, 9):  # seven at a time; not even one
        monkeypatch.setattr("kit.evaluation.significance.CELLS", cells)
        monkeypatch.setattr("kit.evaluation.significance.CACHED", cells // 2)
        parts = resample(predicted, gold, resamples=30)
        np.testing.assert_array_equal(whole.aggregated["all"], parts.aggregated["all"])
        np.testing.assert_array_equal(swapped, swapped_differences(predicted, -gold, gold, swaps=30))


@pytest.mark.slow
def test_nine_in_ten_intervals_of_ninety_percent_hold_the_truth():
    """Spearman's correlation of two normal variables is 6/π · asin(ρ/2) (Pearson 1907)."""
    for n, rho in [(60, 0.3), (60, 0.8), (200, 0.6)]:
        truth, samples = 600 / math.pi * math.asin(rho / 2), 200
        held = 0
        for seed in range(samples):
            around = interval(resample(*correlated(n, rho, seed), resamples=300, seed=seed).aggregated["all"], 0.9)
            held += around.low <= truth <= around.high
        assert 0.83 <= held / samples <= 0.97  # 0.9 ± 3.3 standard errors


def test_more_pairs_make_a_narrower_interval_and_more_confidence_a_wider_one():
    def width(n: int, confidence: float) -> float:
        around = interval(resample(*correlated(n, 0.5), resamples=400).aggregated["all"], confidence)
        return around.high - around.low

    assert width(100, 0.95) > 1.5 * width(400, 0.95) and width(100, 0.99) > width(100, 0.95) > width(100, 0.5)


def test_the_same_seed_draws_the_same_pairs_so_that_differences_are_paired():
    first, gold = correlated(200, 0.6)
    second = first + 0.05 * np.random.default_rng(9).normal(size=200)  # nearly the same system
    draws = [resample(system, gold, resamples=300, seed=3).aggregated["all"] for system in (first, second)]
    other = resample(second, gold, resamples=300, seed=4).aggregated["all"]
    assert (draws[0] - draws[1]).std() < 0.2 * (draws[0] - other).std()


def test_a_system_compared_with_itself_never_differs():
    system, gold = correlated(80, 0.5)
    null = swapped_differences(system, system, gold, swaps=50)
    assert np.abs(null).max() < 1e-9 and p_value(0.0, null) == 1


def test_the_permutation_test_finds_a_better_system_and_no_other():
    gold = np.random.default_rng(0).normal(size=300)
    noise = np.random.default_rng(1).normal(size=(2, 300))
    good, bad, other = gold + noise[0], gold + 2.5 * noise[1], gold + noise[1]

    def p(first: np.ndarray, second: np.ndarray) -> float:
        observed = 100 * (spearmanr(first, gold)[0] - spearmanr(second, gold)[0])
        return p_value(observed, swapped_differences(first, second, gold, swaps=500))

    assert p(good, bad) < 0.01 and p(bad, good) < 0.01 and p(good, other) > 0.1


@pytest.mark.parametrize("correlation", ["spearman", "pearson"])
def test_equal_systems_are_called_different_as_often_as_p_says(correlation):
    """Two systems equally good, on other scales: p below 0.2 in about a fifth of the cases."""
    below = 0
    for seed in range(150):
        generator = np.random.default_rng(seed)
        gold = generator.normal(size=60)
        first, second = gold + generator.normal(size=60), 0.01 * (gold + generator.normal(size=60)) + 7
        scores = [100 * LIBRARY[correlation](system, gold)[0] for system in (first, second)]
        null = swapped_differences(first, second, gold, swaps=99, seed=seed, correlation=correlation)
        below += p_value(scores[0] - scores[1], null) <= 0.2
    assert 0.08 <= below / 150 <= 0.32


def test_swaps_are_those_of_a_plain_loop():
    """Ranks change sides pair by pair, within the subsets for the means."""
    generator = np.random.default_rng(2)
    first, second, gold = generator.normal(size=(3, 24))
    subsets = ["a"] * 14 + ["b"] * 10
    found = swapped_differences(first, second, gold, subsets, "mean", swaps=5, seed=8)
    again, sides = np.random.default_rng(8), {}
    for name in "ab":
        sides[name] = again.random((5, subsets.count(name))) < 0.5
    for number in range(5):
        parts = []
        for name, rows in (("a", slice(0, 14)), ("b", slice(14, 24))):
            one, other = (np.argsort(np.argsort(system[rows])) + 1 for system in (first, second))
            pairs = [(y, x) if swap else (x, y) for x, y, swap in zip(one, other, sides[name][number])]
            left, right = zip(*pairs)
            parts.append(spearmanr(left, gold[rows])[0] - spearmanr(right, gold[rows])[0])
        assert found[number] == pytest.approx(100 * sum(parts) / 2)


def test_p_counts_the_observed_arrangement_in():
    assert p_value(5.0, np.array([-6.0, 1.0, 5.0, 2.0])) == pytest.approx(3 / 5)
    assert p_value(9.0, [-6.0, 1.0]) == pytest.approx(1 / 3)


def test_what_is_undefined_has_no_interval_and_never_a_wrong_one():
    flat = resample([0.5] * 20, list(range(20)), resamples=50)
    assert np.isnan(flat.aggregated["all"]).all() and interval(flat.aggregated["all"]) is None
    # three pairs: one resample in nine draws one pair only, so that no order is left
    few = resample([1, 2, 3, 4, 5, 6], [2, 1, 3, 5, 4, 6], list("aaabbb"), resamples=400)
    assert interval(few.parts["a"]) is None and interval(few.aggregated["mean"]) is None
    assert interval(few.aggregated["all"]) is not None


def test_bad_input_is_one_clear_sentence():
    for call, message in [
        (lambda: resample([1, 2], [1, 2, 3]), "got 2, 3 and 3"),
        (lambda: resample([], []), "at least one pair"),
        (lambda: resample([1, math.nan], [1, 2]), "finite"),
        (lambda: resample([1, 2], [1, 2], resamples=1), "as a whole number from 2"),
        (lambda: resample([1, 2], [1, 2], resamples=2.5), "as a whole number from 2"),
        (lambda: resample([1, 2], [1, 2], correlation="spearmen"), "did you mean 'spearman'"),
        (lambda: interval(np.arange(9.0), 95), "between 0 and 1"),
        (lambda: interval(np.arange(9.0), 1), "between 0 and 1"),
        (lambda: interval(np.arange(9.0), 1.5), "between 0 and 1"),
        (lambda: swapped_differences([1, 2], [1, 2], [1, 2], aggregation="weighted"), "unknown aggregation"),
        (lambda: swapped_differences([1, 2], [1, 2, 3], [1, 2]), "got 3, 2 and 2"),
    ]:
        with pytest.raises(KitError, match=message):
            call()
