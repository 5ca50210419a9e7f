"""The masked softmax, block of anchors after block: equal to `masked_softmax`, faster and leaner.

`kit.losses.softmax` writes the formula down as it is, and autograd keeps every matrix [A, C] for the
backward pass. Here the gradient is written down too, so that it can be taken at once, of a few
anchors at a time, and all that stays is the gradient of the vectors [rows, dim]. With x the logits
of a block, k the number of positives of an anchor and D its log-denominator:

    shared        L = D − mean_p x_p,            ∂L/∂x_c = e^{x_c − D} − [c positive]/k
    alone, ghost  L = mean_p log(1 + e^{M−x_p}),  ∂L/∂x_p = −σ(M − x_p)/k,
                                                  ∂L/∂x_n = e^{x_n − M} · mean_p σ(M − x_p)

where M = log Σ_n e^{x_n} over the negatives, with log(k − 1) added by the ghosts.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from kit.fast.matmul import product
from kit.losses.checks import check_choice, check_embeddings, check_temperature, count
from kit.losses.owners import Owners
from kit.losses.relations import Relations
from kit.losses.softmax import SIBLINGS, SIMILARITIES, lengths

CELLS = {"cpu": 2**20, "cuda": 2**26}  # of a block: what a cache holds, and what keeps a GPU busy


def chunked_softmax(
    embeddings: Tensor,
    relations: Relations | Owners,
    temperature: float,
    similarity: str = "cosine",
    siblings: str = "shared",
    reduction: str = "mean",
    chunk: int | None = None,
) -> Tensor:
    """`masked_softmax` with no more than `chunk` rows of the similarity matrix in memory at a time.

    The same arguments, value, gradient and errors to rounding; `reduction` "mean" or "sum" over the
    anchors with a positive. `chunk`: None for what suits the device. The gradient is taken along
    with the value, so it can be backpropagated as often as one likes, but not differentiated again.
    Memory grows with the rows, not with their square, unless `relations` themselves hold matrices.
    """
    check_temperature(temperature)
    check_choice("siblings", siblings, SIBLINGS)
    check_choice("similarity", similarity, SIMILARITIES)
    check_choice("reduction", reduction, ("mean", "sum"))
    check_embeddings(embeddings)
    relations.check(len(embeddings))
    relations = relations.to(embeddings.device)
    if chunk is None:
        cells = CELLS.get(embeddings.device.type, CELLS["cuda"])
        chunk = max(1, cells // max(1, len(relations.candidates)))
    settings = (relations, float(temperature), similarity, siblings, reduction, count("chunk", chunk, 1))
    if torch.is_grad_enabled() and embeddings.requires_grad:
        return _ChunkedSoftmax.apply(embeddings, settings)
    with torch.no_grad():
        return _value_and_gradient(embeddings, *settings, wanted=False)[0]


class _ChunkedSoftmax(torch.autograd.Function):
    """Value and gradient in the forward pass; the backward pass only scales the gradient."""

    @staticmethod
    def forward(ctx: Any, embeddings: Tensor, settings: tuple) -> Tensor:
        loss, gradient, scale = _value_and_gradient(embeddings, *settings, wanted=True)
        ctx.dtype = embeddings.dtype
        ctx.save_for_backward(gradient, scale)
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        gradient, scale = ctx.saved_tensors
        return (gradient * (scale * upstream)).to(ctx.dtype), None


def _value_and_gradient(
    embeddings: Tensor,
    relations: Relations | Owners,
    temperature: float,
    similarity: str,
    siblings: str,
    reduction: str,
    chunk: int,
    wanted: bool,
) -> tuple[Tensor, Tensor | None, Tensor]:
    """The loss, a scalar; if `wanted` a direction [rows, dim], and what it times to be its gradient."""
    device = embeddings.device.type
    # As in `similarity_matrix`: never in bfloat16, whatever comes in and whatever autocast says.
    exact = torch.autocast(device, enabled=False) if torch.is_autocast_enabled(device) else nullcontext()
    with exact:
        z = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
        length = lengths(z) if similarity == "cosine" else None  # [rows, 1]
        loss, anchors, gradient = _walk(z, length, relations, temperature, siblings, chunk, wanted)
        if wanted and length is not None:
            # A vector feels only what turns it: what points along it is taken out.
            along = (gradient * z).sum(dim=1, keepdim=True) / length.square()
            gradient.addcmul_(z, along, value=-1).div_(length)
        scale = 1 / anchors.clamp_(min=1) if reduction == "mean" else torch.ones_like(anchors)
        return loss * scale, gradient, scale


def _walk(
    z: Tensor,
    length: Tensor | None,
    relations: Relations | Owners,
    temperature: float,
    siblings: str,
    chunk: int,
    wanted: bool,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Over all blocks: the sum of the losses, the number of anchors with a positive, and the gradient of
    the sum for the rows of z, each divided by its `length` (None: as it is)."""

    def take(rows: Tensor) -> Tensor:
        found = z.index_select(0, rows)
        return found if length is None else found.div_(length.index_select(0, rows))

    inverse = 1 / temperature
    candidates = take(relations.candidates)  # [C, dim]
    total, anchored = z.new_zeros(()), z.new_zeros(())
    gradient = torch.zeros_like(z) if wanted else None
    for start in range(0, len(relations.anchors), chunk):
        rows = relations.anchors[start : start + chunk]
        anchors = take(rows)  # [block, dim]
        logits = product(anchors * inverse, candidates)  # [block, C]
        positive, ignored = relations.block(start, start + chunk)  # [block, C]
        share = positive.to(z.dtype)  # as floats: summing booleans would copy them as int64
        positives = share.sum(dim=1, keepdim=True)  # [block, 1]
        anchor = positives.clamp(max=1)  # 1.0, or 0.0 where there is none
        share /= positives.clamp_(min=1)  # of each among the positives
        if siblings == "shared":
            likelihood, pull = _shared(logits, ignored, share, anchor)
        else:
            likelihood, pull = _alone(logits, positive, ignored, share, positives if siblings == "ghost" else None)
        total -= likelihood
        anchored += anchor.sum()
        if wanted:
            gradient.index_add_(0, rows, product(pull, candidates.T), alpha=-inverse)
            gradient.index_add_(0, relations.candidates, product(pull.T, anchors.T), alpha=-inverse)
    return total, anchored, gradient


