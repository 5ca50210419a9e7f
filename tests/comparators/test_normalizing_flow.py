"""The normalising flow: a likelihood that rises, a map that can be undone, vectors nearer to a normal."""

from __future__ import annotations

import importlib.util
import math

import pytest
import torch

from kit.comparators.normalizing_flow import BATCH, CLIP, RATE, FlowRepair, fit_flow
from kit.encoder.whitening import whitening
from kit.errors import KitError
from kit.evaluation.encoding import Repaired

needs_zuko = pytest.mark.skipif(
    importlib.util.find_spec("zuko") is None, reason="the optional package zuko (extra `flow`) is not installed"
)


def bent(n: int = 1500, seed: int = 0) -> torch.Tensor:
    """Vectors [n, 6] that no linear map makes normal: a parabola among correlated directions, one without variance."""
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 5, generator=draw)
    x[:, 1] = 0.7 * x[:, 0] ** 2 + 0.3 * x[:, 1]
    mixed = x @ torch.randn(5, 5, generator=torch.Generator().manual_seed(9)) + 2.0
    return torch.cat([mixed, mixed[:, :1]], dim=1)


@pytest.fixture(scope="module")
def fitted() -> FlowRepair:
    return fit_flow(bent(), steps=150, progress=False)


def away_from_normal(z: torch.Tensor) -> float:
    """How far products of three coordinates are from what they are on average for a standard normal, which is 0."""
    z = z.double()
    return float(torch.einsum("ni,nj,nk->ijk", z, z, z).div(len(z)).abs().mean())


@pytest.mark.slow
@needs_zuko
def test_log_likelihood_rises_also_on_other_vectors(fitted: FlowRepair) -> None:
    linear, fresh = fit_flow(bent(), steps=0, progress=False), bent(seed=1)
    assert fitted.log_likelihood(bent()).mean() > linear.log_likelihood(bent()).mean() + 0.3
    assert fitted.log_likelihood(fresh).mean() > linear.log_likelihood(fresh).mean() + 0.3
    losses = [step["loss"] for step in fitted.history]
    assert len(losses) == 150 and sum(losses[-20:]) < sum(losses[:20]) - 0.3 * 20


@needs_zuko
def test_without_a_step_it_is_whitening_with_the_density_of_a_normal() -> None:
    linear, x = fit_flow(bent(), steps=0, progress=False), bent(seed=2)
    assert torch.equal(linear(x), whitening(bent())(x)) and linear.history == []
    repair = whitening(bent())
    basis = torch.linalg.qr(repair.matrix)[0]  # the kept directions, in which a density exists
    inside = (x.double() - repair.mean) @ basis
    covariance = torch.linalg.inv(basis.T @ repair.matrix @ repair.matrix.T @ basis)
    normal = torch.distributions.MultivariateNormal(torch.zeros(5, dtype=torch.float64), covariance)
    assert torch.allclose(linear.log_likelihood(x).double(), normal.log_prob(inside), atol=1e-3)


@needs_zuko
def test_it_can_be_undone(fitted: FlowRepair) -> None:
    x = bent(seed=3)
    assert torch.allclose(fitted.inverse(fitted(x)), x, atol=1e-3)


@needs_zuko
def test_vectors_come_nearer_to_a_standard_normal(fitted: FlowRepair) -> None:
    x = bent(seed=4)
    white, flowed = whitening(bent())(x), fitted(x)
    assert flowed.shape == (1500, 5) and bool(flowed.isfinite().all())
    assert away_from_normal(flowed) < 0.6 * away_from_normal(white)
    assert flowed.mean(0).abs().max() < 0.2 and (flowed.std(0) - 1).abs().max() < 0.3


