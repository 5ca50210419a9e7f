"""Lesson 07, spans: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

# how long a span is


def span_length(beta, shortest, longest):
    """⌊β · (ℓmax − ℓmin) + ℓmin⌋ tokens."""
    return math.floor(beta * (longest - shortest) + shortest)


def length_rounded(beta, shortest, longest):
    return round(beta * (longest - shortest) + shortest)


def length_from_zero(beta, shortest, longest):
    return math.floor(beta * longest)


def length_too_long(beta, shortest, longest):
    return math.floor(beta * longest + shortest)


def length_not_whole(beta, shortest, longest):
    return beta * (longest - shortest) + shortest


def length_cases():
    draw = torch.Generator().manual_seed(7)
    betas = torch.rand(6, generator=draw, dtype=torch.float64).tolist()
    return list(zip(betas, (32, 32, 4, 4, 8, 2), (512, 512, 64, 64, 126, 40)))


# where a positive may start


def share_inside(anchor, positive):
    """Of the ℓa + ℓp + 1 places from s − ℓp to e, those that put a positive inside its anchor."""
    return (anchor - positive + 1) / (anchor + positive + 1)


def share_without_the_last_place(anchor, positive):
    return (anchor - positive) / (anchor + positive)


def share_of_the_anchor(anchor, positive):
    return (anchor - positive + 1) / anchor


def share_of_the_lengths(anchor, positive):
    return positive / anchor


def share_overlapping_too(anchor, positive):
    return (anchor + positive - 1) / (anchor + positive + 1)


def share_cases():
    return [(3, 2), (44, 24), (10, 10), (60, 4), (100, 1)]


# the positive of an anchor


def score_of_positives(anchor, positives):
    """The cosine of an anchor [dim] and the mean of its raw positives [P, dim]."""
    return F.cosine_similarity(anchor, positives.mean(dim=0), dim=0)


def score_mean_of_cosines(anchor, positives):
    return F.cosine_similarity(anchor[None, :], positives, dim=1).mean()


def score_of_unit_positives(anchor, positives):
    return F.cosine_similarity(anchor, F.normalize(positives, dim=1).mean(dim=0), dim=0)


def score_not_normalised(anchor, positives):
    return anchor @ positives.mean(dim=0)


def score_of_the_nearest(anchor, positives):
    return F.cosine_similarity(anchor[None, :], positives, dim=1).max()


def score_cases():
    draw = torch.Generator().manual_seed(70)
    cases = []
    for count, dim in ((2, 4), (4, 6), (3, 5)):
        positives = torch.randn(count, dim, generator=draw, dtype=torch.float64)
        positives *= torch.arange(1, count + 1, dtype=torch.float64)[:, None]  # raw vectors have unlike lengths
        cases.append((torch.randn(dim, generator=draw, dtype=torch.float64), positives))
    return cases


# who is pushed


def negatives_met(anchors, documents):
    """(of its own document, of the others), for A anchors in each of N documents."""
    return 2 * (anchors - 1), 2 * anchors * (documents - 1)


def negatives_of_positives_alone(anchors, documents):
    return anchors - 1, anchors * (documents - 1)


def negatives_with_itself(anchors, documents):
    return 2 * anchors, 2 * anchors * (documents - 1)


def negatives_with_its_positive(anchors, documents):
    return 2 * anchors - 1, 2 * anchors * (documents - 1)


def negatives_of_other_documents_alone(anchors, documents):
    return 0, 2 * anchors * (documents - 1)


def negatives_cases():
    return [(2, 16), (1, 16), (1, 32), (3, 11), (4, 2)]
