"""Geometry: closed forms against plain loops, known spectra, sampling, bad input."""

from __future__ import annotations

import itertools
import json
import math
from inspect import signature

import numpy as np
import pytest
import torch

from kit.errors import KitError
from kit.evaluation import covariance_spectrum, effective_rank, geometry, random_pair_cosines
from kit.evaluation.geometry import _cosines, _unrank
from kit.evaluation.vectors import unit_rows


def cloud(n=40, dim=6, shift=1.0, seed=0):
    return np.random.default_rng(seed).normal(size=(n, dim)) + shift


def loop_cosines(vectors) -> list[float]:
    cosines = []
    for a, b in itertools.combinations(vectors.tolist(), 2):
        dot = sum(x * y for x, y in zip(a, b, strict=True))
        cosines.append(dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b)))
    return cosines


def test_pair_measures_equal_plain_loops_over_all_pairs():
    vectors = cloud()
    cosines = loop_cosines(vectors)
    found = geometry(vectors, pairs=[(0, 1), (5, 3)])
    assert found.exact and found.pairs == len(cosines) == 780
    assert found.mean_cosine == pytest.approx(sum(cosines) / 780, abs=1e-12)
    assert found.share_above == sum(c > 0.6 for c in cosines) / 780
    kernel = [math.exp(-2 * (2 - 2 * c)) for c in cosines]
    assert found.uniformity == pytest.approx(math.log(sum(kernel) / 780), abs=1e-12)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    apart = [np.square(unit[0] - unit[1]).sum(), np.square(unit[5] - unit[3]).sum()]
    assert found.alignment == pytest.approx(np.mean(apart), abs=1e-12)


def test_uniformity_is_that_of_the_authors_code():
    """torch.pdist(x).pow(2).mul(-t).exp().mean().log() on unit rows, Wang & Isola 2020."""
    x = torch.nn.functional.normalize(torch.tensor(cloud(50, 8, 0.3)), dim=1)
    theirs = torch.pdist(x).pow(2).mul(-2).exp().mean().log().item()
    assert geometry(x).uniformity == pytest.approx(theirs, abs=1e-10)


def test_the_threshold_is_a_choice():
    vectors = cloud()
    shares = [geometry(vectors, threshold=t).share_above for t in (-1.1, 0.0, 0.6, 1.0)]
    assert shares[0] == 1 and shares[-1] == 0 and shares == sorted(shares, reverse=True)


def test_a_cosine_at_the_threshold_is_not_above_it():
    square = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]  # cosines 0, 0 and 1, exactly
    assert geometry(square, threshold=0.0).share_above == pytest.approx(1 / 3)
    assert geometry(square, threshold=1.0).share_above == 0


def test_by_default_as_many_pairs_are_drawn_as_is_told_are_usual():
    vectors = cloud(2_001, 2)
    assert len(random_pair_cosines(vectors)) == 5_000 and geometry(vectors).pairs == 100_000
    for measure, count in ((random_pair_cosines, "pairs"), (geometry, "sample")):
        with pytest.raises(KitError, match=f"{signature(measure).parameters[count].default}"):
            measure(vectors, **{count: 0})


def test_the_spectrum_equals_that_of_numpys_covariance():
    for vectors in (cloud(40, 6), cloud(5, 9)):  # more vectors than dimensions, and fewer
        expected = np.linalg.eigvalsh(np.cov(vectors.T))[::-1].clip(min=0)
        found = geometry(vectors)
        np.testing.assert_allclose(found.spectrum, expected / expected.sum(), atol=1e-12)
        assert found.top_share == found.spectrum[0] and len(found.spectrum) == found.dim
        shares = expected[expected > 1e-12] / expected.sum()
        entropy = -sum(p * math.log(p) for p in shares)
        assert found.effective_rank == pytest.approx(math.exp(entropy), abs=1e-6)


def test_known_spectra():
    square = [[1.0, 0, 5], [-1, 0, 5], [0, 1, 5], [0, -1, 5]]  # two directions share alike
    found = geometry(square)
    assert found.spectrum == pytest.approx([0.5, 0.5, 0], abs=1e-12)
    assert found.effective_rank == pytest.approx(2)
    line = geometry([[0.0, 1], [0, 2], [0, 4]])
    assert line.effective_rank == pytest.approx(1) and line.top_share == pytest.approx(1)
    assert effective_rank([0.25] * 4) == pytest.approx(4)
    assert effective_rank([0.9, 0.1]) == pytest.approx(0.9**-0.9 * 0.1**-0.1)


def test_an_isotropic_cloud_has_nearly_full_rank_and_no_common_direction():
    found = geometry(cloud(20_000, 16, shift=0), sample=20_000)
    assert 15.9 < found.effective_rank <= 16
    assert abs(found.mean_cosine) < 0.01 and found.share_above < 0.02


def test_the_spectrum_is_centred_and_the_cosine_is_not():
    """Moved away from the origin, the cloud keeps its spectrum but all cosines rise."""
    near, far = geometry(cloud(shift=0)), geometry(cloud(shift=10))
    assert far.spectrum == pytest.approx(near.spectrum, abs=1e-9)
    assert far.mean_cosine > 0.95 > 0.1 > near.mean_cosine


def test_identical_vectors_are_a_point():
    for dtype in [np.float32, np.float64]:
        one = np.random.default_rng(0).normal(size=(1, 7))
        found = geometry(np.repeat(one, 30, axis=0).astype(dtype), pairs=[(0, 1)])
        assert found.mean_cosine == pytest.approx(1) and found.share_above == 1
        assert found.uniformity == pytest.approx(0) and found.alignment == pytest.approx(0)
        assert found.effective_rank == found.top_share == 0 and set(found.spectrum) == {0.0}
        assert "no variance" in found.summary() and "nan" not in found.summary()


