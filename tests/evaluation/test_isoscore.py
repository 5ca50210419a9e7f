"""IsoScore against the paper's own steps, and at its two ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from kit.errors import KitError
from kit.evaluation import isoscore, word_counts


def by_the_paper(points: np.ndarray) -> float:
    """Rudman et al. 2022, algorithm 1, step by step with plain loops."""
    d = points.shape[1]
    centred = points - points.mean(axis=0)
    covariance = [[sum(row[i] * row[j] for row in centred) / (len(points) - 1) for j in range(d)] for i in range(d)]
    principal = np.linalg.eigvalsh(covariance)
    length = math.sqrt(sum(value * value for value in principal))
    scaled = [math.sqrt(d) * value / length for value in principal]
    defect = math.sqrt(sum((value - 1) ** 2 for value in scaled)) / math.sqrt(2 * (d - math.sqrt(d)))
    share = (d - defect**2 * (d - math.sqrt(d))) ** 2 / d**2
    return (d * share - 1) / (d - 1)


def test_it_is_what_the_paper_computes() -> None:
    for dim in [2, 3, 8]:
        for seed in [0, 1]:
            draw = np.random.default_rng(seed)
            points = draw.normal(size=(60, dim)) @ draw.normal(size=(dim, dim)) + 5
            assert isoscore(points) == pytest.approx(by_the_paper(points), abs=1e-10)


def test_even_variance_gives_one() -> None:
    corners = np.concatenate([np.eye(4), -np.eye(4)])  # the same variance in each of four directions
    assert isoscore(corners) == pytest.approx(1)
    assert isoscore(np.random.default_rng(0).normal(size=(50_000, 6))) > 0.99


def test_one_direction_gives_zero() -> None:
    line = np.outer(np.arange(20.0), [1.0, 2.0, -1.0])
    assert isoscore(line) == pytest.approx(0, abs=1e-12)
    assert isoscore(np.ones((20, 3))) == 0.0


def test_two_of_five_directions() -> None:
    """Two equal directions of d: a participation ratio of 2, so (2 − 1)/(d − 1)."""
    points = np.zeros((8, 5))
    points[:, :2] = np.tile([[1, 0], [-1, 0], [0, 1], [0, -1]], (2, 1))
    assert isoscore(points) == pytest.approx(1 / 4)


def test_shift_rotation_and_scale_change_nothing() -> None:
    draw = np.random.default_rng(2)
    points = draw.normal(size=(80, 4)) * [3.0, 1.0, 0.5, 0.1]
    turned = np.linalg.qr(draw.normal(size=(4, 4)))[0]
    assert isoscore(7 * points @ turned + 100) == pytest.approx(isoscore(points), abs=1e-9)
    assert isoscore(points * [1, 1, 1, 9]) != pytest.approx(isoscore(points), abs=1e-3)


def test_tensors_of_any_precision() -> None:
    points = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
    assert isoscore(points) == pytest.approx(isoscore(points.double().tolist()), abs=1e-12)


def test_what_cannot_be_measured_is_refused() -> None:
    for points, says in [
        (torch.randn(5, 5), "got 5 embeddings of 5 dimensions: give at least 6"),
        (torch.randn(4, 128), "more embeddings than dimensions"),
        (torch.randn(9, 1), "two dimensions or more"),
        (torch.full((9, 2), math.nan), "finite"),
        (torch.randn(9), "shape"),
    ]:
        with pytest.raises(KitError, match=says):
            isoscore(points)


def test_words_are_counted_as_the_frequency_counts_them() -> None:
    assert word_counts(["The dog's bone.", "the DOG, the cat"]) == {"the": 3, "dog's": 1, "bone": 1, "dog": 1, "cat": 1}
