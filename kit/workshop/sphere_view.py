"""Unit vectors as they stand on a sphere whose pole is a fixed direction, in whole numbers that a board can draw.

How far a vector stands from the pole is its true angle to it, in all dimensions; the direction in which it stands is
that of its projection on one fixed plane. Both are of vectors alone, so that a training that moves one sentence moves
one point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kit.evaluation import random_pair_cosines

COSINES = tuple(round(float(edge), 3) for edge in np.linspace(-1.0, 1.0, 81))  # edges of a histogram's bins


@dataclass(frozen=True)
class SphereView:
    """Where the reader looks from: pole [dim], of length 1, and plane [2, dim], two directions at right angles."""

    pole: np.ndarray
    plane: np.ndarray

    def places(self, points: np.ndarray) -> dict[str, list[int]]:
        """Of unit vectors [n, dim]: "theta", angles to the pole in tenths of a degree, "phi", directions in degrees."""
        theta = np.degrees(np.arccos(np.clip(points @ self.pole, -1, 1)))
        x, y = self.plane @ points.T
        return {
            "theta": np.rint(10 * theta).astype(int).tolist(),
            "phi": (np.rint(np.degrees(np.arctan2(y, x))).astype(int) % 360).tolist(),
        }


def unit(vectors) -> np.ndarray:
    """Vectors [..., dim] at length 1, in float64; a zero vector stays zero."""
    vectors = np.asarray(vectors, dtype=np.float64)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True).clip(min=1e-12)


def mean_direction(vectors: np.ndarray) -> np.ndarray:
    """The direction [dim] of the mean of the vectors' directions."""
    return unit(unit(vectors).mean(axis=0))


def plane_round(pole: np.ndarray, *clouds: np.ndarray) -> np.ndarray:
    """The two directions [2, dim] along which the points of all clouds [n, dim] differ most.

    At right angles to the pole and to the mean of each cloud, so that its points stand all round the pole.
    """
    taken, _ = np.linalg.qr(np.stack([pole, *(cloud.mean(axis=0) for cloud in clouds)]).T)  # [dim, 1 + clouds]
    points = np.concatenate(clouds)
    across = points - points @ taken @ taken.T
    _, _, axes = np.linalg.svd(across, full_matrices=False)
    return axes[:2]


def cosine_shares(vectors, bins, pairs: int = 100_000) -> list[int]:
    """Of the cosines of random pairs of rows, how many thousandths lie in each bin, between edges that rise."""
    counts, _ = np.histogram(random_pair_cosines(vectors, pairs=pairs), bins)
    return np.rint(1000 * counts / max(counts.sum(), 1)).astype(int).tolist()


def nearest(points: np.ndarray, many: int = 3) -> list[list[int]]:
    """The indices of the `many` nearest other points of each unit vector [n, dim], as [n][many]."""
    cosines = points @ points.T
    np.fill_diagonal(cosines, -2)
    return np.argsort(-cosines, axis=1, kind="stable")[:, :many].tolist()
