"""Cross-entropy on a pair: features, head and loss."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from kit.errors import KitError
from kit.losses import PairClassifier, cross_entropy, multi_label_cross_entropy, pair_features


def test_features_side_by_side():
    u, v = torch.tensor([[1.0, -2.0]]), torch.tensor([[3.0, 5.0]])
    assert pair_features(u, v).tolist() == [[1, -2, 3, 5, 2, 7]]
    assert pair_features(u, v, product=True).tolist() == [[1, -2, 3, 5, 2, 7, 3, -10]]


@pytest.mark.parametrize("product", [False, True])
def test_one_linear_map_by_hand(product):
    head = PairClassifier(4, classes=3, product=product)
    u, v = torch.randn(5, 4), torch.randn(5, 4)
    parts = [u, v, (u - v).abs()] + ([u * v] if product else [])
    expected = torch.cat(parts, 1) @ head.layers.weight.T + head.layers.bias
    torch.testing.assert_close(head(u, v), expected)


def test_two_layers_without_activation_are_one_linear_map_and_with_one_are_not():
    torch.manual_seed(0)
    u, v = torch.randn(7, 4), torch.randn(7, 4)
    plain = PairClassifier(4, hidden=6)
    first, _, second = plain.layers
    weight = second.weight @ first.weight
    bias = second.weight @ first.bias + second.bias
    expected = pair_features(u, v) @ weight.T + bias
    torch.testing.assert_close(plain(u, v), expected)
    bent = PairClassifier(4, hidden=6, activation=nn.ELU())
    bent.load_state_dict(plain.state_dict())
    assert not torch.allclose(bent(u, v), expected, atol=1e-3)


def test_the_head_is_differentiable_in_both_sentences():
    head = PairClassifier(3, hidden=4, activation=nn.ELU()).double()
    u, v = (torch.randn(4, 3, dtype=torch.float64, requires_grad=True) for _ in "uv")
    labels = torch.tensor([0, 1, 2, 1])
    assert torch.autograd.gradcheck(lambda u, v: cross_entropy(head(u, v), labels), (u, v))


def test_cross_entropy_as_a_plain_loop():
    logits = torch.randn(6, 3, dtype=torch.float64)
    labels = torch.tensor([0, 1, 2, 2, 1, 0])
    terms = []
    for row, label in zip(logits.tolist(), labels.tolist(), strict=True):
        terms.append(-math.log(math.exp(row[label]) / sum(math.exp(x) for x in row)))
    assert cross_entropy(logits, labels).item() == pytest.approx(sum(terms) / 6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_large_logits_stay_finite_and_are_summed_in_float32(dtype):
    logits = torch.tensor([[1e4, -1e4, 0.0], [-1e4, 1e4, 0.0]], dtype=dtype, requires_grad=True)
    loss = cross_entropy(logits, torch.tensor([1, 1]))
    loss.backward()
    assert loss.dtype == torch.float32 and loss.isfinite() and logits.grad.isfinite().all()


def test_no_pairs_is_a_zero_with_a_graph():
    head = PairClassifier(4)
    loss = cross_entropy(head(torch.randn(0, 4), torch.randn(0, 4)), torch.zeros(0, dtype=int))
    loss.backward()
    assert loss.item() == 0 and head.layers.weight.grad.abs().sum() == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cross_entropy(torch.randn(2, 3), torch.tensor([0, 3])), "from 0 to 2, got 3"),
        (lambda: cross_entropy(torch.randn(2, 3), torch.tensor([0, -1])), "from 0 to 2, got -1"),
        (lambda: cross_entropy(torch.randn(2, 3), torch.tensor([0])), "one integer label per pair"),
        (lambda: cross_entropy(torch.randn(2, 3), torch.tensor([0.0, 1.0])), "one integer label"),
        (lambda: cross_entropy(torch.randn(3), torch.tensor([0, 1, 2])), r"logits \[pairs"),
        (lambda: pair_features(torch.randn(2, 3), torch.randn(6, 3)), "u and v of one shape"),
        (lambda: pair_features(torch.randn(3), torch.randn(3)), "u and v of one shape"),
        (lambda: PairClassifier(4, activation=nn.ELU()), "hidden size for the activation"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call, words):
    with pytest.raises(KitError, match=words):
        call()


# --- several labels for one pair (PAUSE, Eq. 2) ---------------------------------------------------


def slow_multi_label(logits, labels, negatives: bool) -> float:
    pairs, classes = logits.shape
    total = 0.0
    for i in range(pairs):
        for c in range(classes):
            chance = 1 / (1 + math.exp(-logits[i, c].item()))
            if labels[i, c]:
                total -= math.log(chance)
            elif negatives:
                total -= math.log(1 - chance)
    return total / (classes * pairs)


@pytest.mark.parametrize("negatives", [False, True])
def test_each_class_is_a_question_of_its_own(negatives):
    torch.manual_seed(0)
    for pairs, classes in ((1, 1), (5, 3), (8, 2)):
        logits = 3 * torch.randn(pairs, classes, dtype=torch.float64, requires_grad=True)
        labels = torch.rand(pairs, classes) < 0.5
        loss = multi_label_cross_entropy(logits, labels, negatives)
        assert loss.item() == pytest.approx(slow_multi_label(logits, labels, negatives), rel=1e-12, abs=1e-15)
        assert torch.autograd.gradcheck(lambda x, y=labels: multi_label_cross_entropy(x, y, negatives), (logits,))
    if negatives:
        torch.testing.assert_close(
            loss, torch.nn.functional.binary_cross_entropy_with_logits(logits, labels.double()), rtol=1e-12, atol=0
        )


def test_as_printed_no_logit_is_lowered():
    """Only what a pair has counts: the gradient pulls every logit up or leaves it; PU is what lowers them."""
    logits = torch.randn(6, 3, requires_grad=True)
    labels = torch.rand(6, 3) < 0.5
    multi_label_cross_entropy(logits, labels).backward()
    assert (logits.grad[labels] < 0).all() and (logits.grad[~labels] == 0).all()


def test_several_labels_in_the_corners():
    far = torch.tensor([[1e4, -1e4]], requires_grad=True)
    loss = multi_label_cross_entropy(far, torch.tensor([[0, 1]]), negatives=True)
    loss.backward()
    assert loss.item() == pytest.approx(1e4) and far.grad.isfinite().all()
    assert multi_label_cross_entropy(torch.zeros(1, 1), torch.ones(1, 1)).item() == pytest.approx(math.log(2))
    low = multi_label_cross_entropy(torch.randn(4, 2).bfloat16(), torch.ones(4, 2))
    assert low.dtype == torch.float32
    empty = torch.zeros(0, 3, requires_grad=True)
    multi_label_cross_entropy(empty, torch.zeros(0, 3)).backward()
    assert empty.grad.shape == (0, 3)
    for logits, labels, words in [
        (torch.randn(3, 2), torch.ones(3), "of one shape .pairs, classes., got .3, 2. of torch.float32 and .3,."),
        (torch.ones(3, 2, dtype=torch.int64), torch.ones(3, 2), "of one shape"),
        (torch.randn(3, 2), torch.full((3, 2), -1), "labels 0 or 1 for every class"),
    ]:
        with pytest.raises(KitError, match=words):
            multi_label_cross_entropy(logits, labels)
