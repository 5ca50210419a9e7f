"""Lesson 05, many positives and negatives: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch

# who is a positive in SupCon


def positives_of(labels):
    """bool [n, n]: the other rows of the same class."""
    same = labels[:, None] == labels[None, :]
    return same & ~torch.eye(len(labels), dtype=torch.bool)


def positives_with_the_diagonal(labels):
    return labels[:, None] == labels[None, :]


def each_pair_once(labels):
    return (labels[:, None] == labels[None, :]).triu(diagonal=1)


def negatives_of(labels):
    return labels[:, None] != labels[None, :]


def one_positive_a_row(labels):
    positive = positives_of(labels)
    return positive & (positive.cumsum(dim=1) == 1)


def labels_cases():
    return [(torch.tensor(labels),) for labels in ([0, 0, 1, 1], [2, 0, 2, 1, 2, 0], [0, 1, 2], [5, 5, 5, 5, 1])]


# the terms of SupMPN for one anchor


def supmpn_term(own, others, tau):
    """−log [e^{p/τ} / (e^{p/τ} + Σ e^{other/τ})] for each positive p, and their mean."""
    rivals = (others / tau).exp().sum()
    own = (own / tau).exp()
    return -(own / (own + rivals)).log().mean()


def term_with_siblings(own, others, tau):
    own, rivals = (own / tau).exp(), (others / tau).exp().sum()
    return -(own / (own.sum() + rivals)).log().mean()


def term_with_ghosts(own, others, tau):
    ghosts = len(own) - 1
    own, rivals = (own / tau).exp(), (others / tau).exp().sum()
    return -(own / (own + rivals + ghosts)).log().mean()


def term_without_itself(own, others, tau):
    return -((own / tau).exp() / (others / tau).exp().sum()).log().mean()


def term_of_a_sum(own, others, tau):
    return supmpn_term(own, others, tau) * len(own)


def term_with_the_mean_inside(own, others, tau):
    own, rivals = (own / tau).exp(), (others / tau).exp().sum()
    return -(own / (own + rivals)).mean().log()


def term_with_tau_multiplied(own, others, tau):
    return supmpn_term(own, others, 1 / tau)


def term_cases():
    draw = torch.Generator().manual_seed(5)
    return [
        (
            torch.rand(p, generator=draw, dtype=torch.float64),
            2 * torch.rand(n, generator=draw, dtype=torch.float64) - 1,
            tau,
        )
        for p, n, tau in ((2, 4, 0.5), (5, 9, 0.2), (3, 2, 1.0))
    ]


# negatives without known false ones


def true_negatives(anchors, candidates, positive):
    """bool [A, C]: neither a positive, nor of the text of one, nor of the anchor's own text."""
    same = candidates[:, None] == candidates[None, :]  # [C, C]
    friend = (positive.int() @ same.int()) > 0  # [A, C]: has the text of one of its positives
    return ~positive & ~friend & (anchors[:, None] != candidates[None, :])


def all_that_are_not_positive(anchors, candidates, positive):
    return ~positive


def only_the_anchors_text(anchors, candidates, positive):
    return ~positive & (anchors[:, None] != candidates[None, :])


def only_the_positives_texts(anchors, candidates, positive):
    same = candidates[:, None] == candidates[None, :]
    return ~positive & ~((positive.int() @ same.int()) > 0)


def the_positives_of_everybody(anchors, candidates, positive):
    anyones = torch.isin(candidates, candidates[positive.any(dim=0)])  # [C]
    return ~positive & ~anyones[None, :] & (anchors[:, None] != candidates[None, :])


def twins_cases():
    """Three batches of texts as numbers: a positive that occurs twice, an anchor among the candidates, both."""
    eye = torch.eye(3, dtype=torch.bool)
    none = torch.zeros(3, 2, dtype=torch.bool)
    return [
        (torch.tensor([1, 2, 3]), torch.tensor([7, 7, 8]), eye),
        (torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6, 1, 9]), torch.cat([eye, none], dim=1)),
        (torch.tensor([1, 1, 2]), torch.tensor([5, 6, 5, 2, 7]), torch.cat([eye, none], dim=1)),
    ]
