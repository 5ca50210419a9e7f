"""The k nearest against a plain sort: blocks, groups, ties and rows that float32 cannot tell apart."""

from __future__ import annotations

import numpy as np
import pytest

from kit.retrieval import exact_search
from kit.retrieval.exact_search import as_unit, top_k


def plain(queries: np.ndarray, corpus: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    scores = np.array([(corpus.astype(np.float64) * query).sum(axis=1) for query in queries])
    places = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(scores, places, 1), places


def vectors(rows: int, kind: str, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    if kind == "copies":  # many rows that are equal
        return as_unit(generator.integers(-1, 2, (rows, 3)) + 0.01)
    if kind == "near":  # rows that float32 products cannot order
        return as_unit(1 + 1e-6 * generator.normal(size=(rows, 16)))
    found = generator.normal(size=(rows, 16))
    found[rows // 2] = 0  # a text without a direction
    return as_unit(found)


def test_the_k_nearest_are_those_of_a_plain_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_search, "ROWS", 64)
    monkeypatch.setattr(exact_search, "QUERIES", 16)
    for kind in ("usual", "copies", "near"):
        for rows in (1, 5, 16, 200, 1009):
            corpus = vectors(rows, kind, rows)
            for queries in (1, 9, 40):
                asked = vectors(queries, kind, 7)
                for k in (1, 3, 10):
                    (scores, places), (theirs, at) = top_k(asked, corpus, k), plain(asked, corpus, k)
                    assert np.array_equal(places, at) and np.allclose(scores, theirs, atol=1e-12), (
                        kind,
                        rows,
                        queries,
                        k,
                    )


def test_a_result_does_not_depend_on_what_other_queries_come_along() -> None:
    corpus, asked = vectors(3000, "near", 1), vectors(50, "near", 2)
    together = top_k(asked, corpus, 5)
    for query in (0, 17, 49):
        alone = top_k(asked[query : query + 1], corpus, 5)
        assert np.array_equal(alone[1][0], together[1][query]) and np.array_equal(alone[0][0], together[0][query])


def test_no_query_and_no_document_give_empty_results() -> None:
    corpus = vectors(4, "usual", 0)
    assert top_k(corpus[:0], corpus, 3)[1].shape == (0, 3) and top_k(corpus, corpus[:0], 3)[1].shape == (4, 0)


def test_a_file_that_cannot_be_written_is_searched_without_a_warning(tmp_path, recwarn) -> None:
    corpus = vectors(500, "usual", 3)
    np.save(tmp_path / "vectors.npy", corpus)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r", allow_pickle=False)
    for queries in (2, 30):
        assert np.array_equal(top_k(corpus[:queries], mapped, 4)[1], plain(corpus[:queries], corpus, 4)[1])
    assert not recwarn.list
