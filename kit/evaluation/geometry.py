"""Measures of the shape of an embedding space, and of whether it has collapsed.

The measures and where they come from:

    Wang & Isola 2020    Understanding contrastive representation learning through
                         alignment and uniformity on the hypersphere, section 4.1
    Roy & Vetterli 2007  The effective rank: a measure of effective dimensionality
    Rudman et al. 2022   IsoScore: measuring the uniformity of embedding space utilization
    Ethayarajh 2019      How contextual are contextualized word representations? (mean
                         cosine of random pairs as a measure of anisotropy)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError
from kit.evaluation.vectors import as_list, as_matrix, unit_rows
from kit.number_checks import is_finite, whole_number

EXACT_UP_TO = 2000  # vectors: their two million pairs take a fraction of a second
CHUNK = 8192  # pairs compared at a time, which bounds the memory


@dataclass(frozen=True)
class Geometry:
    """Measures of `n` embeddings of `dim` dimensions; those of pairs are on unit vectors.

    mean_cosine     mean cosine of two different sentences; always exact over all pairs
    share_above     share of such pairs with a cosine above `threshold`
    uniformity      log of the mean of exp(−2·d²) over such pairs, d their distance on the
                    unit sphere (Wang & Isola, t = 2); lower is more spread out, 0 is a point
    alignment       mean d² of the known positive pairs (Wang & Isola, α = 2); None without
    spectrum        eigenvalues of the covariance of the embeddings as they are (centred,
                    not normalised to length 1), descending, summing to 1; [dim]
    effective_rank  exp of the entropy of `spectrum`, from 1 to dim (Roy & Vetterli, applied
                    to the covariance matrix, whose singular values are its eigenvalues)
    top_share       spectrum[0], the share of the variance in the first direction
    pairs           pairs behind share_above and uniformity; `exact` if these were all
    zeros           zero vectors: their cosine counts as 0 with everything

    Where all vectors are the same there is no variance to share out: the spectrum is all
    zeros, and effective_rank and top_share are 0.
    """

    n: int
    dim: int
    mean_cosine: float
    share_above: float
    threshold: float
    uniformity: float
    alignment: float | None
    effective_rank: float
    top_share: float
    spectrum: tuple[float, ...]
    pairs: int
    exact: bool
    zeros: int

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, one list and None, ready for `json.dumps`."""
        return {**vars(self), "spectrum": list(self.spectrum)}

    def summary(self) -> str:
        """The figures in words."""
        which = "all" if self.exact else "a sample of"
        line = (
            f"{self.n:,} embeddings of {self.dim} dimensions: random pairs have a mean cosine of "
            f"{self.mean_cosine:.2f}, and of {which} {self.pairs:,} pairs {self.share_above:.0%} "
            f"lie above {self.threshold:g} (uniformity {self.uniformity:.2f}); "
        )
        if self.effective_rank == 0:
            line += "all vectors are the same, so there is no variance"
        else:
            line += (
                f"the effective rank is {self.effective_rank:.1f}, and the first direction "
                f"holds {self.top_share:.0%} of the variance"
            )
        if self.alignment is not None:
            line += f"; positive pairs are {self.alignment:.2f} apart (alignment)"
        if self.zeros:
            line += f"; {self.zeros} of the vectors are zero"
        return line + "."


