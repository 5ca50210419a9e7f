"""How an encoder does on scored pairs while it is being trained: what runs and live training report on the way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kit.errors import KitError
from kit.evaluation import Geometry, geometry, pair_cosines, spearman
from kit.storage.atomic import write_atomically
from kit.workshop.records import RECORD

VALIDATED = "validation.json"  # beside the checkpoints of a run: what its figures are of
CLOSE = 4.0  # pairs that people scored at least so high count as positives for the alignment


@dataclass(frozen=True)
class PairEvaluation:
    """spearman: of cosines and gold scores, × 100, 0 where it is undefined.

    geometry and vectors [scored, dim]: of the distinct sentences of the pairs. other_vectors [texts, dim]: of the other
    sentences asked for.
    """

    spearman: float
    geometry: Geometry
    vectors: np.ndarray
    other_vectors: np.ndarray


def described(task) -> dict[str, str]:
    """For the record of a run: "validated_on", a sentence, and "measure", what its validation is."""
    if hasattr(task, "described"):
        return {"validated_on": task.described, "measure": task.measure}
    source = getattr(task, "source", None)  # one's own pairs may have none
    said = f"{source.summary()} " if source else ""
    return {"validated_on": f"{said}{len(task.scores):,} scored pairs.", "measure": "Spearman × 100"}


def measure_pairs(encoder, pairs, other_texts: Sequence[str] = ()) -> PairEvaluation:
    """Encode scored pairs (`sentences1`, `sentences2`, `scores`), and other sentences with them, and measure the pairs.

    Pairs with a score of `CLOSE` or more are the positives of the alignment (Wang & Isola 2020).
    """
    scored = dict.fromkeys([*pairs.sentences1, *pairs.sentences2])
    row = {text: i for i, text in enumerate(dict.fromkeys([*scored, *other_texts]))}
    vectors = encoder.encode(list(row), batch_size=128).numpy()  # [texts, dim]
    first, second = ([row[text] for text in side] for side in (pairs.sentences1, pairs.sentences2))
    positives = [(i, j) for i, j, score in zip(first, second, pairs.scores) if score >= CLOSE and i != j]
    return PairEvaluation(
        100 * (spearman(pair_cosines(vectors[first], vectors[second]), pairs.scores) or 0.0),
        geometry(vectors[: len(scored)], pairs=positives or None),
        vectors[: len(scored)],
        vectors[[row[text] for text in other_texts]],
    )


def validate(encoder, task) -> dict[str, float]:
    """ "validation": Spearman × 100 on a scored task; "mean_cosine": of the task's sentences.

    A task that judges by itself (`kit.owndata.OwnValidation`) has a method `validate`, and a `measure` of its own.
    Lesson 09.
    """
    if hasattr(task, "validate"):
        return task.validate(encoder)
    found = measure_pairs(encoder, task)
    return {"validation": found.spearman, "mean_cosine": found.geometry.mean_cosine}


def keep_to_validation(folder: Path, task, history: Sequence[dict]) -> None:
    """Note in the folder of a run what it is validated on, None for nothing. Errors: `KitError` where its steps so far
    were validated on something else, or on nothing: the best of figures of two kinds is the best of none."""
    file = folder / VALIDATED
    if task is None and not (history and file.exists()):
        return
    now = {"validated_on": "nothing."} if task is None else {**described(task), "rows": _fingerprint(task)}
    try:
        before = json.loads(file.read_text("utf-8")) if file.exists() else None
        if file.exists() and not (isinstance(before, dict) and "validated_on" in before):
            raise ValueError("it holds something else")
    except (OSError, ValueError, RecursionError) as error:
        raise KitError(
            f"expected {file} to say what the run is validated on, but it cannot be read ({error}): put it back from a "
            "copy, or take another folder for a new run."
        ) from error
    if before is None and history and not any("validation" in step for step in history):
        before = {"validated_on": "nothing."}
    if before is not None and before != now:
        measures = [one.get("measure") for one in (before, now)]
        named = all(measures) and len(set(measures)) > 1  # the rows may be the same
        was, of = (f"{one.get('measure')}, on " * named + one["validated_on"] for one in (before, now))
        raise KitError(
            f"expected the run {folder.name} to go on with the validation that it began with, got another (before: "
            f"{was} Now: {of}): give that one, or another folder for a new run."
        )
    write_atomically(file, json.dumps(now))


def measure_of(folder: Path) -> str:
    """By which measure the run in a folder has been validated until now; "" where none is noted."""
    file = folder / (VALIDATED if (folder / VALIDATED).exists() else RECORD)  # the first runs had their record alone
    try:
        noted = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):  # of a damaged one `keep_to_validation` says it
        return ""
    return str(noted.get("measure", "")) if isinstance(noted, dict) else ""


def _fingerprint(task) -> str:
    """A hash of the rows of scored pairs, or of data of one's own; a task of another kind may have none."""
    held = getattr(task, "data", task)
    rows = [list(getattr(held, name, ())) for name in ("rows", "sentences1", "sentences2", "scores")]
    return hashlib.sha256(repr(rows).encode("utf-8", "replace")).hexdigest()[:12]
