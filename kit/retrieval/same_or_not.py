"""Pairs of two classes, the same or not, told apart by the cosine of their vectors: how well, and from which cosine on.

The order of the pairs is judged by average precision, which needs no threshold. Everything else is of one threshold:
where it was chosen on the very pairs that are judged, the figures flatter the encoder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.checks.argument_checks import check_kind, checked
from kit.errors import KitError, check_name, shown
from kit.evaluation import Interval
from kit.evaluation.significance import USUAL, interval
from kit.evaluation.vectors import as_list
from kit.number_checks import is_finite, whole_number
from kit.retrieval.wilson import wilson_interval

MEASURES = ("average precision", "accuracy", "F1", "precision", "recall")
ORDER = MEASURES[0]
ORDER_100 = f"{ORDER} × 100"  # what a table calls it
CHOSEN_BY = ("f1", "accuracy")
THESE = "these very pairs"


@dataclass(frozen=True, eq=False)
class SameOrNot:
    """How well a cosine tells pairs that are the same from others. Lesson 13.

    figures: measure → ×100, of `MEASURES`; precision, recall and F1 are of the pairs called the same. resampled:
    measure → float64 [resamples], the figures of pairs drawn again, NaN where a draw has none. threshold: pairs of at
    least this cosine are called the same; chosen_on: what it was chosen on. same: % of the pairs that are.
    """

    figures: dict[str, float]
    resampled: dict[str, np.ndarray]
    threshold: float
    chosen_on: str
    pairs: int
    same: float
    called: int

    def __getitem__(self, measure: str) -> float:
        check_name("measure", measure, self.figures)
        return self.figures[measure]

    def intervals(self) -> dict[str, Interval | None]:
        """Measure → 95 % interval of the bootstrap over pairs, with the threshold as it is; None where there is none.

        A share of which all draws are alike, as of 100 %, has Wilson's interval instead of one without a width.
        """
        of = {"accuracy": self.pairs, "precision": self.called, "recall": round(self.same * self.pairs / 100)}
        found = {}
        for name, drawn in self.resampled.items():
            between = interval(drawn) if len(drawn) else None
            if between is not None and between.low == between.high:
                between = wilson_interval(self[name] / 100, of[name]) if of.get(name) else None
            found[name] = between
        return found

    def in_order(self) -> str:
        """The average precision in words, which needs no threshold."""
        return self._in_words()[0]

    def _in_words(self) -> list[str]:
        return [
            f"{name} {self[name]:.2f}" + (f" [{one.low:.2f} to {one.high:.2f}]" if one else "")
            for name, one in self.intervals().items()
        ]

    def __str__(self) -> str:
        order, *decided = self._in_words()
        always = max(self.same, 100 - self.same)
        told = (
            f"{order}; from a cosine of {self.threshold:.3f} on called the same: {', '.join(decided)} (one answer "
            f"for all: accuracy {always:.2f}). The threshold was chosen on {self.chosen_on}"
        )
        return f"{told}{', so what follows from it is optimistic' if self.chosen_on == THESE else ''}."

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and None, ready for `json.dumps`."""
        between = {name: None if one is None else [one.low, one.high] for name, one in self.intervals().items()}
        kept = ("threshold", "chosen_on", "pairs", "same")
        return {"figures": self.figures, "intervals": between, **{name: getattr(self, name) for name in kept}}


@checked
def best_threshold(cosines: Any, same: Any, by: str = "f1") -> float:
    """The threshold with the best F1 (or accuracy) on labelled pairs: pairs of at least it are called the same.

    cosines: numbers [pairs], more for nearer, such as those of `pair_cosines`; same: 0 or 1 (or bool) for each. It lies
    halfway between two neighbouring cosines, and of equals the highest counts: as `find_best_f1_and_threshold` of
    sentence-transformers' BinaryClassificationEvaluator has it. Errors: `KitError` for lists of different lengths,
    other labels, and pairs of one class alone. Lesson 13.
    """
    check_name("by", by, CHOSEN_BY)
    cosines, same = _both(cosines, same)
    order, ends = _order(cosines)
    hits, called = np.cumsum(same[order])[ends], ends + 1
    if by == "f1":
        figures = 2 * hits / (called + same.sum())
    else:  # where everything at most is called the same, less is right than where nothing is
        figures = np.concatenate([[(~same).sum()], hits + (~same).sum() - (called - hits)])
    best = int(figures.argmax()) - (by == "accuracy")
    if best < 0:
        return float(np.nextafter(cosines.max(), np.inf))
    levels = cosines[order][ends]
    if best == len(levels) - 1:
        return float(levels[best])
    between = (levels[best] + levels[best + 1]) / 2
    return float(between if between > levels[best + 1] else levels[best])


