"""Lesson 11, published and measured: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch

# what a printed figure may have been


def rounding_interval(printed):
    """(lowest, highest): half a unit of the last printed digit to either side."""
    half = 0.5 * 10 ** -len(printed.partition(".")[2])
    return float(printed) - half, float(printed) + half


def interval_of_a_whole_unit(printed):
    unit = 10 ** -len(printed.partition(".")[2])
    return float(printed) - unit, float(printed) + unit


def interval_of_two_digits(printed):
    return float(printed) - 0.005, float(printed) + 0.005


def interval_of_a_digit_more(printed):
    half = 0.05 * 10 ** -len(printed.partition(".")[2])
    return float(printed) - half, float(printed) + half


def interval_of_cutting_off(printed):
    return float(printed), float(printed) + 10 ** -len(printed.partition(".")[2])


def printed_cases():
    return [("66.06",), ("66.2",), ("80",), ("7.125",)]


# whether a row can be right


def can_be_right(cells, average, decimals):
    """The mean may move by half a unit with its cells, the printed average by another half."""
    unit = 10**-decimals
    return abs(sum(cells) / len(cells) - average) <= unit + 1e-9


def right_to_the_last_digit(cells, average, decimals):
    return abs(sum(cells) / len(cells) - average) <= 1e-9


def right_if_rounded(cells, average, decimals):
    return abs(sum(cells) / len(cells) - average) <= 0.5 * 10**-decimals + 1e-9


def right_with_every_cell_counted(cells, average, decimals):
    return abs(sum(cells) / len(cells) - average) <= (len(cells) + 1) * 0.5 * 10**-decimals + 1e-9


def right_in_one_direction(cells, average, decimals):
    return sum(cells) / len(cells) - average <= 10**-decimals + 1e-9


def right_with_two_digits(cells, average, decimals):
    return abs(sum(cells) / len(cells) - average) <= 0.01 + 1e-9


def rows_cases():
    return [
        ([60.0, 62.0, 64.0], 62.0, 1),
        ([60.0, 62.0, 64.2], 62.0, 1),
        ([70.11, 70.12, 70.14], 70.12, 2),
        ([70.11, 70.12, 70.15], 70.12, 2),
        ([50.0, 50.0, 50.0, 50.0, 50.0, 50.9], 50.0, 1),
        ([40.0, 40.0, 40.0], 41.0, 1),
        ([61.0, 64.0], 63.0, 0),
    ]


# the interval of a paired difference


def paired_interval(new, old, t):
    """Mean of the differences, plus and minus t · sd / √n."""
    difference = new - old
    half = t * difference.std() / len(difference) ** 0.5
    return torch.stack([difference.mean() - half, difference.mean() + half])


def interval_of_strangers(new, old, t):
    half = t * (new.var() / len(new) + old.var() / len(old)) ** 0.5
    return torch.stack([(new - old).mean() - half, (new - old).mean() + half])


def interval_of_the_population(new, old, t):
    difference = new - old
    half = t * difference.std(correction=0) / len(difference) ** 0.5
    return torch.stack([difference.mean() - half, difference.mean() + half])


def interval_of_single_runs(new, old, t):
    difference = new - old
    half = t * difference.std()
    return torch.stack([difference.mean() - half, difference.mean() + half])


def interval_without_the_root(new, old, t):
    difference = new - old
    half = t * difference.std() / len(difference)
    return torch.stack([difference.mean() - half, difference.mean() + half])


def interval_without_t(new, old, t):
    difference = new - old
    half = difference.std() / len(difference) ** 0.5
    return torch.stack([difference.mean() - half, difference.mean() + half])


def interval_turned_round(new, old, t):
    return -paired_interval(new, old, t).flip(0)


def seeds_cases():
    draw = torch.Generator().manual_seed(11)
    cases = []
    for seeds, t in ((3, 4.302653), (5, 2.776445), (4, 3.182446)):
        level = 60 + 2 * torch.randn(seeds, generator=draw, dtype=torch.float64)  # what a seed does to both arms
        cases.append((level + 0.8 + 0.3 * torch.randn(seeds, generator=draw, dtype=torch.float64), level, t))
    return cases
