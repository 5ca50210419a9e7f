"""How good a ranking is, query by query: recall, reciprocal rank, average precision, discounted gain.

Formulas as in trec_eval (Voorhees & Harman 2005), which pytrec_eval and mteb call, and in sentence-transformers; nDCG
is that of Järvelin & Kekäläinen (2002) with the grade as gain and log₂(rank + 1) as discount.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, shown
from kit.number_checks import is_whole


@checked
def recall_at_k(ranked: Sequence, relevant: Collection, k: int) -> float:
    """The share of the relevant documents that are among the first `k` ranked ones, in 0 to 1. Lesson 13.

    ranked: document ids, best first; relevant: ids.
    """
    ranked, wanted = _checked(ranked, relevant, k)
    return len(wanted & set(ranked)) / len(wanted)


@checked
def reciprocal_rank(ranked: Sequence, relevant: Collection, k: int) -> float:
    """1 over the rank of the first relevant document among the first `k`; 0 where there is none. Lesson 13."""
    ranked, wanted = _checked(ranked, relevant, k)
    return next((1 / rank for rank, one in enumerate(ranked, 1) if one in wanted), 0.0)


@checked
def ndcg_at_k(ranked: Sequence, relevant: Collection, k: int) -> float:
    """Discounted gain of the first `k`, Σ 1 / log₂(rank + 1) over relevant ones, as a share of the best. Lesson 13."""
    ranked, wanted = _checked(ranked, relevant, k)
    hits = np.array([one in wanted for one in ranked], dtype=float)
    return float(_gain(hits, k) / _gain(np.ones(len(wanted)), k))


@checked
def average_precision(ranked: Sequence, relevant: Collection, k: int) -> float:
    """The precisions at the ranks of the relevant documents among the first `k`, added up and divided. Lesson 13.

    Divided by min(k, relevant ones), as sentence-transformers does; trec_eval divides by all relevant ones, which
    differs where there are more than `k`.
    """
    ranked, wanted = _checked(ranked, relevant, k)
    hits = np.array([one in wanted for one in ranked], dtype=float)
    return float((hits * np.cumsum(hits) / np.arange(1, len(hits) + 1)).sum() / min(k, len(wanted)))


def measures(names: Sequence[str], ranked: np.ndarray, relevant: dict[int, int], ideal: np.ndarray) -> list[float]:
    """The named measures of one query. ranked: places, best first; ideal: the grades of all that is relevant."""
    gains = np.array([relevant.get(place, 0) for place in ranked.tolist()], dtype=float)
    hits = gains > 0
    found = []
    for name in names:
        kind, k = split_name(name)
        first = hits[:k]
        if kind == "recall":
            found.append(first.sum() / len(ideal))
        elif kind == "accuracy":
            found.append(float(first.any()))
        elif kind == "precision":
            found.append(first.sum() / k)
        elif kind == "mrr":
            found.append(1 / (1 + first.argmax()) if first.any() else 0.0)
        elif kind == "ndcg":
            found.append(_gain(gains[:k], k) / _gain(ideal, k))
        else:
            found.append(
                (first * np.cumsum(first) / np.arange(1, len(first) + 1)).sum() / min(k, len(ideal)) if k else 0.0
            )
    return [float(value) for value in found]


KINDS = ("recall", "accuracy", "precision", "mrr", "ndcg", "map")


def split_name(name: object) -> tuple[str, int]:
    """("ndcg", 10) of "ndcg@10". Errors: `KitError` for another form, an unknown measure, or a k below 1."""
    kind, _, k = str(name).partition("@")
    if not isinstance(name, str) or kind not in KINDS or not k.isdecimal() or not int(k[:9]) > 0 or len(k) > 9:
        raise KitError(
            f"expected a measure such as 'recall@10', got {shown(name)}: take one of {', '.join(KINDS)} with @k, "
            "k from 1."
        )
    return kind, int(k)


def _gain(gains: np.ndarray, k: int) -> float:
    gains = gains[:k]
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())


def _checked(ranked: Sequence, relevant: Collection, k: object) -> tuple[list, set]:
    """The first `k` ranked ids, and the relevant ones as a set."""
    for name, ids in (("ranked", ranked), ("relevant", relevant)):
        if strange := [one for one in ids if not isinstance(one, str | int | np.integer)]:
            raise KitError(f"expected ids in {name} as text or whole numbers, got {shown(strange[0])}: convert them.")
    if len(set(ranked)) < len(ranked):
        twice = next(one for place, one in enumerate(ranked) if one in ranked[:place])
        raise KitError(f"expected each document once in ranked, got {shown(twice)} twice: keep its best place.")
    wanted = set(relevant)
    if not wanted:
        raise KitError("expected at least one relevant document, got none: leave out queries without any.")
    if not is_whole(k, 1):
        raise KitError(f"expected k as a whole number from 1, got {shown(k)}: 10 is usual.")
    return list(ranked)[:k], wanted
