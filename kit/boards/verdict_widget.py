"""How many seeds does a verdict take? An effect, the spread of the difference, and the chance to settle it.

`verdict_board` is the board; its mathematics runs in the browser (kit/boards/js/verdict.js), and
`verdict_values` is the same by `kit.course.papers.rule` and `power`, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import math

from kit.boards.board import Board
from kit.boards.numerals import fixed, percent_within
from kit.course.papers import rule
from kit.course.papers.power import PARTS, chance_to_replicate, quantile
from kit.errors import KitError, check_name

SEEDS = range(2, 21)
MARGIN = 1.0
FEW = 0.095  # chances below it are said with a decimal: a false gain has 2.5 %, but for the error of the integral
PROMISES = {"above 0": "above", f"within ±{MARGIN:g}": "alike"}


def verdict_state() -> dict:
    """The state: the quantiles for every number of seeds, the margin, the promises."""
    return {
        "quantiles": [round(quantile(n), 8) for n in SEEDS],
        "first": SEEDS[0],
        "margin": MARGIN,
        "parts": PARTS,
        "promises": list(PROMISES),
        "verdicts": [rule.REPLICATES, rule.UNDECIDED, rule.CONTRADICTED],
    }


def verdict_values(state: dict, controls: dict) -> dict:
    """Compute the interval, its verdict, the chance to replicate for every number of seeds, and the fewest that do.

    controls: effect (the true one), spread (standard deviation of the difference between seeds, about √2 times that of
    one arm), seeds, wanted (the chance in per cent), promise. low and high: the interval if the runs came out exactly
    with this mean and spread. `enough` is 0 where even the largest number of seeds has less than the wanted chance.
    Errors: `KitError` for a spread below 0, another number of seeds, an unknown promise.
    """
    effect, spread, seeds, wanted, promise = (
        controls[name] for name in ("effect", "spread", "seeds", "wanted", "promise")
    )
    check_name("promise", promise, PROMISES)
    if seeds not in SEEDS or not spread >= 0:
        raise KitError(
            f"expected a spread of 0 or more and {SEEDS[0]} to {SEEDS[-1]} seeds, got {spread!r} and "
            f"{seeds!r}: move the sliders."
        )
    halves = [state["quantiles"][n - SEEDS[0]] * spread / math.sqrt(n) for n in SEEDS]
    chances = [chance_to_replicate(PROMISES[promise], effect, spread, n, MARGIN) for n in SEEDS]
    half = halves[seeds - SEEDS[0]]
    seen = rule.Effect(effect, effect - half, effect + half, seeds)
    return {
        "low": seen.low,
        "high": seen.high,
        "verdict": rule.verdict(PROMISES[promise], seen, MARGIN),
        "halves": halves,
        "chances": chances,
        "chance": chances[seeds - SEEDS[0]],
        "enough": next((n for n, chance in zip(SEEDS, chances) if chance >= wanted / 100), 0),
    }


def verdict_summary(values: dict, controls: dict) -> str:
    """Describe the values in words."""
    numbers = [_signed(value) for value in (controls["effect"], values["low"], values["high"])]
    chance, wanted = _chance(values["chance"], controls["wanted"]), f"{fixed(controls['wanted'], 0)} %"
    enough = (
        f"For {wanted} it takes {values['enough']} seeds."
        if values["enough"]
        else f"For {wanted} not even {SEEDS[-1]} seeds are enough."
    )
    return (
        f"True effect {numbers[0]}, spread {fixed(controls['spread'])} of the difference between seeds, "
        f"{controls['seeds']} seeds: the promise “{controls['promise']}” replicates with a chance of {chance}. "
        f"{enough} Runs that came out exactly so would have the 95 % interval {numbers[1]} to {numbers[2]}: "
        f"{values['verdict']}."
    )


def _signed(value: float) -> str:
    said = fixed(value)
    return said if said.startswith("−") else f"+{said}"


def _chance(chance: float, wanted: float) -> str:
    """In whole percent, unless what falls short of the chance wanted would be printed as it; small ones finer."""
    if chance >= wanted / 100 or fixed(100 * chance, 0) != fixed(wanted, 0):
        return f"{fixed(100 * chance, 1)} %" if 0.001 <= chance < FEW else percent_within(chance)
    said = [fixed(100 * chance, digits) for digits in range(5)]
    return f"{next((one for digits, one in enumerate(said) if one != fixed(wanted, digits)), said[-1])} %"


def verdict_board() -> Board:
    """Make the board: sliders for effect, spread, seeds and wanted chance, and a choice of promise. Lesson 11."""
    state = verdict_state()
    controls = {"effect": 0.8, "spread": 0.8, "seeds": 3, "wanted": 80, "promise": next(iter(PROMISES))}
    return Board("verdict", state, verdict_summary(verdict_values(state, controls), controls), controls)
