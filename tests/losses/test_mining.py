"""Triplets of a batch, their number and their regions, against plain loops."""

from __future__ import annotations

import itertools

import pytest
import torch

from kit.errors import KitError
from kit.losses import (
    DISTANCES,
    REGIONS,
    all_triplets,
    count_triplets,
    scl_relations,
    supcon_relations,
    triplet_regions,
    triplet_relations,
)

PREMISE_IDS, LABELS = [0, 0, 0, 1, 1, 2, 2, 0], [0, 1, 0, 0, 2, 1, 2, 2]


def random(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def slow_distance(a, b, distance):
    if distance == "cosine":
        return 1 - float(a @ b) / (float(a.norm()) * float(b.norm()))
    squared = sum((float(x) - float(y)) ** 2 for x, y in zip(a, b))
    return squared if distance == "squared_euclidean" else squared**0.5


GRID = list(itertools.product(DISTANCES, (0.1, 1.0, 4.0)))


def test_regions_are_those_of_a_loop():
    z, relations = random(12, 11, 5), scl_relations(PREMISE_IDS, LABELS)
    for distance, margin in GRID:
        listed, regions = all_triplets(relations), triplet_regions(z, relations, margin, distance)
        assert len(listed) == len(regions) == count_triplets(relations)
        expected, losses = {}, []
        for i, row in enumerate(relations.anchors.tolist()):
            for p, n in itertools.product(range(8), range(8)):
                if relations.positive[i, p] and relations.negative[i, n]:
                    c = relations.candidates.tolist()
                    near, far = (slow_distance(z[row], z[c[k]], distance) for k in (p, n))
                    region = "hard" if far <= near else "semi-hard" if far < near + margin else "easy"
                    expected[row, c[p], c[n]] = region
                    losses.append(max(0.0, near - far + margin))
        assert {tuple(t): REGIONS[r] for t, r in zip(listed.tolist(), regions)} == expected
        assert (regions > 0).sum() == sum(loss > 0 for loss in losses)


def test_number_of_triplets_of_a_batch():
    for classes, each in ((2, 2), (4, 4), (5, 3), (8, 1), (1, 6)):
        relations = supcon_relations(torch.arange(classes).repeat_interleave(each))
        n = classes * each
        assert count_triplets(relations) == n * (each - 1) * (n - each) == len(all_triplets(relations))


def test_all_triplets_are_rows_of_z():
    assert all_triplets(triplet_relations(2)).tolist() == [[0, 2, 4], [1, 3, 5]]
    relations = scl_relations([0, 0, 1], [0, 2, 0])
    assert all_triplets(relations).tolist() == [[0, 2, 3], [0, 2, 4], [1, 4, 2], [1, 4, 3]]


def test_a_batch_without_triplets_has_no_regions():
    relations = supcon_relations([0, 1, 2])
    assert all_triplets(relations).shape == (0, 3)
    assert triplet_regions(random(1, 3, 4), relations).bincount(minlength=3).tolist() == [0, 0, 0]


def test_nonsense_is_told_in_one_sentence():
    with pytest.raises(KitError, match="margin above 0"):
        triplet_regions(random(1, 4, 3), supcon_relations([0, 0, 1, 1]), margin=0)
    with pytest.raises(KitError, match="did you mean 'cosine'"):
        triplet_regions(random(1, 4, 3), supcon_relations([0, 0, 1, 1]), distance="cosin")
