"""Queries and documents with prompts: the figures, triplets and hits are those of sentence-transformers."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
import torch

from kit.errors import KitError
from kit.evaluation.encoding import Repaired
from kit.retrieval import (
    Index,
    SmallVectors,
    compare_sizes,
    evaluate_retrieval,
    evaluate_triplets,
    mine_hard_negatives,
    retrieval_task,
)
from kit.retrieval.two_sides import encode_sides

ASKED = {f"q{i}": f"question {i}" for i in range(20)}
CORPUS = {f"d{i}": f"answer {i}" for i in range(50)}
RELEVANT = {f"q{i}": {f"d{i}", f"d{i + 20}"} for i in range(20)}
PROMPTS = {"query": "query: ", "document": "passage: "}


class Drawn:
    """An encoder whose vectors are drawn by a checksum of the text; `texts` are those it was given."""

    name = "drawn"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, sentences: list[str]) -> np.ndarray:
        self.texts += sentences
        return np.array([np.random.default_rng(zlib.crc32(text.encode())).normal(size=6) for text in sentences])


class TwoSided(Drawn):
    """The same with prompts."""

    def __init__(self, document: str = PROMPTS["document"]) -> None:
        super().__init__()
        self.document = document

    def encode_query(self, sentences: list[str]) -> np.ndarray:
        return self.encode([PROMPTS["query"] + text for text in sentences])

    def encode_document(self, sentences: list[str]) -> np.ndarray:
        return self.encode([self.document + text for text in sentences])


def test_each_side_is_encoded_in_its_own_way_and_once() -> None:
    encoder, other = TwoSided(), Drawn()
    queries, documents = encode_sides(encoder, ["a", "b", "a"], ["b", "c"])
    assert sorted(encoder.texts) == ["passage: b", "passage: c", "query: a", "query: b"]
    assert np.array_equal(queries, other.encode(["query: a", "query: b", "query: a"]))
    assert np.array_equal(documents, other.encode(["passage: b", "passage: c"]))
    plain = Drawn()
    queries, documents = encode_sides(plain, ["a", "b", "a"], ["b", "c"])
    assert sorted(plain.texts) == ["a", "b", "c"]
    assert np.array_equal(np.r_[queries, documents], plain.encode(["a", "b", "a", "b", "c"]))
    with pytest.raises(KitError, match="expected an encoder"):
        encode_sides("encoder", ["a"], ["b"])


def test_an_index_asks_in_one_way_and_answers_in_the_other(tmp_path) -> None:
    encoder, other = TwoSided(), Drawn()
    index = Index.build(encoder, list(CORPUS.values()))
    index.add(["answer 99"])
    query, texts = other.encode(["query: what?"])[0], other.encode([f"passage: {text}" for text in index.texts])
    cosines = texts @ query / np.linalg.norm(texts, axis=1) / np.linalg.norm(query)
    hits = index.search("what?", 51)
    assert [hit.id for hit in hits] == np.argsort(-cosines, kind="stable").tolist()
    index.save(tmp_path / "index")
    assert Index.load(tmp_path / "index", TwoSided()).search("what?", 51) == hits
    for another in (Drawn(), TwoSided("document: ")):  # of which the texts would have other vectors
        with pytest.raises(KitError, match="gives other vectors"):
            Index.load(tmp_path / "index", another)


def test_smaller_vectors_keep_both_sides() -> None:
    task = retrieval_task(ASKED, CORPUS, RELEVANT)
    full = evaluate_retrieval(TwoSided(), task, ["ndcg@10"], resamples=0)["ndcg@10"]
    cut = evaluate_retrieval(SmallVectors(TwoSided(), 4), task, ["ndcg@10"], resamples=0)["ndcg@10"]
    assert full != evaluate_retrieval(Drawn(), task, ["ndcg@10"], resamples=0)["ndcg@10"]
    (_, _, _, whole, _), (_, _, _, small, _) = compare_sizes(TwoSided(), task, [4], ["float32"], resamples=0).rows
    assert (whole["ndcg@10"], small["ndcg@10"]) == (full, cut) and full != cut


def turned(vectors: torch.Tensor) -> torch.Tensor:
    """A repair that moves the vectors, so that the order of cosines is another."""
    return vectors + torch.arange(6.0)


def test_a_repaired_encoder_keeps_both_sides(tmp_path) -> None:
    encoder, repaired = Drawn(), Repaired(TwoSided(), turned)
    queries, documents = encode_sides(repaired, ["a", "b", "a"], ["b", "c"])
    by_hand = [f"query: {text}" for text in ("a", "b", "a")], ["passage: b", "passage: c"]
    for found, texts in zip((queries, documents), by_hand):
        assert np.allclose(found, encoder.encode(texts) + np.arange(6.0), atol=1e-5)
    task = retrieval_task(ASKED, CORPUS, RELEVANT)
    asked, corpus = ({key: before + text for key, text in side.items()} for before, side in
                     (("query: ", ASKED), ("passage: ", CORPUS)))  # fmt: skip
    after = evaluate_retrieval(Repaired(Drawn(), turned), retrieval_task(asked, corpus, RELEVANT), resamples=0)
    for one in (repaired, SmallVectors(repaired), Repaired(repaired, lambda vectors: vectors)):
        assert evaluate_retrieval(one, task, resamples=0).figures() == pytest.approx(after.figures())
    assert evaluate_retrieval(Repaired(Drawn(), turned), task, resamples=0).figures() != after.figures()
    index = Index.build(repaired, list(CORPUS.values()))
    index.save(tmp_path / "index")
    hits = Index.build(Repaired(Drawn(), turned), list(corpus.values())).search("query: what?", 50)
    assert [hit.id for hit in Index.load(tmp_path / "index", repaired).search("what?", 50)] == [hit.id for hit in hits]
    with pytest.raises(KitError, match="gives other vectors"):
        Index.load(tmp_path / "index", Repaired(Drawn(), turned))
    plain = Repaired(Drawn(), turned)
    encode_sides(plain, ["a"], ["a", "b"])
    assert plain.encoder.texts == ["a", "b"], "one way: each text once"


@pytest.mark.slow
def test_with_prompts_the_figures_are_those_of_sentence_transformers(tmp_path) -> None:
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer, models
    from sentence_transformers.evaluation import InformationRetrievalEvaluator, TripletEvaluator
    from sentence_transformers.util import mine_hard_negatives as theirs

    from tests.tiny import WORDS, write_tiny_bert

    generator = np.random.default_rng(0)
    asked, corpus = ({key: " ".join(generator.choice(WORDS, 6)) for key in side} for side in (ASKED, CORPUS))
    transformer = models.Transformer(str(write_tiny_bert(tmp_path / "tiny")))
    modules = [transformer, models.Pooling(32)]
    for settings in ({"prompts": PROMPTS}, {"prompts": {"query": "a: "}, "default_prompt_name": "query"}):
        model = SentenceTransformer(modules=modules, device="cpu", similarity_fn_name="cosine", **settings)
        peer = InformationRetrievalEvaluator(asked, corpus, RELEVANT, write_csv=False)(model)
        task = retrieval_task(asked, corpus, RELEVANT)
        ours = evaluate_retrieval(model, task, ["ndcg@10", "recall@1"], resamples=0)
        for measure in ("ndcg@10", "recall@1"):
            assert ours[measure] == pytest.approx(100 * peer[f"cosine_{measure}"], abs=1e-4)
        rows = [(asked[f"q{i}"], corpus[f"d{i}"], corpus[f"d{i + 20}"]) for i in range(20)]
        peer = TripletEvaluator(*zip(*rows, strict=True), write_csv=False)(model)["cosine_accuracy"]
        assert evaluate_triplets(model, rows).accuracy == pytest.approx(100 * peer)
        anchors, positives, _ = zip(*rows, strict=True)
        pairs = Dataset.from_dict({"anchor": anchors, "positive": positives})
        peer = theirs(pairs, model, corpus=list(corpus.values()), verbose=False)
        mined = mine_hard_negatives(model, anchors, positives, list(corpus.values()))
        assert mined.triplets() == list(zip(peer["anchor"], peer["positive"], peer["negative"]))
