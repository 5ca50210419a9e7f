"""The margin losses: slow references in plain loops, gradients, corners."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from kit.errors import KitError
from kit.losses import (
    DISTANCES,
    MARGIN_REDUCTIONS,
    REGIONS,
    Relations,
    batch_all,
    batch_hard,
    batch_semi_hard,
    contrastive,
    count_triplets,
    distance_matrix,
    mnrl_relations,
    pair_relations,
    scl_relations,
    supcon_relations,
    supmpn_relations,
    triplet,
    triplet_regions,
    triplet_relations,
)
from tests.losses.shared import CORNERS

LOSSES = {
    "contrastive": contrastive,
    "batch_all": batch_all,
    "batch_hard": batch_hard,
    "batch_semi_hard": batch_semi_hard,
}
PREMISE_IDS, LABELS = [0, 0, 0, 1, 1, 2, 2, 0], [0, 1, 0, 0, 2, 1, 2, 2]
RELATIONS = {
    "classes": (supcon_relations([0, 1, 0, 2, 1, 0]), 6),
    "premises": (scl_relations(PREMISE_IDS, LABELS), 11),
    "many_each": (supmpn_relations(3, 2, 2), 15),
    "given_triplets": (triplet_relations(3), 9),
    "given_pairs": (pair_relations(torch.tensor([True, False, True, False])), 8),
    "no_positive_at_all": (supcon_relations([0, 1, 2]), 3),
    "a_missing_positive": (supcon_relations([0, 0, 1]), 3),
    "no_negatives": (supcon_relations([0, 0, 0]), 3),
    "batch_of_one": (supcon_relations([0]), 1),
    "empty_batch": (supcon_relations([]), 0),
    "no_candidates": (supmpn_relations(2, 0, 0), 2),
}
EMPTY_OF_TRIPLETS = [
    "batch_of_one",
    "empty_batch",
    "given_pairs",
    "no_candidates",
    "no_negatives",
    "no_positive_at_all",
]


def slow_distance(a, b, distance):
    if distance == "cosine":
        return 1 - float(a @ b) / (float(a.norm()) * float(b.norm()))
    squared = sum((float(x) - float(y)) ** 2 for x, y in zip(a, b))
    return squared if distance == "squared_euclidean" else math.sqrt(squared)


def slow_terms(name, z, relations, margin, distance):
    """One number per term of the loss, by the formula, with a loop for everything."""
    terms = []
    for i, row in enumerate(relations.anchors.tolist()):
        d = [slow_distance(z[row], z[c], distance) for c in relations.candidates.tolist()]
        positives = [d[c] for c in range(len(d)) if relations.positive[i, c]]
        negatives = [d[c] for c in range(len(d)) if relations.negative[i, c]]
        if name == "contrastive":
            terms += [p**2 for p in positives] + [max(0.0, margin - n) ** 2 for n in negatives]
        elif not negatives or not positives:
            continue
        elif name == "batch_all":
            terms += [max(0.0, p - n + margin) for p in positives for n in negatives]
        elif name == "batch_hard":
            terms.append(max(0.0, max(positives) - min(negatives) + margin))
        else:
            for p in positives:
                beyond = [n for n in negatives if n > p]
                terms.append(max(0.0, p - (min(beyond) if beyond else max(negatives)) + margin))
    return terms


def reduced(terms, reduction):
    counted = len(terms) if reduction == "mean" else sum(term > 0 for term in terms)
    return sum(terms) if reduction == "sum" else sum(terms) / max(counted, 1)


def random_relations(rng, rows):
    kind = torch.randint(0, 3, (6, rows - 1), generator=rng)  # 0 ignored, 1 positive, 2 negative
    kind[0], kind[1], kind[2] = 2, 1, 0  # without a positive, without a negative, without either
    # Nobody meets itself: whether a distance of 1e-17 is above 0 is a matter of rounding.
    anchors = torch.randint(0, 4, (6,), generator=rng)
    candidates = torch.arange(4, rows)[torch.randint(0, rows - 4, (rows - 1,), generator=rng)]
    return Relations(anchors, candidates, kind == 1, kind == 2)


def vectors(seed, *shape, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("name", LOSSES)
def test_equals_the_slow_loops(name, distance):
    rng, seen = torch.Generator().manual_seed(1), []
    for round_ in range(8):
        z, relations = vectors(round_, 10, 4), random_relations(rng, 10)
        for margin in (0.05, 0.5, 5.0):
            terms = slow_terms(name, z, relations, margin, distance)
            for reduction in MARGIN_REDUCTIONS:
                found = LOSSES[name](z, relations, margin, distance, reduction)
                assert found.item() == pytest.approx(reduced(terms, reduction), rel=1e-9)
            seen += terms
    easy = sum(term == 0 for term in seen)
    assert 2 < easy < len(seen) - 2, "all easy, or nothing: a test of one branch only"


def test_given_triplets_equal_the_loop():
    a, p, n = vectors(2, 3, 7, 5).unbind()
    for distance in DISTANCES:
        near, far = ([slow_distance(a[i], other[i], distance) for i in range(7)] for other in (p, n))
        terms = [max(0.0, d_p - d_n + 0.5) for d_p, d_n in zip(near, far)]
        assert 0 < sum(term > 0 for term in terms) < 7
        for reduction in MARGIN_REDUCTIONS:
            found = triplet(a, p, n, 0.5, distance, reduction)
            assert found.item() == pytest.approx(reduced(terms, reduction))


def test_four_points_by_hand():
    """An anchor at the origin, a positive at 3, negatives at 5 and at 2: margin 1."""
    z = torch.tensor([[0.0, 0.0], [3.0, 0.0], [0.0, 5.0], [-2.0, 0.0]], dtype=torch.float64)
    relations = Relations(
        torch.tensor([0]),
        torch.tensor([1, 2, 3]),
        torch.tensor([[True, False, False]]),
        torch.tensor([[False, True, True]]),
    )
    assert contrastive(z, relations, 3.0, reduction="sum").item() == 9 + 0 + 1
    assert contrastive(z, relations, 3.0, reduction="sum", half=True).item() == 5
    assert batch_all(z, relations, 1.0, reduction="sum").item() == 0 + 2
    assert batch_all(z, relations, 1.0, reduction="mean").item() == 1
    assert batch_all(z, relations, 1.0, reduction="mean_active").item() == 2
    assert batch_hard(z, relations, 1.0).item() == 2
    assert batch_semi_hard(z, relations, 1.0).item() == 0
    assert [REGIONS[i] for i in triplet_regions(z, relations, 1.0)] == ["easy", "hard"]
    assert [REGIONS[i] for i in triplet_regions(z, relations, 2.5)] == ["semi-hard", "hard"]


def test_a_negative_exactly_as_far_as_the_positive_is_hard():
    """Hard is d⁻ ≤ d⁺; semi-hard mining looks beyond it, and falls back on it where there is nothing beyond."""
    z = torch.tensor([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [0.0, -3.5]], dtype=torch.float64)
    one, both = ([[False, True, False]], [[False, True, True]])
    positive, rows = torch.tensor([[True, False, False]]), (torch.tensor([0]), torch.tensor([1, 2, 3]))
    tied, also_beyond = (Relations(*rows, positive, torch.tensor(negative)) for negative in (one, both))
    assert [REGIONS[i] for i in triplet_regions(z, tied, 1.0)] == ["hard"]
    assert [REGIONS[i] for i in triplet_regions(z, also_beyond, 1.0)] == ["hard", "semi-hard"]
    assert batch_semi_hard(z, tied, 1.0).item() == 1.0
    assert batch_semi_hard(z, also_beyond, 1.0).item() == 0.5


def test_gradient_of_a_triplet_by_hand():
    """Unit forces along the two differences; nothing at all where the triplet is easy."""
    a, p, n = vectors(3, 3, 1, 6).unbind()
    rows = [row.clone().requires_grad_() for row in (a, p, n)]
    near, far = (p - a) / (p - a).norm(), (n - a) / (n - a).norm()
    triplet(*rows, margin=9.0).backward()
    for row, expected in zip(rows, (far - near, near, -far)):
        torch.testing.assert_close(row.grad, expected)
    rows = [row.detach().requires_grad_() for row in rows]
    triplet(rows[0], rows[0] + 0.1 * near.detach(), rows[2], margin=0.1).backward()
    assert not rows[0].grad.any() and not rows[2].grad.any()


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_gradient_against_finite_differences(name):
    for (relations, rows), distance in itertools.product(RELATIONS.values(), DISTANCES):
        for reduction in MARGIN_REDUCTIONS if rows else ():
            z = vectors(4, rows, 4).requires_grad_()
            assert torch.autograd.gradcheck(LOSSES[name], (z, relations, 1.0, distance, reduction))


def test_distances_on_the_unit_sphere():
    z = torch.nn.functional.normalize(vectors(5, 8, 6), dim=1)
    euclidean, squared, cosine = (distance_matrix(z, supcon_relations(range(8)), d) for d in DISTANCES)
    torch.testing.assert_close(squared, 2 * cosine)
    torch.testing.assert_close(euclidean.square(), squared)


def test_small_distances_between_long_vectors_are_exact():
    """What remains of a collapsed space: in float32, |a|² + |c|² − 2a·c would see nothing of it."""
    a = 100 + vectors(6, 1, 64, dtype=torch.float32)
    near = a + 1e-4
    relations = mnrl_relations(1)
    found = distance_matrix(torch.cat([a, near]), relations).item()
    assert found == pytest.approx((near.double() - a.double()).norm().item(), rel=1e-5)
    cast = torch.autocast("cpu", dtype=torch.bfloat16)
    with cast:
        assert distance_matrix(torch.cat([a, near]), relations).item() == found


@pytest.mark.parametrize("name", LOSSES)
def test_scaling_space_and_margin_scales_the_loss(name):
    z, relations = vectors(7, 15, 5), RELATIONS["many_each"][0]
    power = 2 if name == "contrastive" else 1
    scaled = LOSSES[name](3 * z, relations, 3 * 0.7)
    assert scaled.item() == pytest.approx(3**power * LOSSES[name](z, relations, 0.7).item())
    assert LOSSES[name](3 * z, relations, 0.7, "cosine").item() == pytest.approx(
        LOSSES[name](z, relations, 0.7, "cosine").item()
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("name", LOSSES)
def test_no_nan_or_infinity_in_the_corners(name, corner):
    dtypes = (torch.float32, torch.bfloat16)
    for (relations, rows), distance, dtype in itertools.product(RELATIONS.values(), DISTANCES, dtypes):
        z = CORNERS[corner](vectors(8, rows, 8, dtype=torch.float32)).to(dtype).requires_grad_()
        loss = LOSSES[name](z, relations, 0.5, distance, "mean_active")
        with torch.autograd.detect_anomaly(check_nan=True):  # raises where a mask hides a NaN
            loss.backward()
        assert loss.dtype == torch.float32 and z.grad.dtype == dtype
        assert loss.isfinite() and loss >= 0 and z.grad.isfinite().all()


@pytest.mark.parametrize("name", sorted(LOSSES.keys() - {"contrastive"}))
def test_a_batch_without_triplets_is_a_zero_with_a_graph(name):
    for where, distance in itertools.product(EMPTY_OF_TRIPLETS, DISTANCES):
        relations, rows = RELATIONS[where]
        assert count_triplets(relations) == 0
        z = vectors(9, rows, 4).requires_grad_()
        loss = LOSSES[name](z, relations, 1.0, distance)
        loss.backward()
        assert loss.item() == 0 and torch.equal(z.grad, torch.zeros_like(z)), where


@pytest.mark.parametrize("name", sorted(LOSSES.keys() - {"contrastive"}))
def test_a_collapsed_batch_has_a_loss_of_exactly_the_margin(name):
    z = vectors(10, 1, 8, dtype=torch.float32).expand(6, 8)
    assert LOSSES[name](z, RELATIONS["classes"][0], 0.7).item() == pytest.approx(0.7, rel=1e-6)


def test_half_precision_in_and_full_precision_inside():
    z = vectors(11, 15, 32, dtype=torch.float32)
    relations = RELATIONS["many_each"][0]
    for name, loss in LOSSES.items():
        short = z.bfloat16()
        assert torch.equal(loss(short, relations), loss(short.float(), relations)), name
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert torch.equal(loss(z, relations), loss(z, relations).float()), name
        assert loss(z.double(), relations).dtype == torch.float64


@pytest.mark.parametrize("loss", LOSSES.values())
def test_margin_must_be_a_number_above_zero(loss):
    for margin in (0, -1.0, float("nan"), float("inf"), "1", None, True, torch.tensor(1.0)):
        with pytest.raises(KitError, match="margin above 0"):
            loss(torch.randn(4, 3), mnrl_relations(2), margin)


@pytest.mark.parametrize("loss", LOSSES.values())
def test_bad_input_is_told_in_one_sentence(loss):
    cases = [
        ({"distance": "euclidian"}, "did you mean 'euclidean'"),
        ({"reduction": "mean_activ"}, "did you mean 'mean_active'"),
        ({"embeddings": torch.randn(3, 3)}, "at least 4 rows, got 3"),
        ({"embeddings": torch.randn(4)}, "of shape"),
        ({"embeddings": [[1.0, 2.0]] * 4}, "as a tensor"),
    ]
    for options, words in cases:
        with pytest.raises(KitError, match=words):
            loss(**{"embeddings": torch.randn(4, 3), "relations": mnrl_relations(2), **options})


def test_given_rows_must_fit_together():
    with pytest.raises(KitError, match="negatives of the anchors' shape"):
        triplet(torch.randn(3, 4), torch.randn(3, 4), torch.randn(2, 4))
    with pytest.raises(KitError, match="expected same"):
        pair_relations(torch.tensor([0, 1]))
