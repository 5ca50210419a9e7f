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
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from kit.losses.checks import check_choice, check_embeddings, check_temperature, count
from kit.losses.owners import Owners
from kit.losses.relations import Relations
from kit.losses.softmax import SIBLINGS, SIMILARITIES, lengths

CELLS = {"cpu": 2**18, "cuda": 2**26}  # of a block: what a core's cache holds, and what keeps a GPU busy


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
    return _value_and_gradient(embeddings, *settings, wanted=False)[0]


class _ChunkedSoftmax(torch.autograd.Function):
    """Value and gradient in the forward pass; the backward pass only scales the gradient."""

    @staticmethod
    def forward(ctx: Any, embeddings: Tensor, settings: tuple) -> Tensor:
        loss, gradient = _value_and_gradient(embeddings, *settings, wanted=True)
        ctx.dtype = embeddings.dtype
        ctx.save_for_backward(gradient)
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        (gradient,) = ctx.saved_tensors
        return (gradient * upstream).to(ctx.dtype), None


def _value_and_gradient(embeddings: Tensor, relations: Relations | Owners, temperature: float, similarity: str,
                        siblings: str, reduction: str, chunk: int, wanted: bool) -> tuple[Tensor, Tensor | None]:
    """The loss, a scalar, and if `wanted` its gradient for the embeddings [rows, dim]."""
    # As in `similarity_matrix`: never in bfloat16, whatever comes in and whatever autocast says.
    with torch.no_grad(), torch.autocast(embeddings.device.type, enabled=False):
        z = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
        length = lengths(z) if similarity == "cosine" else None  # [rows, 1]
        loss, anchors, gradient = _walk(z, length, relations, temperature, siblings, chunk, wanted)
        divisor = anchors.clamp(min=1) if reduction == "mean" else torch.ones_like(anchors)
        if wanted and length is not None:
            # A vector feels only what turns it: what points along it is taken out.
            along = (gradient * z).sum(dim=1, keepdim=True) / length.square()
            gradient.addcmul_(z, along, value=-1).div_(length * (temperature * divisor))
        elif wanted:
            gradient /= temperature * divisor
        return loss / divisor, gradient


def _walk(z: Tensor, length: Tensor | None, relations: Relations | Owners, temperature: float, siblings: str,
          chunk: int, wanted: bool) -> tuple[Tensor, Tensor, Tensor | None]:
    """Over all blocks: the sum of the losses, the number of anchors with a positive, and the
    gradient of the sum for the rows (divided by their `length`, if any) times τ."""

    def take(rows: Tensor) -> Tensor:
        found = z.index_select(0, rows)
        return found if length is None else found.div_(length.index_select(0, rows))

    candidates = take(relations.candidates)  # [C, dim]
    total, anchored = z.new_zeros(()), z.new_zeros(())
    gradient = torch.zeros_like(z) if wanted else None
    of_candidates = torch.zeros_like(candidates) if wanted else None
    for start in range(0, len(relations.anchors), chunk):
        rows = relations.anchors[start:start + chunk]
        anchors = take(rows)  # [block, dim]
        positive, negative = relations.block(start, start + chunk)  # [block, C]
        chosen = positive.to(z.dtype)  # as floats: summing booleans would copy them as int64
        positives = chosen.sum(dim=1, keepdim=True)  # [block, 1]
        logits = (anchors / temperature) @ candidates.T  # [block, C]
        if siblings == "shared":
            losses, pull = _shared(logits, positive | negative, chosen, positives)
        else:
            losses, pull = _alone(logits, positive, negative, positives, siblings == "ghost")
        total += losses.sum()
        anchored += (positives > 0).sum()
        if wanted:
            gradient.index_add_(0, rows, pull @ candidates, alpha=-1)
            of_candidates.addmm_(pull.T, anchors, alpha=-1)
    if wanted:
        gradient.index_add_(0, relations.candidates, of_candidates)
    return total, anchored, gradient


def _shared(logits: Tensor, kept: Tensor, chosen: Tensor, positives: Tensor) -> tuple[Tensor, Tensor]:
    """The losses [block, 1] of a block and −∂/∂logits [block, C], all positives in one denominator.

    kept: who stands in it; chosen: 1.0 for a positive, `positives` of them in a row. `logits` and `chosen`
    are used up."""
    # Not −∞: times a share of 0 it would be NaN, and so would the row of an anchor that knows nobody.
    ignored = torch.finfo(logits.dtype).min / 2
    log_probability = logits.masked_fill_(~kept, ignored).log_softmax(dim=1)
    share = chosen.div_(positives.clamp(min=1))  # [block, C]
    losses = (log_probability * share).sum(dim=1, keepdim=True).neg_()
    anchor = (positives > 0).to(share.dtype)
    return losses, share.addcmul_(log_probability.exp_(), anchor, value=-1)


def _alone(logits: Tensor, positive: Tensor, negative: Tensor, positives: Tensor, ghost: bool
           ) -> tuple[Tensor, Tensor]:
    """The same where each positive meets the negatives without its siblings, or with their ghosts."""
    count = positives.clamp(min=1)
    of_negatives = logits.masked_fill(~negative, -math.inf)
    rest = of_negatives.logsumexp(dim=1, keepdim=True)  # [block, 1], −∞ without a negative
    if ghost:
        rest = torch.logaddexp(rest, (count - 1).log())
    excess = (rest - logits).masked_fill_(~positive, -math.inf)  # of the negatives over this positive
    losses = torch.logaddexp(excess, excess.new_zeros(())).sum(dim=1, keepdim=True) / count
    pull = excess.sigmoid_().div_(count)
    weight = of_negatives.sub_(rest.masked_fill(rest == -math.inf, 0.0)).exp_()  # among the negatives
    return losses, pull.addcmul_(weight, pull.sum(dim=1, keepdim=True), value=-1)