def test_two_opposite_vectors():
    found = geometry([[1.0, 0.0], [-2.0, 0.0]])
    assert found.mean_cosine == -1 and found.uniformity == pytest.approx(-8)


def test_zero_vectors_count_as_cosine_zero_and_are_told():
    vectors = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    found = geometry(vectors)
    assert found.zeros == 1 and found.mean_cosine == pytest.approx(1 / 3)
    assert found.share_above == pytest.approx(1 / 3)
    assert "1 of the vectors are zero" in found.summary()


def test_above_two_thousand_vectors_pairs_are_sampled_by_seed():
    vectors = cloud(2_001, 5)
    first, again, other = (geometry(vectors, sample=5_000, seed=seed) for seed in (1, 1, 2))
    whole = geometry(vectors, sample=2_001 * 1_000)
    assert not first.exact and first.pairs == 5_000 and whole.exact and whole.pairs == 2_001_000
    assert first == again and first.share_above != other.share_above
    assert first.mean_cosine == whole.mean_cosine  # never sampled
    assert first.share_above == pytest.approx(whole.share_above, abs=0.03)
    assert first.uniformity == pytest.approx(whole.uniformity, abs=0.1)
    assert geometry(vectors[:2_000], sample=10).exact


def test_random_pairs_are_different_rows_and_none_twice():
    vectors = cloud(30, 4)
    everything = sorted(loop_cosines(vectors))
    np.testing.assert_allclose(np.sort(random_pair_cosines(vectors)), everything, atol=1e-12)
    drawn = random_pair_cosines(vectors, pairs=400, seed=3)
    assert len(drawn) == len(np.unique(drawn)) == 400
    nearest = [min(abs(c - e) for e in everything) for c in drawn]
    assert max(nearest) < 1e-12
    np.testing.assert_array_equal(drawn, random_pair_cosines(vectors, pairs=400, seed=3))


def test_no_cosine_passes_one_by_rounding():
    unit = unit_rows(cloud(500, 7))
    same = np.arange(len(unit))
    assert (unit * unit).sum(axis=1).max() > 1, "1.0000000000000002: else this shows nothing"
    assert _cosines(unit, same, same).max() == 1 == -_cosines(np.vstack([unit, -unit]), same, same + len(unit)).min()
    for row in unit[:50]:
        for other in (row, -row):
            assert abs(geometry([row, other]).mean_cosine) <= 1 and abs(random_pair_cosines([row, other])[0]) <= 1


def test_pair_numbers_reach_every_pair_once():
    i, j = _unrank(np.arange(300 * 299 // 2))
    assert (i < j).all() and (i >= 0).all() and j.max() == 299
    assert len(set(zip(i.tolist(), j.tolist(), strict=True))) == 300 * 299 // 2
    n = 3_000_000  # the last pair of very many, where rounding could bite
    i, j = _unrank(np.array([n * (n - 1) // 2 - 1, n * (n - 1) // 2]))
    assert (i.tolist(), j.tolist()) == ([n - 2, 0], [n - 1, n])


def test_precision_of_the_input_hardly_matters():
    vectors = torch.tensor(cloud(100, 12))
    exact, half = geometry(vectors), geometry(vectors.bfloat16())
    assert half.mean_cosine == pytest.approx(exact.mean_cosine, abs=1e-2)
    assert half.effective_rank == pytest.approx(exact.effective_rank, rel=1e-2)


def test_the_sentence_and_the_dict_have_the_figures():
    found = geometry(cloud(), pairs=[(0, 1)])
    line = found.summary()
    assert f"mean cosine of {found.mean_cosine:.2f}" in line
    assert f"{found.share_above:.0%} lie above 0.6" in line
    assert f"(uniformity {found.uniformity:.2f})" in line
    assert f"effective rank is {found.effective_rank:.1f}" in line
    assert f"first direction holds {found.top_share:.0%} of the variance" in line
    assert f"{found.alignment:.2f} apart" in line and "all 780 pairs" in line
    plain = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert plain["mean_cosine"] == found.mean_cosine and len(plain["spectrum"]) == found.dim
    assert geometry(cloud()).as_dict()["alignment"] is None


def test_bad_embeddings_are_refused():
    for measure in [geometry, random_pair_cosines, covariance_spectrum]:
        for vectors, message in [
            (np.ones((1, 4)), "at least 2 embeddings, but 1 came"),
            (np.ones((0, 4)), "at least 2 embeddings, but 0 came"),
            (np.ones(4), r"shape \[n, dim\], but they came with shape \[4\]"),
            (np.ones((2, 3, 4)), r"\[2, 3, 4\]"),
            ([[1.0, float("nan")], [0.0, 1.0]], "1 of 2 hold NaN or infinity"),
            (torch.tensor([[1.0, 0.0], [0.0, float("-inf")]]), r"\(row 1 first\)"),
        ]:
            with pytest.raises(KitError, match=message):
                measure(vectors)


def test_bad_positive_pairs_are_refused():
    for pairs in [[], [(0, 0)], [(0, 40)], [(-1, 2)], [(0, 1, 2)], [0, 1], [(0.5, 1.0)], [(0, 1), (2,)]]:
        with pytest.raises(KitError, match="positive pair"):
            geometry(cloud(), pairs=pairs)


def test_bad_sample_sizes_are_refused():
    for number in (0, -5, 2.5):
        with pytest.raises(KitError, match="sample as a whole number from 1"):
            geometry(cloud(), sample=number)
        with pytest.raises(KitError, match="pairs as a whole number from 1"):
            random_pair_cosines(cloud(), pairs=number)
