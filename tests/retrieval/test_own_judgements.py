"""Triplet accuracy beside sentence-transformers, and one's own scored pairs beside the published tasks'."""

from __future__ import annotations

import numpy as np
import pytest

from kit.errors import KitError
from kit.evaluation import spearman
from kit.retrieval import MinedNegatives, evaluate_pairs, evaluate_triplets
from kit.retrieval.hard_negatives import MinedTriplet
from tests.retrieval.test_retrieval_evaluation import Table


def words(n: int, seed: int = 0) -> Table:
    generator = np.random.default_rng(seed)
    return Table({f"text {i}": generator.normal(size=5) for i in range(n)})


@pytest.mark.slow
def test_triplet_accuracy_is_that_of_sentence_transformers() -> None:
    from sentence_transformers.evaluation import TripletEvaluator

    table = words(60)
    rows = np.array(list(table.vectors)).reshape(20, 3).tolist()

    class Given:
        similarity_fn_name, model_card_data = "cosine", None

        def encode_query(self, texts, **_):
            return table.encode(texts)

        encode_document = encode_query

    for similarity in ("cosine", "dot", "euclidean"):
        for margin in (0.0, 0.3):
            peer = TripletEvaluator(*zip(*rows), margin=margin, similarity_fn_names=[similarity], write_csv=False)
            peer.store_metrics_in_model_card_data = lambda *_: None
            ours = evaluate_triplets(table, rows, similarity, margin)
            assert ours.accuracy == pytest.approx(100 * peer(Given())[f"{similarity}_accuracy"], abs=1e-4)
            assert ours.interval.low <= ours.accuracy <= ours.interval.high


def test_a_tie_counts_as_wrong_and_is_counted() -> None:
    table = words(2)
    report = evaluate_triplets(table, [("text 0", "text 1", "text 1"), {"a": "text 0", "b": "text 0", "c": "text 1"}])
    assert report.right.tolist() == [False, True] and report.ties == 1 and report.accuracy == 50
    assert "1 ties count as wrong" in str(report)


def test_a_tie_that_a_margin_below_zero_makes_right_is_not_told_to_be_wrong() -> None:
    report = evaluate_triplets(words(2), [("text 0", "text 1", "text 1")] * 3, margin=-0.1)
    assert report.accuracy == 100 and report.ties == 0 and "ties" not in str(report)


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean"])
def test_a_tie_stays_one_beside_a_text_with_a_long_vector(similarity: str) -> None:
    names = [f"text {i}" for i in range(120)]
    table = Table(
        dict(zip(names, np.random.default_rng(0).normal(size=(120, 8)), strict=True)) | {"far": np.full(8, -30.0)}
    )
    rows = [(f"text {2 * i}", *[f"text {2 * i + 1}"] * 2) for i in range(60)]
    assert evaluate_triplets(table, [*rows, ("text 0", "text 1", "far")], similarity).ties == 60


def test_triplets_in_dicts_are_read_by_their_names() -> None:
    row = {"negative": "text 1", "id": 7, "anchor": "text 0", "positive": "text 0"}
    assert evaluate_triplets(words(2), [row]).accuracy == 100


def test_triplets_that_are_all_right_have_an_interval_with_a_width() -> None:
    report = evaluate_triplets(words(2), [("text 0", "text 0", "text 1")] * 20)
    assert report.accuracy == 100 and (round(report.interval.low, 1), report.interval.high) == (83.9, 100)
    assert evaluate_triplets(words(2), [("text 0", "text 0", "text 1")] * 20, with_interval=False).interval is None


def test_own_pairs_are_scored_as_the_published_tasks_are() -> None:
    table, names = words(30), list(words(30).vectors)
    first, second, scores = names[:15], names[15:], list(np.random.default_rng(1).random(15))
    cosines = [
        float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)) for a, b in zip(table.encode(first), table.encode(second))
    ]
    report = evaluate_pairs(table, first, second, scores, resamples=50)
    assert report["own pairs"].scores.all == pytest.approx(100 * spearman(cosines, scores), abs=1e-9)
    seeded = evaluate_pairs(table, first, second, scores, resamples=50, seed=1)
    assert report["own pairs"].intervals is not None and seeded["own pairs"].intervals != report["own pairs"].intervals


def test_what_cannot_be_judged_is_told_in_one_sentence() -> None:
    table = words(3)
    for rows in ([], [("text 0", "text 1")], [("text 0",) * 4]):
        with pytest.raises(KitError, match="expected triplets of anchor, positive and negative"):
            evaluate_triplets(table, rows)
    mined = MinedNegatives((MinedTriplet("text 0", "text 1", "text 2", 0.9, 0.8, 1),), 1, {}, ())
    with pytest.raises(KitError, match=r"got a MinedTriplet: give its \.triplets\(\)"):
        evaluate_triplets(table, mined)
    assert len(evaluate_triplets(table, mined.triplets()).right) == 1
    with pytest.raises(KitError, match=r"got an object: give a list, of data that were read list\(data\.rows\)"):
        evaluate_triplets(table, object())
    with pytest.raises(KitError, match="similarity as one of cosine, dot, euclidean"):
        evaluate_triplets(table, [("text 0", "text 1", "text 2")], similarity="cos")
    with pytest.raises(KitError, match="margin as a number"):
        evaluate_triplets(table, [("text 0", "text 1", "text 2")], margin=float("inf"))
    for columns, said in (
        ((["text 0"], [], [1]), "two texts and a score for each pair"),
        ((["text 0"] * 2, ["text 1"] * 2, [3, 3]), "expected scores that differ, got 3"),
        ((["text 0"] * 2, ["text 1"] * 2, [1, 1.0]), "expected scores that differ, got 1"),
        ((["text 0"] * 2, ["text 1"] * 2, [3, float("nan")]), "finite"),
    ):
        with pytest.raises(KitError, match=said):
            evaluate_pairs(table, *columns)
