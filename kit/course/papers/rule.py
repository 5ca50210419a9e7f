"""The rules of the scoreboard, fixed before anything was measured: from an effect and its interval to a verdict.

An effect is "new minus old" for each seed, summarised by its mean and 95 % interval over the seeds. A rule
says what a claim predicts:

above         the effect is above 0
below         the effect is below 0
alike         the effect is smaller than a margin, whatever its sign
no worse      the effect is above −margin
costs little  the effect is below 0, but above −margin
reaches       the value (of one encoder) reaches a target with every seed

Three verdicts: "replicates" if the whole interval agrees with the prediction; "same sign" if only the mean
does; "does not replicate" if the mean does not. For "reaches", which has no opposite sign, "same sign" means
more than half of the target. A claim of several parts has the weakest of their verdicts.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kit.errors import KitError, unknown_name

REPLICATES, SAME_SIGN, NOT = "replicates", "same sign", "does not replicate"
VERDICTS = (NOT, SAME_SIGN, REPLICATES)  # from the weakest
WITH_MARGIN = ("alike", "no worse", "costs little", "reaches")
RULES = ("above", "below", *WITH_MARGIN)
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Effect:
    """A mean over seeds and its 95 % interval; from a single value, low and high are that value. Lesson 11."""

    mean: float
    low: float
    high: float
    n: int
    sd: float = 0.0

    @property
    def has_interval(self) -> bool:
        return self.n > 1


def effect_of(values: Sequence[float]) -> Effect:
    """Mean and 95 % interval (Student's t, n − 1 degrees of freedom) of one value per seed.

    Raises `KitError` if there are no values or one is not finite. Lesson 11.
    """
    if not values:
        raise KitError("expected one effect for each seed, got none: run the claim first.")
    if not all(math.isfinite(value) for value in values):
        raise KitError(f"expected finite effects, got {list(values)}: a measure is undefined for one of the encoders.")
    mean = statistics.fmean(values)
    if len(values) == 1:
        return Effect(mean, mean, mean, 1)
    from scipy.stats import t

    sd = statistics.stdev(values)
    half = float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * sd / math.sqrt(len(values))
    return Effect(mean, mean - half, mean + half, len(values), sd)


def verdict(rule: str, effect: Effect, margin: float | None = None) -> str:
    """One of `VERDICTS`. The rules in `WITH_MARGIN` need a `margin` above 0.

    An effect of one seed has no interval and is at best "same sign"; "reaches" needs no interval.
    Raises `KitError` for an unknown rule, or a margin that is missing or not above 0. Lesson 11.
    """
    if rule not in RULES:
        raise unknown_name("rule", rule, RULES)
    if rule in WITH_MARGIN and not (margin and margin > 0):
        raise KitError(f"expected a margin above 0 for the rule {rule!r}, got {margin}: state what counts beforehand.")
    if rule == "reaches":
        return REPLICATES if effect.low >= margin else SAME_SIGN if effect.mean > margin / 2 else NOT
    lowest, highest = {
        "above": (0, math.inf),
        "below": (-math.inf, 0),
        "alike": (-(margin or 0), margin),
        "no worse": (-(margin or 0), math.inf),
        "costs little": (-(margin or 0), 0),
    }[rule]
    if not lowest < effect.mean < highest:
        return NOT
    return REPLICATES if effect.has_interval and lowest < effect.low and effect.high < highest else SAME_SIGN


def weakest(verdicts: Iterable[str]) -> str:
    """The verdict of a claim, given those of its parts. Raises `KitError` if there are none."""
    verdicts = list(verdicts)
    if not verdicts:
        raise KitError("expected at least one verdict, got none: a claim has at least one part.")
    return min(verdicts, key=VERDICTS.index)


def in_words(rule: str, margin: float | None = None, unit: str = "points") -> str:
    """What the rule predicts: "above 0", "within ±1 points", … Lesson 11."""
    return {
        "above": "above 0",
        "below": "below 0",
        "alike": f"within ±{margin:g} {unit}" if margin else "",
        "no worse": f"above −{margin:g} {unit}" if margin else "",
        "costs little": f"below 0 and above −{margin:g} {unit}" if margin else "",
        "reaches": f"{margin:g} {unit} or more with every seed" if margin else "",
    }[rule]
