"""Accuracy, precision, recall and F1 of a trained pair classifier (similar or not), as PAUSE reports them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from kit.checks.argument_checks import checked
from kit.errors import KitError
from kit.evaluation.encoding import encode_distinct


@dataclass(frozen=True)
class BinaryScores:
    """Percent, over `pairs` pairs: accuracy; precision, recall and F1 of class 1 (similar).

    `positive`, `called`: percent of the pairs that are similar, that were called so; always giving the more frequent
    answer has an accuracy of max(positive, 100 − positive). A share of nothing counts as 0.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
    positive: float
    pairs: int
    called: float

    def as_dict(self) -> dict:
        return asdict(self)

    def summary(self) -> str:
        """One sentence for the screen."""
        told = f"precision {self.precision:.1f} %" if self.called else "none was called similar, so no precision"
        return (
            f"Of {self.pairs:,} pairs {self.accuracy:.1f} % were classified correctly (always the same answer: "
            f"{max(self.positive, 100 - self.positive):.1f} %); {told}, recall {self.recall:.1f} %, F1 {self.f1:.1f} %."
        )


def binary_scores(predicted: Sequence[int], gold: Sequence[int]) -> BinaryScores:
    """Accuracy, precision, recall and F1 of answers 0 and 1, class 1 being the positive one.

    Source: PAUSE (Cao et al. 2021), Table 5. Errors: `KitError` for no pairs, lists of unlike
    lengths, and labels other than 0 and 1. Lesson 08.
    """
    predicted, gold = _zeros_and_ones("answers", predicted), _zeros_and_ones("labels", gold)
    if len(predicted) != len(gold) or not gold:
        raise KitError(f"expected an answer for each label, and one at least, got {len(predicted)} and {len(gold)}.")
    hits = sum(p and g for p, g in zip(predicted, gold))
    return BinaryScores(
        accuracy=_percent(sum(p == g for p, g in zip(predicted, gold)), len(gold)),
        precision=_percent(hits, sum(predicted)),
        recall=_percent(hits, sum(gold)),
        f1=_percent(2 * hits, sum(predicted) + sum(gold)),
        positive=_percent(sum(gold), len(gold)),
        pairs=len(gold),
        called=_percent(sum(predicted), len(gold)),
    )


@checked
def classify_pairs(encoder, head: Callable, first: Sequence[str], second: Sequence[str]) -> list[int]:
    """The class that the head finds most likely for each pair of sentences; of a head with one class, 1 or 0 (not it).

    encoder: anything with `encode(sentences)` → vectors [n, dim]. head: (u, v) → logits [n, classes], as
    `kit.losses.PairClassifier`. Errors: `KitError` for lists of unlike lengths. Lesson 08.
    """
    if len(first) != len(second):
        raise KitError(f"expected two sentences a pair, got {len(first)} first and {len(second)} second ones.")
    if not len(first):
        return []
    import torch

    found, row = encode_distinct(encoder, (*first, *second))
    with torch.no_grad():
        vectors = torch.from_numpy(found).float()
        weight = next(iter(head.parameters()), vectors) if hasattr(head, "parameters") else vectors
        vectors = vectors.to(weight.device)
        u, v = (vectors[torch.tensor([row[text] for text in side])] for side in (first, second))
        logits = head(u, v)  # [n, classes]
        return (logits.argmax(dim=1) if logits.shape[1] > 1 else (logits[:, 0] > 0).long()).tolist()


def _zeros_and_ones(what: str, values: Sequence[int]) -> list[int]:
    values = list(values)
    for value in values:
        if value not in (0, 1):
            raise KitError(f"expected {what} 0 (not similar) or 1 (similar), got {value!r}.")
    return [int(value) for value in values]


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0
