"""The masked softmax, a block of anchors at a time: equal to `masked_softmax`, in less time and memory.

Plain twin: `kit.losses.softmax.masked_softmax`, where autograd keeps every matrix [A, C] for the backward
pass. Here the gradient is written out too and taken along with the value, for a few anchors at a time, so that
only the gradient of the vectors [rows, dim] has to be kept. With x the logits of a block, k the number of positives
of an anchor and D its log-denominator:

    included               L = D − mean_p x_p,            ∂L/∂x_c = e^{x_c − D} − [c positive]/k
    excluded, zero_logit   L = mean_p log(1 + e^{M−x_p}),  ∂L/∂x_p = −σ(M − x_p)/k,
                                                           ∂L/∂x_n = e^{x_n − M} · mean_p σ(M − x_p)

where M = log Σ_n e^{x_n} over the negatives; "zero_logit" adds log(k − 1) to the sum.
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from kit.checks.tensor_checks import check_batch, check_temperature
from kit.errors import KitError, check_name
from kit.fast.matmul import matmul_nt
from kit.losses.relations import Relations
from kit.losses.softmax import OTHER_POSITIVES, SIMILARITIES, lengths
from kit.number_checks import whole_number

CELLS = {"cpu": 2**20, "cuda": 2**26}  # of a block of logits: what fits a cache, and what keeps a GPU busy


def chunked_softmax(
    embeddings: Tensor,
    relations: Relations,
    temperature: float,
    similarity: str = "cosine",
    other_positives: str = "included",
    reduction: str = "mean",
    chunk: int | None = None,
) -> Tensor:
    """`masked_softmax` with at most `chunk` rows of the similarity matrix in memory at a time.

    Same arguments and errors, same value and gradient to rounding; `reduction` is "mean" or "sum". `chunk`:
    anchors in a block, None for what suits the device. To differentiate the gradient again is a `KitError`.
    Memory grows with the number of rows, not with its square, unless `relations` hold dense matrices.
    Lesson 12.
    """
    temperature = check_temperature(temperature)
    check_name("other_positives", other_positives, OTHER_POSITIVES)
    check_name("similarity", similarity, SIMILARITIES)
    check_name("reduction", reduction, ("mean", "sum"))
    check_batch(embeddings, relations)
    relations = relations.to(embeddings.device)
    if chunk is None:
        cells = CELLS.get(embeddings.device.type, CELLS["cuda"])
        chunk = max(1, cells // max(1, len(relations.candidates)))
    settings = (relations, temperature, similarity, other_positives, reduction, whole_number("chunk", chunk, 1))
    if torch.is_grad_enabled() and embeddings.requires_grad:
        return _ChunkedSoftmax.apply(embeddings, settings)
    with torch.no_grad():
        return _value_and_gradient(embeddings, *settings, with_gradient=False)[0]


class _ChunkedSoftmax(torch.autograd.Function):
    """Value and gradient in the forward pass; the backward pass only scales the gradient."""

    @staticmethod
    def forward(ctx: Any, embeddings: Tensor, settings: tuple) -> Tensor:
        loss, gradient, scale = _value_and_gradient(embeddings, *settings, with_gradient=True)
        ctx.dtype = embeddings.dtype
        ctx.save_for_backward(gradient, scale, embeddings)
        return loss

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        gradient, scale, embeddings = ctx.saved_tensors
        gradient = (gradient * (scale * upstream)).to(ctx.dtype)
        # With create_graph=True somebody may differentiate this gradient, which is a constant as far as torch knows.
        return _Once.apply(gradient, embeddings) if torch.is_grad_enabled() else gradient, None


class _Once(torch.autograd.Function):
    """The gradient of `embeddings` as it is; to differentiate it again is an error, not silently zero."""

    @staticmethod
    def forward(ctx: Any, gradient: Tensor, embeddings: Tensor) -> Tensor:
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor]:
        raise KitError(
            "expected one derivative of this loss, but its gradient is differentiated again, which the fast softmax "
            "cannot: call the loss with fast=False, or set KIT_FAST=0."
        )


def _value_and_gradient(
    embeddings: Tensor,
    relations: Relations,
    temperature: float,
    similarity: str,
    other_positives: str,
    reduction: str,
    chunk: int,
    with_gradient: bool,
) -> tuple[Tensor, Tensor | None, Tensor]:
    """The loss, a scalar; if `with_gradient` its unscaled gradient [rows, dim]; the scale of that gradient."""
    device = embeddings.device.type
    # As in `similarity_matrix`: never in bfloat16, whatever the input or autocast.
    no_autocast = torch.autocast(device, enabled=False) if torch.is_autocast_enabled(device) else nullcontext()
    with no_autocast:
        z = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
        length = lengths(z) if similarity == "cosine" else None  # [rows, 1]
        loss, anchors, gradient = _walk(z, length, relations, temperature, other_positives, chunk, with_gradient)
        if with_gradient and length is not None:
            # Cosine ignores length: drop the component of the gradient along each vector.
            along = (gradient * z).sum(dim=1, keepdim=True) / length.square()
            gradient.addcmul_(z, along, value=-1).div_(length)
        scale = 1 / anchors.clamp_(min=1) if reduction == "mean" else torch.ones_like(anchors)
        return loss * scale, gradient, scale


def _walk(
    z: Tensor,
    length: Tensor | None,
    relations: Relations,
    temperature: float,
    other_positives: str,
    chunk: int,
    with_gradient: bool,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Over all blocks: the sum of the losses, the number of anchors with a positive, and the gradient of that sum.

    The rows of z are divided by their `length` (None: not divided); the gradient is with respect to the quotients.
    """

    def take(rows: Tensor) -> Tensor:
        taken = z.index_select(0, rows)
        return taken if length is None else taken.div_(length.index_select(0, rows))

    inverse = 1 / temperature
    candidates = take(relations.candidates)  # [C, dim]
    total, valid_anchors = z.new_zeros(()), z.new_zeros(())
    gradient = torch.zeros_like(z) if with_gradient else None
    for start in range(0, len(relations.anchors), chunk):
        rows = relations.anchors[start : start + chunk]
        anchors = take(rows)  # [block, dim]
        logits = matmul_nt(anchors * inverse, candidates)  # [block, C]
        positive, ignored = relations.block(start, start + chunk)  # [block, C]
        target = positive.to(z.dtype)  # as floats: summing booleans would copy them as int64
        positives = target.sum(dim=1, keepdim=True)  # [block, 1]
        has_positive = positives.clamp(max=1)  # 1.0 or 0.0
        target /= positives.clamp_(min=1)  # 1/k for each of k positives
        if other_positives == "included":
            log_likelihood, pull = _positives_included(logits, ignored, target, has_positive)
        else:
            zeros_and_one = positives if other_positives == "zero_logit" else None
            log_likelihood, pull = _positives_excluded(logits, positive, ignored, target, zeros_and_one)
        total -= log_likelihood
        valid_anchors += has_positive.sum()
        if with_gradient:
            gradient.index_add_(0, rows, matmul_nt(pull, candidates.T), alpha=-inverse)
            gradient.index_add_(0, relations.candidates, matmul_nt(pull.T, anchors.T), alpha=-inverse)
    return total, valid_anchors, gradient


