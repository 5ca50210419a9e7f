"""The margin losses: far enough apart, or pushed.

They take the same two matrices as the softmax (`kit.losses.relations`), with a distance d:

    contrastive      y·d² + (1 − y)·max(0, m − d)²   each pair; y = 1 for a positive
    triplet          max(0, d⁺ − d⁻ + m)             each given triplet
    batch_all        the same                        each triplet that the batch holds
    batch_hard       the same                        each anchor: farthest positive, nearest negative
    batch_semi_hard  the same                        each positive: nearest negative beyond it

A term is active where it is above 0; the others have no gradient. That makes the reduction part
of the loss: the papers take the "sum", "mean" divides by all terms, "mean_active" by the active.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kit.errors import KitError
from kit.losses.checks import check_choice, check_embeddings, check_tensor, count, is_number
from kit.losses.relations import Relations
from kit.losses.softmax import similarity_matrix

DISTANCES = ("euclidean", "squared_euclidean", "cosine")
MARGIN_REDUCTIONS = ("mean", "mean_active", "sum")


def distance_matrix(embeddings: Tensor, relations: Relations, distance: str = "euclidean") -> Tensor:
    """The distance of each anchor and candidate, [A, C], in float32 or the float64 given.

    "euclidean" ‖a − c‖, "squared_euclidean" ‖a − c‖² or "cosine" 1 − cos(a, c), for
    `embeddings` [rows, dim]. On vectors of length 1, ‖a − c‖² = 2·(1 − cos). The slope of a root
    is infinite at 0: between equal vectors the gradient of "euclidean" is taken as 0.
    """
    check_choice("distance", distance, DISTANCES)
    if distance == "cosine":
        return 1 - similarity_matrix(embeddings, relations, "cosine")
    check_embeddings(embeddings)
    relations.check(len(embeddings))
    relations = relations.to(embeddings.device)
    with torch.autocast(embeddings.device.type, enabled=False):
        z = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
        anchors = z.index_select(0, relations.anchors)  # [A, dim]
        candidates = z.index_select(0, relations.candidates)  # [C, dim]
        # From the differences: ‖a‖² + ‖c‖² − 2a·c loses what is left of a distance near 0, which
        # is where one has to look when a space collapses.
        exact = "donot_use_mm_for_euclid_dist"
        distances = torch.cdist(anchors, candidates, compute_mode=exact)
    return distances.square() if distance == "squared_euclidean" else distances


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
    Source: Hadsell, Chopra and LeCun 2006, Eq. 4, whose Y is 0 for a similar pair.
    """
    _check(margin, reduction)
    distances = distance_matrix(embeddings, relations, distance)  # [A, C]
    relations = relations.to(distances.device)
    missing = (margin - distances).relu()  # how far a negative is from being far enough
    terms = torch.where(relations.positive, distances, missing).square()
    loss = _reduce(terms, relations.positive | relations.negative, reduction)
    return loss / 2 if half else loss


def triplet(
    anchors: Tensor,
    positives: Tensor,
    negatives: Tensor,
    margin: float = 1.0,
    distance: str = "euclidean",
    reduction: str = "mean",
) -> Tensor:
    """Triplet loss: max(0, d(a, p) − d(a, n) + m) of N triplets, all three [N, dim].

    Source: Schroff et al. 2015 (FaceNet), section 3.1: squared distance of vectors of length 1,
    m = 0.2, summed. Reimers and Gurevych 2019 (SBERT), section 3: Euclidean distance, m = 1.
    """
    for name, rows in (("positives", positives), ("negatives", negatives)):
        if rows.shape != anchors.shape:
            raise KitError(
                f"expected {name} of the anchors' shape {tuple(anchors.shape)}, "
                f"got {tuple(rows.shape)}: give one row per anchor."
            )
    z = torch.cat([anchors, positives, negatives])
    return batch_all(z, triplet_relations(len(anchors)), margin, distance, reduction)


