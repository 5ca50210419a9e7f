"""What a billion pairs would take on 1 to 1,024 GPUs, and which part takes longest: the board and its numbers.

An estimate from manufacturers' figures and the formulas of `kit.course.papers.step_cost`; the JavaScript computes
the same.
"""

from __future__ import annotations

from kit.boards.board import Board
from kit.boards.numerals import fixed, percent_within, short
from kit.captions import duration
from kit.course.papers.machines import links, machine
from kit.course.papers.step_cost import (
    GPU_PARTS,
    MATRICES,
    PARTS,
    RATE_TOKENS,
    SHAPES,
    TOUCHES,
    Setup,
    Step,
    matrix_bytes,
    step_of,
)
from kit.errors import KitError, unknown_name

GPUS = tuple(2**k for k in range(11))  # 1 to 1,024
BATCHES = tuple(2**k for k in range(4, 14))  # 16 to 8,192 pairs a GPU
STARTS = {
    "gpus": 64,
    "batch": 512,
    "tokens": 16,
    "share": 0.35,
    "cores": 14,
    "encoder": "BERT 8 × 512",
    "matrix": MATRICES[0],
    "link": "InfiniBand NDR",
}


def scale_state(rate: float, gpu: str = "H200") -> dict:
    """Prepare the state. rate: sentences of 16 tokens a second that one CPU core reads and tokenises.

    gpu: a name in data/papers/machines.csv. Errors: `KitError` for a rate not above 0, or another GPU.
    """
    if not rate > 0:
        raise KitError(f"expected a rate above 0 sentences a second, got {rate!r}: time the tokenizer first.")
    shapes = {
        name: {"layers": shape.layers, "hidden": shape.hidden, "weights": shape.weights}
        for name, shape in SHAPES.items()
    }
    return {
        "name": gpu,
        "gpu": machine(gpu),
        "links": links(),
        "rate": round(rate, 1),
        "shapes": shapes,
        "matrices": list(MATRICES),
        "touches": TOUCHES,
        "rate_tokens": RATE_TOKENS,
    }


def scale_values(state: dict, controls: dict) -> dict:
    """Compute what the board shows for {"gpus", "batch", "tokens", "share", "cores", "encoder", "matrix", "link"}.

    parts: microseconds of each of `kit.course.papers.step_cost.PARTS` in one step; step: microseconds of all; binding:
    the part that decides; pairs: of a step; hours: for a billion pairs; matrix, whole: bytes of one copy of
    the matrix of similarities on one GPU, and of all of it; efficiency: [GPUs, pairs a second and GPU, as a
    share of one GPU's]; spent: [pairs a GPU, microseconds of a GPU for one pair].
    Errors: `KitError` for an unknown encoder, link or way, and for numbers that make no sense.
    """
    setup = _setup(state, controls)
    step = step_of(setup)
    alone = _step(state, controls, gpus=1)
    efficiency = [[gpus, _step(state, controls, gpus=gpus).rate / gpus / alone.rate] for gpus in GPUS]
    spent = [[batch, 1e6 * _step(state, controls, batch=batch).seconds / batch] for batch in BATCHES]
    return {
        "parts": [1e6 * step.parts[name] for name in PARTS],
        "step": 1e6 * step.seconds,
        "binding": step.binding,
        "pairs": step.pairs,
        "hours": step.seconds_for() / 3600,
        "efficiency": efficiency,
        "spent": spent,
        "matrix": matrix_bytes(setup.anchors, setup.candidates),
        "whole": matrix_bytes(setup.candidates, setup.candidates),
    }


def scale_summary(values: dict, controls: dict) -> str:
    """Describe the values in words."""
    gpus, total = round(controls["gpus"]), sum(values["parts"][: len(GPU_PARTS)])
    shares = ", ".join(f"{name} {percent_within(part / total)}" for name, part in zip(GPU_PARTS, values["parts"]))
    gather, reduce = (values["parts"][PARTS.index(name)] for name in ("gather", "reduce"))
    sending = (gather + reduce) / values["step"]
    where = f"{values['binding']} takes longest{'' if values['binding'] == 'data' else ' on the GPU'}"
    if sending > 0.5:  # the two count separately, so that another part may be longer than each
        where = f"more than half of it ({_sending_said(sending)}) the GPUs only send"
    return (
        f"Estimate: {gpus:,} {'GPU' if gpus == 1 else 'GPUs'}, {values['pairs']:,} pairs a step of "
        f"{_lasted(values['step'])}; {where}. Of a GPU's time {shares}; meanwhile the data take "
        f"{_lasted(values['parts'][-1])}. A billion pairs: {duration(3600 * values['hours'])}. "
        f"A GPU's matrix: {_sized(values['matrix'])}."
    )


def scale_board(rate: float, controls: dict | None = None) -> Board:
    """Make the board; `controls` override where it starts (`STARTS`). Errors: as `scale_state` and `scale_values`.

    Lesson 12.
    """
    state, starts = scale_state(rate), {**STARTS, **(controls or {})}
    return Board("scale", state, scale_summary(scale_values(state, starts), starts), starts)


def _step(state: dict, controls: dict, **changes) -> Step:
    return step_of(_setup(state, {**controls, **changes}))


def _setup(state: dict, controls: dict) -> Setup:
    if controls["encoder"] not in state["shapes"]:
        raise unknown_name("encoder", controls["encoder"], state["shapes"])
    if controls["link"] not in state["links"]:
        raise unknown_name("link", controls["link"], state["links"])
    return Setup(
        SHAPES[controls["encoder"]],
        controls["batch"],
        controls["tokens"],
        controls["gpus"],
        state["gpu"],
        state["links"][controls["link"]],
        state["rate"],
        controls["cores"],
        controls["share"],
        controls["matrix"],
    )


def _sending_said(share: float) -> str:
    """More than half of a step is not said to be 50 %."""
    if percent_within(share) != "50 %":
        return percent_within(share)
    digits = next((digits for digits in range(4) if fixed(100 * share, digits) != fixed(50, digits)), 4)
    return f"{fixed(100 * share, digits)} %"


def _lasted(microseconds: float) -> str:
    unit, size = next(
        (unit, size) for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1)) if microseconds >= size or size == 1
    )
    return f"{float(f'{microseconds / size:.4g}'):g} {unit}"


def _sized(count: float) -> str:
    unit, size = next(
        (unit, size)
        for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
        if count >= size or size == 1e3
    )
    return f"{short(count / size)} {unit}"
