"""The sentences on which live training is monitored: a map of a few groups, and scored pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kit.errors import KitError
from kit.workshop.validation import evaluate_pairs


@dataclass(frozen=True)
class MonitoredSet:
    """Sentences for the map, on which no step is trained, and pairs that people scored.

    premise [n]: which premise a sentence of the map belongs to; roles [n]: "premise",
    "entailed" or "contradicted".
    """

    sentences: list[str]
    premise: list[int]
    roles: list[str]
    sentences1: list[str]
    sentences2: list[str]
    scores: list[float]


def split_monitored(groups: Sequence, task, premises: int = 8, pairs: int = 120) -> tuple[MonitoredSet, list]:
    """Split `groups` into a monitored set and the groups left to train on.

    The map shows the first groups with two entailed and one contradicted hypothesis. Errors: `KitError`
    where there are not enough such groups or scored pairs.
    """
    chosen = [g for g in groups if len(g.positives) >= 2 and g.negatives][:premises]
    if len(chosen) < 3 or len(task) < 10:
        raise KitError(
            f"expected 3 premises with two entailed and one contradicted hypothesis and 10 scored pairs to "
            f"monitor, got {len(chosen)} and {len(task)}: load more rows."
        )
    taken = {id(g) for g in chosen}
    sentences = [s for g in chosen for s in (g.anchor, *g.positives[:2], g.negatives[0])]
    roles = ["premise", "entailed", "entailed", "contradicted"] * len(chosen)
    monitored = MonitoredSet(
        sentences,
        [i for i in range(len(chosen)) for _ in range(4)],
        roles,
        task.sentences1[:pairs],
        task.sentences2[:pairs],
        task.scores[:pairs],
    )
    return monitored, [g for g in groups if id(g) not in taken]


def evaluate_monitored(encoder, monitored: MonitoredSet, previous: np.ndarray | None = None) -> dict:
    """The numbers of one frame: mean cosine, effective rank, uniformity, alignment, Spearman × 100 and the map.

    previous: the map of the frame before, over which the new one is turned.
    """
    found = evaluate_pairs(encoder, monitored, monitored.sentences)
    space = found.geometry
    return {
        "mean_cosine": space.mean_cosine,
        "effective_rank": space.effective_rank,
        "uniformity": space.uniformity,
        "alignment": space.alignment,
        "sts": found.spearman,
        "points": plane(found.other_vectors, previous).round(3).tolist(),
    }


def plane(vectors: np.ndarray, previous: np.ndarray | None = None) -> np.ndarray:
    """Unit vectors [n, dim] projected on their two principal axes, [n, 2].

    Not scaled: a collapsed space is a small heap in the middle. Principal axes may swap or
    flip from frame to frame, so the points are rotated onto the `previous` ones
    (orthogonal Procrustes; Schönemann 1966).
    """
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(min=1e-12)
    centred = unit - unit.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = left[:, :2] * sizes[:2]
    if previous is not None:
        u, _, v = np.linalg.svd(points.T @ previous)
        points = points @ (u @ v)
    return points