@needs_zuko
def test_the_same_seed_gives_the_same_map_and_the_global_state_stays() -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    first = fit_flow(bent(), steps=5, seed=1, progress=False)(bent())
    assert torch.equal(torch.rand(3), expected)
    torch.manual_seed(8)
    assert torch.equal(fit_flow(bent(), steps=5, seed=1, progress=False)(bent()), first)
    assert not torch.allclose(fit_flow(bent(), steps=5, seed=2, progress=False)(bent()), first)


@needs_zuko
def test_a_fit_is_the_same_whatever_surrounds_it() -> None:
    vectors = torch.randn(300, 4, generator=torch.Generator().manual_seed(0))
    alone = fit_flow(vectors, steps=3, progress=False)
    for around in (torch.no_grad(), torch.inference_mode()):
        with around:
            again = fit_flow(vectors.clone(), steps=3, progress=False)
        assert again.history == alone.history


def test_the_loss_of_a_step_is_minus_the_mean_log_likelihood_of_its_rows() -> None:
    x = bent(300)
    linear, one = (fit_flow(x, steps=steps, seed=5, progress=False) for steps in (0, 1))
    rows = torch.randint(300, (BATCH,), generator=torch.Generator().manual_seed(5))
    expected = -linear.log_likelihood(x[rows]).mean().item()  # before its update the map is whitening
    assert one.history == [{"step": 1, "loss": pytest.approx(expected, rel=1e-5)}]


@needs_zuko
def test_a_bar_shows_the_likelihood_every_twenty_steps(capsys: pytest.CaptureFixture) -> None:
    assert fit_flow(bent(40), steps=3).history and "log_likelihood=" not in capsys.readouterr().err
    last = fit_flow(bent(40), steps=20).history[-1]["loss"]
    assert "flow: " in (shown := capsys.readouterr().err) and f"log_likelihood={-last:.1f}" in shown


@needs_zuko
def test_the_rate_falls_along_half_a_cosine(monkeypatch: pytest.MonkeyPatch) -> None:
    rates, step = [], torch.optim.Adam.step

    def noted(optimizer: torch.optim.Adam) -> None:
        rates.append(optimizer.param_groups[0]["lr"])
        step(optimizer)

    monkeypatch.setattr(torch.optim.Adam, "step", noted)
    fit_flow(bent(40), steps=4, progress=False)
    half = math.sqrt(0.5)
    assert rates == pytest.approx([RATE, RATE * (1 + half) / 2, RATE / 2, RATE * (1 - half) / 2])


@needs_zuko
def test_a_large_gradient_is_clipped(monkeypatch: pytest.MonkeyPatch) -> None:
    norms, step = [], torch.optim.Adam.step

    def noted(optimizer: torch.optim.Adam) -> None:
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        norms.append(sum(gradient.square().sum() for gradient in gradients).sqrt().item())
        step(optimizer)

    monkeypatch.setattr(torch.optim.Adam, "step", noted)
    far = torch.randn(200, 6, generator=torch.Generator().manual_seed(0)) ** 3
    fit_flow(far, steps=1, progress=False)
    assert norms == [pytest.approx(CLIP, rel=1e-3)]


@needs_zuko
def test_an_encoder_with_a_flow_encodes(fitted: FlowRepair) -> None:
    class Stub:
        def encode(self, sentences, batch_size=64, progress=False):
            return bent(len(sentences))

    assert Repaired(Stub(), fitted).encode(["a", "b", "c"]).shape == (3, 5)


@needs_zuko
@pytest.mark.parametrize(
    ("vectors", "steps", "says"),
    [
        (torch.randn(1, 4), 5, "at least two vectors"),
        (torch.randn(9, 4), -1, "0 steps or more"),
        (torch.outer(torch.arange(9.0), torch.ones(4)), 5, "two directions or more"),
    ],
)
def test_what_cannot_be_fitted_is_refused(vectors: torch.Tensor, steps: int, says: str) -> None:
    with pytest.raises(KitError, match=says):
        fit_flow(vectors, steps=steps, progress=False)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(KitError, match="pip install zuko"):
        fit_flow(bent(), progress=False)
