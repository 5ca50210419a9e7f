"""Semantic textual similarity: does the cosine order pairs as people do?

The protocol of SentEval and MTEB without a regressor on top: cosine of the two sentence
vectors, Spearman's rank correlation with the gold scores (Reimers, Beyer & Gurevych 2016
on why ranks and not Pearson).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kit.data import STS_TASKS
from kit.errors import KitError
from kit.evaluation.aggregation import aggregate, by_subset
from kit.evaluation.report import StsReport, TaskScore
from kit.evaluation.vectors import as_list, as_matrix, pair_cosines


def evaluate_sts(
    encoder: Any,
    tasks: Any,
    batch_size: int = 64,
    progress: bool = True,
    average_over: Sequence[str] = STS_TASKS,
) -> StsReport:
    """Score an encoder on STS tasks: Spearman ×100 of cosine and gold, in three aggregations.

    encoder       anything with `encode(list[str])` -> [n, dim]; `batch_size` and `progress`
                  (or `show_progress_bar`) are passed on where its signature has them
    tasks         what `load_sts` returns, one StsTask, or several in a list
    average_over  the names whose average the report gives; with one missing there is none

    Each distinct sentence is encoded once over all tasks, in one call, shortest first.
    Cosines are computed in float64 (see `kit.evaluation.vectors`). Raises KitError for no
    task, a name twice, lists of different lengths, scores or vectors that are not finite,
    and an encoder that does not return one vector for each sentence.
    """
    tasks = _checked_tasks(tasks)
    # a string has a method encode too, but one that makes bytes
    if isinstance(encoder, str) or not callable(getattr(encoder, "encode", None)):
        raise KitError(
            f"expected an encoder with a method encode(sentences), but got "
            f"{type(encoder).__name__}: give load_encoder(...) or a SentenceTransformer."
        )
    texts = {text for task in tasks for text in (*task.sentences1, *task.sentences2)}
    sentences = sorted(texts, key=lambda text: (len(text), text))
    vectors = _encode_once(encoder, sentences, batch_size, progress)
    row = {sentence: index for index, sentence in enumerate(sentences)}
    scored = tuple(_score(task, vectors, row) for task in tasks)
    return StsReport(scored, tuple(average_over), len(sentences), vectors.shape[1])


def _checked_tasks(tasks: Any) -> list[Any]:
    """The tasks as a list, if there are some, named apart, with columns of one length."""
    if isinstance(tasks, Mapping):
        tasks = tasks.values()
    tasks = list(tasks) if isinstance(tasks, Iterable) else [tasks]
    if not tasks:
        raise KitError("expected at least one STS task, but got none: choose some with load_sts.")
    for task in tasks:
        if not hasattr(task, "sentences1"):
            raise KitError(
                f"expected STS tasks, but got {type(task).__name__}: give what load_sts returns."
            )
        lengths = [
            len(column) for column in (task.sentences1, task.sentences2, task.scores, task.subsets)
        ]
        if len(set(lengths)) > 1 or not lengths[0]:
            raise KitError(
                f"{task.name} should have as many first sentences as second ones, scores and "
                f"subsets, and at least one, but came with {', '.join(map(str, lengths))}."
            )
        as_list(task.scores, f"gold scores of {task.name}")
    names = [task.name for task in tasks]
    if len(set(names)) < len(names):
        raise KitError(f"expected each STS task once, but got {', '.join(names)}: drop the double.")
    return tasks


def _encode_once(encoder: Any, sentences: list[str], batch_size: int, progress: bool) -> np.ndarray:
    """The vectors [n, dim] of `sentences` from one call of `encoder.encode`."""
    wishes = {"batch_size": batch_size, "progress": progress, "show_progress_bar": progress}
    known = inspect.signature(encoder.encode).parameters
    options = {name: value for name, value in wishes.items() if name in known}
    vectors = as_matrix(encoder.encode(sentences, **options))
    if len(vectors) != len(sentences):
        raise KitError(
            f"expected one vector for each of {len(sentences)} sentences, but the encoder "
            f"returned {len(vectors)}."
        )
    return vectors


def _score(task: Any, vectors: np.ndarray, row: dict[str, int]) -> TaskScore:
    """One task, given all vectors [n, dim] and the row of each sentence in them."""
    first = vectors[[row[text] for text in task.sentences1]]  # [pairs, dim]
    second = vectors[[row[text] for text in task.sentences2]]
    cosines = pair_cosines(first, second)
    parts = by_subset(cosines, task.scores, task.subsets)
    zero = int((~first.any(axis=1) | ~second.any(axis=1)).sum())
    return TaskScore(
        name=task.name,
        pairs=len(task.scores),
        scores=aggregate(cosines, task.scores, task.subsets),
        subsets=parts,
        source=task.source,
        notes=_notes(task, cosines, parts, zero),
    )


def _notes(task: Any, cosines: np.ndarray, parts: Sequence[Any], zero: int) -> tuple[str, ...]:
    """Sentences on what a reader of the figures has to know."""
    notes = []
    if zero:
        notes.append(
            f"{task.name}: {zero} of {len(cosines)} pairs have a sentence with a zero vector; "
            "their cosine counts as 0."
        )
    labels = np.array(list(task.subsets), dtype=object)
    for part in parts:
        if part.spearman is None:
            rows = labels == part.name
            flat = len(np.unique(cosines[rows])) < 2
            what = "cosines" if flat else "gold scores"
            where = task.name if len(parts) == 1 else f"{task.name} ({part.name})"
            notes.append(
                f"{where}: the correlation is undefined, because its {part.pairs} pairs do not "
                f"have two different {what}."
            )
    return tuple(notes)