def _positives_included(logits: Tensor, ignored: Tensor, target: Tensor, has_positive: Tensor) -> tuple[Tensor, Tensor]:
    """−L summed over a block, with all positives of an anchor in its one denominator, and ∂(−L)/∂logits [block, C].

    target [block, C]: 1/k for each of k positives; has_positive [block, 1]: 1.0 or 0.0. Overwrites `logits` and
    `target`.
    """
    # Not −∞: 0 · −∞ is NaN, and so is the softmax of a row in which everything is ignored.
    lowest = torch.finfo(logits.dtype).min / 2
    log_probability = logits.masked_fill_(ignored, lowest).log_softmax(dim=1)
    log_likelihood = log_probability.flatten().dot(target.flatten())
    return log_likelihood, target.addcmul_(log_probability.exp_(), has_positive, value=-1)


def _positives_excluded(
    logits: Tensor, positive: Tensor, ignored: Tensor, target: Tensor, zeros_and_one: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The same where each positive competes with the negatives alone, or also with a logit 0 for each other positive.

    zeros_and_one [block, 1]: how many logits of 0, plus one; None for none.
    """
    of_negatives = logits.masked_fill(positive | ignored, -math.inf)
    rest = of_negatives.logsumexp(dim=1, keepdim=True)  # [block, 1], −∞ without a negative
    if zeros_and_one is not None:
        rest = torch.logaddexp(rest, (zeros_and_one - 1).log())
    excess = (rest - logits).masked_fill_(~positive, -math.inf)  # of the negatives over this positive
    log_likelihood = -torch.logaddexp(excess, excess.new_zeros(())).flatten().dot(target.flatten())
    pull = excess.sigmoid_().mul_(target)
    weight = of_negatives.sub_(rest.masked_fill(rest == -math.inf, 0.0)).exp_()  # among the negatives
    return log_likelihood, pull.addcmul_(weight, pull.sum(dim=1, keepdim=True), value=-1)
