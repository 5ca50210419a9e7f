"""Lesson 04, temperature: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

# the smallest loss


def smallest_loss(n, tau):
    """log(1 + (n − 1)·e^{−2/τ}): the positive at cosine 1, all others at −1."""
    return math.log(1 + (n - 1) * math.exp(-2 / tau))


def every_candidate_a_negative(n, tau):
    return math.log(1 + n * math.exp(-2 / tau))


def negatives_at_right_angles(n, tau):
    return math.log(1 + (n - 1) * math.exp(-1 / tau))


def floor_with_tau_multiplied(n, tau):
    return math.log(1 + (n - 1) * math.exp(-2 * tau))


def all_candidates_alike(n, tau):
    return math.log(n)


def floor_cases():
    return [(2, 1.0), (8, 0.5), (64, 1.0), (64, 0.05), (512, 0.2)]


# softmax weights


def weights_at(anchors, candidates, tau):
    """Cosines [A, C] over τ, then a softmax over the candidates of each anchor."""
    cosines = F.normalize(anchors, dim=1) @ F.normalize(candidates, dim=1).T
    return torch.softmax(cosines / tau, dim=1)


def weights_with_tau_multiplied(anchors, candidates, tau):
    return torch.softmax(F.normalize(anchors, dim=1) @ F.normalize(candidates, dim=1).T * tau, dim=1)


def weights_of_dot_products(anchors, candidates, tau):
    return torch.softmax(anchors @ candidates.T / tau, dim=1)


def weights_over_anchors(anchors, candidates, tau):
    return torch.softmax(F.normalize(anchors, dim=1) @ F.normalize(candidates, dim=1).T / tau, dim=0)


def weights_that_do_not_sum_to_one(anchors, candidates, tau):
    return (F.normalize(anchors, dim=1) @ F.normalize(candidates, dim=1).T / tau).exp()


def weights_cases():
    draw = torch.Generator().manual_seed(4)
    vectors = [2 * torch.randn(rows, 6, generator=draw, dtype=torch.float64) for rows in (3, 5, 4, 4)]
    return [(vectors[0], vectors[1], 0.5), (vectors[2], vectors[3], 0.05), (vectors[0], vectors[2], 1.0)]


# NT-Xent, with the two views of a sentence in neighbouring rows


def nt_xent_by_hand(views, tau):
    """Every row against the 2N − 1 others; the right one is its neighbour: 1, 0, 3, 2, ..."""
    return _against_all_others(F.normalize(views, dim=1), tau, _neighbours(views))


def nt_xent_with_itself(views, tau):
    z = F.normalize(views, dim=1)
    return F.cross_entropy(z @ z.T / tau, _neighbours(views))


def one_direction_only(views, tau):
    z = F.normalize(views, dim=1)
    return F.cross_entropy(z[0::2] @ z[1::2].T / tau, torch.arange(len(z) // 2))


def partners_half_a_batch_away(views, tau):
    return _against_all_others(F.normalize(views, dim=1), tau, torch.arange(len(views)).roll(len(views) // 2))


def nt_xent_with_tau_multiplied(views, tau):
    return nt_xent_by_hand(views, 1 / tau)


def nt_xent_of_dot_products(views, tau):
    return _against_all_others(views, tau, _neighbours(views))


def _neighbours(views):
    return torch.arange(len(views)).view(-1, 2).flip(1).flatten()


def _against_all_others(z, tau, partners):
    itself = torch.eye(len(z), dtype=torch.bool)
    return F.cross_entropy((z @ z.T / tau).masked_fill(itself, -math.inf), partners)


def views_cases():
    draw = torch.Generator().manual_seed(44)
    return [
        (2 * torch.randn(rows, 5, generator=draw, dtype=torch.float64), tau)
        for rows, tau in ((4, 0.5), (6, 0.1), (10, 0.05), (6, 2.0))
    ]


# the gradient


def gradient_by_hand(scores, positive, tau):
    """(softmax − target) / τ."""
    target = torch.zeros_like(scores)
    target[positive] = 1
    return (torch.softmax(scores / tau, dim=0) - target) / tau


def gradient_without_tau(scores, positive, tau):
    return gradient_by_hand(scores, positive, tau) * tau


def gradient_turned_round(scores, positive, tau):
    return -gradient_by_hand(scores, positive, tau)


def gradient_without_target(scores, positive, tau):
    return torch.softmax(scores / tau, dim=0) / tau


def gradient_of_a_plain_softmax(scores, positive, tau):
    return gradient_by_hand(scores, positive, 1.0) / tau


def gradient_cases():
    draw = torch.Generator().manual_seed(444)
    return [
        (2 * torch.rand(n, generator=draw, dtype=torch.float64) - 1, positive, tau)
        for n, positive, tau in ((3, 0, 0.05), (5, 2, 0.5), (8, 7, 0.2))
    ]


# norms


def cosine_temperature(tau, anchor, candidate):
    """s/τ with s = ‖a‖‖c‖·cos is cos over τ/(‖a‖‖c‖)."""
    return tau / (anchor.norm() * candidate.norm())


def temperature_times_norms(tau, anchor, candidate):
    return tau * anchor.norm() * candidate.norm()


def temperature_over_one_norm(tau, anchor, candidate):
    return tau / anchor.norm()


def temperature_over_added_norms(tau, anchor, candidate):
    return tau / (anchor.norm() + candidate.norm())


def temperature_over_dot_product(tau, anchor, candidate):
    return tau / (anchor @ candidate)


def norms_cases():
    draw = torch.Generator().manual_seed(4444)
    return [
        (
            tau,
            2 * torch.randn(8, generator=draw, dtype=torch.float64),
            3 * torch.randn(8, generator=draw, dtype=torch.float64),
        )
        for tau in (1.0, 0.1, 10.0)
    ]
