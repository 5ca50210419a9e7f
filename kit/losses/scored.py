"""Losses of scored pairs: the cosine of two sentences is brought to the order, or to the number, that people gave.

With c_i = cos(u_i, v_i) and the score s_i of pair i:

    CoSENT              log(1 + Σ_{(i, j): s_i > s_j} e^{(c_j − c_i)/τ})
    cosine regression   1/N · Σ_i (c_i − s_i)²

CoSENT looks at the order only, as Spearman's correlation does: a pair that people scored higher must have the higher
cosine. It is a smooth maximum of 0 and of the wrong differences, each over τ. Its gradient by c_j is the softmax
weight of the terms in which j should be lower, minus that of those in which it should be higher, over τ.
Cosine regression wants the number itself, so it depends on the scale of the scores.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kit.checks.argument_checks import checked
from kit.checks.tensor_checks import check_embeddings, check_temperature
from kit.errors import KitError
from kit.losses.softmax import lengths


@checked
def cosent(u: Tensor, v: Tensor, scores: Tensor, temperature: float = 0.05) -> Tensor:
    """CoSENT: log(1 + Σ_{(i, j): s_i > s_j} e^{(cos(u_j, v_j) − cos(u_i, v_i))/τ}), a scalar.

    `u`, `v` [N, dim]: the sentences of pair i in row i. `scores` [N]: only their order counts. Equal scores are not
    compared: a batch without two different ones gives 0, which can still be backpropagated. Source: Su 2022, "CoSENT
    (1)" (kexue.fm, archive 8847); τ 0.05 is a scale of 20, as in sentence-transformers' CoSENTLoss. Errors: `KitError`
    for shapes that do not fit, scores that are not finite, and a τ of 0 or less. Lesson 13.
    """
    temperature = check_temperature(temperature)
    cosines, scores = pair_cosine(u, v), _checked_scores(scores, u)
    should_be_higher = (scores[:, None] > scores[None, :]).to(u.device)  # [i, j]: s_i > s_j
    wrong_by = (cosines[None, :] - cosines[:, None]) / temperature  # [i, j]: c_j − c_i, over τ
    terms = wrong_by.masked_fill(~should_be_higher, -math.inf).flatten()
    return torch.cat([terms.new_zeros(1), terms]).logsumexp(dim=0)


@checked
def cosine_regression(u: Tensor, v: Tensor, scores: Tensor) -> Tensor:
    """The mean over the pairs of (cos(u_i, v_i) − s_i)², a scalar; 0 without pairs.

    `u`, `v` [N, dim]; `scores` [N] from −1 to 1, the cosine that is wanted: scores of people go from 0 to 1.
    Source: Reimers and Gurevych 2019 (SBERT), section 3, "regression objective function"; sentence-transformers'
    CosineSimilarityLoss. Errors: `KitError` as `cosent`, and for scores outside [−1, 1]. Lesson 13.
    """
    cosines = pair_cosine(u, v)
    scores = _checked_scores(scores, u).to(cosines)
    if len(scores) and float(scores.abs().max()) > 1:
        raise KitError(
            f"expected scores from −1 to 1, as cosines are, got {float(scores[scores.abs().argmax()]):g}: divide them "
            "by the largest score, or train with cosent, which looks at their order only."
        )
    return (cosines - scores).square().sum() / max(1, len(scores))


def pair_cosine(u: Tensor, v: Tensor) -> Tensor:
    """cos(u_i, v_i) [N] of `u` and `v` [N, dim], in float32 or wider; 0 for a zero vector. Errors: `KitError`."""
    for side in (u, v):
        check_embeddings(side)
    if u.shape != v.shape:
        raise KitError(f"expected u and v of one shape [pairs, dim], got {tuple(u.shape)} and {tuple(v.shape)}.")
    with torch.autocast(u.device.type, enabled=False):
        u, v = (side.to(torch.promote_types(side.dtype, torch.float32)) for side in (u, v))
        return ((u / lengths(u)) * (v / lengths(v))).sum(dim=1)


def _checked_scores(scores: Tensor, u: Tensor) -> Tensor:
    """The scores with all their digits: in float32 two that differ may be one."""
    no_order = scores.dtype == torch.bool or scores.is_complex()
    if scores.shape != u.shape[:1] or no_order or not bool(torch.isfinite(scores).all()):
        raise KitError(
            f"expected one finite score per pair, [{len(u)}], got shape {tuple(scores.shape)} of {scores.dtype}: give "
            "numbers, and leave out the pairs without one."
        )
    return scores if scores.is_floating_point() else scores.long()
