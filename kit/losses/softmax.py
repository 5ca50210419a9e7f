"""The one formula: a masked softmax over the relations of a batch.

For every anchor i that has a positive, with s the similarity and τ the temperature:

    term(i, p) = − log [ e^{s_ip/τ} / Σ_{c ∈ D(i,p)} e^{s_ic/τ} ],   p ∈ P_i
    L = mean over i of ( mean over p ∈ P_i of term(i, p) )

D(i, p) is p, the negatives N_i and, where siblings are shared, the other positives of i.
The gradient says the rest: ∂L/∂s_ic = (weight of c − share of c among the positives) / τ,
averaged over anchors. What weighs more than its share is pushed, what weighs less is pulled.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kit.losses.checks import check_choice, check_embeddings, check_temperature
from kit.losses.relations import Relations

SIMILARITIES = ("cosine", "dot")
SIBLINGS = ("shared", "alone", "ghost")
REDUCTIONS = ("mean", "sum", "none")


def masked_softmax(
    embeddings: Tensor,
    relations: Relations,
    temperature: float,
    similarity: str = "cosine",
    siblings: str = "shared",
    reduction: str = "mean",
) -> Tensor:
    """The contrastive loss of a batch: how badly the positives win against the negatives.

    `embeddings` [rows, dim], any float type; computed in float32 at least, also under autocast.
    `temperature` > 0. `similarity`: "cosine" or "dot". `siblings`, the other positives of i in
    the denominator of one: "shared" (all of them: SupCon, SCL), "alone" (none: SupMPN) or
    "ghost" (each adds e⁰ and has no gradient: what SupMPN's released code computes).
    `reduction` over anchors with a positive: "mean", "sum", or "none" for a tensor [A].

    An anchor without a positive is left out ("none": 0), a batch without any gives 0 that
    can still be backpropagated. Bad input raises `KitError`.
    Source: Khosla et al. 2020, Eq. 2, with the masks as parameters.
    """
    check_temperature(temperature)
    check_choice("siblings", siblings, SIBLINGS)
    check_choice("reduction", reduction, REDUCTIONS)
    # similarity
    scores = similarity_matrix(embeddings, relations, similarity)  # [A, C]
    relations = relations.matrices().to(embeddings.device)
    # logits
    logits = scores / temperature
    # masks: who stands in the denominator
    log_denominator = _log_denominator(logits, relations, siblings)  # [A, 1] or [A, C]
    # log-probability, for every candidate as if it were the positive
    surprise = log_denominator - logits  # [A, C], −log p
    # mean over the positives of an anchor, then over anchors
    positives = relations.positive.sum(dim=1)  # [A]
    summed = surprise.masked_fill(~relations.positive, 0.0).sum(dim=1)
    per_anchor = summed / positives.clamp(min=1)  # [A], 0 without a positive
    if reduction == "none":
        return per_anchor
    if reduction == "sum":
        return per_anchor.sum()
    return per_anchor.sum() / (positives > 0).sum().clamp(min=1)


def similarity_matrix(embeddings: Tensor, relations: Relations, similarity: str = "cosine") -> Tensor:
    """The similarity of each anchor and candidate, [A, C], in float32 or the float64 given.

    "cosine" or "dot", for `embeddings` [rows, dim]. A vector of length zero has no direction:
    its cosine is 0.
    """
    check_choice("similarity", similarity, SIMILARITIES)
    check_embeddings(embeddings)
    relations.check(len(embeddings))
    relations = relations.to(embeddings.device)
    # Three digits of bfloat16 are too few once divided by τ = 0.05, and autocast would
    # compute the product in bfloat16 whatever goes in.
    with torch.autocast(embeddings.device.type, enabled=False):
        z = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
        if similarity == "cosine":
            z = z / lengths(z)
        # index_select, not z[...]: where a row is taken twice, the backward pass of indexing adds
        # its gradients in any order on several threads, and a run would not repeat bit for bit.
        anchors = z.index_select(0, relations.anchors)  # [A, dim]
        candidates = z.index_select(0, relations.candidates)  # [C, dim]
        return anchors @ candidates.T


@torch.no_grad()
def softmax_weights(
    embeddings: Tensor, relations: Relations, temperature: float, similarity: str = "cosine", siblings: str = "shared"
) -> Tensor:
    """How an anchor spreads its attention over the candidates, [A, C]; ignored ones get 0.

    It is the softmax over D(i, p), averaged over the positives p of i. A row sums to 1
    (to less with "ghost": the rest sits on the ghosts), or to 0 without a positive.
    Same arguments and errors as `masked_softmax`. For looking: it carries no gradient.
    """
    check_temperature(temperature)
    check_choice("siblings", siblings, SIBLINGS)
    logits = similarity_matrix(embeddings, relations, similarity) / temperature
    relations = relations.matrices().to(embeddings.device)
    positive, negative = relations.positive, relations.negative
    count = positive.sum(dim=1, keepdim=True)  # [A, 1]
    log_z = _log_denominator(logits, relations, siblings).expand_as(logits)
    # A positive alone meets only its own denominator; a negative meets that of every positive.
    met = 1 if siblings == "shared" else count
    of_positives = (logits - log_z).exp() / met
    of_negatives = (logits + _masked_logsumexp(-log_z, positive)).exp() / count
    weights = torch.where(positive, of_positives, of_negatives)
    return weights.masked_fill(~(positive | negative) | (count == 0), 0.0)


@torch.no_grad()
def similarity_gradient(
    embeddings: Tensor, relations: Relations, temperature: float, similarity: str = "cosine", siblings: str = "shared"
) -> Tensor:
    """∂L/∂s of `masked_softmax` (reduction "mean") by the formula, not by autograd, [A, C].

    (softmax weight − share among the positives) / τ, divided by the number of anchors that
    have a positive. Below 0: pulled together; above 0: pushed apart.
    """
    weights = softmax_weights(embeddings, relations, temperature, similarity, siblings)
    positive = relations.to(embeddings.device).positive
    count = positive.sum(dim=1, keepdim=True)  # [A, 1]
    share = positive / count.clamp(min=1)
    return (weights - share) / temperature / (count > 0).sum().clamp(min=1)


def lengths(z: Tensor) -> Tensor:
    """What to divide rows [rows, dim] by to make them of length 1, [rows, 1]: 1 for a zero row.

    So it stays zero, and its gradient stays moderate: dividing by a tiny constant instead would
    make one empty sentence drown the whole batch."""
    length = z.norm(dim=1, keepdim=True)
    return length.masked_fill(length < 1e-12, 1.0)


def _log_denominator(logits: Tensor, relations: Relations, siblings: str) -> Tensor:
    """log Σ_{c ∈ D(i,p)} e^{logit}: one per anchor [A, 1] if shared, else one per p [A, C]."""
    if siblings == "shared":
        return _masked_logsumexp(logits, relations.positive | relations.negative)
    log_denominator = torch.logaddexp(logits, _masked_logsumexp(logits, relations.negative))
    if siblings == "ghost":
        ghosts = (relations.positive.sum(dim=1, keepdim=True) - 1).clamp(min=0)
        # k siblings with logit 0 add k·e⁰ = e^{log k}; log 0 = −∞ adds nothing
        log_denominator = torch.logaddexp(log_denominator, ghosts.to(logits.dtype).log())
    return log_denominator


def _masked_logsumexp(logits: Tensor, keep: Tensor) -> Tensor:
    """log Σ e^logit over the kept candidates of each anchor, [A, 1]; −∞ where none is kept.

    An all-excluded row would be −∞ − (−∞) = NaN in the backward pass, so such a row is summed
    unmasked and its result replaced afterwards: the replacement has gradient zero.
    """
    empty = ~keep.any(dim=1, keepdim=True)  # [A, 1]
    excluded = ~(keep | empty)
    total = logits.masked_fill(excluded, -math.inf).logsumexp(dim=1, keepdim=True)
    return total.masked_fill(empty, -math.inf)
