"""Lesson 10, measure: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import numpy as np

# Spearman by hand


def spearman_by_hand(predicted, gold):
    """The correlation of the ranks; equal values share the mean of their ranks."""

    def ranks(values):
        values = np.asarray(values)
        below = (values[None, :] < values[:, None]).sum(axis=1)
        equal = (values[None, :] == values[:, None]).sum(axis=1)
        return below + (equal + 1) / 2

    x, y = ranks(predicted), ranks(gold)
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())


def _correlate(x, y):
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())


def _mean_ranks(values):
    values = np.asarray(values)
    below = (values[None, :] < values[:, None]).sum(axis=1)
    return below + ((values[None, :] == values[:, None]).sum(axis=1) + 1) / 2


def spearman_of_the_values(predicted, gold):
    return _correlate(predicted, gold)


def spearman_with_ties_in_order(predicted, gold):
    return _correlate(*(np.argsort(np.argsort(np.asarray(side), kind="stable")) for side in (predicted, gold)))


def spearman_with_ties_at_the_lowest(predicted, gold):
    return _correlate(
        *((np.asarray(side)[None, :] < np.asarray(side)[:, None]).sum(axis=1) for side in (predicted, gold))
    )


def spearman_of_the_order(predicted, gold):
    return _correlate(*(np.argsort(np.asarray(side), kind="stable") for side in (predicted, gold)))


def spearman_by_the_short_formula(predicted, gold):
    x, y = _mean_ranks(predicted), _mean_ranks(gold)
    n = len(x)
    return 1 - 6 * ((x - y) ** 2).sum() / (n * (n**2 - 1))


def spearman_upside_down(predicted, gold):
    return -_correlate(_mean_ranks(predicted), _mean_ranks(gold))


def spearman_cases():
    draw = np.random.default_rng(10)
    cases = [([0.9, 0.2, 0.5, 0.7, 0.2], [4.0, 1.0, 4.0, 3.0, 0.0])]
    for n in (4, 7, 12):
        gold = draw.integers(0, 4, n) + 0.0
        predicted = (0.2 * gold + draw.normal(0, 0.3, n)).round(1)
        gold[0], predicted[1] = gold[-1], predicted[-1]  # a tie on either side
        cases.append((predicted.tolist(), gold.tolist()))
    return cases


# the weighted mean


def weighted_mean(scores, pairs):
    """Each subset counts as often as it has pairs."""
    return sum(score * n for score, n in zip(scores, pairs)) / sum(pairs)


def weighted_plainly(scores, pairs):
    return sum(scores) / len(scores)


def weighted_but_divided_by_the_subsets(scores, pairs):
    return sum(score * n for score, n in zip(scores, pairs)) / len(scores)


def weighted_by_the_rarest(scores, pairs):
    return sum(score / n for score, n in zip(scores, pairs)) / sum(1 / n for n in pairs)


def weighted_by_the_largest_alone(scores, pairs):
    return scores[pairs.index(max(pairs))]


def weighted_cases():
    return [
        ([60.0, 40.0], [300, 100]),
        ([25.5, 83.0, 51.0], [750, 399, 459]),
        ([70.0, 20.0, 35.0, 50.0], [10, 700, 30, 250]),
    ]


# the interval of a correlation


def interval_of_correlation(r, n):
    """Fisher's: the inverse hyperbolic tangent of r is nearly normal, with variance 1 / (n − 3)."""
    middle, half = np.arctanh(r), 1.96 / np.sqrt(n - 3)
    return np.tanh(middle - half), np.tanh(middle + half)


def interval_left_in_z(r, n):
    middle, half = np.arctanh(r), 1.96 / np.sqrt(n - 3)
    return middle - half, middle + half


def interval_without_z(r, n):
    half = 1.96 / np.sqrt(n - 3)
    return r - half, r + half


def interval_with_the_variance(r, n):
    middle, half = np.arctanh(r), 1.96 / (n - 3)
    return np.tanh(middle - half), np.tanh(middle + half)


def interval_of_one_deviation(r, n):
    middle, half = np.arctanh(r), 1 / np.sqrt(n - 3)
    return np.tanh(middle - half), np.tanh(middle + half)


def interval_with_all_pairs(r, n):
    middle, half = np.arctanh(r), 1.96 / np.sqrt(n)
    return np.tanh(middle - half), np.tanh(middle + half)


def interval_cases():
    return [(0.7, 20), (0.5, 100), (-0.2, 40), (0.9, 12)]
