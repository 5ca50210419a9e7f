"""The rules of the scoreboard: from an effect and its interval to a verdict.

An effect is "new minus old" for each seed, summarised by its mean and 95 % interval over the seeds. A rule
says what a claim predicts, as a range of effects:

above         the effect is above 0
below         the effect is below 0
alike         the effect is smaller than a margin, whatever its sign
no worse      the effect is above −margin
costs little  the effect is below 0, but above −margin
reaches       the value (of one encoder) reaches a target, the whole interval (one seed stands for itself)

The interval decides, never the mean: "replicates" if all of it lies in the range; "contradicted" if none of it
does, or if it lies within ±margin where "above" or "below" promised a difference (then there is no effect of a
size that counts); "undecided" if it is partly inside the range, partly outside: more seeds could tell. "not comparable"
is said beforehand, of a comparison that measures something else than the claim is about. A claim of several
parts has the weakest of their verdicts. Where all seeds have one value there is no interval: the value is judged in its
place, and the verdict says so.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kit.errors import KitError, check_name

REPLICATES, UNDECIDED, NOT_COMPARABLE, CONTRADICTED = "replicates", "undecided", "not comparable", "contradicted"
VERDICTS = (CONTRADICTED, NOT_COMPARABLE, UNDECIDED, REPLICATES)  # from the weakest
WITH_MARGIN = ("alike", "no worse", "costs little", "reaches")
RULES = ("above", "below", *WITH_MARGIN)
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Effect:
    """A mean over seeds and its 95 % interval; from one value, or equal ones, low and high are that value. Lessons 05,
    06 and 11."""

    mean: float
    low: float
    high: float
    n: int
    sd: float = 0.0

    @property
    def has_interval(self) -> bool:
        """Equal values have none: they do not say how far another seed may lie from them."""
        return self.n > 1 and self.low < self.high


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
    """One of `VERDICTS`, but "not comparable", which no number can tell.

    margin: above 0. The rules in `WITH_MARGIN` need one; for "above" and "below" it is the smallest effect
    that counts (None: an interval that holds zero stays undecided, however narrow). An effect of one seed has no
    interval and is "undecided", except that "reaches" needs none.
    Raises `KitError` for an unknown rule, or a margin that is missing or not above 0. Lessons 05, 06 and 11.
    """
    check_name("rule", rule, RULES)
    if (margin is None and rule in WITH_MARGIN) or (margin is not None and not margin > 0):
        raise KitError(f"expected a margin above 0 for the rule {rule!r}, got {margin}: state what counts beforehand.")
    if rule == "reaches":
        return REPLICATES if effect.low >= margin else CONTRADICTED if effect.high < margin else UNDECIDED
    lowest, highest = predicted(rule, margin)
    if effect.n < 2:
        return UNDECIDED
    if lowest < effect.low and effect.high < highest:
        return REPLICATES
    outside = effect.high <= lowest or effect.low >= highest
    return CONTRADICTED if outside or no_effect(rule, effect, margin) else UNDECIDED


def predicted(rule: str, margin: float | None = None) -> tuple[float, float]:
    """The open range in which the rule predicts an effect; all rules but "reaches"."""
    return {
        "above": (0, math.inf),
        "below": (-math.inf, 0),
        "alike": (-(margin or 0), margin or 0),
        "no worse": (-(margin or 0), math.inf),
        "costs little": (-(margin or 0), 0),
    }[rule]


def no_effect(rule: str, effect: Effect, margin: float | None) -> bool:
    """Whether a difference was promised, and the interval holds zero and nothing of a size that counts. Lesson 11."""
    promised = rule in ("above", "below") and margin is not None and effect.n > 1
    return promised and effect.low <= 0 <= effect.high and -margin < effect.low and effect.high < margin


def weakest(verdicts: Iterable[str]) -> str:
    """The verdict of a claim, given those of its parts. Raises `KitError` if there are none."""
    verdicts = list(verdicts)
    if not verdicts:
        raise KitError("expected at least one verdict, got none: a claim has at least one part.")
    return min(verdicts, key=VERDICTS.index)


def in_words(rule: str, margin: float | None = None, unit: str = "points") -> str:
    """What the rule predicts: "within ±1 points", "above 0; no effect if an interval with 0 lies within ±1 points", …

    Lesson 11.
    """
    nothing = f"; no effect if an interval with 0 lies within ±{margin:g} {unit}" if margin else ""
    return {
        "above": "above 0" + nothing,
        "below": "below 0" + nothing,
        "alike": f"within ±{margin:g} {unit}" if margin else "",
        "no worse": f"above −{margin:g} {unit}" if margin else "",
        "costs little": f"below 0 and above −{margin:g} {unit}" if margin else "",
        "reaches": f"{margin:g} {unit} or more, the whole interval" if margin else "",
    }[rule]
