"""The one formula: a slow reference for any masks, its gradient, and its corners."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from kit.errors import KitError
from kit.losses import (
    Relations,
    mask_duplicates,
    masked_softmax,
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    scl_relations,
    similarity_gradient,
    similarity_matrix,
    softmax_weights,
    supcon_relations,
    supmpn_relations,
)
from tests.losses.shared import CORNERS

SIMILARITIES = ("cosine", "dot")
SIBLINGS = ("included", "excluded", "zero_logit")
OPTIONS = list(itertools.product(SIMILARITIES, SIBLINGS))
PREMISE_IDS, LABELS = [0, 0, 0, 1, 1, 2, 2, 0], [0, 1, 0, 0, 2, 1, 2, 2]

# name -> relations and the number of rows of z: every row of the table, and its corners
RELATIONS = {
    "nt_xent": (nt_xent_relations(3), 6),
    "supcon": (supcon_relations([0, 1, 0, 2, 1, 0]), 6),
    "mnrl": (mnrl_relations(4), 8),
    "mnrl_hard": (mnrl_hard_relations(3, 2), 12),
    "scl": (scl_relations(PREMISE_IDS, LABELS), 11),
    "scl_by_row": (scl_relations(PREMISE_IDS, LABELS, anchors="row"), 11),
    "supmpn": (supmpn_relations(3, 2, 2), 15),
    "no_anchor_with_a_positive": (supcon_relations([0, 1, 2]), 3),
    "a_missing_positive": (supcon_relations([0, 0, 1]), 3),
    "no_negatives": (supcon_relations([0, 0, 0]), 3),
    "nothing_but_pairs": (mnrl_relations(1), 2),
    "batch_of_one": (supcon_relations([0]), 1),
    "empty_batch": (supcon_relations([]), 0),
}


def random_relations(rng, rows):
    kind = torch.randint(0, 3, (5, rows - 1), generator=rng)  # 0 ignored, 1 positive, 2 negative
    kind[0] = 2  # an anchor without a positive
    kind[1] = 1  # an anchor without a negative
    kind[2] = 0  # an anchor that knows nobody
    anchors = torch.randint(0, rows, (5,), generator=rng)
    candidates = torch.randperm(rows, generator=rng)[: rows - 1]
    return Relations(anchors, candidates, kind == 1, kind == 2)


def slow(z, relations, tau, similarity, other_positives):
    """The formula with a loop for each of its sums; one value per anchor, None if left out."""
    per_anchor = []
    for i, row in enumerate(relations.anchors.tolist()):
        s = []
        for c in relations.candidates.tolist():
            value = float(z[row] @ z[c])
            if similarity == "cosine":
                value /= float(z[row].norm()) * float(z[c].norm())
            s.append(value / tau)
        positives = [c for c in range(len(s)) if relations.positive[i, c]]
        negatives = [c for c in range(len(s)) if relations.negative[i, c]]
        terms = []
        for p in positives:
            others = [s[c] for c in negatives]
            if other_positives == "included":
                others += [s[c] for c in positives if c != p]
            if other_positives == "zero_logit":
                others += [0.0] * (len(positives) - 1)
            terms.append(math.log(sum(math.exp(x - s[p]) for x in [s[p], *others])))
        per_anchor.append(sum(terms) / len(terms) if terms else None)
    return per_anchor


@pytest.mark.parametrize(("similarity", "other_positives"), OPTIONS)
@pytest.mark.parametrize("tau", [0.05, 1.0])
def test_equals_the_slow_sum_on_random_masks(similarity, other_positives, tau):
    rng = torch.Generator().manual_seed(1)
    for _ in range(5):
        z = torch.randn(9, 4, generator=rng, dtype=torch.float64)
        relations = random_relations(rng, 9)
        expected = slow(z, relations, tau, similarity, other_positives)
        kept = [value for value in expected if value is not None]
        assert 0 < len(kept) < len(expected)
        options = (relations, tau, similarity, other_positives)
        assert masked_softmax(z, *options).item() == pytest.approx(sum(kept) / len(kept))
        assert masked_softmax(z, *options, reduction="sum").item() == pytest.approx(sum(kept))
        each = masked_softmax(z, *options, reduction="none")
        assert each.tolist() == pytest.approx([value or 0.0 for value in expected])


def test_three_vectors_by_hand():
    """An anchor at 0°, its positive at 60°, a negative at 90°: cosines 1/2 and 0."""
    angles = torch.tensor([0.0, 60.0, 90.0], dtype=torch.float64).deg2rad()
    z = torch.stack([angles.cos(), angles.sin()], dim=1) * torch.tensor([[2.0], [5.0], [0.1]])
    relations = Relations(
        torch.tensor([0]), torch.tensor([1, 2]), torch.tensor([[True, False]]), torch.tensor([[False, True]])
    )
    loss = masked_softmax(z, relations, temperature=0.5)
    assert loss.item() == pytest.approx(math.log(1 + math.exp(-1.0)))
    weight = 1 / (1 + math.e)
    gradient = similarity_gradient(z, relations, temperature=0.5)
    assert gradient.tolist()[0] == pytest.approx([-weight / 0.5, weight / 0.5])


@pytest.mark.parametrize(("similarity", "other_positives"), OPTIONS)
@pytest.mark.parametrize("name", RELATIONS)
def test_gradient_against_finite_differences(name, similarity, other_positives):
    relations, rows = RELATIONS[name]
    rng = torch.Generator().manual_seed(3)
    z = torch.randn(rows, 4, generator=rng, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda z: masked_softmax(z, relations, 0.3, similarity, other_positives), (z,))


@pytest.mark.parametrize(("similarity", "other_positives"), OPTIONS)
@pytest.mark.parametrize("name", RELATIONS)
def test_gradient_formula_against_autograd(monkeypatch, name, similarity, other_positives):
    """∂L/∂s: autograd is stopped at the similarity matrix and asked for its gradient."""
    import kit.losses.softmax as module

    relations, rows = RELATIONS[name]
    rng = torch.Generator().manual_seed(4)
    z = torch.randn(rows, 4, generator=rng, dtype=torch.float64)
    scores = similarity_matrix(z, relations, similarity).requires_grad_()
    by_formula = similarity_gradient(z, relations, 0.3, similarity, other_positives)
    monkeypatch.setattr(module, "similarity_matrix", lambda *_: scores)
    masked_softmax(z, relations, 0.3, similarity, other_positives).backward()
    torch.testing.assert_close(by_formula, scores.grad, rtol=0, atol=1e-12)


def test_weights_sum_to_one_except_where_ghosts_hold_some():
    z = torch.randn(15, 4, generator=torch.Generator().manual_seed(5))
    relations = supmpn_relations(3, 2, 2)
    for other_positives in ("included", "excluded"):
        total = softmax_weights(z, relations, 0.3, other_positives=other_positives).sum(dim=1)
        torch.testing.assert_close(total, torch.ones(3))
    assert (softmax_weights(z, relations, 0.3, other_positives="zero_logit").sum(dim=1) < 1).all()
    none = softmax_weights(z[:3], supcon_relations([0, 1, 2]), 0.3)
    assert none.tolist() == [[0.0] * 3] * 3


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("tau", [1e-3, 0.05, 1.0, 100.0])
def test_no_nan_or_infinity_in_the_corners(corner, dtype, tau):
    rng = torch.Generator().manual_seed(6)
    for (relations, rows), (similarity, other_positives) in itertools.product(RELATIONS.values(), OPTIONS):
        start = CORNERS[corner](torch.randn(rows, 8, generator=rng)).to(dtype)
        z = start.requires_grad_()
        # Anomaly mode raises on a NaN inside the backward pass, also where a mask hides it.
        with torch.autograd.detect_anomaly(check_nan=True):
            loss = masked_softmax(z, relations, tau, similarity, other_positives)
            loss.backward()
        assert loss.dtype == torch.float32 and z.grad.dtype == dtype
        assert loss.isfinite() and loss >= 0 and z.grad.isfinite().all()
        weights = softmax_weights(z, relations, tau, similarity, other_positives)
        assert weights.isfinite().all() and (weights >= 0).all()
        if corner != "long_vectors":  # a logit of 1e8 has only every eighth number to land on
            assert (weights <= 1.001).all()


@pytest.mark.parametrize("name", ["no_anchor_with_a_positive", "batch_of_one", "empty_batch"])
@pytest.mark.parametrize("other_positives", SIBLINGS)
def test_a_batch_without_positives_is_a_zero_with_a_graph(name, other_positives):
    relations, rows = RELATIONS[name]
    z = torch.randn(rows, 4, requires_grad=True)
    loss = masked_softmax(z, relations, 0.05, other_positives=other_positives)
    loss.backward()
    assert loss.item() == 0 and torch.equal(z.grad, torch.zeros_like(z))


def test_a_zero_vector_does_not_drown_the_batch():
    z = torch.randn(6, 8, generator=torch.Generator().manual_seed(8))
    z[0] = 0
    z.requires_grad_()
    masked_softmax(z, nt_xent_relations(3), 0.05).backward()
    assert z.grad.norm(dim=1).max() < 2 / 0.05


def test_computed_in_float32_under_autocast_and_from_bfloat16():
    z = torch.randn(8, 64, generator=torch.Generator().manual_seed(9))
    relations = mnrl_relations(4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = masked_softmax(z, relations, 0.05)
    assert torch.equal(cast, masked_softmax(z, relations, 0.05))
    short = z.bfloat16()
    assert torch.equal(masked_softmax(short, relations, 0.05), masked_softmax(short.float(), relations, 0.05))
    assert masked_softmax(z.double(), relations, 0.05).dtype == torch.float64


def test_cosine_ignores_the_length_of_a_vector_and_dot_does_not():
    z = torch.randn(8, 6, generator=torch.Generator().manual_seed(10), dtype=torch.float64)
    longer = z * torch.linspace(0.5, 20, 8, dtype=torch.float64)[:, None]
    relations = mnrl_relations(4)
    assert masked_softmax(z, relations, 0.1).item() == pytest.approx(masked_softmax(longer, relations, 0.1).item())
    dot = masked_softmax(z, relations, 0.1, "dot").item()
    assert dot != pytest.approx(masked_softmax(longer, relations, 0.1, "dot").item())


def test_a_masked_false_negative_is_no_longer_pushed():
    z = torch.randn(4, 6, generator=torch.Generator().manual_seed(11))
    z[3] = z[2]  # both positives are the same text
    relations = mask_duplicates(mnrl_relations(2), ["a", "b", "same", "same"])
    assert masked_softmax(z, mnrl_relations(2), 0.05).item() == pytest.approx(math.log(2))
    assert masked_softmax(z, relations, 0.05).item() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("tau", [0, -0.05, float("nan"), float("inf"), "0.05", None, True, torch.tensor(0.05)])
@pytest.mark.parametrize("function", [masked_softmax, softmax_weights, similarity_gradient])
def test_temperature_must_be_a_number_above_zero(function, tau):
    with pytest.raises(KitError, match="temperature above 0"):
        function(torch.randn(4, 3), mnrl_relations(2), tau)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"similarity": "cosin"}, "did you mean 'cosine'"),
        ({"other_positives": "exclude"}, "did you mean 'excluded'"),
        ({"reduction": "means"}, "did you mean 'mean'"),
        ({"embeddings": torch.randn(3, 3)}, "at least 4 rows, got 3"),
        ({"embeddings": torch.randn(4)}, "of shape"),
        ({"embeddings": torch.ones(4, 3, dtype=torch.int64)}, "as floats"),
        ({"embeddings": [[1.0, 2.0]] * 4}, "as a tensor"),
    ],
)
def test_bad_input_is_told_in_one_sentence(options, words):
    good = {"embeddings": torch.randn(4, 3), "relations": mnrl_relations(2), "temperature": 1.0}
    with pytest.raises(KitError, match=words):
        masked_softmax(**{**good, **options})
