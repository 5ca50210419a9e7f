"""Bootstrap intervals of a correlation, and permutation tests of the difference between two systems.

bootstrap    pairs are drawn again with replacement, as many as there are, within each subset; the
             figure is computed anew each time (Efron & Tibshirani 1993, chapters 6 and 13). The
             middle 95 % of these figures are the interval. It says what another sample of pairs
             would change, not what another training run would: that takes several seeds.
paired       two systems are scored on the same draws, so that what makes a draw hard for both
             cancels out; the interval is that of the difference.
permutation  had a coin decided which system made which prediction of a pair, the other result would
             do as well: predictions change sides at random (as ranks, for the systems' scales
             differ), and p is the fraction of swaps with a difference at least as large.

A resample is held as weights, the times that each pair was drawn. The pairs are then sorted once:
the rank of a pair in a resample follows from a running sum of weights, ties and all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name, shown, unknown_name
from kit.evaluation.aggregation import AGGREGATIONS, checked_pairs, rows_of
from kit.evaluation.vectors import CORRELATIONS, as_array, as_list
from kit.number_checks import is_finite, whole_number

USUAL = "1,000 are usual"
CELLS = 1_500_000  # resamples × pairs drawn at a time: about 12 MB for each array
CACHED = 2**16  # and worked on at a time: what a core's cache holds
DEFINED = 0.95  # share of the resamples that must have a correlation for an interval to be given


@dataclass(frozen=True)
class Interval:
    """Between `low` and `high` lie `confidence` of the resampled figures, all ×100."""

    low: float
    high: float
    confidence: float = 0.95


@dataclass(frozen=True)
class Resampled:
    """The figures ×100 of every resample, NaN where a resample has none.

    aggregated  aggregation -> [resamples]; parts: subset -> [resamples]
    """

    aggregated: dict[str, np.ndarray]
    parts: dict[str, np.ndarray]


@checked
def resample(
    predicted: Any,
    gold: Any,
    subsets: Sequence[str] | None = None,
    resamples: int = 1000,
    seed: int | Sequence[int] = 0,
    correlation: str = "spearman",
) -> Resampled:
    """Bootstrap figures of each subset and each aggregation, from the same draws of pairs.

    predicted, gold  one entry for each pair [n]; subsets: its subset (None: one subset). Two
                     calls with the same subsets and seed draw the same pairs: their figures may
                     be subtracted
    seed             a whole number, or several
    Raises KitError as `aggregate` does, and for fewer than 2 resamples. Lessons 02, 10.
    """
    whole_number("resamples", resamples, 2, USUAL)
    weighted = _weighted(correlation)
    gold = as_list(gold, "gold scores")
    subsets = ["all"] * len(gold) if subsets is None else list(subsets)
    predicted, gold = checked_pairs(predicted, gold, subsets)
    rows = rows_of(subsets)
    together = weighted(predicted, gold)
    apart = {name: weighted(predicted[places], gold[places]) for name, places in rows.items()}
    in_subset: dict[str, list] = {name: [] for name in rows}
    in_all = []
    for weights in _draws(rows, resamples, seed):  # [some resamples, n]
        in_all.append(together(weights))
        for name, places in rows.items():
            in_subset[name].append(apart[name](weights[:, places]))
    parts = {name: 100 * np.concatenate(values) for name, values in in_subset.items()}
    sizes = [len(places) for places in rows.values()]
    table = np.stack(list(parts.values()))  # [subsets, resamples]
    aggregated = {
        "all": 100 * np.concatenate(in_all),
        "mean": table.mean(axis=0),
        "wmean": np.average(table, axis=0, weights=sizes),
    }
    return Resampled(aggregated, parts)


@checked
def interval(figures: np.ndarray, confidence: float = 0.95) -> Interval | None:
    """The middle `confidence` of resampled figures; None where too many of them are undefined.

    With a handful of pairs many resamples have one value only, hence no correlation; what is
    left over would be a selection. Raises KitError for a confidence not between 0 and 1. Lessons 02, 10.
    """
    if not is_finite(confidence) or not 0 < confidence < 1:
        raise KitError(f"expected a confidence between 0 and 1, such as 0.95, got {shown(confidence)}.")
    figures, confidence = as_array(figures, "figures", "a list of numbers"), float(confidence)
    if figures.ndim != 1 or not len(figures):
        raise KitError(f"expected figures as a list of numbers, got shape {figures.shape}: give those of `resample`.")
    defined = figures[np.isfinite(figures)]
    if len(defined) < DEFINED * len(figures):
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high), confidence)


@checked
def swapped_differences(
    first: Any,
    second: Any,
    gold: Any,
    subsets: Sequence[str] | None = None,
    aggregation: str = "all",
    swaps: int = 1000,
    seed: int | Sequence[int] = 0,
    correlation: str = "spearman",
) -> np.ndarray:
    """Differences ×100 [swaps] between two systems whose predictions changed sides at random.

    Each pair's two predictions are swapped with probability one half: for Spearman as ranks, for
    Pearson as standard scores, over all pairs for "all" and within each subset for the means.
    Raises KitError as `aggregate` does, and for an unknown aggregation.
    """
    check_name("aggregation", aggregation, AGGREGATIONS)
    whole_number("swaps", swaps, 2, USUAL)
    _weighted(correlation)
    gold = as_list(gold, "gold scores")
    subsets = ["all"] * len(gold) if subsets is None or aggregation == "all" else list(subsets)
    first, gold = checked_pairs(first, gold, subsets)
    second, gold = checked_pairs(second, gold, subsets)
    rows = rows_of(subsets)
    generator = np.random.default_rng(seed)
    parts = [
        _swap(first[places], second[places], gold[places], swaps, generator, correlation) for places in rows.values()
    ]
    sizes = None if aggregation == "mean" else [len(places) for places in rows.values()]
    return 100 * np.average(np.stack(parts), axis=0, weights=sizes)


def p_value(observed: float, null: np.ndarray) -> float:
    """Two-sided: how often chance gives at least as much, the observed arrangement counted in."""
    null = as_array(null, "null", "a list of numbers")
    defined = null[np.isfinite(null)]
    # the same swap computed along another path may differ in the last digits
    return float((1 + (np.abs(defined) >= abs(observed) - 1e-9).sum()) / (1 + len(defined)))


def _weighted(correlation: str) -> Callable:
    makers = {"spearman": _weighted_spearman, "pearson": _weighted_pearson}
    if correlation not in makers:
        raise unknown_name("correlation", correlation, CORRELATIONS)
    return makers[correlation]


def _draws(rows: dict[str, np.ndarray], resamples: int, seed: int | Sequence[int]) -> Iterator[np.ndarray]:
    """How often each pair is drawn, float64 [some resamples, n]; each subset keeps its size."""
    generator = np.random.default_rng(seed)
    n = sum(map(len, rows.values()))
    at_a_time = max(1, CELLS // n)
    for start in range(0, resamples, at_a_time):
        count = min(at_a_time, resamples - start)
        weights = np.empty((count, n))
        for places in rows.values():
            size = len(places)
            drawn = generator.integers(0, size, (count, size)) + size * np.arange(count)[:, None]
            weights[:, places] = np.bincount(drawn.ravel(), minlength=count * size).reshape(count, size)
        few = max(1, CACHED // n)
        yield from (weights[first : first + few] for first in range(0, count, few))


def _weighted_spearman(predicted: np.ndarray, gold: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A function from weights [resamples, n] to Spearman's correlation in each resample."""
    ranked = [_weighted_ranks(predicted), _weighted_ranks(gold)]

    def correlate(weights: np.ndarray) -> np.ndarray:
        middle = (len(predicted) + 1) / 2  # the mean rank, whatever was drawn
        first, second = (ranks(weights) - middle for ranks in ranked)
        weighted = weights * first
        return _ratio(
            (weighted * second).sum(axis=1), (weighted * first).sum(axis=1), (weights * second * second).sum(axis=1)
        )

    return correlate


