"""Transfer: what a linear classifier can read from frozen embeddings.

The protocol of SentEval (Conneau & Kiela 2018): sentences are encoded once and the encoder is
not trained; a logistic regression (see `kit.evaluation.logistic`) is fitted to the vectors of
the training rows and counts how many held-out rows it gets right. Cosines see only directions
that matter to similarity; a classifier may use any direction, so both are needed.

Not as in SentEval: features are scaled; the penalty is chosen in five folds, not in as many as outside;
SST-2 is fitted to its 6,920 whole sentences, not to 67,000 phrases, and MRPC without the 500 rows that
choose the penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.data.transfer_tasks import TRANSFER_TASKS, load_transfer
from kit.evaluation.encoding import check_encoder, encode_distinct
from kit.evaluation.logistic import Protocol, comparison_features, predict_held_out
from kit.evaluation.pair_classification import binary_scores
from kit.evaluation.reports import check_tasks, names_of
from kit.evaluation.transfer_report import TransferReport, TransferScore
from kit.storage.result_cache import ResultCache, content_hash


@checked
def evaluate_transfer(
    encoder: Any,
    tasks: Any = None,
    cache: Any = None,
    progress: bool = True,
    protocol: Protocol | None = None,
    batch_size: int = 64,
    average_over: Sequence[str] = TRANSFER_TASKS,
) -> TransferReport:
    """Score an encoder on transfer tasks: accuracy ×100 of a classifier on frozen embeddings.

    encoder       anything with `encode(list[str])` -> [n, dim]
    tasks         what `load_transfer` returns, one TransferTask, or several in a list; None:
                  the eight tasks, as far as they are at hand
    cache         a folder that keeps each task's result by a hash of vectors, labels and
                  protocol: a second call classifies only what is missing
    protocol      folds and strengths (see `Protocol`)
    average_over  the names whose average the report gives; with one missing there is none

    Raises KitError for no task, a task twice, columns of different lengths, vectors that are
    not finite, a task with too few rows for its folds, and a cache folder that cannot be written. Lesson 10.
    """
    from tqdm.auto import tqdm

    check_encoder(encoder)
    tasks = load_transfer() if tasks is None else tasks
    tasks = check_tasks(tasks, "transfer", ("texts", "seconds", "labels", "splits"))
    protocol, results, scores = protocol or Protocol(), ResultCache(cache), []
    models = sum(_models(task, protocol) for task in tasks)
    with closing(tqdm(total=models, desc="transfer", unit=" models", leave=False, disable=not progress)) as bar:
        for task in tasks:
            bar.set_description(f"encode {task.name}")
            features = _features(encoder, task, batch_size)
            bar.set_description(f"classify {task.name}")
            scores.append(_score(task, features, protocol, results, bar))
        bar.set_description("transfer")
    return TransferReport(tuple(scores), names_of(average_over))


def _models(task: Any, protocol: Protocol) -> int:
    return protocol.folds if set(task.splits) == {"all"} else 1


def _features(encoder: Any, task: Any, batch_size: int) -> np.ndarray:
    """float64 [rows, dim], of pairs [rows, 2·dim]; each distinct text of the task is encoded once."""
    vectors, row = encode_distinct(
        encoder, [*task.texts, *(() if task.seconds is None else task.seconds)], batch_size, progress=False
    )
    first = vectors[[row[text] for text in task.texts]]
    if task.seconds is None:
        return first
    return comparison_features(first, vectors[[row[text] for text in task.seconds]])


def _score(task: Any, features: np.ndarray, protocol: Protocol, results: ResultCache, bar: Any) -> TransferScore:
    """One task's figures, from the cache or computed and cached."""
    import sklearn

    labels, splits = np.asarray(task.labels).tolist(), list(task.splits)
    ingredients = (features, labels, splits, asdict(protocol), sklearn.__version__)
    key = content_hash("transfer 1", task.name, *ingredients)
    figures = results.get(key)
    if figures is None:
        figures = _classify(task, features, protocol, bar)
        results.put(key, figures)
    else:
        bar.update(_models(task, protocol))
    flat = bool((features == features[0]).all())
    return TransferScore(
        name=task.name,
        rows=len(task),
        classes=len(task.classes),
        sources=task.sources,
        made_up=task.made_up,
        notes=_notes(task.name, figures, flat),
        **figures,
    )


def _classify(task: Any, features: np.ndarray, protocol: Protocol, bar: Any) -> dict[str, Any]:
    """The figures to cache: plain numbers and lists."""
    labels = np.array(task.labels)
    predicted = predict_held_out(features, labels, task.splits, protocol, step=bar.update)
    gold = labels[predicted.rows]
    return {
        "accuracy": 100 * float((predicted.labels == gold).mean()),
        "f1": binary_scores(predicted.labels.tolist(), gold.tolist()).f1 if task.seconds is not None else None,
        "largest_class": 100 * float(np.unique(gold, return_counts=True)[1].max() / len(gold)),
        "tested": len(gold),
        "protocol": f"{protocol.folds}-fold" if _models(task, protocol) > 1 else "test split",
        "strengths": list(predicted.strengths),
        "not_converged": predicted.not_converged,
    }


def _notes(name: str, figures: dict[str, Any], flat: bool) -> tuple[str, ...]:
    notes = []
    if flat:
        notes.append(f"{name}: all rows have the same features, so that a classifier can only name one class.")
    if figures["not_converged"]:
        notes.append(
            f"{name}: {figures['not_converged']} of {len(figures['strengths'])} classifiers stopped before "
            "they converged."
        )
    return tuple(notes)