def batch_all(
    embeddings: Tensor, relations: Relations, margin: float = 1.0, distance: str = "euclidean", reduction: str = "mean"
) -> Tensor:
    """BatchAll: the triplet loss of every (anchor, positive, negative) that the batch holds.

    Memory: a few matrices [pairs, C] for C candidates and all pairs of an anchor and a positive
    of its; with one batch of n rows in classes of k, that is n²·(k − 1) numbers each.
    No valid triplet: 0 that can still be backpropagated. Bad input raises `KitError`.
    Source: Hermans et al. 2017, section 2, L_BA (a sum).
    """
    _check(margin, reduction)
    distances = distance_matrix(embeddings, relations, distance)
    positive, candidates, negative = _by_pair(distances, relations)
    return _reduce((positive - candidates + margin).relu(), negative, reduction)


def batch_hard(
    embeddings: Tensor, relations: Relations, margin: float = 1.0, distance: str = "euclidean", reduction: str = "mean"
) -> Tensor:
    """BatchHard: for each anchor one triplet, its farthest positive and its nearest negative.

    An anchor without a positive or without a negative is left out. Otherwise as `batch_all`, in
    the memory of the distances [A, C].
    Source: Hermans et al. 2017, section 2, L_BH (a sum).
    """
    _check(margin, reduction)
    distances = distance_matrix(embeddings, relations, distance)
    if distances.numel() == 0:
        return distances.sum()
    relations = relations.to(distances.device)
    farthest = distances.masked_fill(~relations.positive, -math.inf).max(dim=1).values  # [A]
    nearest = distances.masked_fill(~relations.negative, math.inf).min(dim=1).values
    valid = relations.positive.any(dim=1) & relations.negative.any(dim=1)
    return _reduce((farthest - nearest + margin).relu(), valid, reduction)


def batch_semi_hard(
    embeddings: Tensor, relations: Relations, margin: float = 1.0, distance: str = "euclidean", reduction: str = "mean"
) -> Tensor:
    """For each anchor and positive one triplet: the nearest negative that is farther than it.

    Where no negative is farther than the positive, the farthest one there is (the paper is
    silent; TensorFlow Addons and sentence-transformers do that). Otherwise as `batch_all`.
    Source: Schroff et al. 2015 (FaceNet), section 3.2, "semi-hard".
    """
    _check(margin, reduction)
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
    """Given triplets: each anchor knows its own positive and its own negative, nobody else's.

    Rows of z: N anchors, N positives, N negatives in the same order.
    """
    own = torch.eye(count("n", n), dtype=torch.bool)
    other = torch.zeros_like(own)
    candidates = n + torch.arange(2 * n)
    return Relations(torch.arange(n), candidates, torch.cat([own, other], 1), torch.cat([other, own], 1))


def pair_relations(same: Tensor) -> Relations:
    """Given pairs: sentence i of the first N belongs to sentence i of the second N, or does not.

    Rows of z: N first sentences, N second ones; `same` bool [N] says which pairs are positive.
    """
    check_tensor("same", same, torch.bool, dimensions=1)
    rows = torch.arange(len(same), device=same.device)
    return Relations(rows, len(same) + rows, torch.diag(same), torch.diag(~same))


def _check(margin: object, reduction: str) -> None:
    check_margin(margin)
    check_choice("reduction", reduction, MARGIN_REDUCTIONS)


def check_margin(margin: object) -> None:
    if not is_number(margin) or margin <= 0:
        raise KitError(f"expected a margin above 0, got {margin!r}: try 1.0, or 0.2 where vectors have length 1.")


def _by_pair(distances: Tensor, relations: Relations) -> tuple[Tensor, Tensor, Tensor]:
    """For every anchor with each of its positives: d⁺ [pairs, 1], the anchor's distances to all
    candidates and which of those are its negatives, [pairs, C]."""
    relations = relations.to(distances.device)
    anchor, column = relations.positive.nonzero(as_tuple=True)
    candidates = distances.index_select(0, anchor)  # repeats bit for bit, see similarity_matrix
    return candidates.gather(1, column[:, None]), candidates, relations.negative[anchor]


def _reduce(terms: Tensor, valid: Tensor, reduction: str) -> Tensor:
    terms = terms.masked_fill(~valid, 0.0)
    if reduction == "sum":
        return terms.sum()
    counted = valid if reduction == "mean" else terms > 0
    return terms.sum() / counted.sum().clamp(min=1)
