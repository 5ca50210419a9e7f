"""Cosines, other similarities and correlations of vectors, as STS and geometry use them.

Everything is computed in float64, whatever precision the vectors come in. A rank correlation only looks at the order
of the cosines, and low precision destroys order: near 1, bfloat16 has steps of 0.004, so that in a collapsed space
(all cosines between 0.9 and 1) thousands of pairs would be tied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kit.errors import KitError

# float64 rounding moves a cosine by about 1e-16 and float32 vectors cannot tell apart
# what differs by less than about 1e-7: digits beyond the twelfth are noise.
DECIMALS = 12
BLOCK = 1024  # rows worked on at a time: what a core's cache holds; more take several times as long each
SIMILARITIES = ("cosine", "dot", "euclidean")
CORRELATIONS = ("spearman", "pearson")


def as_matrix(vectors: Any, least: int = 1) -> np.ndarray:
    """`vectors` (tensor, array or lists) as a float64 array [n, dim].

    Raises KitError unless it has two axes, at least `least` rows and one column, and only finite numbers.
    """
    matrix = as_array(vectors, "embeddings", "numbers of shape [n, dim]")
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise KitError(
            f"expected embeddings of shape [n, dim], but they came with shape "
            f"{list(matrix.shape)}: give one row for each sentence."
        )
    if len(matrix) < least:
        raise KitError(
            f"expected at least {least} embeddings, but {len(matrix)} came: give the vectors of more sentences."
        )
    broken = ~np.isfinite(matrix).all(axis=1)
    if broken.any():
        raise KitError(
            f"expected finite embeddings, but {broken.sum()} of {len(matrix)} hold NaN or "
            f"infinity (row {broken.argmax()} first): look for a training run that diverged."
        )
    return matrix


def as_array(values: Any, what: str, shape: str) -> np.ndarray:
    """A tensor, an array or lists as a float64 array; raises KitError where they are not numbers."""
    try:
        if hasattr(values, "detach"):  # a torch tensor of any device; bfloat16 is unknown to NumPy
            values = values.detach().cpu()
            values = (values if values.is_complex() else values.double()).numpy()
        if np.iscomplexobj(values):
            raise TypeError("they are complex")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:  # the last of a meta tensor
        said = str(error).rstrip(".!")
        raise KitError(f"expected {what} as {shape}, but they cannot be read as such: {said}.") from error


def unit_rows(vectors: Any, least: int = 1) -> np.ndarray:
    """The rows [n, dim] at length 1, in float64; a zero vector has no direction and stays zero.

    Raises KitError as `as_matrix` does.
    """
    matrix = as_matrix(vectors, least)
    unit = np.empty_like(matrix)
    for start in range(0, len(matrix), BLOCK):
        rows = matrix[start : start + BLOCK]
        largest = np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.where(largest > 0, largest, 1)  # first, so that squares neither over- nor underflow
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        unit[start : start + BLOCK] = rows / np.where(length > 0, length, 1)
    return unit


def cosine_matrix(embeddings: Any) -> np.ndarray:
    """The cosine of every row with every row, float64 [n, n], within [-1, 1].

    A zero vector has cosine 0 with everything, also with itself. Raises KitError for
    embeddings that are not a finite [n, dim]. Lesson 01.
    """
    unit = unit_rows(embeddings)
    return np.clip(unit @ unit.T, -1.0, 1.0)


def pair_cosines(vectors1: Any, vectors2: Any) -> np.ndarray:
    """The cosine of row k of `vectors1` with row k of `vectors2`, float64 [n].

    Rounded to 12 decimals: rounding noise would otherwise rank pairs that are equally similar, such as all pairs of
    identical sentences, or all pairs in a space where every vector is the same. With a zero vector it counts as 0.

    Raises KitError for different shapes and for what is not a finite [n, dim]. Lesson 02.
    """
    first, second = same_shape(as_matrix(vectors1), as_matrix(vectors2))
    cosines = np.empty(len(first))
    for start in range(0, len(first), BLOCK):
        unit1, unit2 = (unit_rows(rows[start : start + BLOCK]) for rows in (first, second))
        cosines[start : start + BLOCK] = (unit1 * unit2).sum(axis=1)
    return np.clip(cosines, -1.0, 1.0).round(DECIMALS)


def pair_similarities(vectors1: Any, vectors2: Any) -> dict[str, np.ndarray]:
    """Three similarities of row k of `vectors1` with row k of `vectors2`, each float64 [n].

    cosine     as `pair_cosines`
    dot        the dot product, which also sees how long the vectors are
    euclidean  the negative Euclidean distance, so that more is nearer as with the others
    All are rounded to 12 digits of the largest, for the reason given at `pair_cosines`, and raise KitError as it does.
    """
    first, second = same_shape(as_matrix(vectors1), as_matrix(vectors2))
    return {
        "cosine": pair_cosines(first, second),
        "dot": _rounded((first * second).sum(axis=1)),
        "euclidean": _rounded(-np.linalg.norm(first - second, axis=1)),
    }


def same_shape(vectors1: np.ndarray, vectors2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both as they are; raises KitError where their shapes differ."""
    if vectors1.shape != vectors2.shape:
        raise KitError(
            f"expected two sets of vectors of one shape, but got {list(vectors1.shape)} and "
            f"{list(vectors2.shape)}: give row k of both for pair k."
        )
    return vectors1, vectors2


