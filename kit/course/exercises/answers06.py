"""Lesson 06, λ: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch

# the features of a pair


def features_of_pairs(u, v):
    """(u, v, |u − v|) side by side."""
    return torch.cat([u, v, (u - v).abs()], dim=1)


def features_with_signs(u, v):
    return torch.cat([u, v, u - v], dim=1)


def features_of_the_difference_alone(u, v):
    return (u - v).abs()


def features_with_the_product(u, v):
    return torch.cat([u, v, u * v], dim=1)


def features_on_top_of_each_other(u, v):
    return torch.cat([u, v, (u - v).abs()], dim=0)


def features_cases():
    draw = torch.Generator().manual_seed(6)
    return [
        tuple(torch.randn(pairs, dim, generator=draw, dtype=torch.float64) for _ in range(2))
        for pairs, dim in ((1, 4), (3, 5), (6, 2))
    ]


# who is positive


def positives_of_a_batch(premise_ids, labels):
    """True where hypothesis j was written for premise i and follows from it: [P, H]."""
    premises = torch.arange(premise_ids.max() + 1)
    return (premises[:, None] == premise_ids[None, :]) & (labels == 0)


def whole_premise_positive(premise_ids, labels):
    return torch.arange(premise_ids.max() + 1)[:, None] == premise_ids[None, :]


def every_entailment_positive(premise_ids, labels):
    return (labels == 0).repeat(int(premise_ids.max()) + 1, 1)


def neutrals_positive(premise_ids, labels):
    return whole_premise_positive(premise_ids, labels) & (labels != 2)


def contradictions_positive(premise_ids, labels):
    return whole_premise_positive(premise_ids, labels) & (labels == 2)


def hypotheses_in_rows(premise_ids, labels):
    return positives_of_a_batch(premise_ids, labels).T


def mask_cases():
    batches = [
        ([0, 0, 1, 1, 1], [0, 2, 0, 1, 0]),
        ([0, 1, 1, 2, 2, 2, 0], [1, 0, 2, 0, 0, 2, 1]),
        ([0, 0, 0, 1], [0, 0, 1, 2]),
    ]
    return [(torch.tensor(premises), torch.tensor(labels)) for premises, labels in batches]


# SCL of one anchor


def scl_of_anchor(scores, positive, tau):
    """The mean of −log softmax over the positives; all candidates stand in the denominator."""
    return -torch.log_softmax(scores / tau, dim=0)[positive].mean()


def scl_without_siblings(scores, positive, tau):
    logits = scores / tau
    terms = []
    for chosen in positive.nonzero().flatten():
        kept = ~positive
        kept[chosen] = True
        terms.append(torch.logsumexp(logits[kept], dim=0) - logits[chosen])
    return torch.stack(terms).mean()


def scl_with_the_sum_inside(scores, positive, tau):
    return -torch.softmax(scores / tau, dim=0)[positive].sum().log()


def scl_summed(scores, positive, tau):
    return -torch.log_softmax(scores / tau, dim=0)[positive].sum()


def scl_with_tau_multiplied(scores, positive, tau):
    return scl_of_anchor(scores, positive, 1 / tau)


def scl_against_negatives_only(scores, positive, tau):
    logits = scores / tau
    return (torch.logsumexp(logits[~positive], dim=0) - logits[positive]).mean()


def anchor_cases():
    draw = torch.Generator().manual_seed(66)
    masks = ([True, True, False, False], [False, True, True, False, True, False], [True, True, True, False, False])
    return [
        (3 * torch.randn(len(mask), generator=draw, dtype=torch.float64), torch.tensor(mask), tau)
        for mask, tau in zip(masks, (2.0, 0.5, 3.0))
    ]


# the share of the contrast


def contrast_share(gradient_ce, gradient_scl, lam):
    """λ‖∇SCL‖ of (1 − λ)‖∇CE‖ + λ‖∇SCL‖."""
    contrast = lam * gradient_scl.norm()
    return contrast / ((1 - lam) * gradient_ce.norm() + contrast)


def share_is_lambda(gradient_ce, gradient_scl, lam):
    return torch.tensor(lam, dtype=torch.float64)


def share_without_weights(gradient_ce, gradient_scl, lam):
    return contrast_share(gradient_ce, gradient_scl, 0.5)


def share_with_weights_swapped(gradient_ce, gradient_scl, lam):
    return contrast_share(gradient_ce, gradient_scl, 1 - lam)


def share_of_squares(gradient_ce, gradient_scl, lam):
    contrast = (lam * gradient_scl.norm()) ** 2
    return contrast / (((1 - lam) * gradient_ce.norm()) ** 2 + contrast)


def share_of_the_step(gradient_ce, gradient_scl, lam):
    return lam * gradient_scl.norm() / ((1 - lam) * gradient_ce + lam * gradient_scl).norm()


def share_cases():
    draw = torch.Generator().manual_seed(666)
    return [
        (
            scale * torch.randn(5, generator=draw, dtype=torch.float64),
            torch.randn(5, generator=draw, dtype=torch.float64),
            lam,
        )
        for scale, lam in ((0.2, 0.3), (3.0, 0.3), (1.0, 0.8))
    ]


# what shuffling leaves


def companions(hypotheses, batch, rows):
    """Each of the other hypotheses is in the batch with probability (batch − 1)/(rows − 1)."""
    return (hypotheses - 1) * (batch - 1) / (rows - 1)


def companions_with_itself(hypotheses, batch, rows):
    return hypotheses * (batch - 1) / (rows - 1)


def companions_all_there(hypotheses, batch, rows):
    return hypotheses - 1


def companions_if_there_were_one(hypotheses, batch, rows):
    return (batch - 1) / (rows - 1)


def companions_with_replacement(hypotheses, batch, rows):
    return (hypotheses - 1) * batch / rows


def companions_cases():
    return [(3, 4, 12), (3, 64, 9000), (6, 32, 600), (5, 10, 10)]
