"""The τ and λ widget: its mathematics over the whole range, its view without a browser."""

from __future__ import annotations

import math

import pytest
import torch

from kit.data.twelve import twelve_labels
from kit.errors import KitError
from kit.losses import cross_entropy, scl
from kit.viz.tau_lambda import TauLambda, fresh_head, tau_lambda_state

VECTORS = torch.randn(12, 32, generator=torch.manual_seed(3))


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("tau", [0.001, 0.01, 0.05, 1.0, 10.0, 100.0])
def test_weights_sum_to_one_and_everything_is_finite(tau: float, lam: float, similarity: str) -> None:
    state = tau_lambda_state(VECTORS, tau, lam, similarity)
    assert sum(state.weights) == pytest.approx(1.0, abs=1e-5)
    assert 1 - 1e-6 <= state.watched <= 8 + 1e-3
    assert all(math.isfinite(x) for x in [state.loss, *state.pulls.values()])
    assert f"λ {lam:.2f}" in state.sentence()


def test_loss_is_the_blend_of_the_two_terms() -> None:
    rows = torch.cat([VECTORS[0::3], VECTORS[1::3], VECTORS[2::3]])
    premise, labels = torch.arange(4).repeat(2), torch.tensor([0] * 4 + [2] * 4)
    head = fresh_head(32)
    ce = cross_entropy(head(rows[premise], rows[4:]), labels).item()
    contrast = scl(rows[:4], rows[4:], premise, labels, 0.05, similarity="cosine").item()
    assert tau_lambda_state(VECTORS, 0.05, 0.3).loss == pytest.approx(0.7 * ce + 0.3 * contrast, rel=1e-5)


def test_the_pull_is_the_slope_of_the_loss() -> None:
    """Finite difference along the gradient of the contrast on the first anchor, in float64."""
    vectors, step = VECTORS.double(), 1e-6
    rows = torch.cat([vectors[0::3], vectors[1::3], vectors[2::3]]).requires_grad_()
    premise, labels = torch.arange(4).repeat(2), torch.tensor([0] * 4 + [2] * 4)

    def loss(z):
        return scl(z[:4], z[4:], premise, labels, 0.5, similarity="cosine")

    (gradient,) = torch.autograd.grad(loss(rows), rows)
    direction = torch.zeros_like(rows)
    direction[0] = gradient[0] / gradient[0].norm()
    slope = (loss(rows + step * direction) - loss(rows - step * direction)) / (2 * step)
    head = fresh_head(32).double()
    assert tau_lambda_state(vectors, 0.5, 1.0, head=head).pulls["contrast"] == pytest.approx(slope.item(), rel=1e-5)


def test_small_tau_looks_at_one_and_large_tau_at_all() -> None:
    assert tau_lambda_state(VECTORS, 0.001, 0.5).watched < 1.05
    assert tau_lambda_state(VECTORS, 100.0, 0.5).watched > 7.99


def test_without_lambda_the_contrast_does_not_pull() -> None:
    state = tau_lambda_state(VECTORS, 0.05, 0.0)
    assert state.pulls["contrast"] == 0 and state.pulls["classifier"] > 0
    assert "0% of the pull on the anchor comes from the contrast" in state.sentence()


@pytest.mark.parametrize(("tau", "lam"), [(0.0, 0.3), (-1.0, 0.3), (float("nan"), 0.3), (0.05, -0.1), (0.05, 1.5)])
def test_nonsense_is_refused(tau: float, lam: float) -> None:
    with pytest.raises(KitError):
        tau_lambda_state(VECTORS, tau, lam)


@pytest.mark.parametrize("rows", [0, 4, 11])
def test_vectors_come_in_threes(rows: int) -> None:
    with pytest.raises(KitError, match="expected vectors in threes"):
        tau_lambda_state(VECTORS[:rows], 0.05, 0.3)


def test_sliders_move_bars_and_sentence() -> None:
    widget = TauLambda(VECTORS, twelve_labels())
    for slider in (widget.tau_slider, widget.lam_slider):
        for value in (slider.min, slider.max):  # FloatLogSlider counts in exponents
            before = widget.message.value
            slider.value = 10**value if slider is widget.tau_slider else value
            assert widget.message.value != before and "kit-error" not in widget.message.value
    assert widget.figure.data[0].y == tuple(tau_lambda_state(VECTORS, 10.0, 1.0).weights)


def test_an_error_in_a_callback_is_shown() -> None:
    widget = TauLambda(VECTORS, twelve_labels())
    widget.vectors = VECTORS[:5]
    widget.lam_slider.value = 0.9
    assert "kit-error" in widget.message.value and "expected vectors in threes" in widget.message.value


def test_random_state_is_left_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    fresh_head(32)
    assert torch.equal(torch.rand(3), expected)
