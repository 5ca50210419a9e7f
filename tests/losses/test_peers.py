"""The same numbers and gradients as pytorch-metric-learning and sentence-transformers."""

# ruff: noqa: B023 (`both` calls the functions at once, within the loop)
from __future__ import annotations

import pytest
import torch

from kit.losses import mnrl, mnrl_hard, nt_xent, supcon
from tests.losses.shared import both

pytestmark = pytest.mark.slow  # sentence_transformers takes seconds to import

GRID = [(seed, tau, fast) for seed in range(2) for tau in (0.05, 0.5, 1.0) for fast in (True, False)]


def random(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_nt_xent_is_that_of_pytorch_metric_learning():
    from pytorch_metric_learning.losses import NTXentLoss

    partner = torch.arange(6).repeat(2)
    for seed, tau, fast in GRID:
        theirs = NTXentLoss(temperature=tau)
        both(lambda z: nt_xent(z, tau, fast), lambda z: theirs(z, partner), random(seed, 12, 8))


def test_supcon_is_that_of_pytorch_metric_learning():
    from pytorch_metric_learning.losses import SupConLoss

    labels = torch.tensor([0, 1, 0, 2, 1, 0, 2, 3])  # class 3 has one row: no anchor
    for seed, tau, fast in GRID:
        theirs = SupConLoss(temperature=tau)
        both(lambda z: supcon(z, labels, tau, fast), lambda z: theirs(z, labels), random(seed, 8, 8))


def their_mnrl(tau, *columns):
    """The real class; its model is asked for nothing, the embeddings are given."""
    from sentence_transformers.losses import MultipleNegativesRankingLoss

    class Given(torch.nn.Module):
        def forward(self, features):
            return {"sentence_embedding": features["given"]}

    loss = MultipleNegativesRankingLoss(Given(), scale=1 / tau)
    return loss.compute_loss_from_embeddings(list(columns), labels=None)


def test_mnrl_is_that_of_sentence_transformers():
    for seed, tau, fast in GRID:
        both(lambda a, p: mnrl(a, p, tau, fast), lambda a, p: their_mnrl(tau, a, p), *random(seed, 2, 6, 8))


def test_mnrl_with_hard_negatives_is_that_of_sentence_transformers():
    for seed, tau, fast in GRID:
        both(
            lambda a, p, n: mnrl_hard(a, p, n, tau, fast),
            lambda a, p, n: their_mnrl(tau, a, p, *n.unbind(dim=1)),
            *random(seed, 2, 6, 8),
            random(seed + 9, 6, 3, 8),
        )
