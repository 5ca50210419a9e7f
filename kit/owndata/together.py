"""The chance that two random rows belong together, as they share an anchor or a positive, nearly or wholly."""

from __future__ import annotations

from typing import Any

import numpy as np

from kit.owndata.minhash import NearTexts

DRAWN = 20_000  # pairs of rows, where not all near-duplicates are listed


def chance_together(sides: np.ndarray, near: NearTexts, least: float) -> tuple[float, int]:
    """(the chance for two random rows, pairs of rows that were drawn to estimate it: 0 where all were counted).

    sides: the places of each row's anchor and positive among the texts, int64 [2, rows]; two rows or more. Texts that
    are near-duplicates of each other are listed (`near`), or too many, as those from one template; what the list lacks
    of these is estimated from pairs of rows whose anchors or positives hang together.
    """
    rows, alike = sides.shape[1], _alike(near)
    count, drawn = _listed(near.sets.same[sides], alike), 0
    if not near.listed:
        count += _unlisted(sides, near, alike, least)
        drawn = DRAWN
    return min(1.0, count / (rows * (rows - 1))), drawn


def _alike(near: NearTexts) -> Any:
    """1 where two sets of words are nearly or wholly the same, sparse int64 [sets, sets].

    A cluster would not do: of a chain of near-duplicates the ends have little in common. Texts of the same words are
    one set here, as of many `near` lists too few pairs to count.
    """
    from scipy.sparse import coo_array

    same, sets = near.sets.same, int(near.sets.same.max()) + 1
    first, second = same[near.first], same[near.second]
    own = np.arange(sets)
    keys = np.unique(np.concatenate([first * sets + second, second * sets + first, own * sets + own]))
    return coo_array((np.ones(len(keys), dtype=np.int64), np.divmod(keys, sets)), shape=(sets, sets)).tocsr()


def _listed(sides: np.ndarray, alike: Any) -> int:
    """Ordered pairs of two rows with alike sets of words on a side; sides: the sets, int64 [2, rows]."""
    from scipy.sparse import coo_array

    n = sides.shape[1]
    rows = coo_array((np.ones(n, dtype=np.int64), tuple(sides)), shape=alike.shape).tocsr()
    # [sets of words, sets of words]: how many rows have this anchor and this positive. Sums over ordered pairs of
    # rows, each row with itself among them, by their anchors, by their positives, and less those that are in both.
    pairs = sum(side @ alike @ side for side in (rows.sum(axis=1), rows.sum(axis=0)))
    return int(pairs - (alike @ rows).multiply(rows @ alike).sum()) - n


def _unlisted(sides: np.ndarray, near: NearTexts, alike: Any, least: float) -> float:
    """The same of pairs that are in no list, estimated: of `DRAWN` pairs of rows that hang together by a side."""
    rng, own = np.random.default_rng(0), near.clusters[sides]
    others = np.stack([np.bincount(side)[side] - 1 for side in own])  # rows that hang together with each, by each side
    total = int(others.sum())
    if not total:
        return 0.0
    side, first = np.divmod(rng.choice(others.size, DRAWN, p=(others / total).ravel()), sides.shape[1])
    second = np.empty_like(first)
    for which in (0, 1):
        chosen = side == which
        second[chosen] = _another(own[which], first[chosen], rng)
    ways = np.count_nonzero(own[:, first] == own[:, second], axis=0)  # a pair in one cluster by both is drawn twice
    sets = near.sets.same[sides]
    known = alike.tocoo()
    keys = np.sort(known.row.astype(np.int64) * alike.shape[0] + known.col)
    new = ~np.isin(sets[:, first] * alike.shape[0] + sets[:, second], keys).any(axis=0)
    first, second, ways = first[new], second[new], ways[new]
    belong = np.stack([near.sets.jaccard(side[first], side[second]) >= least for side in sides]).any(axis=0)
    return total * float((belong / ways).sum()) / DRAWN


def _another(own: np.ndarray, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each of these rows a random other one of its cluster, int64; own: the cluster of each row."""
    order, size = np.argsort(own, kind="stable"), np.bincount(own)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    begin = (np.cumsum(size) - size)[own[rows]]
    step = rng.integers(1, size[own[rows]])
    return order[begin + (place[rows] - begin + step) % size[own[rows]]]
