"""Ranks and numbers, many pairs and few: what a correlation of cosines and gold scores depends on.

`agreement_board` is the board; its arithmetic is in js/agreement.js and, the same, in
`agreement_values`: both draw the bootstrap's pairs from the same random numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kit.boards.board import Board
from kit.boards.numerals import fixed
from kit.errors import KitError, check_name

MOST, LEAST = 400, 20  # pairs on the board
RESAMPLES = 200
POWERS = tuple(round(10 ** (step / 10), 6) for step in range(-10, 11))  # 0.1 to 10
GOLD = ("as given", "whole numbers", "yes or no")
FULL, HALF = 5, 2.5  # of the gold scores


def agreement_state(cosines: Sequence[float], gold: Sequence[float], label: str) -> dict:
    """Choose at most MOST of the pairs, evenly spread, as the state of the board.

    cosines, gold: one for each pair, cosines from −1 to 1, gold from 0 to 5.
    Errors: `KitError` for lists of different lengths and fewer than LEAST pairs.
    """
    if len(cosines) != len(gold) or len(gold) < LEAST:
        raise KitError(
            f"expected a cosine for each gold score, and {LEAST} pairs or more, got {len(cosines)} and {len(gold)}."
        )
    count = min(len(gold), MOST) // 10 * 10
    places = np.linspace(0, len(gold) - 1, count).round().astype(int)
    np.random.default_rng(0).shuffle(places)  # so that the first n are a sample
    return {
        "cosines": [round(float(cosines[i]), 4) for i in places],
        "gold": [float(gold[i]) for i in places],
        "label": label,
    }


def agreement_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for controls {"pairs", "power", "gold"}.

    The first `pairs` pairs, each cosine c as ((1 + c) / 2)^power. spearman, pearson: the correlation
    and the ends of its 95 % bootstrap interval [3]. points: (changed cosine, gold) [pairs, 2].
    curve: Pearson at each of POWERS. Errors: `KitError` for an unknown kind of gold score.
    """
    check_name("kind of gold score", controls["gold"], GOLD)
    count = min(int(controls["pairs"]), len(state["gold"]))
    base = (1 + np.array(state["cosines"][:count])) / 2
    gold = np.array(state["gold"][:count])
    if controls["gold"] == "whole numbers":
        gold = np.floor(gold + 0.5)
    elif controls["gold"] == "yes or no":
        gold = np.where(gold >= HALF, float(FULL), 0.0)
    changed = base ** controls["power"]
    weights = _resamples(count)
    found = {
        name: [measure(changed, gold, np.ones((1, count)))[0], *_middle(measure(changed, gold, weights))]
        for name, measure in (("spearman", _spearman), ("pearson", _pearson))
    }
    return {
        **found,
        "points": np.column_stack([changed, gold]).tolist(),
        "curve": [_pearson(base**power, gold, np.ones((1, count)))[0] for power in POWERS],
    }


def agreement_summary(values: Mapping, controls: Mapping, state: Mapping) -> str:
    """Describe the values in words."""

    def said(name: str) -> str:
        value, low, high = (fixed(100 * number, 1) for number in values[name])
        return f"{value} ({low} to {high})"

    return (
        f"{len(values['points'])} pairs of {state['label']}, gold {controls['gold']}, (1 + cosine) / 2 to the power "
        f"{controls['power']:.2g}: Spearman {said('spearman')}, Pearson {said('pearson')}, × 100 with 95 % of "
        f"{RESAMPLES} bootstrap draws in brackets."
    )


def agreement_board(cosines: Sequence[float], gold: Sequence[float], label: str) -> Board:
    """Make the board with sliders for the number of pairs and the power; arguments and errors as `agreement_state`.

    Lesson 10.
    """
    state = agreement_state(cosines, gold, label)
    controls = {"pairs": min(100, len(state["gold"])), "power": 10.0, "gold": GOLD[0]}
    summary = agreement_summary(agreement_values(state, controls), controls, state)
    return Board("agreement", state, summary, controls)


def _resamples(count: int) -> np.ndarray:
    """How often each pair is drawn, [RESAMPLES, count]."""
    drawn, weights = mulberry32(1), np.zeros((RESAMPLES, count))
    for row in weights:
        for _ in range(count):
            row[int(next(drawn) * count)] += 1
    return weights


def mulberry32(seed: int) -> Iterator[float]:
    """Random numbers in [0, 1) that JavaScript can reproduce (Ettinger's mulberry32, public domain)."""
    mask = 0xFFFFFFFF
    while True:
        seed = (seed + 0x6D2B79F5) & mask
        mixed = ((seed ^ (seed >> 15)) * (seed | 1)) & mask
        mixed ^= (mixed + (((mixed ^ (mixed >> 7)) * (mixed | 61)) & mask)) & mask
        yield (mixed ^ (mixed >> 14)) / 2**32


def _pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> list[float]:
    """Correlation in each resample [resamples]; 0 where one side is constant."""
    return [_correlation(x, y, row) for row in weights]


def _spearman(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> list[float]:
    return [_correlation(_ranks(x, row), _ranks(y, row), row) for row in weights]


def _ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean rank of each value, value i counted weights[i] times."""
    _, group = np.unique(values, return_inverse=True)
    size = np.bincount(group, weights)
    return (np.cumsum(size) - (size - 1) / 2)[group]


def _correlation(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    total = weights.sum()
    x, y = x - (weights * x).sum() / total, y - (weights * y).sum() / total
    spread = (weights * x * x).sum() * (weights * y * y).sum()
    return float((weights * x * y).sum() / np.sqrt(spread)) if spread > 1e-20 else 0.0


def _middle(values: Sequence[float]) -> list[float]:
    return np.quantile(values, [0.025, 0.975]).tolist()
