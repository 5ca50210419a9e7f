"""The margin losses: a negative must be farther away than a margin, or it is pushed.

They take the same relations as the softmax (`kit.losses.relations`), with a distance d:

    contrastive      y·d² + (1 − y)·max(0, m − d)²   each pair; y = 1 for a positive
    triplet          max(0, d⁺ − d⁻ + m)             each given triplet
    batch_all        the same                        each triplet that the batch holds
    batch_hard       the same                        each anchor: farthest positive, nearest negative
    batch_semi_hard  the same                        each positive: nearest negative beyond it

A term is active where it is above 0; the others have no gradient. So the reduction is part of the loss: the papers
take the "sum", "mean" divides by the number of all terms, "mean_active" by that of the active ones.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kit.checks.argument_checks import checked
from kit.checks.tensor_checks import check_batch, check_tensor
from kit.errors import KitError, check_name, shown
from kit.losses.relations import Relations
from kit.losses.softmax import similarity_matrix
from kit.number_checks import is_finite, whole_number

DISTANCES = ("euclidean", "squared_euclidean", "cosine")
MARGIN_REDUCTIONS = ("mean", "mean_active", "sum")  # Lesson 03


@checked
def distance_matrix(embeddings: Tensor, relations: Relations, distance: str = "euclidean") -> Tensor:
    """The distance of each anchor and candidate, [A, C], in float32 or wider.

    "euclidean" ‖a − c‖, "squared_euclidean" ‖a − c‖² or "cosine" 1 − cos(a, c), for
    `embeddings` [rows, dim]. On vectors of length 1, ‖a − c‖² = 2·(1 − cos). The slope of a root is infinite at 0:
    between equal vectors the gradient of "euclidean" is taken as 0. Errors: `KitError` for bad input. Lesson 03.
    """
    check_name("distance", distance, DISTANCES)
    if distance == "cosine":
        return 1 - similarity_matrix(embeddings, relations, "cosine")
    check_batch(embeddings, relations)
    relations = relations.to(embeddings.device)
    with torch.autocast(embeddings.device.type, enabled=False):
        z = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
        anchors = z.index_select(0, relations.anchors)  # [A, dim]
        candidates = z.index_select(0, relations.candidates)  # [C, dim]
        # From the differences: ‖a‖² + ‖c‖² − 2a·c cancels to noise where distances are near 0, as in a
        # space that collapses.
        exact = "donot_use_mm_for_euclid_dist"
        distances = torch.cdist(anchors, candidates, compute_mode=exact)
    return distances.square() if distance == "squared_euclidean" else distances


@checked
def contrastive(
    embeddings: Tensor,
    relations: Relations,
    margin: float = 1.0,
    distance: str = "euclidean",
    reduction: str = "mean",
    half: bool = False,
) -> Tensor:
    """Contrastive loss: d² of each positive pair, max(0, m − d)² of each negative pair.

    `embeddings` [rows, dim]; the pairs are those that `relations` calls positive or negative.
    `half` True multiplies by ½, as the paper and sentence-transformers do.
    Source: Hadsell, Chopra and LeCun 2006, Eq. 4, whose Y is 0 for a similar pair. Lesson 03.
    """
    margin = _check(margin, reduction)
    distances = distance_matrix(embeddings, relations, distance)  # [A, C]
    relations = relations.to(distances.device).to_dense()
    missing = (margin - distances).relu()  # how far a negative is from being far enough
    terms = torch.where(relations.positive, distances, missing).square()
    loss = _reduce(terms, relations.positive | relations.negative, reduction)
    return loss / 2 if half else loss


@checked
def triplet(
    anchors: Tensor,
    positives: Tensor,
    negatives: Tensor,
    margin: float = 1.0,
    distance: str = "euclidean",
    reduction: str = "mean",
) -> Tensor:
    """Triplet loss: max(0, d(a, p) − d(a, n) + m) of N triplets, all three [N, dim], else `KitError`.

    Source: Schroff et al. 2015 (FaceNet), section 3.1: squared distance of vectors of length 1,
    m = 0.2, summed. Reimers and Gurevych 2019 (SBERT), section 3: Euclidean distance, m = 1. Lesson 03.
    """
    for name, rows in (("positives", positives), ("negatives", negatives)):
        if rows.shape != anchors.shape:
            raise KitError(
                f"expected {name} of the anchors' shape {tuple(anchors.shape)}, "
                f"got {tuple(rows.shape)}: give one row per anchor."
            )
    z = torch.cat([anchors, positives, negatives])
    return batch_all(z, triplet_relations(len(anchors)), margin, distance, reduction)


@checked
def batch_all(
    embeddings: Tensor, relations: Relations, margin: float = 1.0, distance: str = "euclidean", reduction: str = "mean"
) -> Tensor:
    """BatchAll: the triplet loss of every (anchor, positive, negative) in the batch.

    Memory: a few matrices [pairs, C] for C candidates and all pairs of an anchor and one of its positives; for n rows
    in classes of k, n²·(k − 1) numbers each. Without a valid triplet it is 0, which can still be backpropagated.
    Errors: `KitError` for bad input. Source: Hermans et al. 2017, section 2, L_BA (a sum). Lesson 03.
    """
    margin = _check(margin, reduction)
    distances = distance_matrix(embeddings, relations, distance)
    positive, candidates, negative = _by_pair(distances, relations)
    return _reduce((positive - candidates + margin).relu(), negative, reduction)


@checked
def batch_hard(
    embeddings: Tensor, relations: Relations, margin: float = 1.0, distance: str = "euclidean", reduction: str = "mean"
) -> Tensor:
    """BatchHard: one triplet per anchor, its farthest positive and its nearest negative.

    An anchor without a positive or without a negative is left out. Memory: a few matrices [A, C]. Otherwise as
    `batch_all`. Source: Hermans et al. 2017, section 2, L_BH (a sum). Lesson 03.
    """
    margin = _check(margin, reduction)
    distances = distance_matrix(embeddings, relations, distance)
    if distances.numel() == 0:
        return distances.sum()
    relations = relations.to(distances.device).to_dense()
    farthest = distances.masked_fill(~relations.positive, -math.inf).max(dim=1).values  # [A]
    nearest = distances.masked_fill(~relations.negative, math.inf).min(dim=1).values
    valid = relations.positive.any(dim=1) & relations.negative.any(dim=1)
    return _reduce((farthest - nearest + margin).relu(), valid, reduction)


@checked
def batch_semi_hard(
    embeddings: Tensor, relations: Relations, margin: float = 1.0, distance: str = "euclidean", reduction: str = "mean"
) -> Tensor:
    """One triplet per anchor and positive: the nearest negative that is farther away than the positive.

    Where none is farther, it is the farthest negative (the paper is silent; TensorFlow Addons and sentence-transformers
    do that). Otherwise as `batch_all`. Source: Schroff et al. 2015 (FaceNet), section 3.2, "semi-hard". Lesson 03.
    """
    margin = _check(margin, reduction)
    distances = distance_matrix(embeddings, relations, distance)
    if distances.numel() == 0:
        return distances.sum()
    positive, candidates, negative = _by_pair(distances, relations)
    beyond = negative & (candidates > positive)  # [pairs, C]
    nearest = candidates.masked_fill(~beyond, math.inf).min(dim=1).values  # [pairs]
    farthest = candidates.masked_fill(~negative, -math.inf).max(dim=1).values
    chosen = torch.where(beyond.any(dim=1), nearest, farthest)
    terms = (positive[:, 0] - chosen + margin).relu()
    return _reduce(terms, negative.any(dim=1), reduction)


def triplet_relations(n: int) -> Relations:
    """Given triplets: each anchor has its own positive and its own negative; all other pairs are ignored.

    Rows of z: N anchors, N positives, N negatives in the same order. Errors: `KitError` for another `n`. Lesson 03.
    """
    own = torch.eye(whole_number("n", n, 0), dtype=torch.bool)
    other = torch.zeros_like(own)
    return Relations(torch.arange(n), n + torch.arange(2 * n), torch.cat([own, other], 1), torch.cat([other, own], 1))


@checked
def pair_relations(same: Tensor) -> Relations:
    """Given pairs: sentence i of the first N and sentence i of the second N are positive or negative.

    Rows of z: N first sentences, N second ones; `same` bool [N] says which pairs are positive. Lesson 03.
    """
    check_tensor("same", same, torch.bool, dimensions=1)
    rows = torch.arange(len(same), device=same.device)
    return Relations(rows, len(same) + rows, torch.diag(same), torch.diag(~same))


def _check(margin: object, reduction: str) -> float:
    check_name("reduction", reduction, MARGIN_REDUCTIONS)
    return check_margin(margin)


def check_margin(margin: object) -> float:
    if not is_finite(margin) or margin <= 0:
        raise KitError(f"expected a margin above 0, got {shown(margin)}: try 1.0, or 0.2 where vectors have length 1.")
    return float(margin)


def _by_pair(distances: Tensor, relations: Relations) -> tuple[Tensor, Tensor, Tensor]:
    """For each pair of an anchor and one of its positives: d⁺ [pairs, 1]; the anchor's distances to all
    candidates, and which of them are its negatives, [pairs, C]."""
    relations = relations.to(distances.device).to_dense()
    anchor, column = relations.positive.nonzero(as_tuple=True)
    candidates = distances.index_select(0, anchor)  # not distances[anchor], see `similarity_matrix`
    return candidates.gather(1, column[:, None]), candidates, relations.negative[anchor]


def _reduce(terms: Tensor, valid: Tensor, reduction: str) -> Tensor:
    terms = terms.masked_fill(~valid, 0.0)
    if reduction == "sum":
        return terms.sum()
    counted = valid if reduction == "mean" else terms > 0
    return terms.sum() / counted.sum().clamp(min=1)
