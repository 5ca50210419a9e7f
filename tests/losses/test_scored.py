"""CoSENT and cosine regression: against plain loops, gradcheck and sentence-transformers, and in the corners."""

from __future__ import annotations

import math

import pytest
import torch

from kit.errors import KitError
from kit.losses import cosent, cosine_regression
from tests.losses.shared import CORNERS, both, random_vectors

SCORES = torch.tensor([0.0, 1.0, 0.5, 0.5, 0.25, 1.0], dtype=torch.float64)


def slow_cosent(u, v, scores, tau) -> float:
    cosines = [float(a @ b / (a.norm() * b.norm())) for a, b in zip(u, v)]
    total = 1.0
    for i, s_i in enumerate(scores.tolist()):
        for j, s_j in enumerate(scores.tolist()):
            if s_i > s_j:
                total += math.exp((cosines[j] - cosines[i]) / tau)
    return math.log(total)


def test_plain_loops_find_the_same() -> None:
    for seed in range(3):
        u, v = random_vectors(seed, 2, 6, 8)
        for tau in (0.05, 0.5, 2.0):
            assert cosent(u, v, SCORES, tau).item() == pytest.approx(slow_cosent(u, v, SCORES, tau), rel=1e-12)
        by_hand = sum((torch.cosine_similarity(a, b, 0) - s) ** 2 for a, b, s in zip(u, v, SCORES)) / 6
        assert cosine_regression(u, v, SCORES).item() == pytest.approx(by_hand.item(), rel=1e-12)


def test_the_gradient_is_that_of_differences() -> None:
    u, v = (side.requires_grad_() for side in random_vectors(5, 2, 6, 4))
    for loss in (cosent, cosine_regression):
        assert torch.autograd.gradcheck(lambda a, b, loss=loss: loss(a, b, SCORES), (u, v))


def test_cosent_by_hand() -> None:
    """Cosines 1 and 0 in the right order, then in the wrong one: log(1 + e^∓20)."""
    u, v = torch.eye(2, dtype=torch.float64), torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    assert cosent(u, v, torch.tensor([1, 0])).item() == pytest.approx(math.log1p(math.exp(-20)))
    assert cosent(u, v, torch.tensor([0, 1])).item() == pytest.approx(math.log1p(math.exp(20)))
    assert cosine_regression(u, v, torch.tensor([1, 0])).item() == 0


def test_cosent_sees_the_order_only() -> None:
    u, v = random_vectors(1, 2, 6, 8)
    assert torch.equal(cosent(u, v, SCORES), cosent(u, v, 5 * SCORES**3 - 7))
    assert not torch.equal(cosine_regression(u, v, SCORES), cosine_regression(u, v, SCORES / 2))


def test_scores_that_differ_in_a_digit_that_float32_has_not_are_compared() -> None:
    u, v = torch.eye(2), torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    for scores in (torch.tensor([2**24, 2**24 + 1]), torch.tensor([0.1, 0.1 + 1e-9], dtype=torch.float64)):
        loss = cosent(u, v, scores)
        assert loss.item() == pytest.approx(math.log1p(math.exp(20))) and loss.dtype == torch.float32
    assert cosine_regression(u, v, torch.tensor([1 + 1e-12, 0.0], dtype=torch.float64)).dtype == torch.float32


def test_corners() -> None:
    for kind, change in CORNERS.items():
        for dtype in (torch.float32, torch.bfloat16):
            u = change(random_vectors(3, 6, 8, dtype=torch.float32)).to(dtype).requires_grad_()
            v = random_vectors(4, 6, 8, dtype=torch.float32).to(dtype)
            for tau in (0.001, 0.05, 100):
                for loss in (cosent(u, v, SCORES, tau), cosine_regression(u, v, SCORES)):
                    (gradient,) = torch.autograd.grad(loss, u)
                    assert loss.isfinite() and gradient.isfinite().all() and loss.dtype == torch.float32, (kind, tau)
    for count, scores in ((6, torch.full((6,), 0.3)), (1, torch.ones(1)), (0, torch.ones(0))):
        u = random_vectors(3, count, 8).requires_grad_()
        loss = cosent(u, u.detach() + 1, scores)
        assert loss.item() == 0 and not torch.autograd.grad(loss, u)[0].any(), "nothing to tell apart"
    assert cosine_regression(torch.ones(0, 8), torch.ones(0, 8), torch.ones(0)).item() == 0
    assert cosine_regression(torch.ones(1, 8), torch.ones(1, 8), torch.zeros(1)).item() == pytest.approx(1)


def test_errors_say_what_to_do() -> None:
    u = random_vectors(1, 6, 8)
    for call, sentence in (
        (lambda: cosent(u, u, SCORES, 0), "temperature above 0"),
        (lambda: cosent(u, u[:5], SCORES), "u and v of one shape"),
        (lambda: cosent(u, u, SCORES[:5]), r"one finite score per pair, \[6\]"),
        (lambda: cosent(u, u, SCORES * math.nan), "one finite score per pair"),
        (lambda: cosent(u, u, SCORES + 1j), "one finite score per pair"),
        (lambda: cosent(u, u, [1, 2]), "scores as a tensor"),
        (lambda: cosine_regression(u, u, SCORES * -5), "scores from −1 to 1, as cosines are, got -5: divide"),
        (lambda: cosine_regression(u, u, SCORES * 1.5), "scores from −1 to 1, as cosines are, got 1.5: divide"),
    ):
        with pytest.raises(KitError, match=sentence):
            call()


@pytest.mark.slow  # sentence_transformers takes seconds to import
def test_they_are_those_of_sentence_transformers() -> None:
    from sentence_transformers.losses import CoSENTLoss, CosineSimilarityLoss

    for seed in range(3):
        u, v = random_vectors(seed, 2, 6, 8)
        for tau in (0.05, 0.5):
            theirs = CoSENTLoss(torch.nn.Identity(), scale=1 / tau)
            both(
                lambda a, b, tau=tau: cosent(a, b, SCORES, tau),
                lambda a, b, loss=theirs: loss.compute_loss_from_embeddings([a, b], SCORES),
                u,
                v,
            )
        regression = CosineSimilarityLoss(torch.nn.Identity())
        both(
            lambda a, b: cosine_regression(a, b, SCORES.float()),
            lambda a, b, loss=regression: loss.compute_loss_from_embeddings([a, b], SCORES),
            *(side.float() for side in (u, v)),
        )
