"""The same figures as the peers on the same input; intervals and the paired test against plain loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from kit.errors import KitError, KitWarning
from kit.evaluation import Interval, interval
from kit.retrieval import (
    average_precision,
    compare_retrieval,
    comparison_table,
    evaluate_retrieval,
    ndcg_at_k,
    recall_at_k,
    reciprocal_rank,
    retrieval_task,
    task_from_pairs,
)
from kit.retrieval.retrieval_report import PairedDifference, RetrievalComparison, RetrievalReport, resampled_means
from kit.retrieval.wilson import wilson_interval

MEASURES = [
    f"{kind}@{k}" for kind in ("recall", "accuracy", "precision", "mrr", "ndcg", "map") for k in (1, 3, 10, 100)
]


class Table:
    """An encoder that looks vectors up."""

    name = "table"

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self.vectors = vectors

    def encode(self, sentences: list[str]) -> np.ndarray:
        return np.array([self.vectors[text] for text in sentences])


def random_case(seed: int, queries: int = 9, documents: int = 40, dim: int = 8, ties: bool = False):
    """(encoder, queries, corpus, relevant), the ids of the corpus in an order of their own."""
    generator = np.random.default_rng(seed)
    asked = {f"q{i}": f"query {i}" for i in range(queries)}
    corpus = {f"d{i:03d}": f"document {i}" for i in generator.permutation(documents)}
    drawn = generator.normal(size=(queries + documents, dim))
    if ties:  # documents with one vector
        drawn[queries:] = drawn[queries + generator.integers(0, documents // 4, documents)]
    vectors = dict(zip([*asked.values(), *corpus.values()], drawn))
    relevant = {i: set(generator.choice(sorted(corpus), generator.integers(1, 6), replace=False)) for i in asked}
    return Table(vectors), asked, corpus, relevant


@pytest.mark.slow
def test_the_figures_are_those_of_sentence_transformers() -> None:
    """Ties too: both give equal scores the order of the ids. And a relevant document that the corpus lacks."""
    import torch
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    class Given:
        similarity_fn_name, model_card_data = "cosine", None

        def __init__(self, table):
            self.table = table

        def encode_query(self, texts, **_):
            return torch.nn.functional.normalize(torch.as_tensor(self.table.encode(texts)), dim=1).double()

        encode_document = encode_query

        def similarity(self, first, second):
            return (first @ second.T).round(decimals=12)

    for seed in range(12):
        table, asked, corpus, relevant = random_case(seed, ties=seed % 2 == 1)
        if seed % 3 == 2:
            relevant["q0"] |= {"d999"}
        depths = [1, 3, 10, 100]
        peer = InformationRetrievalEvaluator(
            asked, corpus, relevant, 7, depths, depths, depths, depths, depths, write_csv=False
        )
        peer.store_metrics_in_model_card_data = lambda *_: None
        theirs = peer(Given(table))
        if seed % 3 == 2:
            with pytest.warns(KitWarning, match="1 relevant documents are not in the corpus"):
                task = retrieval_task(asked, corpus, relevant)
        else:
            task = retrieval_task(asked, corpus, relevant)
        ours = evaluate_retrieval(table, task, MEASURES, resamples=0)
        for measure in MEASURES:
            assert ours[measure] == pytest.approx(100 * theirs[f"cosine_{measure}"], abs=1e-9), (seed, measure)


@pytest.mark.slow
def test_the_figures_are_those_of_pytrec_eval_with_grades_too() -> None:
    import pytrec_eval

    names = {"ndcg_cut": "ndcg", "recall": "recall", "P": "precision", "map_cut": "map", "success": "accuracy"}
    for seed in range(8):
        table, asked, corpus, relevant = random_case(seed, documents=60)
        generator = np.random.default_rng(seed)
        grades = {
            q: {d: int(generator.integers(0, 4)) for d in sorted(its)} | {min(its): 2} for q, its in relevant.items()
        }
        task = retrieval_task(asked, corpus, grades)
        ours = evaluate_retrieval(table, task, MEASURES, resamples=0)
        ids = sorted(corpus)
        run = {
            q: {ids[place]: float(100 - r) for r, place in enumerate(row)}
            for q, row in zip(asked, ours.ranked, strict=True)
        }
        judge = pytrec_eval.RelevanceEvaluator(grades, {f"{kind}.1,3,10,100" for kind in names} | {"recip_rank"})
        theirs = judge.evaluate(run)
        for number, query in enumerate(asked):
            for k in (1, 3, 10, 100):
                for kind, name in names.items():
                    mine = ours.by_query[f"{name}@{k}"][number]
                    if name != "map" or k >= sum(grade > 0 for grade in grades[query].values()):
                        assert mine == pytest.approx(theirs[query][f"{kind}_{k}"], abs=1e-6), (seed, query, kind, k)
            assert ours.by_query["mrr@100"][number] == pytest.approx(theirs[query]["recip_rank"], abs=1e-6)


@pytest.mark.slow
def test_the_figures_are_those_of_mteb() -> None:
    import pytrec_eval  # noqa: F401 (mteb calls it)
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    table, asked, corpus, relevant = random_case(3, documents=60)
    ours = evaluate_retrieval(table, retrieval_task(asked, corpus, relevant), MEASURES, resamples=0)
    ids = sorted(corpus)
    run = {q: {ids[p]: float(100 - r) for r, p in enumerate(row)} for q, row in zip(asked, ours.ranked, strict=True)}
    theirs = calculate_retrieval_scores(run, {q: dict.fromkeys(d, 1) for q, d in relevant.items()}, [1, 3, 10, 100])
    for kind, peer in (("ndcg", theirs.ndcg), ("recall", theirs.recall), ("mrr", theirs.mrr)):
        for k in (1, 3, 10, 100):
            found = next(value for name, value in peer.items() if name.lower().endswith(f"@{k}"))
            assert ours[f"{kind}@{k}"] == pytest.approx(100 * found, abs=1e-2), (kind, k)  # it rounds


def test_the_measures_of_one_query_by_hand() -> None:
    ranked, relevant = ["a", "b", "c", "d", "e"], {"b", "e", "x"}
    assert recall_at_k(ranked, relevant, 2) == 1 / 3 and recall_at_k(ranked, relevant, 5) == 2 / 3
    assert reciprocal_rank(ranked, relevant, 5) == 1 / 2 and reciprocal_rank(ranked, relevant, 1) == 0
    best = 1 + 1 / np.log2(3) + 1 / 2
    assert ndcg_at_k(ranked, relevant, 5) == pytest.approx((1 / np.log2(3) + 1 / np.log2(6)) / best)
    assert average_precision(ranked, relevant, 5) == pytest.approx((1 / 2 + 2 / 5) / 3)
    assert average_precision(ranked, relevant, 1) == 0


def test_a_document_is_ranked_once() -> None:
    for measure in (recall_at_k, reciprocal_rank, ndcg_at_k, average_precision):
        with pytest.raises(KitError, match="expected each document once in ranked, got 'a' twice"):
            measure(["b", "a", "c", "a"], ["a"], 2)


def test_single_measures_agree_with_those_of_a_report() -> None:
    alone = {"recall": recall_at_k, "mrr": reciprocal_rank, "ndcg": ndcg_at_k, "map": average_precision}
    table, asked, corpus, relevant = random_case(5)
    task = retrieval_task(asked, corpus, relevant)
    report = evaluate_retrieval(table, task, MEASURES, resamples=0)
    for query, (ranked, wanted) in enumerate(zip(report.ranked, task.relevant, strict=True)):
        for kind, function in alone.items():
            for k in (1, 3, 10, 100):
                assert report.by_query[f"{kind}@{k}"][query] == pytest.approx(function(list(ranked), wanted, k))


def test_intervals_are_quantiles_of_means_of_drawn_queries() -> None:
    values = np.random.default_rng(1).random((2, 40))
    drawn = resampled_means(values, 500, seed=7)
    generator = np.random.default_rng(7)
    places = generator.integers(0, 40, (500, 40))
    assert np.allclose(drawn, values[:, places].mean(axis=2))
    table, asked, corpus, relevant = random_case(2, queries=60)
    report = evaluate_retrieval(table, retrieval_task(asked, corpus, relevant), ["ndcg@10"], seed=3)
    between = report.intervals()["ndcg@10"]
    spread = 100 * report.by_query["ndcg@10"].std() / np.sqrt(60)
    assert between.low < report["ndcg@10"] < between.high
    assert between.high - between.low == pytest.approx(2 * 1.96 * spread, rel=0.15)
    (means,) = resampled_means(report.by_query["ndcg@10"][None], report.resamples, seed=3)
    assert between == interval(100 * means), "drawn by the seed that was given"


def test_shares_have_wilsons_interval() -> None:
    """As SciPy's; near the ends, where a bootstrap has little width or none, it holds the truth often enough."""
    for n in (2, 20, 80, 301):
        for right in {0, 1, n // 3, n - 1, n}:
            for confidence in (0.9, 0.95):
                ours = wilson_interval(right / n, n, confidence)
                theirs = binomtest(right, n).proportion_ci(confidence, "wilson")
                assert (ours.low, ours.high) == pytest.approx((100 * theirs.low, 100 * theirs.high), abs=1e-9)
    rights = np.random.default_rng(0).binomial(20, 0.97, 2000)
    held = [found.low <= 97 <= found.high for found in (wilson_interval(right / 20, 20) for right in rights)]
    assert np.mean(held) > 0.9, "a bootstrap would hold it in fewer than half"


def test_measures_of_zero_and_one_have_wilsons_interval_and_one_value_has_none() -> None:
    values = {"accuracy@1": np.ones(20), "recall@1": np.arange(20) % 2.0, "mrr@10": np.full(20, 0.5)}
    values["ndcg@10"] = np.linspace(0, 1, 20)
    report = RetrievalReport("one", "task", "print", values, np.zeros((20, 1), int))
    found = report.intervals()
    assert found["accuracy@1"] == wilson_interval(1.0, 20) and 83 < found["accuracy@1"].low < 84
    assert found["recall@1"] == wilson_interval(0.5, 20) and found["mrr@10"] is None
    drawn = resampled_means(np.stack(list(values.values())), 1000, 0)[3]
    assert found["ndcg@10"] == interval(100 * drawn) and "–" in report.table().splitlines()[3]
    assert set(replace(report, resamples=0).intervals().values()) == {None}


def test_intervals_and_decisions_are_of_the_confidence_asked_for() -> None:
    generator = np.random.default_rng(0)
    drawn = [{"ndcg@10": generator.random(40), "recall@1": (generator.random(40) > 0.4) * 1.0} for _ in range(2)]
    one, other = (RetrievalReport("one", "task", "print", values, np.zeros((40, 1), int)) for values in drawn)
    usual, half = one.intervals(), replace(one, confidence=0.5).intervals()
    assert half["recall@1"] == wilson_interval(one["recall@1"] / 100, 40, 0.5)
    between = [compare_retrieval(one, other, confidence=confidence)["ndcg@10"].interval for confidence in (0.5, 0.95)]
    for narrow, wide in (
        (half["ndcg@10"], usual["ndcg@10"]),
        between,
    ):  # of a normal one the middle half has 0.34 of the width
        assert narrow.confidence == 0.5 and narrow.high - narrow.low < 0.6 * (wide.high - wide.low)
    table, asked, corpus, relevant = random_case(2)
    given = evaluate_retrieval(table, retrieval_task(asked, corpus, relevant), ["recall@1"], confidence=0.5)
    assert given.intervals()["recall@1"].confidence == 0.5 and "50% interval" in given.table()
    row = PairedDifference("mrr@10", 60.0, 40.0, 20.0, Interval(5.0, 35.0, 0.99), 0.03)
    assert not row.decided and replace(row, interval=Interval(5.0, 35.0, 0.9)).decided


def test_two_systems_are_compared_query_by_query() -> None:
    table, asked, corpus, relevant = random_case(4, queries=40)
    task = retrieval_task(asked, corpus, relevant)
    noisy = Table({text: vector + 0.01 for text, vector in table.vectors.items()})
    good = dict(table.vectors)
    for query, text in asked.items():
        good[text] = good[corpus[min(relevant[query])]]
    worse, better = evaluate_retrieval(noisy, task), evaluate_retrieval(Table(good), task, name="better")
    found = compare_retrieval(better, worse)
    row = found["ndcg@10"]
    assert row.decided and row.p < 0.01 and row.difference == pytest.approx(better["ndcg@10"] - worse["ndcg@10"])
    assert "better is ahead" in found.summary() and "better" in found.table() and found.as_dict()["queries"] == 40
    noise = evaluate_retrieval(Table({text: vector + 0.3 for text, vector in table.vectors.items()}), task)
    ps = [[row.p for row in compare_retrieval(worse, noise, seed=seed).rows] for seed in (0, 1, 1)]
    assert ps[0] != ps[1] == ps[2], "the signs of the test are drawn by the seed too"
    same = compare_retrieval(worse, worse)
    assert same["mrr@10"].p == 1 and "do not decide" in same.summary()
    assert comparison_table([better, worse]).count("\n") == 2
    other = evaluate_retrieval(table, retrieval_task(asked, corpus, {q: {"d001"} for q in asked}))
    some = next(iter(asked))
    with pytest.warns(KitWarning, match="1 relevant documents are not in the corpus"):
        lacks = evaluate_retrieval(table, retrieval_task(asked, corpus, relevant | {some: relevant[some] | {"d999"}}))
    for first, second in ((better, other), (worse, lacks), (better, evaluate_retrieval(table, task, ["mrr@3"]))):
        with pytest.raises(KitError, match="same"):
            compare_retrieval(first, second)


def test_pairs_make_a_task_in_which_every_positive_of_an_anchor_counts() -> None:
    task = task_from_pairs(["a b", "c d", "a b"], ["one", "two", "three"], ["four", "one"])
    assert task.queries == ("a b", "c d") and sorted(task.corpus) == ["four", "one", "three", "two"]
    assert [sorted(task.corpus[at] for at in grades) for grades in task.relevant] == [["one", "three"], ["two"]]
    assert str(task).endswith(": 2 queries, 4 documents, 1.50 relevant ones a query")


def test_who_cannot_tell_texts_apart_finds_by_chance() -> None:
    """Documents with equal scores come in an order that tells nothing of the queries."""
    anchors, positives, others = ([f"{name} {i}" for i in range(n)] for name, n in (("q", 40), ("a", 40), ("o", 360)))
    task = task_from_pairs(anchors, positives, others)
    alike = Table({text: np.ones(2) for text in (*anchors, *positives, *others)})
    assert evaluate_retrieval(alike, task, ["recall@40"]).figures()["recall@40"] < 30  # 10 by chance


def test_two_queries_decide_nothing() -> None:
    row = PairedDifference("mrr@10", 90.0, 40.0, 50.0, Interval(20.0, 80.0), 0.5)
    assert row.excludes_zero and not row.decided and replace(row, p=0.01).decided
    told = RetrievalComparison((row,), ("A", "B"), 2).summary("mrr@10")
    assert "p = 0.500: but the test does not exclude chance, so these 2 queries do not decide." in told


def test_queries_that_find_themselves_first_are_counted_in_a_warning() -> None:
    with pytest.warns(KitWarning, match="1 of 3 queries are documents too, relevant to others"):
        task = task_from_pairs(["A b", "C d", "same"], ["C d", "E f", "same"])
    table = Table({text: np.eye(4)[i] for i, text in enumerate(("A b", "C d", "E f", "same"))})
    assert 1 / 3 <= evaluate_retrieval(table, task, ["mrr@10"]).by_query["mrr@10"][1] <= 0.5
    with pytest.warns(KitWarning, match="1 of 2 queries .* relevant to none: .* Leave them out of the texts") as told:
        task_from_pairs(["A b", "C d"], ["one", "two"], ["C d"])
    assert len(told) == 1, "no pair is at fault"


def test_documents_of_beir_are_their_title_and_their_text() -> None:
    corpus = {
        "x": {"title": "Birds", "text": "They fly."},
        "y": {"title": "", "text": "Alone."},
        "z": {"text": "Bare."},
    }
    task = retrieval_task({"a": "q"}, corpus, {"a": {"x": 1}})
    assert task.corpus == ("Birds They fly.", "Alone.", "Bare.")
    with pytest.raises(KitError, match="every document to be a string, but number 0 is dict"):
        retrieval_task({"a": "q"}, {"x": {"title": "Birds"}}, {"a": {"x": 1}})


def test_what_is_no_task_is_told_in_one_sentence() -> None:
    texts, corpus = ["one", "two"], ["a", "b"]
    for arguments, said in (
        ((texts, corpus, [[0], []]), "expected a relevant document for every query, but 1 of 2 have none .*'two'"),
        ((texts, corpus, [[0]]), "1 of 2 have none"),
        ((texts, corpus, [{0: 0}, {1: 1}]), "1 of 2 have none"),
        ((texts, corpus, {5: [0], 0: [0], 1: [1]}), "got some of 5, which is none of them"),
        ((texts, corpus, ["0", "1"]), "in a list, set or dict, got '0'"),
        ((texts, corpus, [{0: 0.5}, [1]]), "expected whole grades"),
        (([], corpus, []), "at least one query"),
        ((texts, [], [[0], [1]]), "at least one document"),
        ((["one", " "], corpus, [[0], [1]]), "words in every query, but number 1"),
        ((["one", None], corpus, [[0], [1]]), "every query to be a string"),
        ((texts, {"a": "one", 2: "two"}, [["a"], [2]]), "ids of one kind"),
        ((texts, 3, [[0], [1]]), "expected corpus as"),
    ):
        with pytest.raises(KitError, match=said):
            retrieval_task(*arguments)
    task = retrieval_task(texts, corpus, [[0], [1]])
    table = Table({text: np.ones(3) for text in (*texts, *corpus)})
    for options, said in (
        ({"measures": ["ndgc@10"]}, "such as 'recall@10', got 'ndgc@10'"),
        ({"measures": ["ndcg"]}, "with @k"),
        ({"measures": ["ndcg@0"]}, "k from 1"),
        ({"measures": []}, "at least one measure"),
        ({"resamples": 1}, "resamples"),
        ({"confidence": 95}, "confidence between 0 and 1"),
    ):
        with pytest.raises(KitError, match=said):
            evaluate_retrieval(table, task, **options)
    with pytest.raises(KitError, match="task as a RetrievalTask, got a list"):
        evaluate_retrieval(table, [task])
    with pytest.raises(KitError, match="one positive for each anchor"):
        task_from_pairs(["a"], [])
    for relevant, k, said in (([], 1, "at least one relevant"), (["a"], 0, "k as a whole number")):
        with pytest.raises(KitError, match=said):
            recall_at_k(["a"], relevant, k)


def test_ahead_is_who_has_more() -> None:
    for first, second, low, high, ahead in ((70.0, 60.0, 5.0, 15.0, "A"), (60.0, 70.0, -15.0, -5.0, "B")):
        row = PairedDifference("mrr@10", first, second, first - second, Interval(low, high), 0.001)
        assert f"{ahead} is ahead" in RetrievalComparison((row,), ("A", "B"), 90).summary("mrr@10")
    row = PairedDifference("mrr@10", 60.0, 61.0, -1.0, Interval(-3.0, 1.0), 0.4)
    said = RetrievalComparison((row,), ("A", "B"), 90).summary("mrr@10")
    assert "p = 0.400: the interval includes zero, so" in said
