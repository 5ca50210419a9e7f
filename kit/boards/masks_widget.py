"""The masks of a batch: who is an anchor, who is its positive, who is in which denominator.

`masks_board` is the board; its mathematics runs in the browser (kit/boards/js/masks.js), which has
only the formula: the masks of every loss come from the constructors of `kit.losses`.
`masks_values` is the same by autograd, with which the tests compare the JavaScript.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from kit.boards.board import Board
from kit.boards.numerals import apportioned, fixed, percent_within, short
from kit.boards.pulls_widget import rounded
from kit.errors import KitError, unknown_name
from kit.figures.caption_numbers import counted
from kit.losses import (
    Relations,
    mask_duplicates,
    masked_softmax,
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    scl_relations,
    softmax_weights,
    supcon_relations,
    supmpn_relations,
)

OUTSIDE, IGNORED, ITSELF, NEGATIVE, POSITIVE = range(5)  # what a cell of the matrix is
PARTS = ("itself", "siblings", "its own negatives", "all others", "ghosts")  # of a denominator
TWINS = ("a negative", "masked")  # a negative whose text is known to be a positive
START = {"loss": "SupMPN", "anchor": 1, "tau": 0.05}
FEW = 8  # texts, below which the shares of all are shown


def batch_relations(anchors: int, positives: int, negatives: int) -> dict[str, tuple[Relations, str]]:
    """The losses of the lesson over one batch: name → (relations, other_positives).

    Rows of the batch: N anchors, N·P positives (those of anchor 0 first), N·Q negatives. A loss
    of pairs takes the first positive of each anchor. In SupCon an anchor and its positives are one
    class, and each negative is a class of its own.
    """
    n, p, q = anchors, positives, negatives
    owner = torch.arange(n)
    firsts = n + p * owner  # the first positive of each
    pairs, hard = torch.cat([owner, firsts]), torch.cat([owner, firsts, n + n * p + torch.arange(n * q)])
    classes = torch.cat([owner, owner.repeat_interleave(p), n + torch.arange(n * q)])
    premises = torch.cat([owner.repeat_interleave(p), owner.repeat_interleave(q)])
    labels = torch.cat([torch.zeros(n * p), torch.full((n * q,), 2)]).long()
    supmpn = supmpn_relations(n, p, q)
    return {
        "NT-Xent": (_at(nt_xent_relations(n), pairs), "included"),
        "SupCon": (supcon_relations(classes), "included"),
        "MNRL": (_at(mnrl_relations(n), pairs), "included"),
        "MNRL, hard negatives": (_at(mnrl_hard_relations(n, q), hard), "included"),
        "SCL": (scl_relations(premises, labels), "included"),
        "SupMPN": (supmpn, "excluded"),
        "SupMPN, its code": (supmpn, "zero_logit"),
    }


def masks_state(
    vectors: torch.Tensor, texts: Sequence[str], anchors: int, positives: int, negatives: int, before: Any = None
) -> dict:
    """Prepare a batch of N anchors, N·P positives and N·Q negatives (rows as in `supmpn_relations`).

    `vectors` [N(1 + P + Q), dim] of any length, `texts` one sentence a row. Where a text occurs twice, the
    state holds the masks with known false negatives left out too, and the board can switch.
    `before`: vectors of the same sentences before a training, to compare the pushes.
    Errors: `KitError` for another number of rows, an empty batch, and a zero vector.
    """
    rows = anchors * (1 + positives + negatives)
    earlier = vectors if before is None else before
    if anchors < 2 or positives < 1 or negatives < 0 or not len(vectors) == len(earlier) == len(texts) == rows:
        raise KitError(
            f"expected at least 2 anchors with a positive each, and N(1 + P + Q) = {rows} vectors and "
            f"sentences, got {len(vectors)} ({len(earlier)} before), {len(texts)}: stack anchors, positives, negatives."
        )
    unit = _unit(vectors)
    losses = {
        name: {
            "anchors": r.anchors.tolist(),
            "candidates": r.candidates.tolist(),
            "other_positives": other_positives,
            "positive": r.positive.int().tolist(),
            "negative": r.negative.int().tolist(),
            "masked": mask_duplicates(r, texts).negative.int().tolist(),
        }
        for name, (r, other_positives) in batch_relations(anchors, positives, negatives).items()
    }
    owner = torch.arange(anchors)
    group = torch.cat([owner, owner.repeat_interleave(positives), owner.repeat_interleave(negatives)]).tolist()
    return {
        "texts": list(texts),
        "names": _names(anchors, positives, negatives),
        "group": group,
        "sizes": [anchors, anchors * positives, anchors * negatives],
        "twins": len(set(texts)) < len(texts),
        "cosines": rounded(unit @ unit.T, 6),
        "before": None if before is None else rounded(_unit(before) @ _unit(before).T, 6),
        "losses": losses,
    }


def masks_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for `controls` {"loss", "anchor", "tau", "twins"}; all similarities are cosines.

    cells       [R][R] what each row of the batch is to each: OUTSIDE (no anchor, or no candidate), IGNORED,
                ITSELF, NEGATIVE, POSITIVE
    anchors     how many count in the mean; counted: is the chosen row (`anchor`, from 1) one of them
    members     positives and negatives of the chosen row
    weights     [R] its softmax weights, averaged over its positives; push: weights − target, [R];
    gradient    [R] ∂L/∂s = push / τ / anchors; before: push with the vectors before a training, or []
    terms       one for each positive p: {"row", "sizes", "shares", "term"}: how many of D(i, p) are of each of
                `PARTS`, their shares of its sum, and −log of the share of p itself
    losses      of the chosen row (the mean of its terms), and of the batch

    Errors: `KitError` for an unknown loss, a row that is not there and τ ≤ 0. Lesson 05.
    """
    name, tau, chosen = controls["loss"], controls["tau"], controls["anchor"] - 1
    if name not in state["losses"]:
        raise unknown_name("loss", name, state["losses"])
    if not 0 <= chosen < len(state["names"]):
        raise KitError(f"expected a row of the batch from 1 to {len(state['names'])}, got {controls['anchor']!r}.")
    relations, other_positives = _relations(state, controls)
    scores = torch.tensor(state["cosines"], dtype=torch.float64)[relations.anchors][:, relations.candidates]  # [A, C]
    # Dot products of the scores with unit vectors are the scores: so autograd gives ∂L/∂s.
    loose = torch.cat([scores, torch.eye(scores.shape[1], dtype=torch.float64)]).requires_grad_()
    a, c = scores.shape
    free = Relations(torch.arange(a), a + torch.arange(c), relations.positive, relations.negative)
    per_anchor = masked_softmax(loose, free, tau, "dot", other_positives, reduction="none")
    anchors = int(relations.positive.any(dim=1).sum())
    loss = masked_softmax(loose, free, tau, "dot", other_positives)
    gradient = torch.autograd.grad(loss, loose)[0][:a]
    weights = softmax_weights(loose.detach(), free, tau, "dot", other_positives)
    at = (relations.anchors == chosen).nonzero().flatten().tolist()
    counts = bool(at) and bool(relations.positive[at[0]].any())
    size = len(state["names"])
    wide = {key: torch.zeros(size, dtype=torch.float64) for key in ("weights", "gradient")}
    terms = []
    if counts:
        wide["weights"][relations.candidates] = weights[at[0]]
        wide["gradient"][relations.candidates] = gradient[at[0]]
        terms = _terms(state, relations, other_positives, scores[at[0]] / tau, at[0])
    push = wide["gradient"] * tau * anchors
    earlier = state["before"]
    members = [int(mask[at[0]].sum()) if counts else 0 for mask in (relations.positive, relations.negative)]
    return {
        "cells": _cells(relations, size),
        "anchors": anchors,
        "counted": counts,
        "members": members,
        "weights": wide["weights"].tolist(),
        "push": push.tolist(),
        "gradient": wide["gradient"].tolist(),
        "terms": terms,
        "losses": [per_anchor[at[0]].item() if counts else 0.0, loss.item()],
        "before": masks_values({**state, "cosines": earlier, "before": None}, controls)["push"] if earlier else [],
    }