def _rounded(values: np.ndarray) -> np.ndarray:
    largest = np.abs(values).max(initial=0)
    return (values / largest).round(DECIMALS) * largest if largest > 0 else values


def spearman(predicted: Any, gold: Any) -> float | None:
    """Spearman's rank correlation of two lists [n], in -1 to 1; ties share their mean rank.

    None where it is undefined: with fewer than two different values on either side there is no order to compare.
    Raises KitError for different lengths, for more than one axis, and for numbers that are not finite. Lesson 02.
    """
    predicted, gold = _matched(predicted, gold)
    if len(np.unique(predicted)) < 2 or len(np.unique(gold)) < 2:
        return None
    from scipy.stats import spearmanr

    return float(spearmanr(predicted, gold).statistic)


def pearson(predicted: Any, gold: Any) -> float | None:
    """Pearson's correlation of two lists [n], in -1 to 1: whether they lie on a line.

    None and KitError as for `spearman`. Lesson 10.
    """
    predicted, gold = _matched(predicted, gold)
    if len(np.unique(predicted)) < 2 or len(np.unique(gold)) < 2:
        return None
    first, second = predicted - predicted.mean(), gold - gold.mean()
    # each by its largest first, so that squares neither over- nor underflow
    first, second = first / np.abs(first).max(), second / np.abs(second).max()
    return float(np.clip(first @ second / np.sqrt((first @ first) * (second @ second)), -1, 1))


def _matched(predicted: Any, gold: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both as float64 [n]; raises KitError where they are not equally long."""
    predicted, gold = as_list(predicted, "predictions"), as_list(gold, "gold scores")
    if len(predicted) != len(gold):
        raise KitError(
            f"expected one prediction for each gold score, but got {len(predicted)} and "
            f"{len(gold)}: give both for every pair."
        )
    return predicted, gold


def as_list(numbers: Any, what: str) -> np.ndarray:
    """`numbers` as float64 [n]; raises KitError, naming `what`, unless they are finite."""
    row = as_array(numbers, what, "a list of numbers")
    if row.ndim != 1:
        raise KitError(f"expected {what} as a list of numbers, but they came with shape {list(row.shape)}.")
    if not np.isfinite(row).all():
        bad = int((~np.isfinite(row)).argmax())
        raise KitError(f"expected finite {what}, but number {bad} is {row[bad]}: correct or drop it.")
    return row
