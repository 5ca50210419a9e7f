"""How many seeds does a verdict take? An effect, its spread between seeds, and the interval that follows.

`verdict_board` is the board; its mathematics runs in the browser (kit/boards/js/verdict.js), and
`verdict_values` is the same by `kit.course.papers.rule`, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import math
from functools import lru_cache

from kit.boards.board import Board
from kit.course.papers import rule
from kit.errors import KitError, unknown_name

SEEDS = range(2, 21)
MARGIN = 1.0
PROMISES = {"above 0": "above", f"within ±{MARGIN:g}": "alike"}


@lru_cache
def quantile(seeds: int) -> float:
    """Student's t that cuts off 2.5 % on either side, for so many seeds."""
    from scipy.stats import t

    return float(t.ppf((1 + rule.CONFIDENCE) / 2, seeds - 1))


def verdict_state() -> dict:
    """The state: the quantiles for every number of seeds, the margin, the promises."""
    return {
        "quantiles": [round(quantile(n), 8) for n in SEEDS],
        "first": SEEDS[0],
        "margin": MARGIN,
        "promises": list(PROMISES),
        "verdicts": [rule.REPLICATES, rule.SAME_SIGN, rule.NOT],
    }


def verdict_values(state: dict, controls: dict) -> dict:
    """Compute the interval, the verdict, the half-width for every number of seeds, and the fewest seeds that suffice.

    controls: effect (mean over seeds), spread (standard deviation between them), seeds, promise. `enough`
    is 0 where even the largest number of seeds would not suffice with this effect and spread.
    Errors: `KitError` for a spread below 0, another number of seeds, an unknown promise.
    """
    effect, spread, seeds, promise = (controls[name] for name in ("effect", "spread", "seeds", "promise"))
    if promise not in PROMISES:
        raise unknown_name("promise", promise, PROMISES)
    if seeds not in SEEDS or not spread >= 0:
        raise KitError(
            f"expected a spread of 0 or more and {SEEDS[0]} to {SEEDS[-1]} seeds, got {spread!r} and "
            f"{seeds!r}: move the sliders."
        )
    halves = [state["quantiles"][n - SEEDS[0]] * spread / math.sqrt(n) for n in SEEDS]
    found = [
        rule.verdict(PROMISES[promise], rule.Effect(effect, effect - half, effect + half, n), MARGIN)
        for n, half in zip(SEEDS, halves)
    ]
    half = halves[seeds - SEEDS[0]]
    enough = next((n for n, name in zip(SEEDS, found) if name == rule.REPLICATES), 0)
    return {
        "low": effect - half,
        "high": effect + half,
        "verdict": found[seeds - SEEDS[0]],
        "halves": halves,
        "enough": enough,
    }


def verdict_summary(values: dict, controls: dict) -> str:
    """Describe the values in words."""
    numbers = [f"{value:+.2f}".replace("-", "−") for value in (controls["effect"], values["low"], values["high"])]
    enough = (
        f"With this effect and spread it takes {values['enough']} seeds to replicate."
        if values["enough"]
        else f"With this effect and spread not even {SEEDS[-1]} seeds would make it replicate."
    )
    return (
        f"Effect {numbers[0]}, spread {controls['spread']:.2f} between seeds: with {controls['seeds']} seeds the "
        f"95 % interval goes from {numbers[1]} to {numbers[2]}, and the promise “{controls['promise']}” gets the "
        f"verdict: {values['verdict']}. {enough}"
    )


def verdict_board(theme: str = "auto") -> Board:
    """Make the board: sliders for effect, spread and number of seeds, and a choice of promise. Lesson 11."""
    state = verdict_state()
    controls = {"effect": 0.8, "spread": 0.8, "seeds": 3, "promise": next(iter(PROMISES))}
    return Board("verdict", state, verdict_summary(verdict_values(state, controls), controls), controls, theme=theme)