def masks_summary(values: Mapping, controls: Mapping, state: Mapping) -> str:
    """Describe the values in words."""
    at = controls["anchor"] - 1
    start = f"{controls['loss']}, τ {short(controls['tau'])}: "
    whole = f"the loss of the batch, over {values['anchors']} anchors, is {fixed(values['losses'][1], 3)}."
    if not values["counted"]:
        return f"{start}row {at + 1}, {state['names'][at]} (“{state['texts'][at]}”), is no anchor of this loss; {whole}"
    push, (positives, negatives) = values["push"], values["members"]
    hardest = max(range(len(push)), key=lambda row: push[row])
    pulled = -sum(value for value in push if value < 0)
    before = values["before"]
    was = f"; before the training it had {_part(before, hardest)} of them" if before else ""
    return (
        f"{start}{state['names'][at]} (“{state['texts'][at]}”) has {counted(positives, 'positive')} and "
        f"{counted(negatives, 'negative')}; the pulls add up to {fixed(pulled, 3)}, the pushes to "
        f"{fixed(_pushes(push), 3)}; the strongest push, {fixed(push[hardest], 3)} ({_part(push, hardest)}), "
        f"falls on {state['names'][hardest]}, "
        f"{_nearness(values['cells'][at], state['cosines'][at], hardest)}{was}. "
        f"Its loss is {fixed(values['losses'][0], 3)}; {whole}"
    )


