"""Whitening and removed directions."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kit.encoder.whitening import whitening, without_top_directions
from kit.errors import KitError
from kit.evaluation.encoding import Repaired


def correlated(n: int = 500, dim: int = 6) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(n, dim) @ torch.randn(dim, dim) + 3.0


def covariance(x: torch.Tensor) -> torch.Tensor:
    return (x - x.mean(0)).T @ (x - x.mean(0)) / len(x)


def test_whitened_vectors_have_mean_zero_and_identity_covariance() -> None:
    white = whitening(correlated())(correlated()).double()
    assert white.mean(0).abs().max() < 1e-5
    assert (covariance(white) - torch.eye(6)).abs().max() < 1e-4


def test_directions_without_variance_are_dropped() -> None:
    flat = correlated()
    flat[:, 5] = flat[:, 0]
    repair = whitening(flat)
    assert repair.matrix.shape == (6, 5) and bool(repair(flat).isfinite().all())
    with pytest.raises(KitError, match="expected dim from 1 to 5"):
        whitening(flat, dim=6)


@pytest.mark.parametrize(("size", "kept"), [(3e-5, 3), (3e-6, 2)])  # of variance: 1e-9 and 1e-11 of the largest
def test_a_direction_counts_from_a_ten_thousand_millionth_of_the_largest_variance(size: float, kept: int) -> None:
    torch.manual_seed(0)
    x = torch.linalg.qr(torch.randn(400, 3).double())[0]  # columns of one length, each beside the others
    x = (x - x.mean(0)) * torch.tensor([1.0, 0.5, size]).double()
    assert whitening(x).matrix.shape == (3, kept)


def test_fewer_dimensions_keep_the_strongest() -> None:
    x = correlated()
    assert torch.allclose(whitening(x, dim=2)(x).abs(), whitening(x)(x)[:, :2].abs(), atol=1e-5)


def test_top_directions_are_gone() -> None:
    x = correlated()
    rest = without_top_directions(x, removed=2)(x).double()
    values = torch.linalg.eigvalsh(covariance(rest))
    assert (values[:2] < 1e-6).all() and (values[2:] > 1e-3).all()
    assert torch.allclose(without_top_directions(x, removed=0)(x), x - x.mean(0), atol=1e-5), "centring alone"
    with pytest.raises(KitError, match="expected to remove from 0 to 5 directions, got 6"):
        without_top_directions(x, removed=6)


@pytest.mark.parametrize("bad", [torch.zeros(1, 4), torch.zeros(4)])
def test_too_few_vectors_are_refused(bad: torch.Tensor) -> None:
    with pytest.raises(KitError, match="expected at least two vectors"):
        whitening(bad)


def test_what_has_no_directions_is_refused() -> None:
    for bad, kind in ((torch.ones(4, 2, dtype=torch.long), "int64"), (correlated() * float("nan"), "float32")):
        with pytest.raises(KitError, match=f"expected finite vectors of floats .*{kind}"):
            whitening(bad)


def test_a_repaired_encoder_encodes() -> None:
    class Stub:
        def encode(self, sentences, batch_size=64, progress=False):
            return correlated(len(sentences))

    assert Repaired(Stub(), without_top_directions(correlated(), 1)).encode(["a", "b"]).shape == (2, 6)


def test_encoders_of_others_are_repaired_too() -> None:
    """One that takes texts alone, and one whose second argument is no size of a batch, as sentence-transformers'."""
    white = whitening(correlated())

    class Plain:
        def encode(self, sentences):
            return [[float(len(text)), *correlated(1)[0, 1:].tolist()] for text in sentences]

    class Prompted(Plain):
        def encode(self, sentences, prompt_name=None, batch_size=32, show_progress_bar=None):
            assert prompt_name is None and batch_size == 64
            return np.array(super().encode(sentences), dtype=np.float32)

    asked = ["a longer one", "b", "a longer one", "to"]
    for encoder in (Plain(), Prompted()):
        repaired = Repaired(encoder, white).encode(asked)
        assert torch.allclose(repaired, white(np.array(Plain().encode(asked), dtype=np.float32)))
    with pytest.raises(KitError, match="put it in a list"):
        Repaired(Plain(), white).encode("a text alone")
    with pytest.raises(KitError, match="expected an encoder with a method encode"):
        Repaired("kit-bert-tiny", white)
