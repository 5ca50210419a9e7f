"""The index: what a search returns, filters, adding and removing, and the faiss graph beside it."""

from __future__ import annotations

import sys
import zlib

import numpy as np
import pytest

from kit.errors import KitError
from kit.retrieval import Index
from kit.retrieval import vector_index as module
from kit.retrieval.faiss_graph import FaissGraph

TEXTS = [f"text number {i}" for i in range(60)]


class Drawn:
    """An encoder whose vectors are drawn by a checksum of the text; `calls` counts the texts it was given."""

    name = "drawn"

    def __init__(self, seed: int = 0, dim: int = 8) -> None:
        self.seed, self.dim, self.calls = seed, dim, 0

    def encode(self, sentences: list[str]) -> np.ndarray:
        self.calls += len(sentences)
        seeds = ([self.seed, zlib.crc32(text.encode())] for text in sentences)
        return np.array([np.random.default_rng(seed).normal(size=self.dim) for seed in seeds])


def cosines(query: str, texts: list[str], encoder: Drawn) -> np.ndarray:
    one, rows = encoder.encode([query])[0], encoder.encode(texts)
    return rows @ one / np.linalg.norm(rows, axis=1) / np.linalg.norm(one)


def test_a_search_returns_the_nearest_texts_with_their_cosines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 7)
    encoder = Drawn()
    index = Index.build(encoder, [*TEXTS, TEXTS[3]])
    scores = cosines("what?", index.texts, encoder)
    hits = index.search("what?", 5)
    assert [hit.id for hit in hits] == np.argsort(-scores, kind="stable")[:5].tolist()
    assert np.allclose([hit.score for hit in hits], np.sort(scores)[::-1][:5], atol=1e-6)
    twins = [hit.id for hit in index.search(TEXTS[3], 2)]
    assert twins == [3, 60] and len(index.search("what?", 1000)) == 61
    both = index.search(["what?", "else"], 5)
    assert [[hit.id for hit in found] for found in both] == [
        [h.id for h in index.search(q, 5)] for q in ("what?", "else")
    ]
    assert "61 texts × 8, drawn, exact" in repr(index) and str(hits[0]).endswith(hits[0].text)


def test_each_distinct_text_is_encoded_once() -> None:
    encoder = Drawn()
    Index.build(encoder, ["one", "two", "one"] * 5)
    assert encoder.calls == 2 + len(module.PROBES)


def test_vectors_of_any_kind_are_searched_with() -> None:
    index = Index.build(Drawn(), TEXTS[:4])
    scores, places = index.nearest(index.vectors, 2)
    for vectors in (index.vectors.astype(np.float64), index.vectors.tolist()):
        again = index.nearest(vectors, 2)
        assert np.array_equal(again[0], scores) and np.array_equal(again[1], places)


def test_filters_let_through_what_has_the_attributes() -> None:
    year = [2000 + i % 5 for i in range(60)]
    language = ["en" if i % 3 else None for i in range(60)]
    index = Index.build(Drawn(), TEXTS, {"year": np.array(year), "language": language})
    for where, allowed in (
        ({"year": 2003}, [i for i in range(60) if year[i] == 2003]),
        ({"year": {2001, 2002}, "language": "en"}, [i for i in range(60) if year[i] in (2001, 2002) and i % 3]),
        ({"language": None}, list(range(0, 60, 3))),
        (lambda about: about["year"] > 2003, [i for i in range(60) if year[i] > 2003]),
        ({"year": 1999}, []),
    ):
        hits = index.search("what?", 60, where)
        everything = index.search("what?", 60)
        assert [hit.id for hit in hits] == [hit.id for hit in everything if hit.id in allowed]
    assert hits == [] and index.search("what?", 1)[0].about.keys() == {"year", "language"}


def test_ids_stay_when_texts_come_and_go() -> None:
    index = Index.build(Drawn(), TEXTS[:6], {"n": list(range(6))})
    index.remove([1, 4])
    assert index.add(["new", "newer"], {"n": [10, 11]}) == [6, 7]
    assert index.ids.tolist() == [0, 2, 3, 5, 6, 7] and index.attributes["n"] == [0, 2, 3, 5, 10, 11]
    fresh = Index.build(Drawn(), index.texts)
    assert np.array_equal(fresh.vectors, index.vectors)
    assert index.search("newer", 1)[0].id == 7
    index.remove(index.ids.tolist())
    assert len(index) == 0 and index.search("newer") == [] and index.add(["x"], {"n": [0]}) == [8]


def test_the_ids_are_not_searched_once_for_each_that_goes() -> None:
    class Ids(np.ndarray):
        def __contains__(self, one: object) -> bool:
            raise AssertionError("100,000 ids in an index of 100,000 texts took minutes")

    index = Index.build(Drawn(), ["a", "b", "c"])
    index.ids = index.ids.view(Ids)
    index.remove([0, np.int64(2)])
    assert index.texts == ["b"]


def test_texts_longer_than_an_encoder_reads_are_kept_whole() -> None:
    long = "word  and\n" * 2000 + "end"
    index = Index.build(Drawn(), [long, "a"])
    index.add([f" {long}er"])
    assert index.texts == [long, "a", f"{long}er"] and index.search(long, 1)[0].text == long


