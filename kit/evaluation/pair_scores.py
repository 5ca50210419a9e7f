"""One STS task with the similarities of its pairs, from which every figure of it follows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.data.sts_tasks import STS_YEARS
from kit.evaluation.aggregation import SubsetScore, aggregate, by_subset
from kit.evaluation.sts_report import TaskScore
from kit.evaluation.vectors import pair_similarities

PLURAL = {"cosine": "cosines", "dot": "dot products", "euclidean": "distances"}


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """The similarities that an encoder gives a task's pairs, and the gold scores that people gave them.

    similarities  name in `SIMILARITIES` -> float64 [pairs]; gold: float64 [pairs]
    zero          pairs with a sentence whose vector is zero
    fingerprint   of the sentences, scores and subsets: two systems with the same one were
                  scored on the same pairs in the same order
    """

    similarities: dict[str, np.ndarray]
    gold: np.ndarray
    subsets: tuple[str, ...]
    zero: int
    fingerprint: str


def score_pairs(task: Any, vectors: np.ndarray, row: dict[str, int]) -> ScoredPairs:
    """The similarities of one task's pairs, given all vectors [n, dim] and the row of each text."""
    first = vectors[[row[text] for text in task.sentences1]]  # [pairs, dim]
    second = vectors[[row[text] for text in task.sentences2]]
    zero = int((~first.any(axis=1) | ~second.any(axis=1)).sum())
    columns = (task.sentences1, task.sentences2, task.subsets)
    # as lists of plain texts: `repr` abbreviates an array
    first_texts, second_texts, subsets = ([str(t) if isinstance(t, str) else t for t in column] for column in columns)
    content = repr((first_texts, second_texts, list(map(float, task.scores)), subsets))
    fingerprint = hashlib.sha256(content.encode()).hexdigest()[:12]
    gold = np.asarray(task.scores, dtype=np.float64)
    return ScoredPairs(pair_similarities(first, second), gold, tuple(task.subsets), zero, fingerprint)


def task_score(name: str, source: Any, scored: ScoredPairs, similarity: str, correlation: str) -> TaskScore:
    """The figures of one task by one similarity and one correlation."""
    values = scored.similarities[similarity]
    parts = by_subset(values, scored.gold, scored.subsets)
    return TaskScore(
        name=name,
        pairs=len(scored.gold),
        scores=aggregate(values, scored.gold, scored.subsets, correlation),
        subsets=parts,
        source=source,
        notes=(*_notes(name, scored, similarity, parts), *_without_subsets(name, source, parts)),
        scored=scored,
    )


def _without_subsets(name: str, source: Any, parts: Sequence[SubsetScore]) -> tuple[str, ...]:
    """What to say of STS12 to 16 from a copy without their subsets; those of the Hub have none."""
    if name not in STS_YEARS or [part.name for part in parts] != [name] or getattr(source, "is_fallback", True):
        return ()
    return (
        "This copy of STS12–16 does not say which subset a pair is from, so mean and wmean are the same as all: do not "
        "set them beside published ones.",
    )


def _notes(name: str, scored: ScoredPairs, similarity: str, parts: Sequence[SubsetScore]) -> tuple[str, ...]:
    """Remarks on zero vectors and undefined correlations, one sentence each."""
    notes = []
    if scored.zero and similarity == "cosine":
        notes.append(
            f"{name}: {scored.zero} of {len(scored.gold)} pairs have a sentence with a zero vector; "
            "their cosine counts as 0."
        )
    values, labels = scored.similarities[similarity], np.array([str(name) for name in scored.subsets], dtype=object)
    for part in parts:
        if part.spearman is None:
            flat = len(np.unique(values[labels == part.name])) < 2
            what = PLURAL[similarity] if flat else "gold scores"
            where = name if len(parts) == 1 else f"{name} ({part.name})"
            notes.append(
                f"{where}: the correlation is undefined, because its {part.pairs} pairs do not "
                f"have two different {what}."
            )
    return tuple(notes)
