"""Cosines and rank correlation: against plain loops, in low precision, and on bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from kit.errors import KitError
from kit.evaluation import cosine_matrix, pair_cosines, pair_similarities, pearson, spearman


def loop_cosine(a, b) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def test_cosines_equal_a_plain_loop():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 7, 5))
    paired = [loop_cosine(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(pair_cosines(a, b), paired, atol=1e-12)
    matrix = [[loop_cosine(x, y) for y in a] for x in a]
    np.testing.assert_allclose(cosine_matrix(a), matrix, atol=1e-12)


def test_lists_arrays_and_tensors_are_taken():
    for given in [[[3.0, 4.0]], np.array([[3, 4]]), torch.tensor([[3.0, 4.0]])]:
        assert pair_cosines(given, [[1.0, 0.0]]).tolist() == [0.6]


def test_low_precision_vectors_are_compared_in_double_precision():
    """In a collapsed space bfloat16 cosines would be tied by the dozen."""
    for dtype in [torch.bfloat16, torch.float16, torch.float32]:
        torch.manual_seed(0)
        low = (torch.ones(300, 64) + 0.1 * torch.randn(300, 64)).to(dtype)
        exact = pair_cosines(low[:150], low[150:])
        assert exact.dtype == np.float64 and len(np.unique(exact)) == 150
        in_bf16 = torch.cosine_similarity(low[:150].bfloat16(), low[150:].bfloat16())
        assert len(in_bf16.unique()) < 20


def test_the_length_of_a_vector_does_not_matter():
    for size in [1e-200, 1e-30, 1.0, 1e200]:
        vectors = size * np.array([[3.0, 4.0], [4.0, 3.0]])
        assert pair_cosines(vectors[:1], vectors[1:]).tolist() == [0.96]


def test_cosines_are_told_apart_to_the_twelfth_decimal():
    """A difference that float32 vectors can have counts, one of rounding does not."""
    near = [[1.0, angle] for angle in (0.0, 1.5e-6, 1e-7)]  # cosines 1 − angle²/2
    cosines = pair_cosines([[1.0, 0.0]] * 3, near)
    assert cosines[0] == cosines[2] == 1 and cosines[1] == 0.999999999999


def test_a_zero_vector_has_cosine_zero():
    assert pair_cosines([[0.0, 0.0], [1.0, 0.0]], [[1.0, 2.0], [1.0, 0.0]]).tolist() == [0, 1]
    assert cosine_matrix([[0.0, 0.0], [1.0, 0.0]]).tolist() == [[0, 0], [0, 1]]


def test_pairs_of_identical_sentences_are_ties():
    vectors = np.random.default_rng(0).normal(size=(500, 33)).astype(np.float32)
    assert set(pair_cosines(vectors, 2 * vectors)) == {1.0}


def test_spearman_shares_ranks_among_ties_as_scipy_does():
    rng = np.random.default_rng(3)
    predicted, gold = rng.integers(0, 6, size=(2, 80))
    assert spearman(predicted, gold) == pytest.approx(spearmanr(predicted, gold).statistic)
    # by hand: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4 give 4.5 / √(4.5 · 5)
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_spearman_looks_at_order_only():
    assert spearman([0.1, 0.2, 0.9], [1, 10, 11]) == pytest.approx(1)
    assert spearman([0.1, 0.2, 0.9], [3, 2, 1]) == pytest.approx(-1)


def test_spearman_is_undefined_without_two_different_values():
    for predicted, gold in [([1, 1], [1, 2]), ([1, 2], [2, 2]), ([1], [1]), ([], [])]:
        assert spearman(predicted, gold) is None


def test_what_is_not_a_finite_matrix_is_refused():
    for vectors, message in [
        ([1.0, 2.0], r"shape \[n, dim\], but they came with shape \[2\]"),
        (np.zeros((2, 2, 2)), r"\[2, 2, 2\]"),
        (np.zeros((2, 0)), r"\[2, 0\]"),
        ([[1.0, 2.0], [3.0]], "cannot be read"),
        ("words", "cannot be read"),
        (torch.eye(2).to_sparse(), r"cannot be read as such: .*Use Tensor.to_dense\(\) first\.$"),
        (torch.zeros(2, 2, device="meta"), "cannot be read as such: .*no data"),
        ([], "shape"),
        (np.zeros((0, 3)), "at least 1 embeddings, but 0 came"),
        ([[1.0, 0.0], [float("nan"), 1.0]], r"1 of 2 hold NaN or infinity \(row 1 first\)"),
        (torch.tensor([[float("inf"), 1.0]]), "1 of 1 hold NaN or infinity"),
    ]:
        with pytest.raises(KitError, match=message):
            cosine_matrix(vectors)


def test_two_sets_of_vectors_must_have_one_shape():
    with pytest.raises(KitError, match=r"one shape, but got \[2, 3\] and \[3, 3\]"):
        pair_cosines(np.ones((2, 3)), np.ones((3, 3)))


def test_what_cannot_be_correlated_is_refused():
    for predicted, gold, message in [
        ([1, 2], [1, 2, 3], "got 2 and 3"),
        ([1, float("nan")], [1, 2], "finite predictions, but number 1 is nan"),
        ([1, 2], [float("inf"), 2], "finite gold scores, but number 0 is inf"),
        ([[1], [2]], [1, 2], r"shape \[2, 1\]"),
        (["near", "far"], [1, 2], "list of numbers"),
    ]:
        with pytest.raises(KitError, match=message):
            spearman(predicted, gold)


def test_three_similarities_equal_plain_loops():
    first, second = np.random.default_rng(0).normal(size=(2, 9, 5))
    found = pair_similarities(torch.tensor(first), second)
    np.testing.assert_array_equal(found["cosine"], pair_cosines(first, second))
    for row, (a, b) in enumerate(zip(first, second, strict=True)):
        assert found["dot"][row] == pytest.approx(sum(x * y for x, y in zip(a, b, strict=True)))
        assert found["euclidean"][row] == pytest.approx(-math.dist(a, b))


def test_rounding_noise_ranks_nothing():
    """Equal pairs are ties in all three, whatever the vectors' size; all zero stays zero."""
    for size in [1e-30, 1.0, 1e30]:
        vectors = size * np.random.default_rng(0).normal(size=(50, 7))
        turned = np.roll(vectors, 1, axis=1)  # the same dot products, summed in another order
        found = pair_similarities(np.vstack([vectors, turned]), np.vstack([vectors, turned]))
        np.testing.assert_array_equal(found["dot"][:50], found["dot"][50:])
        assert set(found["cosine"]) == {1.0} and set(found["euclidean"]) == {0.0}
        assert set(pair_similarities(np.zeros((3, 2)), np.zeros((3, 2)))["dot"]) == {0.0}
        with pytest.raises(KitError, match="of one shape"):
            pair_similarities(np.ones((3, 2)), np.ones((3, 4)))


def test_pearson_is_the_librarys():
    for scale in [1e-200, 1.0, 1e200]:
        predicted, gold = np.random.default_rng(0).normal(size=(2, 30))
        expected = np.corrcoef(predicted, gold)[0, 1]
        assert pearson(scale * predicted, gold) == pytest.approx(expected)
        assert pearson(gold, 7 - 2 * gold) == pytest.approx(-1)


def test_no_correlation_passes_one_by_rounding():
    for seed in range(40):  # points on a line: without care one in eight comes to 1.0000000000000002
        x = np.random.default_rng(seed).normal(size=7)
        assert all(abs(pearson(x, line)) <= 1 for line in (3 * x, x / 3, 7 - 2 * x, -x / 3))


def test_pearson_is_undefined_where_spearman_is():
    assert pearson([1, 1, 1], [1, 2, 3]) is None is pearson([1, 2, 3], [2, 2, 2])
    for correlate in (pearson, spearman):
        with pytest.raises(KitError, match="one prediction for each gold score, but got 2 and 3"):
            correlate([1, 2], [1, 2, 3])
        with pytest.raises(KitError, match="finite"):
            correlate([1, math.nan], [1, 2])