def _weighted_ranks(values: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A function from weights [resamples, n] to the rank of each value in each resample."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))  # of each group of ties
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.repeat(np.arange(len(begins)), np.diff([*begins, len(values)]))

    def ranks(weights: np.ndarray) -> np.ndarray:
        size = np.add.reduceat(weights[:, order], begins, axis=1)  # [resamples, groups]
        return (np.cumsum(size, axis=1) - (size - 1) / 2)[:, group]  # ties share their mean rank

    return ranks


def _weighted_pearson(predicted: np.ndarray, gold: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A function from weights [resamples, n] to Pearson's correlation in each resample."""
    x, y = (_standard(values) for values in (predicted, gold))
    moments = np.stack([x, y, x * x, y * y, x * y], axis=1)  # [n, 5]

    def correlate(weights: np.ndarray) -> np.ndarray:
        mean_x, mean_y, xx, yy, xy = (weights @ moments / len(x)).T
        own = ((xx, xx - mean_x**2), (yy, yy - mean_y**2))
        spread = [np.where(variance > 1e-12 * square, variance, 0) for square, variance in own]  # less is rounding
        return _ratio(xy - mean_x * mean_y, *spread)

    return correlate


def _standard(values: np.ndarray) -> np.ndarray:
    """Values about their median in units of their usual distance from it, so that one far outlier hides no other."""
    values = values - np.median(values)
    spread = np.median(np.abs(values)) or values.std()
    return values / (spread if spread > 0 else 1)


def _ratio(covariance: np.ndarray, variance1: np.ndarray, variance2: np.ndarray) -> np.ndarray:
    """Covariance over the root of the variances; NaN where one of them is zero."""
    product = variance1 * variance2
    defined = (variance1 > 1e-12) & (variance2 > 1e-12)
    return np.where(defined, covariance / np.sqrt(np.where(defined, product, 1)), np.nan)


def _swap(
    first: np.ndarray,
    second: np.ndarray,
    gold: np.ndarray,
    swaps: int,
    generator: np.random.Generator,
    correlation: str,
) -> np.ndarray:
    """Differences of two correlations [swaps] after predictions of one subset changed sides."""
    from scipy.stats import rankdata

    ranked = correlation == "spearman"
    scale = rankdata if ranked else _standard
    first, second, gold = scale(first), scale(second), scale(gold)
    differences, at_a_time = [], max(1, CELLS // len(gold))
    for start in range(0, swaps, at_a_time):
        swapped = generator.random((min(at_a_time, swaps - start), len(gold))) < 0.5
        sides = np.where(swapped, second, first), np.where(swapped, first, second)
        one, other = (_correlate(rankdata(side, axis=1) if ranked else side, gold) for side in sides)
        differences.append(one - other)
    return np.concatenate(differences)


def _correlate(rows: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each row [some, n] with `gold` [n]."""
    rows, gold = rows - rows.mean(axis=1, keepdims=True), gold - gold.mean()
    return _ratio(rows @ gold, (rows * rows).sum(axis=1), (gold @ gold) * np.ones(len(rows)))
