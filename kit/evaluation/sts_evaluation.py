"""Semantic textual similarity: does the cosine order pairs as people do?

The protocol of SentEval and MTEB without a regressor on top: cosine of the two sentence vectors, Spearman's rank
correlation with the gold scores (Reimers, Beyer & Gurevych 2016 on why ranks and not Pearson). Dot product, Euclidean
distance and Pearson's correlation are there to be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kit.checks.argument_checks import checked
from kit.data import STS_TASKS
from kit.errors import check_name
from kit.evaluation.encoding import check_encoder, encode_distinct
from kit.evaluation.intervals import with_intervals
from kit.evaluation.pair_scores import score_pairs, task_score
from kit.evaluation.reports import check_tasks, names_of
from kit.evaluation.sts_report import StsReport
from kit.evaluation.vectors import CORRELATIONS, SIMILARITIES, as_list
from kit.number_checks import is_whole, whole_number


@checked
def evaluate_sts(
    encoder: Any,
    tasks: Any,
    batch_size: int = 64,
    progress: bool = True,
    average_over: Sequence[str] = STS_TASKS,
    resamples: int = 0,
    seed: int = 0,
) -> StsReport:
    """Score an encoder on STS tasks: Spearman ×100 of cosine and gold, in three aggregations.

    encoder       anything with `encode(list[str])` -> [n, dim]; `batch_size` and `progress`
                  (or `show_progress_bar`) are passed on where its signature has them
    tasks         what `load_sts` returns, one StsTask, or several in a list
    average_over  the names whose average the report gives; with one missing there is none
    resamples     1000 gives every figure its 95 % bootstrap interval, drawn by `seed`; 0 none
                  (`with_intervals` adds them later, `rescore` changes similarity or correlation)

    Each distinct sentence is encoded once over all tasks, in one call, shortest first. Cosines are computed in float64
    (see `kit.evaluation.vectors`). Raises KitError for no task, a name twice, lists of different lengths, scores or
    vectors that are not finite, and an encoder that does not return one vector for each sentence. Lesson 01.
    """
    tasks = check_tasks(tasks, "STS", ("sentences1", "sentences2", "scores", "subsets"))
    for task in tasks:
        as_list(task.scores, f"gold scores of {task.name}")
    check_encoder(encoder)
    if not is_whole(resamples) or resamples != 0:
        whole_number("resamples", resamples, 2, "1,000 are usual, and 0 gives no intervals")
    texts = (text for task in tasks for text in (*task.sentences1, *task.sentences2))
    vectors, row = encode_distinct(encoder, texts, batch_size, progress)
    scores = []
    for task in tasks:
        scored = score_pairs(task, vectors, row)
        scores.append(task_score(task.name, task.source, scored, "cosine", "spearman"))
    report = StsReport(tuple(scores), names_of(average_over), len(row), vectors.shape[1])
    return with_intervals(report, resamples, seed) if resamples else report


@checked
def rescore(report: StsReport, similarity: str = "cosine", correlation: str = "spearman") -> StsReport:
    """The same vectors judged by another similarity or another correlation, without intervals.

    similarity   "cosine", "dot" or "euclidean"
    correlation  "spearman" or "pearson"
    Raises KitError for another name.
    """
    check_name("similarity", similarity, SIMILARITIES)
    check_name("correlation", correlation, CORRELATIONS)
    tasks = tuple(task_score(task.name, task.source, task.scored, similarity, correlation) for task in report.tasks)
    return replace(report, tasks=tasks, similarity=similarity, correlation=correlation, average_intervals=None)
