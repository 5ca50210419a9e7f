"""The same numbers and gradients as pytorch-metric-learning and sentence-transformers."""

from __future__ import annotations

import pytest
import torch

from kit.losses import mnrl, mnrl_hard, nt_xent, supcon
from tests.losses.shared import both

TAUS = [0.05, 0.1, 0.5, 1.0]


@pytest.fixture(params=range(3))
def rng(request):
    return torch.Generator().manual_seed(request.param)


def random(rng, *shape):
    return torch.randn(*shape, generator=rng, dtype=torch.float64)


@pytest.mark.parametrize("tau", TAUS)
def test_nt_xent_is_that_of_pytorch_metric_learning(rng, tau):
    from pytorch_metric_learning.losses import NTXentLoss

    partner = torch.arange(6).repeat(2)
    both(lambda z: nt_xent(z, tau), lambda z: NTXentLoss(temperature=tau)(z, partner), random(rng, 12, 8))


@pytest.mark.parametrize("tau", TAUS)
def test_supcon_is_that_of_pytorch_metric_learning(rng, tau):
    from pytorch_metric_learning.losses import SupConLoss

    labels = torch.tensor([0, 1, 0, 2, 1, 0, 2, 3])  # class 3 has one row: no anchor
    both(lambda z: supcon(z, labels, tau), lambda z: SupConLoss(temperature=tau)(z, labels), random(rng, 8, 8))


def their_mnrl(tau, *columns):
    """The real class; its model is asked for nothing, the embeddings are given."""
    from sentence_transformers.losses import MultipleNegativesRankingLoss

    class Given(torch.nn.Module):
        def forward(self, features):
            return {"sentence_embedding": features["given"]}

    loss = MultipleNegativesRankingLoss(Given(), scale=1 / tau)
    return loss.compute_loss_from_embeddings(list(columns), labels=None)


@pytest.mark.parametrize("tau", TAUS)
def test_mnrl_is_that_of_sentence_transformers(rng, tau):
    both(lambda a, p: mnrl(a, p, tau), lambda a, p: their_mnrl(tau, a, p), random(rng, 6, 8), random(rng, 6, 8))


@pytest.mark.parametrize("tau", TAUS)
def test_mnrl_with_hard_negatives_is_that_of_sentence_transformers(rng, tau):
    both(
        lambda a, p, n: mnrl_hard(a, p, n, tau),
        lambda a, p, n: their_mnrl(tau, a, p, *n.unbind(dim=1)),
        random(rng, 6, 8),
        random(rng, 6, 8),
        random(rng, 6, 3, 8),
    )