@checked
def same_or_not(
    cosines: Any,
    same: Any,
    threshold: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
    chosen_on: str = "other pairs",
) -> SameOrNot:
    """Average precision of cosines, and accuracy, F1, precision and recall of those from `threshold` on. Lesson 13.

    cosines, same: as `best_threshold` takes them. threshold: one chosen on other pairs, whose name is `chosen_on`; None
    chooses the best F1 on these very pairs, which flatters all but the average precision. resamples: of the bootstrap
    over pairs, 0 for none; two calls with one seed and as many pairs draw the same.

    Average precision is Σ (Rₖ − Rₖ₋₁) Pₖ over the distinct cosines, as in scikit-learn. A precision of nothing is 0.
    Errors: `KitError` as `best_threshold`, and for a threshold that is no number.
    """
    check_kind("chosen_on", chosen_on, "str")
    cosines, same = _both(cosines, same)
    whole_number("resamples", resamples, 0, USUAL)
    whole_number("seed", seed, 0, "0 is usual")
    if threshold is None:
        threshold, chosen_on = best_threshold(cosines, same), THESE
    elif not is_finite(threshold):
        raise KitError(f"expected the threshold as a number, got {shown(threshold)}: best_threshold chooses one.")
    called, (order, ends) = cosines >= threshold, _order(cosines)
    generator, n = np.random.default_rng(seed), len(same)
    drawn = [
        _figures(same, called, order, ends, np.bincount(generator.integers(0, n, n), minlength=n))
        for _ in range(resamples)
    ]
    columns = np.array(drawn).reshape(-1, len(MEASURES)).T
    figures = _figures(same, called, order, ends, np.ones(n, dtype=np.int64))
    return SameOrNot(
        dict(zip(MEASURES, figures)),
        dict(zip(MEASURES, columns)),
        float(threshold),
        chosen_on,
        n,
        100 * float(same.mean()),
        int(called.sum()),
    )


def has_two_classes(scores: Any) -> bool:
    """Whether scores are 0 and 1 alone, and both: of pairs that are the same or not, which have no other order."""
    return set(np.asarray(scores, dtype=np.float64).tolist()) == {0.0, 1.0}


def _figures(same: np.ndarray, called: np.ndarray, order: np.ndarray, ends: np.ndarray, times: np.ndarray) -> list:
    """Those of `MEASURES` ×100 where each pair occurs so many `times` [pairs]; NaN where none of them is the same."""
    wanted, said, hits = times[same].sum(), times[called].sum(), times[same & called].sum()
    if not wanted:
        return [np.nan] * len(MEASURES)
    found, seen = (np.cumsum(counts[order])[ends] for counts in (times * same, times))
    order_of_pairs = (np.diff(found, prepend=0) * found / np.maximum(seen, 1)).sum() / wanted
    right = times[same == called].sum() / times.sum()
    shares = (order_of_pairs, right, 2 * hits / (wanted + said), hits / max(said, 1), hits / wanted)
    return [100 * float(share) for share in shares]


def _order(cosines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(places of the pairs from the highest cosine on, the last place in that order of each distinct cosine)."""
    order = np.argsort(-cosines, kind="stable")
    return order, np.append(np.flatnonzero(np.diff(cosines[order])), len(order) - 1)


def _both(cosines: Any, same: Any) -> tuple[np.ndarray, np.ndarray]:
    """float64 [pairs] and bool [pairs]."""
    cosines, labels = as_list(cosines, "cosines"), as_list(same, "labels")
    if len(cosines) != len(labels):
        raise KitError(f"expected a label for each cosine, got {len(labels):,} and {len(cosines):,}: give both.")
    if strange := sorted(set(labels.tolist()) - {0.0, 1.0}):
        raise KitError(f"expected labels 1 for the same and 0 for others, got {strange[0]:g}: convert them.")
    if len(set(labels.tolist())) < 2:
        raise KitError("expected pairs of both classes, the same and others, got one alone: add some of the other.")
    return cosines, labels == 1
