"""Planning: how likely a number of seeds is to settle a claim, before any is run.

The differences of the seeds are taken as normal around the true effect. Their mean is then normal, and their
standard deviation, over the true one, is s = sqrt(χ²/ν) with ν = n − 1 degrees of freedom. Given s, the chance
that the 95 % interval lies within the predicted range is a difference of two normal probabilities; the mean of
it over s is the chance. For "above" this is the tail of the noncentral t distribution.
"""

from __future__ import annotations

import math
from functools import lru_cache

from kit.course.papers.rule import CONFIDENCE, WITH_MARGIN, predicted
from kit.errors import KitError, check_name

PARTS = 240  # of the range of s, even (Simpson)
RULES = ("above", "below", "alike", "no worse", "costs little")


@lru_cache
def quantile(seeds: int) -> float:
    """Student's t that cuts off 2.5 % on either side, for so many seeds."""
    from scipy.stats import t

    return float(t.ppf((1 + CONFIDENCE) / 2, seeds - 1))


def chance_to_replicate(rule: str, effect: float, spread: float, seeds: int, margin: float | None = None) -> float:
    """The chance (0 to 1) that so many seeds get the verdict "replicates": the power.

    effect: the true one; spread: the standard deviation of the difference between seeds, both in the unit of
    the margin. Raises `KitError` for an unknown rule, a missing margin, a spread below 0, or fewer than two
    seeds. Lesson 11.
    """
    check_name("rule", rule, RULES)
    if rule in WITH_MARGIN and not (margin and margin > 0):
        raise KitError(f"expected a margin above 0 for the rule {rule!r}, got {margin}: state what counts beforehand.")
    if not spread >= 0 or seeds < 2:
        raise KitError(f"expected a spread of 0 or more and two seeds or more, got {spread!r} and {seeds!r}.")
    lowest, highest = predicted(rule, margin)
    if spread == 0:
        return float(lowest < effect < highest)
    error = spread / math.sqrt(seeds)

    def given(s: float) -> float:
        half = quantile(seeds) * s
        return max(0.0, _normal((highest - effect) / error - half) - _normal((lowest - effect) / error + half))

    return _mean_over_s(given, seeds - 1)


def seeds_to_replicate(
    rule: str, effect: float, spread: float, chance: float = 0.8, margin: float | None = None, most: int = 100
) -> int | None:
    """The fewest seeds that replicate with that `chance`; None if `most` do not. Errors as `chance_to_replicate`.

    Lesson 11.
    """
    enough = (n for n in range(2, most + 1) if chance_to_replicate(rule, effect, spread, n, margin) >= chance)
    return next(enough, None)


def _mean_over_s(given, freedom: int) -> float:
    """The mean of `given` over s = sqrt(χ²/freedom), by Simpson's rule; the weights are made to add up to 1."""
    step = (1 + 6 / math.sqrt(freedom)) / PARTS
    total = weights = 0.0
    for i in range(PARTS + 1):
        s = i * step
        density = math.exp(-freedom * (s * s - 1) / 2) * s ** (freedom - 1)
        weight = density * (1 if i in (0, PARTS) else 4 if i % 2 else 2)
        weights += weight
        total += weight * given(s)
    return total / weights


def _normal(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2
