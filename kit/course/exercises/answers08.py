"""Lesson 08, few labels: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch

# priors of what is left


def priors_of(labels, classes):
    """The share of each class among the rows that have a label."""
    counts = torch.bincount(labels[labels >= 0], minlength=classes)
    return counts / counts.sum()


def priors_of_all_rows(labels, classes):
    return torch.bincount(labels[labels >= 0], minlength=classes) / len(labels)


def priors_with_a_hidden_class(labels, classes):
    return (torch.bincount(labels + 1, minlength=classes + 1) / len(labels))[:classes]


def priors_all_equal(labels, classes):
    return torch.full((classes,), 1 / classes)


def priors_as_counts(labels, classes):
    return torch.bincount(labels[labels >= 0], minlength=classes)


def priors_cases():
    rows = ([0, -1, 1, -1, 0, 2, -1, 0], [1, -1, -1, 0, 2, 2, 1, 1, -1, 1], [-1, 0, 0, -1, -1, 1])
    return [(torch.tensor(labels), classes) for labels, classes in zip(rows, (3, 3, 2))]


# the risk of a class


def nn_pu_of_a_class(scores, labelled, prior):
    """R⁺ + R⁻, or −R⁻ alone where R⁻ is below zero."""
    positive = prior * torch.sigmoid(-scores[labelled]).mean()
    negative = torch.sigmoid(scores[~labelled]).mean() - prior * torch.sigmoid(scores[labelled]).mean()
    return positive + negative if negative >= 0 else -negative


def risk_without_a_switch(scores, labelled, prior):
    positive = prior * torch.sigmoid(-scores[labelled]).mean()
    return positive + torch.sigmoid(scores[~labelled]).mean() - prior * torch.sigmoid(scores[labelled]).mean()


def risk_cut_at_zero(scores, labelled, prior):
    positive = prior * torch.sigmoid(-scores[labelled]).mean()
    negative = torch.sigmoid(scores[~labelled]).mean() - prior * torch.sigmoid(scores[labelled]).mean()
    return positive + negative.clamp(min=0)


def risk_with_the_size(scores, labelled, prior):
    positive = prior * torch.sigmoid(-scores[labelled]).mean()
    negative = torch.sigmoid(scores[~labelled]).mean() - prior * torch.sigmoid(scores[labelled]).mean()
    return positive + negative.abs()


def risk_with_signs_turned(scores, labelled, prior):
    return nn_pu_of_a_class(-scores, labelled, prior)


def risk_without_subtracting(scores, labelled, prior):
    return prior * torch.sigmoid(-scores[labelled]).mean() + torch.sigmoid(scores[~labelled]).mean()


def risk_over_all_rows(scores, labelled, prior):
    positive = prior * torch.sigmoid(-scores[labelled]).mean()
    negative = torch.sigmoid(scores).mean() - prior * torch.sigmoid(scores[labelled]).mean()
    return positive + negative if negative >= 0 else -negative


def risk_cases():
    """Two above zero, two below (the labelled scored high, the others low)."""
    draw = torch.Generator().manual_seed(8)
    cases = []
    for rows, known, shift, prior in ((8, 3, 0.0, 0.3), (12, 4, 0.5, 0.5), (9, 3, 4.0, 0.4), (15, 5, 3.0, 0.6)):
        labelled = torch.arange(rows) < known
        scores = torch.randn(rows, generator=draw, dtype=torch.float64) + shift * (2.0 * labelled - 1)
        cases.append((scores, labelled, prior))
    return cases


# the gradient


def gradient_of_the_risk(scores, labelled, prior):
    """∂(R⁺ + R⁻)/∂score of every row, R⁻ being above zero."""
    slope = torch.sigmoid(scores) * torch.sigmoid(-scores)
    return torch.where(labelled, -2 * prior * slope / labelled.sum(), slope / (~labelled).sum())


def gradient_with_one_half(scores, labelled, prior):
    slope = torch.sigmoid(scores) * torch.sigmoid(-scores)
    return torch.where(labelled, -prior * slope / labelled.sum(), slope / (~labelled).sum())


def gradient_turned(scores, labelled, prior):
    return -gradient_of_the_risk(scores, labelled, prior)


def gradient_without_slope(scores, labelled, prior):
    return torch.where(labelled, -2 * prior / labelled.sum(), 1 / (~labelled).sum())


def gradient_without_means(scores, labelled, prior):
    slope = torch.sigmoid(scores) * torch.sigmoid(-scores)
    return torch.where(labelled, -2 * prior * slope, slope)


def gradient_without_prior(scores, labelled, prior):
    return gradient_of_the_risk(scores, labelled, 1.0)


def gradient_cases():
    return risk_cases()[:2]


# the weight


def pu_weight(step, steps, alpha):
    """(t/T)^α, where the first step, number 0, is t = 1."""
    return ((step + 1) / steps) ** alpha


def weight_from_zero(step, steps, alpha):
    return (step / steps) ** alpha


def weight_multiplied(step, steps, alpha):
    return alpha * (step + 1) / steps


def weight_falling(step, steps, alpha):
    return (1 - (step + 1) / steps) ** alpha


def weight_linear(step, steps, alpha):
    return (step + 1) / steps


def weight_cases():
    return [(0, 10, 3.0), (4, 10, 3.0), (9, 10, 2.0), (49, 200, 2.5)]
