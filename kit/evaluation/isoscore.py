"""IsoScore: how evenly the variance fills the dimensions, from 0 (one direction) to 1 (all alike)."""

from __future__ import annotations

from typing import Any

from kit.errors import KitError
from kit.evaluation.geometry import covariance_spectrum
from kit.evaluation.vectors import as_matrix


def isoscore(embeddings: Any) -> float:
    """IsoScore of embeddings [n, dim], from 0 to 1 (Rudman et al. 2022, algorithm 1).

    The paper's steps, for the eigenvalues λ of the covariance and d dimensions:

        λ̂ = √d · λ / ‖λ‖                            the spectrum at the length of (1, …, 1)
        δ = ‖λ̂ − (1, …, 1)‖ / √(2(d − √d))          the defect, from 0 to 1
        φ = (d − δ²(d − √d))² / d²                  the share of dimensions in use
        ι = (dφ − 1) / (d − 1)                      rescaled, so that one direction gives 0

    As ‖λ̂‖² = d, the first three come to φ = (Σλ)² / (d·Σλ²), and dφ is the *participation
    ratio* of the spectrum: 1 for one direction, d where all share the variance alike. That
    is what is computed here; a test goes through the steps.

    Neither a shift, a rotation nor a common scale of the embeddings changes it. With no more
    points than dimensions some eigenvalues are zero by necessity and the score says more about
    n than about the space, so that is an error. Where all vectors are the same it is 0.

    Raises KitError for n ≤ dim, for fewer than two dimensions, and for what is not a finite
    [n, dim].
    """
    raw = as_matrix(embeddings, least=2)
    n, dim = raw.shape
    if dim < 2:
        raise KitError(
            "expected embeddings of two dimensions or more for IsoScore, but they have one: "
            "a single direction is neither even nor uneven."
        )
    if n <= dim:
        raise KitError(
            f"expected more embeddings than dimensions for IsoScore, but got {n} embeddings of length "
            f"{dim}: give at least {dim + 1}, better several times as many."
        )
    spectrum = covariance_spectrum(raw)  # sums to 1, or is all zeros
    if not spectrum.any():
        return 0.0
    participation = 1 / float((spectrum**2).sum())
    return (participation - 1) / (dim - 1)
