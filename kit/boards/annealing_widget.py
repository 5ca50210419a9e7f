"""The weight of the PU risk, (t/T)^α: over the whole run, and with t reset in every epoch.

`annealing_board` is the board; its mathematics runs in the browser (kit/boards/js/annealing.js), and
`annealing_values` is the same in Python.
"""

from __future__ import annotations

from kit.boards.board import Board
from kit.boards.numerals import fixed, percent, printed, short
from kit.errors import KitError
from kit.losses import power_schedule

TICKS = 100  # places along the run
STARTS = {"alpha": 3.0, "epochs": 2, "done": 0.5}


def annealing_values(state: dict, controls: dict) -> dict:
    """The weight over the run, [[t/T, weight] …], as the paper has it ("whole") and reset in every epoch ("reset").

    controls: alpha (α, 0 is constant), epochs, done (t/T of the marker). Beside the curves the weights at
    the marker, the highest one after a reset (epochs^−α), and both averages, ∫ (t/T)^α = 1 / (α + 1) and epochs^α
    times less.
    Source: PAUSE (Cao et al. 2021), Eq. 11; the reset is in its released code.
    Errors: `KitError` for α below 0 or no epoch.
    """
    alpha, epochs, ticks = controls["alpha"], controls["epochs"], state["ticks"]
    if alpha < 0 or epochs < 1:
        raise KitError(f"expected α of 0 or more and 1 epoch or more, got α {alpha!r} and {epochs!r} epochs.")
    weight = power_schedule(alpha, ticks) if alpha else lambda t: 1.0
    began = [min(i * epochs // ticks, epochs - 1) * ticks / epochs for i in range(ticks + 1)]  # of the epoch
    whole = [[i / ticks, weight(i)] for i in range(ticks + 1)]
    reset = [[i / ticks, weight(i - began[i])] for i in range(ticks + 1)]
    at = round(controls["done"] * ticks)
    return {
        "whole": whole,
        "reset": reset,
        "now": whole[at][1],
        "now_reset": reset[at][1],
        "highest": epochs**-alpha,
        "average": 1 / (alpha + 1),
        "average_reset": epochs**-alpha / (alpha + 1),
    }


def annealing_summary(values: dict, controls: dict) -> str:
    """Describe the values in words."""
    many = "s" if controls["epochs"] > 1 else ""
    alpha, done = fixed(controls["alpha"], 1), percent(controls["done"])
    now, average, now_reset, highest = (_weighs(values[key]) for key in ("now", "average", "now_reset", "highest"))
    return (
        f"α {alpha}, {controls['epochs']} epoch{many}, {done} of the steps done: the PU risk weighs {now}, and "
        f"{average} on average over the run. Reset in every epoch it weighs {now_reset} here, never more than "
        f"{highest}, and {_weighs(values['average_reset'], 4)} on average."
    )


def _weighs(weight: float, digits: int = 3) -> str:
    """With so many places; a weight above zero is not printed as zero."""
    return short(weight) if weight and not printed(weight, digits) else fixed(weight, digits)


def annealing_board() -> Board:
    """Make the board with sliders for α, the number of epochs and the position in the run. Lesson 08."""
    state = {"ticks": TICKS}
    return Board("annealing", state, annealing_summary(annealing_values(state, STARTS), STARTS), STARTS)
