"""The rule of the scoreboard on effects that are made up: what each verdict needs."""

from __future__ import annotations

import math
import statistics

import pytest

from kit.course.papers import Effect, effect_of, verdict, weakest
from kit.course.papers.rule import (
    CONTRADICTED,
    NOT_COMPARABLE,
    REPLICATES,
    RULES,
    UNDECIDED,
    WITH_MARGIN,
    in_words,
    no_effect,
)
from kit.course.papers.scoreboard import read_scoreboard
from kit.errors import KitError
from kit.figures.scoreboard_figures import effect_shown
from kit.paths import bundle


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
    assert verdict("above", effect) == UNDECIDED == verdict("above", effect_of([-2.0]))


def test_equal_values_of_several_seeds_have_no_interval() -> None:
    """They are judged as the rule says of one value, and a verdict on them says what it rests on."""
    effect = effect_of([2.0] * 5)
    assert not effect.has_interval and (effect.n, effect.sd) == (5, 0.0) and effect_of([2.0, 2.0, 3.0]).has_interval
    assert verdict("reaches", effect, 4.0) == CONTRADICTED == verdict("above", effect_of([0.0] * 5), 1.0)
    boards = [read_scoreboard(bundle("results", f"{name}.json")) for name in ("claims", "claims_kit-bert-mini")]
    parts = [part for board in boards for part in board["S5"].parts]
    assert [effect_shown(part) for part in parts] == ["2.0 topics in all 5 seeds", "+0.00 topics in all 5 seeds"] * 2
    assert {part.why for part in parts} == {
        "contradicted, by equal values without an interval",
        "contradicted: no effect, by equal values without an interval",
    }


VERDICTS = [  # rule, mean, half the interval, margin, verdict
    ("above", 2.0, 1.0, None, REPLICATES),
    ("above", 2.0, 2.5, None, UNDECIDED),
    ("above", 2.0, 2.0, None, UNDECIDED),
    ("above", -0.1, 5.0, None, UNDECIDED),
    ("above", -0.1, 0.4, None, UNDECIDED),
    ("above", -0.1, 0.4, 1.0, CONTRADICTED),
    ("above", 0.1, 0.4, 1.0, CONTRADICTED),
    ("above", 0.1, 0.9, 1.0, UNDECIDED),
    ("above", 0.5, 0.4, 1.0, REPLICATES),
    ("above", -2.0, 1.0, None, CONTRADICTED),
    ("above", -2.0, 1.0, 1.0, CONTRADICTED),
    ("above", 0.0, 0.0, None, CONTRADICTED),
    ("below", -2.0, 1.0, None, REPLICATES),
    ("below", -2.0, 2.5, 1.0, UNDECIDED),
    ("below", 0.3, 0.1, None, CONTRADICTED),
    ("below", 0.1, 0.2, 0.5, CONTRADICTED),
    ("alike", 0.2, 0.5, 1.0, REPLICATES),
    ("alike", 0.2, 0.9, 1.0, UNDECIDED),
    ("alike", -1.2, 0.1, 1.0, CONTRADICTED),
    ("alike", -1.2, 0.3, 1.0, UNDECIDED),
    ("alike", 0.0, 0.0, 1.0, REPLICATES),
    ("no worse", 5.0, 1.0, 1.0, REPLICATES),
    ("no worse", -0.5, 0.4, 1.0, REPLICATES),
    ("no worse", -0.5, 0.6, 1.0, UNDECIDED),
    ("no worse", -1.5, 0.6, 1.0, UNDECIDED),
    ("no worse", -1.5, 0.1, 1.0, CONTRADICTED),
    ("costs little", -2.0, 1.0, 6.5, REPLICATES),
    ("costs little", -2.0, 2.5, 6.5, UNDECIDED),
    ("costs little", -6.0, 1.0, 6.5, UNDECIDED),
    ("costs little", -7.0, 0.1, 6.5, CONTRADICTED),
    ("costs little", 0.5, 0.1, 6.5, CONTRADICTED),
    ("reaches", 100.0, 0.0, 90.0, REPLICATES),
    ("reaches", 84.0, 0.0, 90.0, CONTRADICTED),
    ("reaches", 3.7, 1.0, 4.0, UNDECIDED),
]


