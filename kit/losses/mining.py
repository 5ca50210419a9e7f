"""Which triplets a batch holds, and which of them still have a gradient.

With the distances d⁺ of the positive and d⁻ of the negative, and a margin m, a triplet is

    easy        d⁺ + m ≤ d⁻         its loss is 0, it has no gradient
    semi-hard   d⁺ < d⁻ < d⁺ + m    in the right order, not by enough
    hard        d⁻ ≤ d⁺             in the wrong order

Source of the names: Schroff et al. 2015 (FaceNet), section 3.2; Hermans et al. 2017, section 2.
"""

from __future__ import annotations

import torch
from torch import Tensor

from kit.checks.argument_checks import checked
from kit.losses.margin import check_margin, distance_matrix
from kit.losses.relations import Relations

REGIONS = ("easy", "semi-hard", "hard")  # Lesson 03


@checked
def count_triplets(relations: Relations) -> int:
    """How many valid triplets a batch holds: positives times negatives, summed over anchors.

    With n rows in classes of k it is n·(k − 1)·(n − k), cubic in n at a fixed k/n. Lesson 03.
    """
    relations = relations.to_dense()
    return int((relations.positive.sum(dim=1) * relations.negative.sum(dim=1)).sum())


@checked
def all_triplets(relations: Relations) -> Tensor:
    """Every valid triplet as rows of z (anchor, positive, negative), int64 [T, 3]. Lesson 03."""
    anchor, positive, negative = _indices(relations)
    candidates = relations.candidates
    return torch.stack([relations.anchors[anchor], candidates[positive], candidates[negative]], dim=1)


@checked
@torch.no_grad()
def triplet_regions(
    embeddings: Tensor, relations: Relations, margin: float = 1.0, distance: str = "euclidean"
) -> Tensor:
    """The region of every valid triplet, in the order of `all_triplets`, int64 [T].

    0 easy, 1 semi-hard, 2 hard, as in `REGIONS`; `.bincount(minlength=3)` counts them. `embeddings` [rows, dim];
    distances and errors as in `kit.losses.margin`. Lesson 03.
    """
    margin = check_margin(margin)
    distances = distance_matrix(embeddings, relations, distance)  # [A, C]
    anchor, positive, negative = _indices(relations.to(distances.device))
    nearer, farther = distances[anchor, positive], distances[anchor, negative]  # [T]
    # The same sum as in the loss, so that "easy" is exactly where the loss is 0.
    active = nearer - farther + margin > 0
    return active.long() + (active & (farther <= nearer)).long()


def _indices(relations: Relations) -> tuple[Tensor, Tensor, Tensor]:
    """Of every valid triplet, [T] each: the row of its anchor, and the columns of its positive and negative."""
    relations = relations.to_dense()
    anchor, positive = relations.positive.nonzero(as_tuple=True)  # [pairs]
    pair, negative = relations.negative[anchor].nonzero(as_tuple=True)  # [T]
    return anchor[pair], positive[pair], negative