def masks_board(
    vectors: torch.Tensor,
    texts: Sequence[str],
    anchors: int,
    positives: int,
    negatives: int,
    loss: str = "SupMPN",
    anchor: int = 1,
    tau: float = 0.05,
    before: torch.Tensor | None = None,
) -> Board:
    """Make the board with a choice of the loss and sliders for the anchor (a row from 1) and τ.

    Arguments and errors as `masks_state`. Lesson 05.
    """
    state = masks_state(vectors, texts, anchors, positives, negatives, before)
    controls = {"loss": loss, "anchor": anchor, "tau": tau, **({"twins": TWINS[0]} if state["twins"] else {})}
    return Board("masks", state, masks_summary(masks_values(state, controls), controls, state), controls)


def _at(relations: Relations, rows: torch.Tensor) -> Relations:
    """Relations of a part of the batch, in the row numbers of the whole: row i of the part is `rows[i]`."""
    return Relations(rows[relations.anchors], rows[relations.candidates], relations.positive, relations.negative)


def _relations(state: Mapping, controls: Mapping) -> tuple[Relations, str]:
    masks = state["losses"][controls["loss"]]
    negative = masks["masked" if controls.get("twins") == "masked" else "negative"]
    return Relations(
        torch.tensor(masks["anchors"]),
        torch.tensor(masks["candidates"]),
        torch.tensor(masks["positive"]).bool(),
        torch.tensor(negative).bool(),
    ), masks["other_positives"]


def _cells(relations: Relations, size: int) -> list[list[int]]:
    cells = torch.full((size, size), OUTSIDE)
    kinds = torch.full(relations.positive.shape, IGNORED)
    kinds[relations.anchors[:, None] == relations.candidates[None, :]] = ITSELF
    kinds[relations.negative], kinds[relations.positive] = NEGATIVE, POSITIVE
    cells[relations.anchors[:, None], relations.candidates[None, :]] = kinds
    return cells.tolist()


def _terms(state: Mapping, relations: Relations, other_positives: str, logits: torch.Tensor, at: int) -> list[dict]:
    """The parts of the denominator of each positive of anchor `at`; `logits` [C] are its s/τ."""
    group = torch.tensor(state["group"])[relations.candidates]
    own = group == state["group"][int(relations.anchors[at])]
    positive, negative = relations.positive[at], relations.negative[at]
    terms = []
    for p in positive.nonzero().flatten().tolist():
        itself = torch.arange(len(logits)) == p
        others = positive & ~itself
        parts = [itself, others & (other_positives == "included"), negative & own, negative & ~own]
        ghosts = int(others.sum()) if other_positives == "zero_logit" else 0
        sums = torch.stack(
            [logits[part].logsumexp(0) for part in parts]
            + [torch.tensor(math.log(ghosts) if ghosts else -math.inf, dtype=torch.float64)]
        )
        whole = sums.logsumexp(0)
        terms.append(
            {
                "row": int(relations.candidates[p]),
                "sizes": [int(part.sum()) for part in parts] + [ghosts],
                "shares": (sums - whole).exp().tolist(),
                "term": (whole - logits[p]).item(),
            }
        )
    return terms


def _unit(vectors: torch.Tensor) -> torch.Tensor:
    lengths = vectors.double().norm(dim=1, keepdim=True)
    if not (lengths.isfinite().all() and (lengths > 0).all()):
        raise KitError("expected finite vectors longer than zero: a vector without length has no cosine.")
    return vectors.detach().double() / lengths


def _names(anchors: int, positives: int, negatives: int) -> list[str]:
    """1, 2 … for the anchors, 1a, 1b … for their positives, 1z, 1y … for their negatives."""
    numbers = range(1, anchors + 1)
    return [
        *map(str, numbers),
        *(f"{i}{chr(97 + k)}" for i in numbers for k in range(positives)),
        *(f"{i}{chr(122 - k)}" for i in numbers for k in range(negatives)),
    ]


def _pushes(push: Sequence[float]) -> float:
    return sum(max(value, 0.0) for value in push)


def _part(push: Sequence[float], row: int) -> str:
    """The share of all pushes that falls on a row; of few texts as all of them add up to 100 %."""
    shares = [max(value, 0.0) / (_pushes(push) or 1) for value in push]
    whole = apportioned(shares)[row] if sum(map(bool, shares)) < FEW else 0
    return percent_within(whole if 0 < whole < 1 else shares[row])


def _nearness(cells: Sequence[int], cosines: Sequence[float], row: int) -> str:
    """How near a row stands among those of its kind: "the nearest of 14 negatives, at cosine 0.903"."""
    rivals = [cosine for cell, cosine in zip(cells, cosines) if cell == cells[row]]
    rank = sum(cosine > cosines[row] for cosine in rivals)
    told = f"number {rank + 1} in nearness" if rank else "the nearest"
    kind = "positive" if cells[row] == POSITIVE else "negative"
    return f"{told} of {counted(len(rivals), kind)}, at cosine {fixed(cosines[row], 3)}"
