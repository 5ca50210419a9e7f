"""The τ and λ board: its mathematics over the whole range (the browser test compares the JavaScript)."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest
import torch

from kit.boards.tau_lambda_widget import (
    fresh_head,
    tau_lambda_board,
    tau_lambda_state,
    tau_lambda_summary,
    tau_lambda_values,
)
from kit.data.twelve import twelve_labels
from kit.errors import KitError
from kit.losses import cross_entropy, scl

VECTORS = torch.randn(12, 32, generator=torch.manual_seed(3))
STATE = tau_lambda_state(VECTORS, twelve_labels())


def figure(tau: float, lam: float, state: dict = STATE) -> dict:
    return tau_lambda_values(state, {"tau": tau, "lam": lam})


def test_weights_sum_to_one_and_everything_is_finite() -> None:
    for tau, lam in product([0.001, 0.01, 0.05, 1.0, 10.0, 100.0], [0.0, 0.3, 1.0]):
        found = figure(tau, lam)
        assert sum(found["weights"]) == pytest.approx(1.0, abs=1e-5)
        assert 1 - 1e-6 <= found["watched"] <= 8 + 1e-3
        assert all(math.isfinite(x) for x in [found["loss"], *found["shares"]])
        assert f"λ {lam:.2f}" in tau_lambda_summary(found, {"tau": tau, "lam": lam})


def test_loss_is_the_blend_of_the_two_terms() -> None:
    rows = torch.cat([VECTORS[0::3], VECTORS[1::3], VECTORS[2::3]])
    premise, labels = torch.arange(4).repeat(2), torch.tensor([0] * 4 + [2] * 4)
    ce = cross_entropy(fresh_head(32)(rows[premise], rows[4:]), labels).item()
    contrast = scl(rows[:4], rows[4:], premise, labels, 0.05, similarity="cosine").item()
    assert figure(0.05, 0.3)["loss"] == pytest.approx(0.7 * ce + 0.3 * contrast, rel=1e-3)


def test_the_classifiers_pull_is_the_slope_of_its_loss() -> None:
    """Finite difference of the cross-entropy along its gradient on the first anchor, in float64."""
    vectors, head, step = VECTORS.double(), fresh_head(32).double(), 1e-6
    rows = torch.cat([vectors[0::3], vectors[1::3], vectors[2::3]]).requires_grad_()
    premise, labels = torch.arange(4).repeat(2), torch.tensor([0] * 4 + [2] * 4)

    def loss(z):
        return cross_entropy(head(z[premise], z[4:]), labels)

    (gradient,) = torch.autograd.grad(loss(rows), rows)
    direction = torch.zeros_like(rows)
    direction[0] = gradient[0] / gradient[0].norm()
    slope = (loss(rows + step * direction) - loss(rows - step * direction)) / (2 * step)
    assert STATE["classifier_pull"] == pytest.approx(slope.item(), rel=1e-5)


def test_the_contrasts_pull_is_the_wrong_weight_over_tau() -> None:
    """By the formula of lesson 00: |Σ (weight − target)·(the hypothesis' part across the anchor)| / (τ·|a|·anchors)."""
    rows = torch.cat([VECTORS[0::3], VECTORS[1::3], VECTORS[2::3]]).double()
    anchor, hypotheses = rows[0] / rows[0].norm(), torch.nn.functional.normalize(rows[4:], dim=1)
    for tau in (0.05, 10.0):
        found = figure(tau, 0.3)
        push = torch.tensor(found["weights"]) - torch.eye(8, dtype=torch.float64)[0]
        moved = push @ (hypotheses - (hypotheses @ anchor)[:, None] * anchor)
        assert found["lengths"][1] == pytest.approx((moved.norm() / tau / rows[0].norm() / 4).item(), rel=1e-3)
        assert found["lengths"][0] == STATE["classifier_pull"], "it knows no τ"
        classifier, contrast = 0.7 * found["lengths"][0], 0.3 * found["lengths"][1]
        assert found["shares"][1] == pytest.approx(contrast / (classifier + contrast))


def test_small_tau_looks_at_one_and_large_tau_at_all() -> None:
    assert figure(0.001, 0.5)["watched"] < 1.05
    assert figure(100.0, 0.5)["watched"] > 7.99


def test_at_both_ends_of_lambda_one_term_pulls_alone() -> None:
    for lam, shares in [(0.0, [1.0, 0.0]), (1.0, [0.0, 1.0])]:
        assert figure(0.05, lam)["shares"] == shares


def test_nonsense_is_one_clear_sentence() -> None:
    for tau, lam in [(0.0, 0.3), (-1.0, 0.3), (math.nan, 0.3), (0.05, 1.5), (0.05, -0.1)]:
        with pytest.raises(KitError, match="expected"):
            figure(tau, lam)


def test_vectors_must_come_in_threes() -> None:
    with pytest.raises(KitError, match="in threes"):
        tau_lambda_state(torch.randn(4, 8), ["a"] * 4)


def test_twelve_equal_vectors_are_no_trouble() -> None:
    found = figure(0.05, 0.3, tau_lambda_state(torch.ones(12, 8), twelve_labels()))
    assert found["watched"] == pytest.approx(8, rel=1e-3)
    assert math.isfinite(found["loss"])


def test_the_board_starts_where_it_says_and_travels_as_json() -> None:
    before = torch.get_rng_state()
    board = tau_lambda_board(VECTORS, twelve_labels())
    assert torch.equal(before, torch.get_rng_state()), "a picture must not change what is drawn next"
    assert board.controls == {"tau": 0.1, "lam": 0.5}
    assert board.summary == tau_lambda_summary(figure(0.1, 0.5), board.controls)
    assert len(json.dumps(board.state)) < 100_000
