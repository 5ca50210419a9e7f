"""Smaller vectors: fewer dimensions, bytes or bits instead of floats, and what each costs.

    float32   4 bytes a dimension
    int8      1 byte: a vector by its largest component, rounded to −127 … 127; the cosine does not see the scale
    binary    1 bit: the sign; the cosine of two is 1 − 2 · (differing bits) / dim

Whether fewer dimensions are enough depends on the training (see `kit.retrieval.matryoshka`); it is measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name, shown
from kit.evaluation.encoding import check_encoder, encode_distinct
from kit.evaluation.tables import figure, table
from kit.evaluation.vectors import as_matrix
from kit.number_checks import is_whole, whole_number
from kit.retrieval.retrieval_evaluation import evaluate_retrieval, name_of
from kit.retrieval.retrieval_report import PairedDifference, RetrievalReport, compare_retrieval, shown_interval
from kit.retrieval.retrieval_task import RetrievalTask
from kit.retrieval.two_sides import encode_sides, sides_of

PRECISIONS = ("float32", "int8", "binary")


@checked
def quantise(vectors: Any, precision: str = "int8") -> np.ndarray:
    """Vectors [n, dim] as float32 [n, dim], int8 [n, dim], or bits packed eight in a byte, uint8 [n, ⌈dim / 8⌉].

    Errors: `KitError` for another precision, and what is no finite matrix. Lesson 13.
    """
    check_name("precision", precision, PRECISIONS)
    matrix = as_matrix(vectors)
    if precision == "float32":
        return matrix.astype(np.float32)
    if precision == "binary":
        return np.packbits(matrix > 0, axis=1)
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    return np.rint(127 * matrix / np.where(largest > 0, largest, 1)).astype(np.int8)


@checked
def restored(stored: Any, precision: str, dim: int) -> np.ndarray:
    """What `quantise` stored as float32 [n, dim] again, in the same directions up to rounding: bits become ±1."""
    check_name("precision", precision, PRECISIONS)
    if precision == "binary":
        return 2 * np.unpackbits(stored, axis=1, count=dim).astype(np.float32) - 1
    return np.asarray(stored).astype(np.float32)


class SmallVectors:
    """An encoder whose vectors are cut to `dim` dimensions and stored as `precision`: to be judged, or searched with.

    Lesson 13. Errors: `KitError` for another precision, and a `dim` that is no number of dimensions.
    """

    def __init__(self, encoder: Any, dim: int | None = None, precision: str = "float32") -> None:
        check_encoder(encoder)
        check_name("precision", precision, PRECISIONS)
        if dim is not None and not is_whole(dim, 1):
            raise KitError(f"expected dim as a whole number from 1, or None for all, got {shown(dim)}.")
        self.encoder, self.dim, self.precision = encoder, dim, precision
        self.name = f"{name_of(encoder)}, {dim or 'all'} dimensions, {precision}"

    @checked
    def encode(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> np.ndarray:
        """Vectors [n, dim] as they are after storing. Errors: `KitError` for more dimensions than the encoder has."""
        return self._small(self.encoder, sentences, batch_size, progress)

    @checked
    def encode_query(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> np.ndarray:
        """As `encode`, of queries where the encoder has a way of its own for them."""
        return self._small(sides_of(self.encoder)[0], sentences, batch_size, progress)

    @checked
    def encode_document(self, sentences: list[str], batch_size: int = 64, progress: bool = False) -> np.ndarray:
        """As `encode`, of documents where the encoder has a way of its own for them."""
        return self._small(sides_of(self.encoder)[1], sentences, batch_size, progress)

    def _small(self, encoder: Any, sentences: list[str], batch_size: int, progress: bool) -> np.ndarray:
        vectors, row = encode_distinct(encoder, sentences, batch_size, progress)
        dim = self.dim or vectors.shape[1]
        if dim > vectors.shape[1]:
            raise KitError(f"expected dim up to the encoder's {vectors.shape[1]}, got {dim}: leave it out for all.")
        small = restored(quantise(vectors[:, :dim], self.precision), self.precision, dim)
        return small[[row[text] for text in sentences]]


@dataclass(frozen=True)
class SizeComparison:
    """What `compare_sizes` found: for each size its report and how far it is from the full vectors. Lesson 13.

    rows: (dimensions, precision, bytes a vector, report, difference to the full vector or None for itself).
    """

    measure: str
    rows: tuple[tuple[int, str, int, RetrievalReport, PairedDifference | None], ...]

    def table(self, style: str = "text") -> str:
        """Rows of dimensions, precision, bytes, figure with interval, difference with interval."""
        lines = [("dimensions", "precision", "bytes", self.measure, "interval", "difference", "interval")]
        for dim, precision, size, report, difference in self.rows:
            found = (figure(report[self.measure]), shown_interval(report.intervals()[self.measure]))
            moved = ("–", "–")
            if difference is not None:
                moved = (f"{difference.difference:+.2f}", shown_interval(difference.interval, "+"))
            lines.append((str(dim), precision, f"{size:,}", *found, *moved))
        return table(lines, style)

    def __str__(self) -> str:
        return self.table()


@checked
def compare_sizes(
    encoder: Any,
    task: RetrievalTask,
    dims: Sequence[int] = (128, 64, 32, 16),
    precisions: Sequence[str] = PRECISIONS,
    measure: str = "ndcg@10",
    resamples: int = 1000,
    seed: int = 0,
) -> SizeComparison:
    """Retrieval with fewer dimensions and smaller numbers, each beside the full float32 vectors, query by query.

    Errors: `KitError` for dimensions that the encoder has not, and as `evaluate_retrieval`. Lesson 13.
    """
    dims, precisions = list(dims), list(precisions)
    if not dims or not precisions:
        raise KitError(
            "expected at least one dimension and one precision, got none: 128 and 'float32' are a beginning."
        )
    for dim in dims:
        whole_number("dims", dim, 1, "leave out the others")
    queries, corpus = encode_sides(encoder, task.queries, task.corpus)
    known = _Known(dict(zip(task.queries, queries)), dict(zip(task.corpus, corpus)))
    full = evaluate_retrieval(known, task, [measure], "full", resamples=resamples, seed=seed)
    rows = [(corpus.shape[1], "float32", 4 * corpus.shape[1], full, None)]
    for dim in dims:
        for precision in precisions:
            if (dim, precision) == rows[0][:2]:
                continue
            system = SmallVectors(known, dim, precision)
            report = evaluate_retrieval(system, task, [measure], resamples=resamples, seed=seed)
            size = quantise(np.ones((1, dim)), precision).nbytes
            both = report[measure], full[measure]
            difference = PairedDifference(measure, *both, both[0] - both[1], None, None)
            if resamples:
                difference = compare_retrieval(report, full, resamples, seed)[measure]
            rows.append((dim, precision, size, report, difference))
    return SizeComparison(measure, tuple(rows))


class _Known:
    """Vectors that were computed once, by text."""

    name = "encoder"

    def __init__(self, queries: dict[str, np.ndarray], documents: dict[str, np.ndarray]) -> None:
        self.queries, self.documents = queries, documents

    def encode_query(self, sentences: list[str]) -> np.ndarray:
        return np.stack([self.queries[text] for text in sentences])

    def encode_document(self, sentences: list[str]) -> np.ndarray:
        return np.stack([self.documents[text] for text in sentences])

    encode = encode_document
