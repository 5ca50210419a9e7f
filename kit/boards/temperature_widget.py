"""One anchor, its positive and ten negatives: what τ makes the softmax attend to.

`temperature_values` is the mathematics, the same as `compute` in js/temperature.js;
`temperature_board` shows it under a slider for τ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kit.boards.numerals import apportioned, fixed, percent_within, short
from kit.errors import KitError, check_name

LOWEST, HIGHEST, STEPS = 0.001, 100.0, 60  # of the curve against τ
DIGITS = 6  # of a cosine on its way to the browser


def temperature_state(
    vectors: Sequence[Sequence[float]], labels: Sequence[str], sentences: Sequence[str], pooling: str = ""
) -> dict:
    """Prepare the cosines of all sentences, and who is an anchor.

    vectors [n, dim], labels and sentences [n], in threes (anchor, positive, negative) as in
    `kit.data.twelve`; a label is "<topic> <role>". pooling: how the vectors were made, told below the picture.
    Errors: `KitError` for fewer than two threes, lists of different lengths, or a zero vector.
    """
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or len(rows) < 6 or len(rows) % 3 or not len(rows) == len(labels) == len(sentences):
        raise KitError(
            "expected vectors [n, dim] in at least two threes (anchor, positive, negative), each with a label and a "
            f"sentence, got shape {rows.shape}, {len(labels)} labels and {len(sentences)} sentences."
        )
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(rows).all() or not (lengths > 0).all():
        raise KitError("expected finite vectors longer than zero: a vector without length has no cosine.")
    unit = rows / lengths
    return {
        "topics": [label.split()[0] for label in labels[::3]],
        "labels": list(labels),
        "sentences": list(sentences),
        "cosines": np.round(unit @ unit.T, DIGITS).tolist(),
        "pooling": pooling,
    }


def temperature_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for `controls` {"tau", "anchor"}; an anchor is the name of its topic.

    order      candidates as rows of the state: the positive, then the negatives from hard to easy
    cosines    of the anchor with each; weights: their softmax at τ
    shares     each negative's share of the push, w_c / Σ w over the negatives (their own softmax)
    push       (1 − w_positive) / τ: all pushes together, and the pull on the positive
    loss       −log w_positive; smallest: the least a loss of cosines can be, log(1 + (N−1)·e^{−2/τ})
    gradient   length of ∂loss/∂a for an anchor of length 1, along the sphere
    watched    e to the entropy of the weights: how many candidates count; pushed: the same of the shares
    curve      [τ, watched, pushed] over the whole range

    Errors: `KitError` for τ that is not above 0 and an anchor that is no topic.
    Source: Wang & Liu 2021, Understanding the behaviour of contrastive loss, section 3.2 (shares). Lesson 04.
    """
    tau, topics = controls["tau"], state["topics"]
    if not (isinstance(tau, int | float) and math.isfinite(tau) and tau > 0):
        raise KitError(f"expected τ above 0, got {tau!r}: try 0.05.")
    check_name("anchor", controls["anchor"], topics)
    anchor = 3 * topics.index(controls["anchor"])
    similar = state["cosines"][anchor]
    others = [i for i in range(len(similar)) if i not in (anchor, anchor + 1)]
    order = [anchor + 1, *sorted(others, key=lambda i: -similar[i])]
    cosines = [similar[i] for i in order]
    curve = []
    for step in range(STEPS + 1):
        at = 10 ** (math.log10(LOWEST) + math.log10(HIGHEST / LOWEST) * step / STEPS)
        curve.append([at, _watched(_softmax(cosines, at)), _watched(_softmax(cosines[1:], at))])
    weights, shares = _softmax(cosines, tau), _softmax(cosines[1:], tau)
    missing = sum(weights[1:])  # 1 − w_positive, without taking nearly 1 from 1
    gram = [[state["cosines"][i][j] for j in order] for i in order]
    return {
        "order": order,
        "cosines": cosines,
        "weights": weights,
        "shares": shares,
        "push": missing / tau,
        "loss": _loss(cosines, tau),
        "smallest": math.log1p((len(order) - 1) * math.exp(-2 / tau)),
        "gradient": _along_the_sphere([-missing, *weights[1:]], cosines, gram) / tau,
        "watched": _watched(weights),
        "pushed": _watched(shares),
        "curve": curve,
    }


def temperature_summary(values: Mapping, controls: Mapping) -> str:
    """Describe the values in words."""
    weight = fixed(apportioned(values["weights"], 3)[0], 3)
    return (
        f"τ {short(controls['tau'])}, anchor “{controls['anchor']}”: the softmax watches {fixed(values['watched'])} of "
        f"{len(values['weights'])} candidates; the positive weighs {weight}, so the loss is "
        f"{short(values['loss'])}. The hardest negative (cosine {fixed(values['cosines'][1], 3)}) takes "
        f"{percent_within(values['shares'][0])} of the push; the gradient on the anchor has length "
        f"{short(values['gradient'])}."
    )


def temperature_board(
    vectors: Sequence[Sequence[float]],
    labels: Sequence[str],
    sentences: Sequence[str],
    tau: float = 0.05,
    anchor: str | None = None,
    pooling: str = "",
):
    """Make a board with a slider for τ from 0.001 to 100 and a choice of the anchor (None: the first).

    pooling: how the vectors were made, told below the picture: another pooling gives other cosines. Lesson 04.
    """
    from kit.boards.board import Board

    state = temperature_state(vectors, labels, sentences, pooling)
    controls = {"tau": tau, "anchor": state["topics"][0] if anchor is None else anchor}
    return Board(
        "temperature", state, temperature_summary(temperature_values(state, controls), controls), controls=controls
    )


def _softmax(cosines: Sequence[float], tau: float) -> list[float]:
    top = max(cosines)
    exponentials = [math.exp((cosine - top) / tau) for cosine in cosines]
    total = sum(exponentials)
    return [e / total for e in exponentials]


def _watched(weights: Sequence[float]) -> float:
    """exp(entropy): 1 where one weight is 1, n where n weights are equal."""
    return math.exp(-sum(w * math.log(w) for w in weights if w > 0))


def _loss(cosines: Sequence[float], tau: float) -> float:
    """log(1 + e^gap), gap = log Σ e^{s_n/τ} − s_p/τ: exact near 0, and without overflow."""
    top = max(cosines[1:])
    gap = (top - cosines[0]) / tau + math.log(sum(math.exp((cosine - top) / tau) for cosine in cosines[1:]))
    return max(gap, 0.0) + math.log1p(math.exp(-abs(gap)))


def _along_the_sphere(parts: Sequence[float], cosines: Sequence[float], gram: Sequence[Sequence[float]]) -> float:
    """Length of Σ part·c without its component along the anchor, from cosines alone."""
    squared = sum(p * q * gram[i][j] for i, p in enumerate(parts) for j, q in enumerate(parts))
    along = sum(part * cosine for part, cosine in zip(parts, cosines))
    return math.sqrt(max(squared - along * along, 0.0))