@checked
def geometry(
    embeddings: Any, pairs: Any = None, sample: int = 100_000, seed: int = 0, threshold: float = 0.6
) -> Geometry:
    """Measure embeddings [n, dim]; see `Geometry` for the measures and their sources.

    pairs   known positives as rows (i, j) of indices [m, 2], for the alignment
    sample  random pairs for share_above and uniformity where n is above 2,000, drawn by
            `seed` without replacement; up to 2,000 vectors all pairs are taken

    Raises KitError for fewer than two vectors, another shape than [n, dim], NaN or
    infinity, positive pairs that are not indices of two different rows, and `sample` < 1. Lesson 01.
    """
    whole_number("sample", sample, 1, "100000 pairs are usual")
    if not is_finite(threshold):
        raise KitError(f"expected threshold as a cosine, got {threshold!r}: 0.6 is usual.")
    raw = as_matrix(embeddings, least=2)
    unit = unit_rows(raw)
    n, dim = raw.shape
    exact = n <= EXACT_UP_TO or sample >= n * (n - 1) // 2
    cosines = _all_cosines(unit) if exact else _sampled_cosines(unit, sample, seed)
    spectrum = covariance_spectrum(raw)
    return Geometry(
        n=n,
        dim=dim,
        mean_cosine=_mean_cosine(unit),
        share_above=float((cosines > threshold).mean()),
        threshold=threshold,
        uniformity=float(np.log(np.exp(-2 * _squared_distance(cosines)).mean())),
        alignment=None if pairs is None else _alignment(unit, pairs),
        effective_rank=effective_rank(spectrum),
        top_share=float(spectrum[0]),
        spectrum=tuple(spectrum.tolist()),
        pairs=len(cosines),
        exact=exact,
        zeros=int((~raw.any(axis=1)).sum()),
    )


@checked
def random_pair_cosines(embeddings: Any, pairs: int = 5000, seed: int = 0) -> np.ndarray:
    """Cosines of `pairs` random pairs of different rows, float64 [pairs], for a histogram.

    Drawn by `seed` without replacement; all pairs where there are no more than asked for.
    Raises KitError as `geometry` does. Lesson 02.
    """
    whole_number("pairs", pairs, 1, "5000 do for a histogram")
    unit = unit_rows(embeddings, least=2)
    if pairs >= len(unit) * (len(unit) - 1) // 2:
        return _all_cosines(unit)
    return _sampled_cosines(unit, pairs, seed)


def covariance_spectrum(embeddings: Any) -> np.ndarray:
    """Eigenvalues of the centred covariance, descending, normalised to sum 1; float64 [dim].

    All zeros where the vectors are the same. Raises KitError as `geometry` does.
    """
    raw = as_matrix(embeddings, least=2)
    n, dim = raw.shape
    centred = raw - raw.mean(axis=0)
    # X Xᵀ and Xᵀ X have the same eigenvalues but for zeros: take the smaller matrix
    gram = centred.T @ centred if dim <= n else centred @ centred.T
    eigenvalues = np.zeros(dim)
    descending = np.linalg.eigvalsh(gram)[::-1].clip(min=0)[:dim]
    eigenvalues[: len(descending)] = descending
    total = eigenvalues.sum()
    # below this, what centring left of identical vectors is rounding noise
    if total <= 1e-24 * np.square(raw).sum():
        return np.zeros(dim)
    return eigenvalues / total


def effective_rank(spectrum: Any) -> float:
    """exp of the entropy of a spectrum that sums to 1 (Roy & Vetterli 2007, definition 1).

    1 if one direction has all the variance, dim if all share it alike; 0 for the
    spectrum of zeros that vectors without variance have. Errors: `KitError` for shares that do not sum to 1.
    """
    shares = as_list(spectrum, "shares of a spectrum")
    if (shares < 0).any() or not (abs(shares.sum() - 1) < 1e-6 or not shares.any()):
        raise KitError(
            f"expected shares of a spectrum from 0 that sum to 1, got a sum of {shares.sum():g} and {min(shares):g} as "
            "the least: covariance_spectrum(embeddings) gives them."
        )
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum())) if len(shares) else 0.0


