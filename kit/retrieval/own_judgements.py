"""An encoder judged on one's own triplets and scored pairs, beside retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.checks.argument_checks import check_kind, checked, is_list
from kit.data.sts_tasks import StsTask
from kit.errors import KitError, shown
from kit.evaluation import Interval, StsReport, evaluate_sts, pair_similarities
from kit.number_checks import is_finite
from kit.retrieval.retrieval_report import shown_interval
from kit.retrieval.two_sides import encode_sides
from kit.retrieval.wilson import wilson_interval


@dataclass(frozen=True, eq=False)
class TripletReport:
    """How often the positive is nearer to the anchor than the negative is. Lesson 13.

    right: bool [triplets]; ties: triplets whose two similarities are equal, which count as wrong; accuracy ×100.
    """

    right: np.ndarray
    ties: int
    accuracy: float
    interval: Interval | None

    def __str__(self) -> str:
        ties = f"; {self.ties:,} ties count as wrong" if self.ties else ""
        figure = f"{self.accuracy:.2f} [{shown_interval(self.interval)}]"
        return f"triplet accuracy {figure} on {len(self.right):,} triplets{ties}"


@checked
def evaluate_triplets(
    encoder: Any,
    triplets: Any,
    similarity: str = "cosine",
    margin: float = 0.0,
    with_interval: bool = True,
    batch_size: int = 64,
    progress: bool = False,
) -> TripletReport:
    """Accuracy on (anchor, positive, negative) texts, with Wilson's interval over triplets.

    triplets: three texts a row, or dicts with the keys anchor, positive and negative (with other keys: in their order).
    A triplet is right where sim(anchor, positive) > sim(anchor, negative) + margin: the same figure as that of
    sentence-transformers' TripletEvaluator, anchors with the prompt of queries where the encoder has one, the others
    with that of documents. similarity: "cosine", "dot" or "euclidean". Errors: `KitError` for rows that are no
    triplets. Lesson 13.
    """
    if not is_list(triplets):
        raise KitError(
            f"expected triplets as a list of three texts a row, got {shown(triplets)}: give a list, of data that were "
            "read list(data.rows)."
        )
    remedy = "give its .triplets()" if hasattr(triplets, "triplets") else "give three texts a row"
    triplets = list(triplets)
    if strange := [row for row in triplets if not isinstance(row, dict | tuple | list)]:
        raise KitError(f"expected triplets of anchor, positive and negative, got {shown(strange[0])}: {remedy}.")
    rows = [_texts(row) if isinstance(row, dict) else tuple(row) for row in triplets]
    if not rows or any(len(row) != 3 for row in rows):
        wrong = next((row for row in rows if len(row) != 3), None)
        came = "none" if wrong is None else f"a row with {len(wrong)} parts"
        raise KitError(f"expected triplets of anchor, positive and negative, got {came}: give three texts a row.")
    if not is_finite(margin):
        raise KitError(f"expected the margin as a number, got {shown(margin)}: 0 is usual.")
    first, *others = zip(*rows, strict=True)
    anchors, both = encode_sides(encoder, first, [text for column in others for text in column], batch_size, progress)
    # Both sides in one call, which rounds them alike: the same text twice must be a tie.
    found = pair_similarities(np.concatenate([anchors, anchors]), both)
    if similarity not in found:
        raise KitError(f"expected similarity as one of {', '.join(found)}, got {shown(similarity)}: 'cosine' is usual.")
    near, far = np.split(found[similarity], 2)
    right = near > far + margin
    share = float(right.mean())
    interval = wilson_interval(share, len(right)) if len(right) > 1 and with_interval else None
    return TripletReport(right, int(((near == far) & ~right).sum()), 100 * share, interval)


def _texts(row: dict) -> tuple:
    """The texts of a triplet by their names, or in the order of the keys where these are others."""
    names = ("anchor", "positive", "negative")
    return tuple(row[name] for name in names) if row.keys() >= set(names) else tuple(row.values())


@checked
def evaluate_pairs(
    encoder: Any,
    first: Sequence[str],
    second: Sequence[str],
    scores: Sequence,
    name: str = "own pairs",
    resamples: int = 1000,
    seed: int = 0,
    batch_size: int = 64,
    progress: bool = False,
) -> StsReport:
    """Spearman's correlation of cosine and one's own scores, as `evaluate_sts` gives it for the published tasks.

    scores: numbers of any scale, for only their order counts. Errors: `KitError` for lists of different lengths, and
    scores that are all equal. Lesson 13.
    """
    check_kind("name", name, "str")
    if not len(first) == len(second) == len(scores) or not len(first):
        raise KitError(
            f"expected two texts and a score for each pair, got {len(first):,}, {len(second):,} and {len(scores):,}: "
            "give all three for every row."
        )
    if len({float(score) if is_finite(score) else str(score) for score in scores}) < 2:
        raise KitError(
            f"expected scores that differ, got {shown(scores[0])} for every pair: there is no order to compare."
        )
    task = StsTask(name, tuple(first), tuple(second), tuple(scores), (name,) * len(first), None)
    return evaluate_sts(encoder, task, batch_size, progress, (name,), resamples, seed)
