"""The rule of the scoreboard on effects that are made up: what each verdict needs."""

from __future__ import annotations

import math
import statistics

import pytest

from kit.course.papers import Effect, effect_of, verdict, weakest
from kit.course.papers.rule import NOT, REPLICATES, RULES, SAME_SIGN, WITH_MARGIN, in_words
from kit.errors import KitError


def around(mean: float, half: float, n: int = 3) -> Effect:
    return Effect(mean, mean - half, mean + half, n)


def test_the_interval_is_students() -> None:
    """Three seeds: t with two degrees of freedom is 4.3027."""
    values = [1.0, 2.0, 4.0]
    effect = effect_of(values)
    half = 4.302653 * statistics.stdev(values) / math.sqrt(3)
    assert effect.mean == pytest.approx(7 / 3) and effect.n == 3
    assert (effect.low, effect.high) == pytest.approx((7 / 3 - half, 7 / 3 + half), abs=1e-5)


def test_one_seed_has_no_interval() -> None:
    effect = effect_of([2.0])
    assert not effect.has_interval and (effect.low, effect.high) == (2.0, 2.0)
    assert verdict("above", effect) == SAME_SIGN


VERDICTS = [  # rule, mean, half the interval, margin, verdict
    ("above", 2.0, 1.0, None, REPLICATES),
    ("above", 2.0, 2.5, None, SAME_SIGN),
    ("above", -0.1, 5.0, None, NOT),
    ("above", 0.0, 0.0, None, NOT),
    ("above", 2.0, 2.0, None, SAME_SIGN),
    ("below", -2.0, 1.0, None, REPLICATES),
    ("below", -2.0, 2.5, None, SAME_SIGN),
    ("below", 0.3, 0.1, None, NOT),
    ("alike", 0.2, 0.5, 1.0, REPLICATES),
    ("alike", 0.2, 0.9, 1.0, SAME_SIGN),
    ("alike", -1.2, 0.1, 1.0, NOT),
    ("alike", 0.0, 0.0, 1.0, REPLICATES),
    ("no worse", 5.0, 1.0, 1.0, REPLICATES),
    ("no worse", -0.5, 0.4, 1.0, REPLICATES),
    ("no worse", -0.5, 0.6, 1.0, SAME_SIGN),
    ("no worse", -1.5, 0.1, 1.0, NOT),
    ("costs little", -2.0, 1.0, 6.5, REPLICATES),
    ("costs little", -2.0, 2.5, 6.5, SAME_SIGN),
    ("costs little", -6.0, 1.0, 6.5, SAME_SIGN),
    ("costs little", -7.0, 0.1, 6.5, NOT),
    ("costs little", 0.5, 0.1, 6.5, NOT),
    ("reaches", 100.0, 0.0, 90.0, REPLICATES),
    ("reaches", 84.0, 0.0, 90.0, SAME_SIGN),
    ("reaches", 40.0, 0.0, 90.0, NOT),
    ("reaches", 3.7, 1.0, 4.0, SAME_SIGN),
]


def test_each_verdict() -> None:
    found = [(*row[:4], verdict(row[0], around(*row[1:3]), row[3])) for row in VERDICTS]
    assert found == VERDICTS


def test_a_target_needs_every_seed() -> None:
    assert verdict("reaches", effect_of([4.0, 4.0, 4.0]), 4.0) == REPLICATES
    assert verdict("reaches", effect_of([4.0, 4.0, 3.0]), 4.0) == SAME_SIGN


@pytest.mark.parametrize("rule", RULES)
def test_a_wider_interval_never_helps(rule: str) -> None:
    """The verdict falls, or stays, as the interval grows around the same mean."""
    margin = 3.0 if rule in WITH_MARGIN else None
    for mean in (-4.0, -1.0, -0.1, 0.0, 0.1, 1.0, 4.0):
        ranks = [
            (NOT, SAME_SIGN, REPLICATES).index(verdict(rule, around(mean, half), margin))
            for half in (0.0, 0.5, 1.0, 2.0, 5.0)
        ]
        assert ranks == sorted(ranks, reverse=True)


def test_a_claim_is_as_strong_as_its_weakest_part() -> None:
    assert weakest([REPLICATES, SAME_SIGN]) == SAME_SIGN and weakest([REPLICATES, NOT, SAME_SIGN]) == NOT
    with pytest.raises(KitError, match="at least one verdict"):
        weakest([])


def test_bad_input_is_told() -> None:
    with pytest.raises(KitError, match="did you mean 'above'"):
        verdict("abov", around(1, 1))
    for margin in (None, 0.0, -1.0):
        with pytest.raises(KitError, match="a margin above 0"):
            verdict("alike", around(1, 1), margin)
    with pytest.raises(KitError, match="got none"):
        effect_of([])
    with pytest.raises(KitError, match="finite effects"):
        effect_of([1.0, math.nan])


def test_the_rules_in_words() -> None:
    assert in_words("alike", 1.0) == "within ±1 points" and in_words("above") == "above 0"
    assert all(in_words(rule, 2.0) for rule in RULES)
