"""Lesson 03, margins: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch
import torch.nn.functional as F

# Euclidean distance from the cosine


def distance_from_cosine(cosine):
    """On unit vectors d² = 2 − 2·cos."""
    return (2 - 2 * cosine) ** 0.5


def squared_distance_from_cosine(cosine):
    return 2 - 2 * cosine


def cosine_distance(cosine):
    return 1 - cosine


def root_of_cosine_distance(cosine):
    return (1 - cosine) ** 0.5


def distance_of_opposites(cosine):
    return (2 + 2 * cosine) ** 0.5


def cosine_cases():
    return [
        (torch.tensor([1.0, 0.5, 0.0, -1.0], dtype=torch.float64),),
        (2 * torch.rand(6, generator=torch.Generator().manual_seed(3), dtype=torch.float64) - 1,),
    ]


# the triplet loss


def triplet_by_hand(anchors, positives, negatives, margin):
    """Mean over the rows of max(0, d⁺ − d⁻ + m)."""
    near = (anchors - positives).norm(dim=1)
    far = (anchors - negatives).norm(dim=1)
    return (near - far + margin).relu().mean()


def triplet_turned_round(anchors, positives, negatives, margin):
    return triplet_by_hand(anchors, negatives, positives, margin)


def triplet_without_hinge(anchors, positives, negatives, margin):
    return ((anchors - positives).norm(dim=1) - (anchors - negatives).norm(dim=1) + margin).mean()


def triplet_with_hinge_outside(anchors, positives, negatives, margin):
    return triplet_without_hinge(anchors, positives, negatives, margin).relu()


def triplet_of_squares(anchors, positives, negatives, margin):
    near, far = (anchors - positives).square().sum(dim=1), (anchors - negatives).square().sum(dim=1)
    return (near - far + margin).relu().mean()


def triplet_margin_subtracted(anchors, positives, negatives, margin):
    return triplet_by_hand(anchors, positives, negatives, -margin)


def triplet_summed(anchors, positives, negatives, margin):
    return triplet_by_hand(anchors, positives, negatives, margin) * len(anchors)


def triplet_cases():
    draw = torch.Generator().manual_seed(33)
    return [
        (*torch.randn(3, rows, 4, generator=draw, dtype=torch.float64), margin)
        for rows, margin in ((4, 0.2), (6, 1.0), (5, 0.5))
    ] + [_all_easy()]


def _all_easy():
    anchors = torch.zeros(3, 4, dtype=torch.float64)
    return anchors, anchors + 0.1, anchors + 5, 1.0


# its gradient


def gradient_on_the_anchor(anchor, positive, negative, margin):
    """Unit vectors from both sides, or nothing where the triplet is easy."""
    from_positive, from_negative = anchor - positive, anchor - negative
    if from_positive.norm() - from_negative.norm() + margin <= 0:
        return torch.zeros_like(anchor)
    return from_positive / from_positive.norm() - from_negative / from_negative.norm()


def gradient_never_zero(anchor, positive, negative, margin):
    return F.normalize(anchor - positive, dim=0) - F.normalize(anchor - negative, dim=0)


def gradient_of_squares(anchor, positive, negative, margin):
    easy = (anchor - positive).norm() - (anchor - negative).norm() + margin <= 0
    return torch.zeros_like(anchor) if easy else 2 * (negative - positive)


def gradient_as_a_force(anchor, positive, negative, margin):
    return -gradient_on_the_anchor(anchor, positive, negative, margin)


def gradient_of_the_pull_alone(anchor, positive, negative, margin):
    easy = (anchor - positive).norm() - (anchor - negative).norm() + margin <= 0
    return torch.zeros_like(anchor) if easy else F.normalize(anchor - positive, dim=0)


def gradient_cases():
    draw = torch.Generator().manual_seed(333)
    active = [(*torch.randn(3, 5, generator=draw, dtype=torch.float64), margin) for margin in (5.0, 6.0)]
    anchor, aside, far = torch.randn(3, 5, generator=draw, dtype=torch.float64)
    return [*active, (anchor, anchor + 0.1 * aside, anchor + 9 * far, 1.0)]


# how many triplets


def number_of_triplets(classes, each):
    """Anchors · other rows of the class · rows of the other classes."""
    return classes * each * (each - 1) * (classes - 1) * each


def triplets_with_itself(classes, each):
    return classes * each * each * (classes - 1) * each


def triplets_without_order(classes, each):
    return classes * each * (each - 1) // 2 * (classes - 1) * each


def triplets_one_per_class(classes, each):
    return classes * each * (each - 1) * (classes - 1)


def any_three_rows(classes, each):
    rows = classes * each
    return rows * (rows - 1) * (rows - 2) // 6


def triplets_cases():
    return [(2, 2), (4, 4), (18, 4), (32, 2), (5, 3)]


# BatchHard from a matrix of distances


def batch_hard_by_hand(distances, labels, margin):
    """Farthest row of the own class against the nearest of another, averaged over the anchors."""
    same = labels[:, None] == labels[None, :]
    farthest = distances.masked_fill(~same, -torch.inf).max(dim=1).values  # oneself is at 0: never the farthest
    nearest = distances.masked_fill(same, torch.inf).min(dim=1).values
    return (farthest - nearest + margin).relu().mean()


def batch_easy(distances, labels, margin):
    same, itself = labels[:, None] == labels[None, :], torch.eye(len(labels), dtype=torch.bool)
    nearest = distances.masked_fill(~same | itself, torch.inf).min(dim=1).values
    farthest = distances.masked_fill(same, -torch.inf).max(dim=1).values
    return (nearest - farthest + margin).relu().mean()


def batch_hard_farthest_negative(distances, labels, margin):
    same = labels[:, None] == labels[None, :]
    farthest = distances.masked_fill(~same, -torch.inf).max(dim=1).values
    return (farthest - distances.masked_fill(same, -torch.inf).max(dim=1).values + margin).relu().mean()


def batch_hard_own_class_as_negative(distances, labels, margin):
    same, itself = labels[:, None] == labels[None, :], torch.eye(len(labels), dtype=torch.bool)
    farthest = distances.masked_fill(~same, -torch.inf).max(dim=1).values
    return (farthest - distances.masked_fill(itself, torch.inf).min(dim=1).values + margin).relu().mean()


def batch_hard_masked_with_zeros(distances, labels, margin):
    same = labels[:, None] == labels[None, :]
    return ((distances * same).max(dim=1).values - (distances * ~same).min(dim=1).values + margin).relu().mean()


def batch_hard_summed(distances, labels, margin):
    return batch_hard_by_hand(distances, labels, margin) * len(labels)


def batch_hard_cases():
    draw, cases = torch.Generator().manual_seed(3333), []
    for labels, margin in (([0, 0, 0, 1, 1, 1, 2, 2, 2], 0.5), ([0, 1, 0, 1, 2, 2, 0, 1], 1.0)):
        z = torch.randn(len(labels), 3, generator=draw, dtype=torch.float64)
        cases.append((torch.cdist(z, z), torch.tensor(labels), margin))
    return cases
