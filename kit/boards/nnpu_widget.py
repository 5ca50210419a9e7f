"""The non-negative PU risk on points of a line: where the naive risk falls below zero, and the switch.

`nnpu_board` is the board; its mathematics runs in the browser (kit/boards/js/nnpu.js). `nnpu_values`
is the same with `kit.losses.pu_risks`, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import random

import torch

from kit.boards.board import Board
from kit.boards.numerals import fixed, printed, short
from kit.errors import KitError
from kit.losses import HIDDEN, pu_risks

POSITIVES, NEGATIVES = 60, 90  # on the line: the true prior is 0.4
STARTS = {"prior": 0.4, "kept": 0.1, "boundary": 0.0, "steepness": 2.0, "memory": 2.5}
MEMORIES = [m / 20 for m in range(161)]  # where the curve is computed: fine enough to show the jump


def nnpu_state(seed: int = 0) -> dict:
    """Points on a line, {"positives" [60], "negatives" [90]}: normal, with deviation 1, around +1.2 and −1.2."""
    rng = random.Random(seed)
    return {
        "positives": [round(rng.gauss(1.2, 1.0), 3) for _ in range(POSITIVES)],
        "negatives": [round(rng.gauss(-1.2, 1.0), 3) for _ in range(NEGATIVES)],
        "memories": MEMORIES,
    }


def nnpu_values(state: dict, controls: dict) -> dict:
    """Compute the risks of the points under the controls.

    controls: `kept`, the share of labels kept (the first of either kind); `prior`, the π that the risk
    is given; the score is steepness · (x − boundary) + memory for a labelled positive, − memory for
    any other point, as if the classifier had learnt the labelled points by heart. Gives R⁺, R⁻, the
    naive and the non-negative risk, the true risk on new points (which nobody has learnt by heart, in
    the true proportions), all three over a range of memories, and every point's σ(score).
    Errors: `KitError` for a prior outside (0, 1).
    """
    known = len(_labelled(state, controls))
    others = [_risks(state, {**controls, "memory": memory}) for memory in state["memories"]]
    here = _risks(state, controls)
    return {
        **here,
        "labelled": known,
        "scores": torch.sigmoid(_scores(state, controls)).tolist(),
        "curves": {name: [one[name] for one in others] for name in ("naive", "nnpu", "new")},
    }


def nnpu_summary(values: dict, controls: dict) -> str:
    """Describe the values in words; the printed R⁺ and R⁻ add up to the printed naive risk."""
    positive = fixed(printed(values["naive"], 3) - printed(values["negative"], 3), 3)
    verdict = (
        f"what R⁻ stands for cannot be below zero, so nnPU drops R⁺ and pushes the other way: {_digits(values['nnpu'])}"
        if values["switched"]
        else f"R⁻ is not below zero, nnPU is the naive risk: {fixed(values['nnpu'], 3)}"
    )
    place = (
        f"π {fixed(controls['prior'])}, {values['labelled']} labelled positives, boundary "
        f"{fixed(controls['boundary'])}, steepness {short(controls['steepness'])}, "
        f"memory {fixed(controls['memory'], 1)}"
    )
    return (
        f"{place}: R⁺ {positive}, R⁻ {_digits(values['negative'])}, the naive risk is {_digits(values['naive'])}; "
        f"{verdict}. On new points the true risk is {fixed(values['new'], 3)}."
    )


def _digits(risk: float) -> str:
    """Three places; a risk below zero is not printed as zero."""
    return fixed(risk, 3) if printed(risk, 3) else short(risk)


def nnpu_board(seed: int = 0, controls: dict | None = None) -> Board:
    """Make the board with sliders for π, the labels kept, the classifier's boundary and steepness, and its memory.

    controls: other starting values than STARTS. Errors: `KitError` for names and values that do not fit. Lesson 08.
    """
    unknown = set(controls or {}) - set(STARTS)
    if unknown:
        raise KitError(f"expected controls among {', '.join(STARTS)}, got {', '.join(sorted(unknown))}.")
    state, chosen = nnpu_state(seed), {**STARTS, **(controls or {})}
    return Board("nnpu", state, nnpu_summary(nnpu_values(state, chosen), chosen), chosen)


def _labelled(state: dict, controls: dict) -> list[int]:
    """The indices of the labelled positives: the first ones, at least one."""
    return list(range(max(1, round(controls["kept"] * len(state["positives"])))))


def _scores(state: dict, controls: dict, learnt: bool = True) -> torch.Tensor:
    """The classifier's logits of positives, then negatives; not `learnt`: as if all points were new."""
    points = torch.tensor(state["positives"] + state["negatives"], dtype=torch.float64)
    by_heart = torch.full_like(points, -1.0)
    if learnt:
        by_heart[_labelled(state, controls)] = 1.0
    return controls["steepness"] * (points - controls["boundary"]) + controls["memory"] * by_heart


def _risks(state: dict, controls: dict) -> dict:
    """The risks at one setting; labelled negatives have another class and take no part."""
    positives, negatives = len(state["positives"]), len(state["negatives"])
    labels = torch.full((positives + negatives,), HIDDEN)
    labels[_labelled(state, controls)] = 0
    shown = torch.ones(len(labels), dtype=torch.bool)
    shown[positives : positives + round(controls["kept"] * negatives)] = False
    risks = pu_risks(_scores(state, controls)[shown, None], labels[shown], controls["prior"])
    positive, negative = risks.positive.item(), risks.negative.item()
    truth = torch.tensor([1.0] * positives + [-1.0] * negatives, dtype=torch.float64)
    new = torch.sigmoid(-truth * _scores(state, controls, learnt=False)).mean().item()
    return {
        "positive": positive,
        "negative": negative,
        "naive": positive + negative,
        "switched": negative < 0,
        "nnpu": -negative if negative < 0 else positive + negative,
        "new": new,
    }
