"""Evaluate retrieval: how high a system ranks the documents that answer a query.

A system is an encoder, whose ranking is that of the cosine, or anything with `rank(queries, corpus, k)` such as BM25.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kit.checks.argument_checks import check_kind, checked
from kit.errors import KitError, shown
from kit.number_checks import is_finite, is_whole, whole_number
from kit.retrieval.bm25_baseline import BM25, unmatched
from kit.retrieval.exact_search import as_unit, top_k
from kit.retrieval.retrieval_measures import measures as measures_of
from kit.retrieval.retrieval_measures import split_name
from kit.retrieval.retrieval_report import RetrievalReport
from kit.retrieval.retrieval_task import RetrievalTask
from kit.retrieval.two_sides import encode_sides

MEASURES = ("recall@1", "recall@10", "mrr@10", "ndcg@10", "map@100")
OF_CLASSES = ("accuracy@1", "precision@10", "mrr@10", "ndcg@10", "map@100")  # recall is low where a class is large


@checked
def evaluate_retrieval(
    system: Any,
    task: RetrievalTask,
    measures: Sequence[str] | None = None,
    name: str = "",
    batch_size: int = 64,
    progress: bool = False,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> RetrievalReport:
    """Judge an encoder (by cosine) or a ranker such as `BM25()` on a task, with intervals over queries.

    measures   recall, accuracy, precision, mrr, ndcg or map @k; the same figures as sentence-transformers'
               InformationRetrievalEvaluator, and as pytrec_eval (which mteb calls) where no scores are equal: it
               gives equal ones the reverse order of their ids, here they come in the order of the corpus (and
               but for map@k, which it divides by all relevant documents, where they are more than k). None for
               recall@1, recall@10, mrr@10, ndcg@10 and map@100; of texts that look for their class accuracy@1 and
               precision@10 in place of recall. Where queries have fewer than k relevant documents, the report's
               `.task` says the best possible precision@k
    resamples  of the bootstrap over queries (measures of 0 and 1 alone have Wilson's interval); 0 for no intervals
    Queries and documents with the prompts of the encoder, where it has `encode_query` and `encode_document`; each
    distinct text is encoded once; cosines are compared in float64. Errors: `KitError` for another kind of task or
    measure, and as `encode_distinct` for an encoder. Lesson 13.
    """
    check_kind("name", name, "str")
    if measures is None:
        measures = OF_CLASSES if task.itself else MEASURES
    if not (measures := list(measures)):
        raise KitError("expected at least one measure, got none: 'ndcg@10' is usual.")
    deepest = max(split_name(measure)[1] for measure in measures)
    if not is_whole(resamples) or resamples != 0:
        whole_number("resamples", resamples, 2, "1,000 are usual, and 0 gives no intervals")
    if not is_finite(confidence) or not 0 < confidence < 1:
        raise KitError(f"expected a confidence between 0 and 1, such as 0.95, got {shown(confidence)}.")
    ranked = rank(system, task, deepest, batch_size, progress)
    rows = [
        measures_of(measures, places, relevant, task.grades(query))
        for query, (places, relevant) in enumerate(zip(ranked, task.relevant, strict=True))
    ]
    by_query = dict(zip(measures, np.array(rows).T, strict=True))
    bounds = [task.best_in_words(k) for kind, k in map(split_name, measures) if kind == "precision"]
    said, name = "; ".join([str(task), *filter(None, bounds)]), name or name_of(system)
    careful = ""
    if isinstance(system, BM25) and (lost := unmatched(task.queries, task.corpus, among_them=bool(task.itself))):
        careful = (
            f"{name} shares no word with a document for {lost:,} of {len(task.queries):,} queries: for these its order "
            "tells nothing."
        )
    return RetrievalReport(name, said, task.fingerprint, by_query, ranked, resamples, seed, confidence, careful)


def rank(system: Any, task: RetrievalTask, k: int, batch_size: int = 64, progress: bool = False) -> np.ndarray:
    """Places in the corpus [queries, min(k, documents)], best first, as `system` ranks them; no query finds itself."""
    if task.itself:
        return _without_itself(rank(system, replace(task, itself=()), k + 1, batch_size, progress), task.itself, k)
    if hasattr(system, "rank") and not hasattr(system, "ndim"):  # frames and series rank their own numbers
        return system.rank(task.queries, task.corpus, k)[1]
    queries, corpus = map(as_unit, encode_sides(system, task.queries, task.corpus, batch_size, progress))
    return top_k(queries, corpus, k)[1]


def _without_itself(ranked: np.ndarray, itself: Sequence[int], k: int) -> np.ndarray:
    """Places [queries, k + 1] without that of the query itself, or without the last one."""
    own = ranked == np.asarray(itself)[:, None]
    own[~own.any(axis=1), -1] = True
    return ranked[~own].reshape(len(ranked), -1)[:, :k]


def name_of(system: Any) -> str:
    """What a system is called in a table."""
    source = getattr(system, "source", None)
    return str(getattr(system, "name", "") or getattr(source, "name", "") or type(system).__name__)
