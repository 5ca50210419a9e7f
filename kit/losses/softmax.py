"""The one formula of the contrastive losses: a masked softmax over the relations of a batch.

For every anchor i that has a positive, with s the similarity and τ the temperature:

    term(i, p) = − log [ e^{s_ip/τ} / Σ_{c ∈ D(i,p)} e^{s_ic/τ} ],   p ∈ P_i
    L = mean over i of ( mean over p ∈ P_i of term(i, p) )

D(i, p) is p, the negatives N_i and, if `other_positives` are "included", the other positives of i.
The gradient is ∂L/∂s_ic = (weight of c − target of c) / τ, averaged over anchors, where the target is 1/|P_i| for a
positive and 0 for a negative. What weighs more than its target is pushed away, what weighs less is pulled closer.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kit.checks.tensor_checks import check_batch, check_temperature
from kit.errors import check_name
from kit.fast import enabled
from kit.losses.relations import Relations

SIMILARITIES = ("cosine", "dot")
# Where the other positives of an anchor stand in the denominator of one; see `masked_softmax`.
OTHER_POSITIVES = ("included", "excluded", "zero_logit")
REDUCTIONS = ("mean", "sum", "none")


def contrastive_softmax(
    embeddings: Tensor,
    relations: Relations,
    temperature: float,
    similarity: str = "cosine",
    other_positives: str = "included",
    reduction: str = "mean",
    fast: bool | None = None,
) -> Tensor:
    """`masked_softmax`, by its fast twin `kit.fast.chunked.chunked_softmax` where `kit.fast.enabled(fast)`.

    All training goes through here. Same arguments and errors; the twins agree to rounding, but for second
    derivatives, which only the plain one has: of the fast one they are a `KitError`.
    """
    check_name("reduction", reduction, REDUCTIONS)
    if enabled(fast) and reduction != "none":
        from kit.fast.chunked import chunked_softmax

        return chunked_softmax(embeddings, relations, temperature, similarity, other_positives, reduction)
    return masked_softmax(embeddings, relations, temperature, similarity, other_positives, reduction)


def masked_softmax(
    embeddings: Tensor,
    relations: Relations,
    temperature: float,
    similarity: str = "cosine",
    other_positives: str = "included",
    reduction: str = "mean",
) -> Tensor:
    """The contrastive loss of a batch: the cross-entropy of picking each anchor's positives among the candidates.

    `embeddings` [rows, dim], any float type; computed in float32 or wider, also under autocast.
    `temperature` > 0. `similarity`: "cosine" or "dot". `other_positives`: the other positives of an anchor are
    "included" in the denominator of one (SupCon, SCL), "excluded" from it (SupMPN), or stand there with
    a "zero_logit" (each adds e⁰ and has no gradient: what SupMPN's released code computes).
    `reduction` over anchors with a positive: "mean", "sum", or "none" for a tensor [A].

    An anchor without a positive is left out (0 under "none"). A batch without any gives 0, which can still be
    backpropagated. Errors: `KitError` for bad input.
    Source: Khosla et al. 2020, Eq. 2, with the masks as parameters. Lessons 03, 05.
    """
    temperature = check_temperature(temperature)
    check_name("other_positives", other_positives, OTHER_POSITIVES)
    check_name("reduction", reduction, REDUCTIONS)
    # similarity
    scores = similarity_matrix(embeddings, relations, similarity)  # [A, C]
    relations = relations.to(embeddings.device).to_dense()
    # logits
    logits = scores / temperature
    # masks: who stands in the denominator
    log_denominator = _log_denominator(logits, relations, other_positives)  # [A, 1] or [A, C]
    # −log p of every candidate, as if it were the positive
    neg_log_prob = log_denominator - logits  # [A, C]
    # mean over the positives of an anchor, then over anchors
    positives = relations.positive.sum(dim=1)  # [A]
    summed = neg_log_prob.masked_fill(~relations.positive, 0.0).sum(dim=1)
    per_anchor = summed / positives.clamp(min=1)  # [A], 0 without a positive
    if reduction == "none":
        return per_anchor
    if reduction == "sum":
        return per_anchor.sum()
    return per_anchor.sum() / (positives > 0).sum().clamp(min=1)


def similarity_matrix(embeddings: Tensor, relations: Relations, similarity: str = "cosine") -> Tensor:
    """The similarity of each anchor and candidate, [A, C], in float32 or wider.

    "cosine" or "dot", else `KitError`; `embeddings` [rows, dim]. A vector of length zero has no direction: cosine 0.
    """
    check_name("similarity", similarity, SIMILARITIES)
    check_batch(embeddings, relations)
    relations = relations.to(embeddings.device)
    # The three digits of bfloat16 are too few once divided by τ = 0.05, and autocast would multiply in bfloat16.
    with torch.autocast(embeddings.device.type, enabled=False):
        z = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
        if similarity == "cosine":
            z = z / lengths(z)
        # index_select, not z[...]: for a row that is taken twice, the backward pass of indexing adds the gradients
        # in any order on several threads, and a run would not repeat bit for bit.
        anchors = z.index_select(0, relations.anchors)  # [A, dim]
        candidates = z.index_select(0, relations.candidates)  # [C, dim]
        return anchors @ candidates.T


@torch.no_grad()
def softmax_weights(
    embeddings: Tensor,
    relations: Relations,
    temperature: float,
    similarity: str = "cosine",
    other_positives: str = "included",
) -> Tensor:
    """The softmax over D(i, p), averaged over the positives p of anchor i, [A, C]; ignored candidates get 0.

    A row sums to 1 (to less with "zero_logit": those have the rest), or to 0 without a positive.
    Same arguments and errors as `masked_softmax`. Without a gradient. Lessons 04, 05.
    """
    temperature = check_temperature(temperature)
    check_name("other_positives", other_positives, OTHER_POSITIVES)
    logits = similarity_matrix(embeddings, relations, similarity) / temperature
    relations = relations.to(embeddings.device).to_dense()
    positive, negative = relations.positive, relations.negative
    count = positive.sum(dim=1, keepdim=True)  # [A, 1]
    log_z = _log_denominator(logits, relations, other_positives).expand_as(logits)
    # Unless included, a positive stands in its own denominator only; a negative stands in that of every positive.
    denominators = 1 if other_positives == "included" else count
    of_positives = (logits - log_z).exp() / denominators
    of_negatives = (logits + _masked_logsumexp(-log_z, positive)).exp() / count
    weights = torch.where(positive, of_positives, of_negatives)
    return weights.masked_fill(~(positive | negative) | (count == 0), 0.0)


@torch.no_grad()
def similarity_gradient(
    embeddings: Tensor,
    relations: Relations,
    temperature: float,
    similarity: str = "cosine",
    other_positives: str = "included",
) -> Tensor:
    """∂L/∂s of `masked_softmax` (reduction "mean") by the formula, not by autograd, [A, C].

    (weight − target) / τ, divided by the number of anchors that have a positive. Below 0: pulled together;
    above 0: pushed apart. Lesson 05.
    """
    weights = softmax_weights(embeddings, relations, temperature, similarity, other_positives)
    positive = relations.to(embeddings.device).positive
    count = positive.sum(dim=1, keepdim=True)  # [A, 1]
    target = positive / count.clamp(min=1)
    return (weights - target) / float(temperature) / (count > 0).sum().clamp(min=1)


def lengths(z: Tensor) -> Tensor:
    """The length of each row of z [rows, dim], [rows, 1], to divide by; 1 for a zero row, which so stays zero.

    Dividing by a tiny constant instead would give that row a gradient that drowns the whole batch.
    """
    length = z.norm(dim=1, keepdim=True)
    return length.masked_fill(length < 1e-12, 1.0)


def _log_denominator(logits: Tensor, relations: Relations, other_positives: str) -> Tensor:
    """log Σ_{c ∈ D(i,p)} e^{logit}: one per anchor [A, 1] if included, else one per p [A, C]."""
    if other_positives == "included":
        return _masked_logsumexp(logits, relations.positive | relations.negative)
    check_name("other_positives", other_positives, ("excluded", "zero_logit"))  # what stands below, and nothing else
    log_denominator = torch.logaddexp(logits, _masked_logsumexp(logits, relations.negative))
    if other_positives == "zero_logit":
        zeros = (relations.positive.sum(dim=1, keepdim=True) - 1).clamp(min=0)
        # k logits of 0 add k·e⁰ = e^{log k}; log 0 = −∞ adds nothing
        log_denominator = torch.logaddexp(log_denominator, zeros.to(logits.dtype).log())
    return log_denominator


def _masked_logsumexp(logits: Tensor, keep: Tensor) -> Tensor:
    """log Σ e^logit over the kept candidates of each anchor, [A, 1]; −∞ where none is kept.

    The backward pass of a row with nothing kept would be −∞ − (−∞) = NaN, so such a row is summed unmasked and its
    result replaced afterwards, which has gradient zero.
    """
    empty = ~keep.any(dim=1, keepdim=True)  # [A, 1]
    excluded = ~(keep | empty)
    total = logits.masked_fill(excluded, -math.inf).logsumexp(dim=1, keepdim=True)
    return total.masked_fill(empty, -math.inf)
