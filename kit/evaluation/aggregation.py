"""Three ways to make one figure of a task with several subsets.

A year of STS has three to six subsets (headlines, images, forums ...). Papers differ in how they combine them, often
without saying so, and by several points:

    all    one correlation over the pairs of all subsets together
    mean   one correlation per subset, then their unweighted mean
    wmean  one correlation per subset, then their mean weighted by the number of pairs

`all` also asks that cosines be comparable *between* subsets; the other two do not. Reimers & Gurevych 2019 and Gao et
al. 2021 (SimCSE, appendix B, which compares the three) use `all`, Liao 2021 uses `wmean`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name
from kit.evaluation.vectors import CORRELATIONS, as_list, pearson, spearman

AGGREGATIONS = ("all", "mean", "wmean")


@dataclass(frozen=True)
class SubsetScore:
    """Correlations ×100 of one subset with `pairs` pairs; None where undefined."""

    name: str
    pairs: int
    spearman: float | None
    pearson: float | None = None


@dataclass(frozen=True)
class Aggregated:
    """One correlation ×100 in the three aggregations; None where undefined."""

    all: float | None
    mean: float | None
    wmean: float | None


@checked
def by_subset(cosines: Any, scores: Any, subsets: Sequence[str]) -> tuple[SubsetScore, ...]:
    """Spearman's and Pearson's correlation of each subset, in order of first appearance.

    cosines, scores, subsets: one entry for each pair [n]. Raises KitError for lists of
    different lengths, an empty list, and numbers that are not finite.
    """
    cosines, scores = checked_pairs(cosines, scores, subsets)
    parts = []
    for name, rows in rows_of(subsets).items():
        ranks, line = (correlate(cosines[rows], scores[rows]) for correlate in (spearman, pearson))
        parts.append(SubsetScore(name, len(rows), _percent(ranks), _percent(line)))
    return tuple(parts)


def rows_of(subsets: Sequence[str]) -> dict[str, np.ndarray]:
    """The row numbers of each subset's pairs, subsets in order of first appearance."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(subsets):
        rows.setdefault(str(name), []).append(row)
    return {name: np.array(numbers) for name, numbers in rows.items()}


@checked
def aggregate(cosines: Any, scores: Any, subsets: Sequence[str], correlation: str = "spearman") -> Aggregated:
    """The three aggregations side by side, each Spearman ×100 (or "pearson").

    Arguments and errors as for `by_subset`. `mean` and `wmean` are None where one of
    the subsets is undefined: leaving it out would average another task.
    """
    check_name("correlation", correlation, CORRELATIONS)
    parts = by_subset(cosines, scores, subsets)
    together = spearman(cosines, scores) if correlation == "spearman" else pearson(cosines, scores)
    return Aggregated(_percent(together), subset_mean(parts, correlation), subset_wmean(parts, correlation))


def subset_mean(parts: Sequence[SubsetScore], correlation: str = "spearman") -> float | None:
    """The unweighted mean over the subsets; None where there is none or one is undefined."""
    return mean_or_none([getattr(part, correlation) for part in parts])


def subset_wmean(parts: Sequence[SubsetScore], correlation: str = "spearman") -> float | None:
    """The mean weighted by the number of pairs; None where there is none or one is undefined."""
    values = [getattr(part, correlation) for part in parts]
    if not parts or any(value is None for value in values):
        return None
    total = sum(part.pairs * value for part, value in zip(parts, values, strict=True))
    return total / sum(part.pairs for part in parts)


def mean_or_none(values: Sequence[float | None]) -> float | None:
    """The mean; None where there is no value or one of them is None."""
    if not values or any(value is None for value in values):
        return None
    return sum(values) / len(values)


def _percent(correlation: float | None) -> float | None:
    return None if correlation is None else 100 * correlation


def checked_pairs(cosines: Any, scores: Any, subsets: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and scores as float64 [n], if all three lists are equally long; else KitError."""
    cosines, scores = as_list(cosines, "cosines"), as_list(scores, "gold scores")
    if not len(cosines) == len(scores) == len(subsets):
        raise KitError(
            f"expected one cosine, one gold score and one subset for each pair, but got "
            f"{len(cosines)}, {len(scores)} and {len(subsets)}."
        )
    if not len(cosines):
        raise KitError("expected at least one pair, but got none: nothing can be correlated.")
    return cosines, scores
