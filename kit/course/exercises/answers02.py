"""Lesson 02, the collapse: the right answers, the usual wrong ones, and what they are tried on."""

from __future__ import annotations

import torch
import torch.nn.functional as F

# the mean cosine of all pairs


def mean_cosine(vectors):
    """‖Σu‖² holds every pair twice and every u·u = 1 once."""
    unit, n = F.normalize(vectors, dim=1), len(vectors)
    return (unit.sum(0).square().sum() - n) / (n * (n - 1))


def mean_cosine_with_itself(vectors):
    return F.normalize(vectors, dim=1).mean(0).square().sum()


def mean_dot_product(vectors):
    n = len(vectors)
    return (vectors.sum(0).square().sum() - vectors.square().sum()) / (n * (n - 1))


def every_pair_counted_twice(vectors):
    return 2 * mean_cosine(vectors)


def divided_by_all_places(vectors):
    n = len(vectors)
    return mean_cosine(vectors) * (n - 1) / n


def cosine_with_the_mean(vectors):
    return F.cosine_similarity(vectors, vectors.mean(0, keepdim=True)).mean()


def clouds():
    """Clouds of points [n, dim] away from the origin, longer in some directions than in others."""
    draw = torch.Generator().manual_seed(2)
    drawn = [
        [torch.randn(rows, dim, generator=draw, dtype=torch.float64) for rows in (n, dim)]
        for n, dim in ((5, 3), (9, 4), (30, 6))
    ]
    return [(points @ mix + shift,) for (points, mix), shift in zip(drawn, (1.0, -2.0, 0.5))]


# effective rank


def rank_in_use(vectors):
    """e to the entropy of the shares that the directions have of the variance."""
    values = torch.linalg.eigvalsh((vectors - vectors.mean(0)).T @ (vectors - vectors.mean(0)))
    shares = values / values.sum()
    return torch.exp(-(shares * shares.log()).sum())


def rank_without_centring(vectors):
    return _exp_entropy(torch.linalg.eigvalsh(vectors.T @ vectors))


def rank_of_deviations(vectors):
    return _exp_entropy(torch.linalg.svdvals(vectors - vectors.mean(0)))


def entropy_alone(vectors):
    return rank_in_use(vectors).log()


def participation_ratio(vectors):
    values = torch.linalg.svdvals(vectors - vectors.mean(0)).square()
    return values.sum().square() / values.square().sum()


def rank_of_columns(vectors):
    """The variances of the coordinates as they are, which depend on how the space is turned."""
    return _exp_entropy(vectors.var(0))


def _exp_entropy(values):
    shares = values / values.sum()
    return torch.exp(-(shares * shares.log()).sum())


# removing the strongest directions


def without_top(vectors, k):
    """Centred, minus what lies along the k strongest directions."""
    centred = vectors - vectors.mean(0)
    values, directions = torch.linalg.eigh(centred.T @ centred)  # the smallest first
    top = directions[:, len(values) - k :]
    return centred - centred @ top @ top.T


def without_top_but_not_centred(vectors, k):
    top = _strongest(vectors - vectors.mean(0), k)
    return vectors - vectors @ top @ top.T


def without_weakest(vectors, k):
    centred = vectors - vectors.mean(0)
    weakest = torch.linalg.eigh(centred.T @ centred)[1][:, :k]
    return centred - centred @ weakest @ weakest.T


def only_top(vectors, k):
    centred = vectors - vectors.mean(0)
    top = _strongest(centred, k)
    return centred @ top @ top.T


def without_top_of_uncentred(vectors, k):
    top = _strongest(vectors, k)
    centred = vectors - vectors.mean(0)
    return centred - centred @ top @ top.T


def only_centred(vectors, k):
    return vectors - vectors.mean(0)


def _strongest(vectors, k):
    """The k strongest directions [dim, k] of vectors as they are."""
    return torch.linalg.eigh(vectors.T @ vectors)[1].flip(1)[:, :k]


def clouds_and_counts():
    return [(vectors, k) for (vectors,), k in zip(clouds(), (1, 2, 3))]


# whitening


def whiten(train, test):
    """(test − mean)·U·Λ^(−1/2)·Uᵀ, all of it learned from `train`."""
    mean, (values, directions) = train.mean(0), torch.linalg.eigh(torch.cov(train.T, correction=0))
    return (test - mean) @ directions @ torch.diag(values**-0.5) @ directions.T


def whiten_without_centring(train, test):
    return test @ _symmetric(train, -0.5)


def whiten_the_wrong_way(train, test):
    return (test - train.mean(0)) @ _symmetric(train, 0.5)


def whiten_by_the_variance(train, test):
    return (test - train.mean(0)) @ _symmetric(train, -1.0)


def whiten_fitted_on_the_test(train, test):
    return (test - test.mean(0)) @ _symmetric(test, -0.5)


def whiten_with_the_mean_of_the_test(train, test):
    return (test - test.mean(0)) @ _symmetric(train, -0.5)


def whiten_column_by_column(train, test):
    return (test - train.mean(0)) / train.std(0, correction=0)


def whiten_of_uncentred_covariance(train, test):
    values, directions = torch.linalg.eigh(train.T @ train / len(train))
    return (test - train.mean(0)) @ directions @ torch.diag(values**-0.5) @ directions.T


def _symmetric(vectors, power):
    """The covariance of `vectors` to a power, [dim, dim]."""
    values, directions = torch.linalg.eigh(torch.cov(vectors.T, correction=0))
    return directions @ torch.diag(values**power) @ directions.T


def trains_and_tests():
    """Two draws of one cloud each, the second a little elsewhere."""
    draw, cases = torch.Generator().manual_seed(22), []
    for rows, dim in ((40, 3), (80, 5)):
        mix = torch.randn(dim, dim, generator=draw, dtype=torch.float64) + 2 * torch.eye(dim, dtype=torch.float64)
        train, test = (
            torch.randn(n, dim, generator=draw, dtype=torch.float64) @ mix + shift
            for n, shift in ((rows, 1.0), (7, 2.0))
        )
        cases.append((train, test))
    return cases