@pytest.mark.slow
def test_the_faiss_graph_finds_most_of_the_nearest_with_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"text {i}" for i in range(3000)]
    exact, graph = (
        Index.build(Drawn(), texts),
        Index.build(Drawn(), texts, {"even": [i % 2 for i in range(3000)]}, "faiss"),
    )
    asked = [f"query {i}" for i in range(50)]
    for few, many in zip(exact.search(asked, 10), graph.search(asked, 10), strict=True):
        scores = {hit.id: hit.score for hit in few}
        assert len(scores.keys() & {hit.id for hit in many}) >= 8
        assert all(hit.score == pytest.approx(scores[hit.id], abs=1e-12) for hit in many if hit.id in scores)
    assert all(hit.about["even"] == 1 for hit in graph.search("query", 10, {"even": 1}))
    graph.add(["query 3"], {"even": [0]})
    assert graph.search("query 3", 1)[0].id == 3000
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(KitError, match="pip install faiss-cpu"):
        Index.build(Drawn(), texts[:3], engine="faiss").search("x")


@pytest.mark.slow
def test_a_text_that_was_removed_is_not_found_by_the_graph() -> None:
    index = Index.build(Drawn(), [f"text {i}" for i in range(300)], engine="faiss")
    assert index.search("text 200", 1)[0].id == 200
    index.remove(range(100))
    assert index.search("text 200", 1)[0].id == 200, "its place has changed"
    index.remove([200])
    assert index.search("text 200", 1)[0].id != 200


@pytest.mark.slow
def test_the_graph_is_walked_more_widely_for_more_and_what_it_did_not_find_comes_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vectors = np.eye(8, dtype=np.float32)[np.arange(400) % 8]
    graph, breadths = FaissGraph(vectors), []

    class Found:
        """What HNSW gives back where its walk ended early: place −1 among the rest."""

        hnsw = graph.graph.hnsw

        @staticmethod
        def search(queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
            breadths.append(graph.graph.hnsw.efSearch)
            return np.zeros((1, k)), np.array([[1, -1, 0, -1, *range(2, k - 2)]])

    monkeypatch.setattr(graph, "graph", Found)
    scores, places = graph.search(vectors[:1], 100)
    assert places[0, 0] == 0 and (places[0, -2:] == -1).all() and np.isneginf(scores[0, -2:]).all()
    graph.search(vectors[:1], 10)
    assert breadths == [200, 128]


def test_bad_input_is_told_in_one_sentence() -> None:
    index = Index.build(Drawn(), TEXTS[:4], {"n": [1, 2, 3, 4]})
    calls = (
        (lambda: Index.build(Drawn(), []), "at least one sentence"),
        (lambda: Index.build(Drawn(), "one text"), "expected texts as"),
        (lambda: Index.build(Drawn(), ["a", ""]), "number 1 is empty"),
        (lambda: Index.build(Drawn(), ["a", 3]), "number 1 is int"),
        (lambda: Index.build("drawn", ["a"]), "an encoder with a method encode"),
        (lambda: Index.build(Drawn(), ["a"], {"n": [1, 2]}), "expected 1 values of n"),
        (lambda: Index.build(Drawn(), ["a"], {"n": 1}), "expected attributes as"),
        (lambda: Index.build(Drawn(), ["a"], {"n": [[1]]}), "text, numbers or None in n, got a list"),
        (lambda: Index.build(Drawn(), ["a"], engine="fais"), "unknown engine 'fais': did you mean 'faiss'"),
        (lambda: index.search(""), "number 0 is empty"),
        (lambda: index.search([]), "at least one sentence"),
        (lambda: index.search("a", 0), "expected k as a whole number from 1"),
        (lambda: index.search("a", where={"m": 1}), "unknown attribute of this index 'm'"),
        (lambda: index.search("a", where=3), "expected where as"),
        (lambda: index.nearest(index.vectors[:, :-1], 1), r"vectors of \d+ dimensions, as this index has, got \d+"),
        (lambda: index.nearest(index.vectors[0], 1), r"of shape \[n, dim\]"),
        (lambda: index.nearest(index.vectors * np.nan, 1), "finite embeddings"),
        (lambda: index.nearest(index.vectors, -1), "expected k as a whole number from 1"),
        (lambda: index.remove([4]), "expected ids of this index, got 4"),
        (lambda: index.remove(["0"]), "expected ids of this index, got '0'"),
        (lambda: index.add(["b"]), "expected the attributes n for new texts, got none"),
        (lambda: index.add(["b"], {"n": [1], "m": [2]}), "got n, m"),
    )
    for call, said in calls:
        with pytest.raises(KitError, match=said):
            call()
    assert len(index) == 4


def test_what_json_has_not_is_refused_as_an_attribute() -> None:
    for value in (float("nan"), float("inf"), np.float32("nan")):
        with pytest.raises(KitError, match="text, numbers or None in year, got .*what is missing to None"):
            Index.build(Drawn(), ["a", "b"], {"year": [2024.0, value]})
    plain = [2024.5, None, True]
    assert Index.build(Drawn(), ["a", "b", "c"], {"year": plain}).attributes["year"] == plain


@pytest.mark.parametrize("engine", module.ENGINES)
def test_an_emptied_index_finds_nothing(engine: str) -> None:
    index = Index.build(Drawn(), ["a", "b"], engine=engine)
    index.remove([0, 1])
    assert index.search("what?") == []
