"""Lesson 10, measure: two systems on the same pairs, by a paired bootstrap and by a permutation test."""

from __future__ import annotations

import numpy as np

from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def paired_bootstrap(first, second, gold, draws):
    """The middle 95 % of second − first, both on the same drawn pairs."""
    gaps = []
    for rows in draws:
        one, other = (np.corrcoef(system[rows], gold[rows])[0, 1] for system in (first, second))
        gaps.append(other - one)
    return np.quantile(gaps, [0.025, 0.975])


@mistake("You drew other pairs for the second system: both have to be scored on the same draw.")
def bootstrap_of_other_draws(first, second, gold, draws):
    return np.quantile(_correlations(second, gold, draws[::-1]) - _correlations(first, gold, draws), [0.025, 0.975])


@mistake("You drew predictions and left the gold scores where they were: a pair is drawn with its score.")
def bootstrap_without_gold(first, second, gold, draws):
    gaps = [np.corrcoef(second[rows], gold)[0, 1] - np.corrcoef(first[rows], gold)[0, 1] for rows in draws]
    return np.quantile(gaps, [0.025, 0.975])


@mistake("You subtracted the ends of two intervals: take the difference in every draw, then its quantiles.")
def bootstrap_of_two_intervals(first, second, gold, draws):
    ends = [np.quantile(_correlations(system, gold, draws), [0.025, 0.975]) for system in (first, second)]
    return ends[1] - ends[0]


def _correlations(system, gold, draws):
    return np.array([np.corrcoef(system[rows], gold[rows])[0, 1] for rows in draws])


def bootstrap_cases():
    """The second system better; the same predictions twice, whose difference is 0 in every draw."""
    draw = np.random.default_rng(1010)
    cases = []
    for n, noise in ((12, 0.6), (20, 0.9)):
        gold = draw.integers(0, 6, n) + draw.random(n)
        first, second = (gold + noise * 3 * draw.normal(size=n) * scale for scale in (1.0, 0.7))
        cases.append((first, second, gold, draw.integers(0, n, (60, n))))
    return [*cases, (second, second, gold, cases[-1][-1])]


BOOTSTRAP = Exercise(
    name="paired-bootstrap",
    lesson="10",
    title="The interval of a difference",
    difficulty=2,
    minutes=8,
    prompt="Write `paired_bootstrap(first, second, gold, draws)` in NumPy: `first` and `second` [n] are two systems' "
    "predictions of the same pairs, `gold` [n] their scores, and each row of `draws` [draws, n] says which pairs a "
    "draw has, some of them several times. Take Pearson's correlation, `np.corrcoef(a, b)[0, 1]`: it will do here, "
    "and ranks would be one step more in every draw. Return the two ends of the middle 95 % of second − first, as "
    "`np.quantile(..., [0.025, 0.975])` gives them.",
    stub="def paired_bootstrap(first, second, gold, draws):\n    ...",
    hints=(
        "For one row of `draws`: which three arrays have to be indexed by it?",
        "In each draw both correlations, and their difference. The quantiles come last, of the differences.",
    ),
    solution=paired_bootstrap,
    cases=bootstrap_cases,
    because="A draw that is hard for both systems lowers both correlations, but hardly their difference: that is what "
    "makes the interval of the difference narrower than that of two separate ones.",
    remember="Same draws for both, the difference in each, quantiles last.",
    mistakes=(
        bootstrap_of_other_draws,
        bootstrap_without_gold,
        bootstrap_of_two_intervals,
        Mistake(
            lambda first, second, gold, draws: -paired_bootstrap(first, second, gold, draws)[::-1],
            "You subtracted second from first: the difference is second − first.",
        ),
        Mistake(
            variation(paired_bootstrap, "[0.025, 0.975]", "[0.05, 0.95]"),
            "That is the middle 90 %: 2.5 % are cut off on either side.",
        ),
        Mistake(
            lambda first, second, gold, draws: np.quantile(_correlations(second, gold, draws), [0.025, 0.975]),
            "That is the interval of the second system alone: take the difference in every draw.",
        ),
    ),
)


def permutation_p(first, second, gold, sides):
    """How often a difference at least as large comes of predictions that change sides, the observed one counted in."""

    def gap(one, other):
        return np.corrcoef(other, gold)[0, 1] - np.corrcoef(one, gold)[0, 1]

    observed = abs(gap(first, second))
    found = [abs(gap(np.where(side, second, first), np.where(side, first, second))) for side in sides]
    return (1 + sum(one >= observed for one in found)) / (1 + len(sides))


def sides_cases():
    """The second system better, hardly better, and worse."""
    draw = np.random.default_rng(1011)
    cases = []
    for n, better in ((10, 0.5), (15, 0.9), (8, 3.0)):
        gold = draw.permutation(n) + 1.0
        first = np.argsort(np.argsort(gold + 4 * draw.normal(size=n))) + 1.0
        second = np.argsort(np.argsort(gold + 4 * better * draw.normal(size=n))) + 1.0
        sides = draw.random((50, n)) < 0.5
        sides[0], sides[1] = False, True  # nobody and everybody: as far apart as was observed
        cases.append((first, second, gold, sides))
    return cases


PERMUTATION = Exercise(
    name="permutation-test",
    lesson="10",
    title="Could chance have done it?",
    difficulty=3,
    minutes=10,
    prompt="Write `permutation_p(first, second, gold, sides)` in NumPy: `first`, `second` and `gold` [n] are *ranks* "
    "of the same pairs. `sides` [times, n] is True where a pair's two predictions change sides that time. Compare "
    "`np.corrcoef(a, b)[0, 1]` of the two systems; return $p = (1 + k) / (1 + \\mathrm{times})$, where $k$ counts the "
    "times with a difference **at least** as large as the observed one, in either direction.",
    stub="def permutation_p(first, second, gold, sides):\n    ...",
    hints=(
        "`np.where(side, second, first)` is the first system after the change. And what is the second?",
        "Compare absolute differences with `>=`. The observed arrangement is one that chance could have made: it "
        "stands in the 1 + above and below.",
    ),
    solution=permutation_p,
    cases=sides_cases,
    because="Suppose a coin had decided, pair by pair, which of the two systems made which prediction. p is "
    "the share of all such tosses, the real one included, that put them at least as far apart.",
    remember="Change sides pair by pair, count at least as far apart, add one above and below.",
    mistakes=(
        Mistake(
            variation(
                permutation_p,
                "(1 + sum(one >= observed for one in found)) / (1 + len(sides))",
                "sum(one >= observed for one in found) / len(sides)",
            ),
            "The observed arrangement is missing: chance could have made it too, so p is never 0. Add one above and "
            "below.",
        ),
        Mistake(
            variation(permutation_p, "one >= observed", "one > observed"),
            "At least as large: an arrangement exactly as far apart counts as well.",
        ),
        Mistake(
            variation(permutation_p, "abs(gap(", "(gap("),
            "You look in one direction only: chance could have put the other system ahead, so take `abs`.",
        ),
        Mistake(
            variation(permutation_p, "np.where(side, first, second)", "second"),
            "Only one of the two lists changed: what one system gives up the other one gets.",
        ),
        Mistake(
            lambda first, second, gold, sides: 1 - permutation_p(first, second, gold, sides),
            "That is the share of *smaller* differences: p is the share of those at least as large.",
        ),
    ),
)


EXERCISES = (BOOTSTRAP, PERMUTATION)