def _shared(logits: Tensor, ignored: Tensor, share: Tensor, anchor: Tensor) -> tuple[Tensor, Tensor]:
    """−L summed over a block, with all positives in one denominator, and ∂(−L)/∂logits [block, C].

    share: 1/k for each of k positives; anchor [block, 1]: 1.0 for one that has any. Uses up `logits`, `share`."""
    # Not −∞: times a share of 0 it would be NaN, and so would the row of an anchor that knows nobody.
    nothing = torch.finfo(logits.dtype).min / 2
    log_probability = logits.masked_fill_(ignored, nothing).log_softmax(dim=1)
    likelihood = log_probability.flatten().dot(share.flatten())
    return likelihood, share.addcmul_(log_probability.exp_(), anchor, value=-1)


def _alone(
    logits: Tensor, positive: Tensor, ignored: Tensor, share: Tensor, ghosts_and_one: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The same where each positive meets the negatives without its siblings, or with their ghosts."""
    of_negatives = logits.masked_fill(positive | ignored, -math.inf)
    rest = of_negatives.logsumexp(dim=1, keepdim=True)  # [block, 1], −∞ without a negative
    if ghosts_and_one is not None:
        rest = torch.logaddexp(rest, (ghosts_and_one - 1).log())
    excess = (rest - logits).masked_fill_(~positive, -math.inf)  # of the negatives over this positive
    likelihood = -torch.logaddexp(excess, excess.new_zeros(())).flatten().dot(share.flatten())
    pull = excess.sigmoid_().mul_(share)
    weight = of_negatives.sub_(rest.masked_fill(rest == -math.inf, 0.0)).exp_()  # among the negatives
    return likelihood, pull.addcmul_(weight, pull.sum(dim=1, keepdim=True), value=-1)
