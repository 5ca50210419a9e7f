"""Repairs of a vector space without training: whitening, and removing its top directions.

Both are linear maps of finished vectors, to be fitted on other sentences than those that are measured: else the test
set leaks into the repair.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kit.checks.argument_checks import checked
from kit.errors import KitError
from kit.number_checks import whole_number


@dataclass(frozen=True)
class LinearRepair:
    """x ↦ (x − mean) · matrix; mean [dim], matrix [dim, kept]."""

    mean: torch.Tensor
    matrix: torch.Tensor

    def __call__(self, vectors: torch.Tensor) -> torch.Tensor:
        """Repaired vectors [n, kept] of vectors [n, dim]."""
        return ((torch.as_tensor(vectors).double() - self.mean) @ self.matrix).float()


@checked
def whitening(vectors: torch.Tensor, dim: int | None = None) -> LinearRepair:
    """The map that gives `vectors` [n, d] mean zero and identity covariance.

    Su et al. 2021 (BERT-whitening): W = U·Λ^(−1/2) of the covariance U·Λ·Uᵀ. `dim` keeps the strongest directions only
    (None: all). Directions without variance are dropped, as dividing by their zero would amplify rounding errors.
    Errors: `KitError` for fewer than two vectors or a `dim` larger than the rank. Lesson 02.
    """
    mean, values, directions = _spectrum(vectors)
    rank = int((values > values[0] * 1e-10).sum())
    # Below this, what centring left of equal vectors is rounding noise.
    if values.sum() <= 1e-24 * (values.sum() + mean.square().sum()):
        raise KitError("expected vectors that differ, got equal ones: without variance there is nothing to whiten.")
    kept = rank if dim is None else whole_number("dim", dim, 1)
    if kept > rank:
        raise KitError(f"expected dim from 1 to {rank} (the directions with variance), got {dim!r}.")
    return LinearRepair(mean, directions[:, :kept] / values[:kept].sqrt())


@checked
def without_top_directions(vectors: torch.Tensor, removed: int = 1) -> LinearRepair:
    """The map that centres and projects out the `removed` strongest directions. Errors: `KitError` for too many.

    Mu & Viswanath 2018 ("all but the top"): they carry word frequency rather than meaning. Lesson 02.
    """
    mean, values, directions = _spectrum(vectors)
    if whole_number("removed", removed, 0) >= len(values):
        raise KitError(f"expected to remove from 0 to {len(values) - 1} directions, got {removed!r}.")
    top = directions[:, :removed]
    return LinearRepair(mean, torch.eye(len(values), dtype=top.dtype, device=top.device) - top @ top.T)


def _spectrum(vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Mean, eigenvalues (descending) and eigenvectors (columns) of the covariance, in float64."""
    if vectors.ndim != 2 or len(vectors) < 2 or not vectors.shape[1]:
        raise KitError(f"expected at least two vectors to fit a repair on, got shape {tuple(vectors.shape)}.")
    if not vectors.is_floating_point() or not vectors.isfinite().all():
        raise KitError(
            f"expected finite vectors of floats to fit a repair on, got NaN, infinity or {vectors.dtype}: look for a "
            "training run that diverged."
        )
    x = vectors.double().cpu()  # where `encode` leaves the vectors that are repaired
    mean = x.mean(0)
    values, directions = torch.linalg.eigh((x - mean).T @ (x - mean) / len(x))
    return mean, values.flip(0).clamp(min=0), directions.flip(1)
