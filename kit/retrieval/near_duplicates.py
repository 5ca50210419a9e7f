"""Pairs of texts that mean nearly the same, and a collection without them.

deduplicate goes through the texts in their order and keeps each that is not too near to one already kept (SemDeDup,
Abbas et al. 2023, keeps one of each cluster; here every text left out has a kept one as near as the threshold says).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from kit.checks.argument_checks import checked
from kit.checks.sentences import check_sentences
from kit.errors import KitError, shown
from kit.evaluation.tables import table
from kit.number_checks import is_finite
from kit.retrieval.exact_search import DOUBT
from kit.retrieval.vector_index import encode_in_chunks

ROWS, COLUMNS = 1024, 8192  # of a block of cosines
MOST = 5_000_000  # pairs: more is a threshold too low for the encoder, and would fill the memory


@dataclass(frozen=True)
class Duplicate:
    """A text that was left out (its place), and the kept one that stands for it; their cosine."""

    place: int
    kept: int
    score: float


@dataclass(frozen=True, repr=False)
class Deduplicated:
    """What `deduplicate` kept and left out, as places in the texts it was given. Lesson 13."""

    texts: tuple[str, ...]
    kept: tuple[int, ...]
    left_out: tuple[Duplicate, ...]
    threshold: float

    def __repr__(self) -> str:
        return f"Deduplicated({self.summary()})"

    def kept_texts(self) -> list[str]:
        return [self.texts[place] for place in self.kept]

    def summary(self) -> str:
        """One sentence: how many stay, how many go, and how many of these are word for word the same."""
        same = sum(self.texts[one.place] == self.texts[one.kept] for one in self.left_out)
        return (
            f"{len(self.kept):,} of {len(self.texts):,} texts stay at a cosine below {self.threshold:g}; "
            f"{len(self.left_out):,} go, {same:,} of them word for word the same as one that stays."
        )

    def table(self, rows: int = 10, style: str = "text") -> str:
        """Texts that were left out though not the same word for word, the doubtful ones (lowest cosine) first."""
        others = [one for one in self.left_out if self.texts[one.place] != self.texts[one.kept]]
        lines = [("left out", "kept", "cosine")]
        for one in sorted(others, key=lambda one: one.score)[:rows]:
            lines.append((self.texts[one.place][:60], self.texts[one.kept][:60], f"{one.score:.3f}"))
        return table(lines, style)


def near_pairs(vectors: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """(pairs int64 [m, 2] with the smaller place first, cosines float64 [m]) of unit vectors [n, dim], in order.

    Errors: `KitError` for a threshold not above −1 and up to 1, and one that more than `MOST` pairs reach.
    """
    if not is_finite(threshold) or not -1 < threshold <= 1:
        raise KitError(
            f"expected the threshold as a cosine above −1 and up to 1, got {shown(threshold)}: 0.95 is strict."
        )
    whole, found, count = torch.from_numpy(np.ascontiguousarray(vectors)), [], 0
    for start in range(0, len(whole), ROWS):
        rows = whole[start : start + ROWS]
        for column in range(start, len(whole), COLUMNS):
            near = (rows @ whole[column : column + COLUMNS].T >= threshold - DOUBT).nonzero()
            near += torch.tensor([start, column])
            found.append(near[near[:, 0] < near[:, 1]].numpy())
            count += len(found[-1])
            if count > MOST:
                raise KitError(
                    f"expected at most {MOST:,} near pairs, got more at a cosine of {threshold:g} or above: raise the "
                    "threshold (an encoder whose vectors lie in a narrow cone needs a high one, or training)."
                )
    pairs = np.concatenate([*found, np.empty((0, 2), dtype=np.int64)])
    cosines = np.empty(len(pairs))
    for start in range(0, len(pairs), ROWS * 64):
        one, other = (vectors[pairs[start : start + ROWS * 64, side]].astype(float) for side in (0, 1))
        cosines[start : start + ROWS * 64] = (one * other).sum(axis=1)
    # equal vectors may have a product a little below 1
    real = cosines >= min(threshold, 1 - 1e-6)
    order = np.lexsort((pairs[real][:, 1], pairs[real][:, 0]))
    return pairs[real][order], cosines[real][order]


@checked
def deduplicate(
    encoder: Any, texts: Sequence[str], threshold: float = 0.95, batch_size: int = 64, progress: bool = False
) -> Deduplicated:
    """Leave out every text whose cosine with one kept before it is `threshold` or more; the first of each stays.

    What is right for a threshold depends on the encoder: look at `table()` before texts are thrown away. Errors:
    `KitError` for texts that cannot be encoded, and as `near_pairs`. Lesson 13.
    """
    texts = check_sentences(texts, cut=False)
    distinct = {text: place for place, text in reversed(list(enumerate(texts)))}
    first = np.array(sorted(distinct.values()))  # copies need no vector: the first of them stands for all
    pairs, cosines = near_pairs(encode_in_chunks(encoder, [texts[i] for i in first], batch_size, progress), threshold)
    pairs = first[pairs]
    stands_for: dict[int, tuple[int, float]] = {}
    by_later = np.lexsort((pairs[:, 0], pairs[:, 1]))
    for (earlier, later), cosine in zip(pairs[by_later].tolist(), cosines[by_later].tolist(), strict=True):
        if earlier not in stands_for and cosine > stands_for.get(later, (0, -2.0))[1]:
            stands_for[later] = (earlier, cosine)
    left_out = []
    for place, text in enumerate(texts):
        if distinct[text] != place:
            kept, score = stands_for.get(distinct[text], (distinct[text], 1.0))
            left_out.append(Duplicate(place, kept, score))
        elif place in stands_for:
            left_out.append(Duplicate(place, *stands_for[place]))
    gone = {one.place for one in left_out}
    kept = tuple(place for place in range(len(texts)) if place not in gone)
    return Deduplicated(tuple(texts), kept, tuple(left_out), float(threshold))
