"""Near pairs against plain loops, and a collection without them."""

from __future__ import annotations

import numpy as np
import pytest

from kit.errors import KitError
from kit.retrieval import deduplicate, near_duplicates
from kit.retrieval.exact_search import as_unit
from tests.retrieval.test_retrieval_evaluation import Table
from tests.retrieval.test_vector_index import Drawn


def test_near_pairs_are_those_of_plain_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_duplicates, "ROWS", 16)
    monkeypatch.setattr(near_duplicates, "COLUMNS", 32)
    vectors = as_unit(np.random.default_rng(0).normal(size=(90, 4)))
    vectors[50] = vectors[3]
    for threshold in (-0.5, 0.3, 0.9, 1.0):
        pairs, cosines = near_duplicates.near_pairs(vectors, threshold)
        whole = vectors.astype(float) @ vectors.T.astype(float)
        expected = [(i, j) for i in range(90) for j in range(i + 1, 90) if whole[i, j] >= min(threshold, 1 - 1e-6)]
        assert pairs.tolist() == [list(pair) for pair in expected]
        assert np.allclose(cosines, [whole[pair] for pair in expected])


def test_every_text_left_out_has_a_kept_one_as_near_and_no_two_kept_ones_are_near() -> None:
    texts = [f"text {i}" for i in range(80)] + ["text 3", "text 7"]
    found = deduplicate(Drawn(dim=3), texts, 0.95)
    whole = as_unit(Drawn(dim=3).encode(texts)).astype(float)
    cosines = whole @ whole.T
    assert sorted([*found.kept, *(one.place for one in found.left_out)]) == list(range(82))
    for one in found.left_out:
        assert one.kept in found.kept and one.kept < one.place and cosines[one.place, one.kept] >= 0.95 - 1e-9
        assert one.score == pytest.approx(cosines[one.place, one.kept], abs=1e-6)
    kept = list(found.kept)
    assert (cosines[np.ix_(kept, kept)] - np.eye(len(kept))).max() < 0.95
    assert found.kept_texts() == [texts[i] for i in kept] and "82 texts stay" in found.summary()
    assert len(found.table(5).splitlines()) == 6


def test_texts_that_are_all_one_leave_one() -> None:
    found = deduplicate(Drawn(), ["same"] * 5)
    assert found.kept == (0,) and [one.kept for one in found.left_out] == [0] * 4
    assert "4 go, 4 of them word for word" in found.summary() and len(found.table().splitlines()) == 1


def test_long_texts_are_kept_whole() -> None:
    texts = ["word  and\n" * 2000 + end for end in ("one", "two")]
    assert deduplicate(Drawn(), texts).kept_texts() == texts


def test_a_threshold_that_cannot_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_duplicates, "MOST", 100)
    cone = Table({f"text {i}": np.array([1.0, i / 1000]) for i in range(50)})
    for threshold, said in (
        (95, "a cosine above −1 and up to 1, got 95"),
        (float("nan"), "got nan"),
        ("0.9", "got '0.9'"),
        (0.9, "at most 100 near pairs, got more at a cosine of 0.9"),
    ):
        with pytest.raises(KitError, match=said):
            deduplicate(cone, list(cone.vectors), threshold)
