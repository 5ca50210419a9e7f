"""The one formula: a slow reference for any masks, its gradient, and its corners."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from kit.errors import KitError
from kit.losses import (
    Relations,
    contrastive_softmax,
    mask_duplicates,
    masked_softmax,
    mnrl_relations,
    nt_xent_relations,
    similarity_gradient,
    similarity_matrix,
    softmax_weights,
    supcon_relations,
    supmpn_relations,
)
from tests.losses.shared import CORNERS, OPTIONS, RELATIONS, WITHOUT_POSITIVES, random_relations, random_vectors


def slow(z, relations, tau, similarity, other_positives):
    """The formula with a loop for each of its sums; one value per anchor, None if left out."""
    assert similarity in ("cosine", "dot") and other_positives in ("included", "excluded", "zero_logit")
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
def test_equals_the_slow_sum_on_random_masks(similarity, other_positives):
    for seed, tau in itertools.product(range(5), (0.05, 1.0)):
        z, relations = random_vectors(seed, 9, 4), random_relations(9, seed)
        expected = slow(z, relations, tau, similarity, other_positives)
        kept = [value for value in expected if value is not None]
        assert 0 < len(kept) < len(expected)
        options = (relations, tau, similarity, other_positives)
        for way in (masked_softmax, contrastive_softmax):
            assert way(z, *options).item() == pytest.approx(sum(kept) / len(kept))
            assert way(z, *options, reduction="sum").item() == pytest.approx(sum(kept))
            each = way(z, *options, reduction="none")
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


@pytest.mark.parametrize("name", RELATIONS)
def test_gradients_against_finite_differences_and_the_formula_against_autograd(monkeypatch, name):
    """For ∂L/∂s autograd is stopped at the similarity matrix and asked for its gradient."""
    relations, rows = RELATIONS[name]
    z = random_vectors(3, rows, 4)
    for similarity, other_positives in OPTIONS:
        options = (relations, 0.3, similarity, other_positives)
        assert torch.autograd.gradcheck(lambda z, options=options: masked_softmax(z, *options), (z.requires_grad_(),))
        scores = similarity_matrix(z.detach(), relations, similarity).requires_grad_()
        by_formula = similarity_gradient(z, *options)
        with monkeypatch.context() as patch:
            patch.setattr("kit.losses.softmax.similarity_matrix", lambda *_, scores=scores: scores)
            masked_softmax(z, *options).backward()
        torch.testing.assert_close(by_formula, scores.grad, rtol=0, atol=1e-12)


def test_weights_sum_to_one_unless_logits_of_zero_have_some():
    z = torch.randn(15, 4, generator=torch.Generator().manual_seed(5))
    relations = supmpn_relations(3, 2, 2)
    for other_positives in ("included", "excluded"):
        total = softmax_weights(z, relations, 0.3, other_positives=other_positives).sum(dim=1)
        torch.testing.assert_close(total, torch.ones(3))
    assert (softmax_weights(z, relations, 0.3, other_positives="zero_logit").sum(dim=1) < 1).all()
    none = softmax_weights(z[:3], supcon_relations([0, 1, 2]), 0.3)
    assert none.tolist() == [[0.0] * 3] * 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
def test_no_nan_or_infinity_in_the_corners(corner, dtype):
    rng = torch.Generator().manual_seed(6)
    grid = itertools.product(RELATIONS.values(), (1e-3, 0.05, 100.0), OPTIONS)
    for (relations, rows), tau, (similarity, other_positives) in grid:
        start = CORNERS[corner](torch.randn(rows, 8, generator=rng)).to(dtype)
        z = start.requires_grad_()
        loss = masked_softmax(z, relations, tau, similarity, other_positives)
        # Anomaly mode raises on a NaN inside the backward pass, also where a mask hides it.
        with torch.autograd.detect_anomaly(check_nan=True):
            loss.backward()
        assert loss.dtype == torch.float32 and z.grad.dtype == dtype
        assert loss.isfinite() and loss >= 0 and z.grad.isfinite().all()
        weights = softmax_weights(z, relations, tau, similarity, other_positives)
        assert weights.isfinite().all() and (weights >= 0).all()
        if corner != "long_vectors":  # a logit of 1e8 has only every eighth number to land on
            assert (weights <= 1.001).all()


@pytest.mark.parametrize("name", WITHOUT_POSITIVES)
def test_a_batch_without_positives_is_a_zero_with_a_graph(name):
    relations, rows = RELATIONS[name]
    for _, other_positives in OPTIONS[:3]:
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


@pytest.mark.parametrize("function", [masked_softmax, softmax_weights, similarity_gradient, contrastive_softmax])
def test_temperature_must_be_a_number_above_zero(function):
    for tau in (0, -0.05, float("nan"), float("inf"), "0.05", None, True, torch.tensor(0.05)):
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
    for function in (masked_softmax, softmax_weights, similarity_gradient):
        if "reduction" not in options or function is masked_softmax:
            with pytest.raises(KitError, match=words):
                function(**{**good, **options})