def test_each_verdict() -> None:
    found = [(*row[:4], verdict(row[0], around(*row[1:3]), row[3])) for row in VERDICTS]
    assert found == VERDICTS


def test_a_target_needs_the_whole_interval() -> None:
    assert verdict("reaches", effect_of([4.0, 4.0, 4.0]), 4.0) == REPLICATES
    assert verdict("reaches", effect_of([4.0, 4.0, 3.0]), 4.0) == UNDECIDED


def test_the_sign_of_an_unclear_mean_decides_nothing() -> None:
    """Noise around zero is undecided whatever its sign, under every rule that could see it."""
    for rule in ("above", "below"):
        assert {verdict(rule, around(mean, 2.0), 1.0) for mean in (-0.9, -0.1, 0.0, 0.1, 0.9)} == {UNDECIDED}


@pytest.mark.parametrize("rule", RULES)
def test_a_wider_interval_never_settles_more(rule: str) -> None:
    """As the interval grows around the same mean, a verdict becomes "undecided" and stays so."""
    margin = 3.0 if rule in WITH_MARGIN else None
    for mean in (-4.0, -1.0, -0.1, 0.0, 0.1, 1.0, 4.0):
        found = [verdict(rule, around(mean, half), margin) for half in (0.01, 0.5, 1.0, 2.0, 5.0, 9.0)]
        settled = [name for name in found if name != UNDECIDED]
        assert len(set(settled)) <= 1 and found == settled + [UNDECIDED] * (len(found) - len(settled))


def test_no_effect_is_within_the_margin_and_over_zero() -> None:
    assert no_effect("above", around(0.1, 0.3), 0.5) and no_effect("below", around(0.1, 0.3), 0.5)
    assert not no_effect("above", around(0.3, 0.1), 0.5), "small, but of the claimed sign"
    assert not no_effect("above", around(0.1, 0.3), None) and not no_effect("alike", around(0.1, 0.3), 0.5)


def test_a_claim_is_as_strong_as_its_weakest_part() -> None:
    assert weakest([REPLICATES, UNDECIDED]) == UNDECIDED and weakest([REPLICATES, CONTRADICTED]) == CONTRADICTED
    assert weakest([UNDECIDED, NOT_COMPARABLE, REPLICATES]) == NOT_COMPARABLE
    assert weakest([UNDECIDED, NOT_COMPARABLE, CONTRADICTED]) == CONTRADICTED
    with pytest.raises(KitError, match="at least one verdict"):
        weakest([])


def test_bad_input_is_told() -> None:
    with pytest.raises(KitError, match="did you mean 'above'"):
        verdict("abov", around(1, 1))
    for rule, margin in (("alike", None), ("alike", 0.0), ("alike", -1.0), ("above", 0.0)):
        with pytest.raises(KitError, match="a margin above 0"):
            verdict(rule, around(1, 1), margin)
    with pytest.raises(KitError, match="got none"):
        effect_of([])
    with pytest.raises(KitError, match="finite effects"):
        effect_of([1.0, math.nan])


def test_the_rules_in_words() -> None:
    assert in_words("alike", 1.0) == "within ±1 points" and in_words("above") == "above 0"
    assert in_words("below", 0.25) == "below 0; no effect if an interval with 0 lies within ±0.25 points"
    assert all(in_words(rule, 2.0) for rule in RULES)
    assert in_words("no worse", 2.0) == "above −2 points"
    assert in_words("costs little", 2.0) == "below 0 and above −2 points"
    assert in_words("reaches", 2.0) == "2 points or more, the whole interval"