def isoscore(embeddings: Any) -> float:
    """IsoScore of embeddings [n, dim], from 0 to 1 (Rudman et al. 2022, algorithm 1).

    The paper's steps, for the eigenvalues λ of the covariance and d dimensions:

        λ̂ = √d · λ / ‖λ‖                            the spectrum at the length of (1, …, 1)
        δ = ‖λ̂ − (1, …, 1)‖ / √(2(d − √d))          the defect, from 0 to 1
        φ = (d − δ²(d − √d))² / d²                  the share of dimensions in use
        ι = (dφ − 1) / (d − 1)                      rescaled, so that one direction gives 0

    As ‖λ̂‖² = d, the first three come to φ = (Σλ)² / (d·Σλ²), and dφ is the *participation ratio* of the spectrum: 1
    for one direction, d where all share the variance alike. That is what is computed here; a test goes through the
    steps.

    Neither a shift, a rotation nor a common scale of the embeddings changes it. With no more points than dimensions
    some eigenvalues are zero by necessity and the score says more about n than about the space, so that is an error.
    Where all vectors are the same it is 0.

    Raises KitError for n ≤ dim, for fewer than two dimensions, and for what is not a finite [n, dim]. Lesson 02.
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
            f"expected more embeddings than dimensions for IsoScore, but got {n} embeddings of "
            f"{dim} dimensions: give at least {dim + 1}, better several times as many."
        )
    spectrum = covariance_spectrum(raw)  # sums to 1, or is all zeros
    if not spectrum.any():
        return 0.0
    participation = 1 / float((spectrum**2).sum())
    return (participation - 1) / (dim - 1)


def _mean_cosine(unit: np.ndarray) -> float:
    """Mean cosine over all pairs i < j of unit rows [n, dim], without making the pairs.

    |Σu|² = Σ|u|² + 2 Σ_{i<j} u_i·u_j
    """
    n = len(unit)
    doubled = np.square(unit.sum(axis=0)).sum() - np.square(unit).sum()
    return float(np.clip(doubled / (n * (n - 1)), -1.0, 1.0))


def _all_cosines(unit: np.ndarray) -> np.ndarray:
    """Cosines of all pairs i < j of unit rows, [n(n−1)/2]."""
    return np.clip((unit @ unit.T)[np.triu_indices(len(unit), k=1)], -1.0, 1.0)


def _sampled_cosines(unit: np.ndarray, pairs: int, seed: int) -> np.ndarray:
    """Cosines of `pairs` different pairs of unit rows, [pairs]."""
    total = len(unit) * (len(unit) - 1) // 2
    return _cosines(unit, *_unrank(np.random.default_rng(seed).choice(total, size=pairs, replace=False)))


def _cosines(unit: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Cosines of rows i [m] of the unit rows with rows j [m], float64 [m]; `CHUNK` pairs at a time."""
    parts = (slice(start, start + CHUNK) for start in range(0, len(i), CHUNK))
    products = [(unit[i[part]] * unit[j[part]]).sum(axis=1) for part in parts]
    return np.clip(np.concatenate(products), -1.0, 1.0)


def _squared_distance(cosines: np.ndarray) -> np.ndarray:
    return 2 - 2 * cosines  # of two points on the unit sphere


def _unrank(number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair i < j with this number in the order (0,1), (0,2), (1,2), (0,3) ..."""
    j = ((np.sqrt(8.0 * number + 1) + 1) / 2).astype(np.int64)
    return number - j * (j - 1) // 2, j


def _alignment(unit: np.ndarray, pairs: Any) -> float:
    try:
        indices = np.asarray(pairs)
    except ValueError:  # rows of different lengths
        indices = np.empty(0)
    if indices.ndim != 2 or indices.shape[1] != 2 or indices.dtype.kind not in "iu":
        raise KitError(
            "expected positive pairs as rows (i, j) of whole numbers, shape [m, 2] with m at "
            f"least 1, but they came with shape {list(indices.shape)} and type {indices.dtype}."
        )
    i, j = indices.T
    if not len(i) or indices.min() < 0 or indices.max() >= len(unit) or (i == j).any():
        raise KitError(
            f"expected at least one positive pair, each of two different rows from 0 to "
            f"{len(unit) - 1}: correct the indices."
        )
    return float(_squared_distance(_cosines(unit, i, j)).mean())
