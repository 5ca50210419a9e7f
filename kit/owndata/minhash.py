"""Texts that say the same in nearly the same words, found among many by MinHash, each checked exactly.

The Jaccard similarity of two texts is |A ∩ B| / |A ∪ B| of their sets of words. Number all words of the corpus at
random: the smallest number in A equals that in B with just this probability (Broder 1997). Of `SIGNATURE` such
numberings each r make a band, and two texts become candidates where one band agrees in all: with 20 bands of 6,
1 − (1 − J^6)^20, which is 92 % of the pairs at J = 0.7, 99.8 % at 0.8 and 1.5 % at 0.3. Below a limit of 0.7 the bands
are shorter (`rows_of_a_band`). Candidates are then compared word by word, so what is returned is right. Missed are
pairs close to the limit, and of texts that agree in a band in crowds, as those from one template do, all pairs but
enough to connect them. The vocabulary is known, so that a numbering is a random table and 64-bit hashing is not
needed: 200,000 texts take seconds in NumPy, where datasketch 2.0 hashes word by word in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from kit.checks.argument_checks import check_texts, checked
from kit.errors import KitError
from kit.number_checks import is_finite
from kit.owndata.word_sets import WordSets

SIGNATURE = 120  # numberings: 20 bands of 6
MOST_ROWS = 6  # of a band
CAUGHT = 0.9  # of the pairs at the limit, or more, are candidates
LEAST = 0.7
NEIGHBOURS = 40  # in a band: where more texts agree, each is compared with so many, and only until they are connected
AT_ONCE = 20_000  # pairs whose signatures are compared at a time: limits the memory
BELOW = 0.15  # candidates whose signatures agree in a share so far below the limit are not looked at: 3.6 deviations


@checked
def near_duplicates(
    texts: Sequence[str], least: float = LEAST, seed: int = 0, progress: bool = False
) -> list[tuple[int, int, float]]:
    """(i, j, Jaccard) of the pairs of texts, i < j, with a similarity of `least` or more. Lesson 13.

    Up to a tenth of the pairs at the limit is missed, see above. Where more than `NEIGHBOURS` texts agree in a band, as
    those with the same words or from one template, not every pair is listed, but enough to connect them. progress: with
    bars. Errors: `KitError` for a `least` that is not above 0.3 and up to 1.
    """
    return near_texts(check_texts("texts", texts), least, seed, progress).pairs()


@dataclass(frozen=True)
class NearTexts:
    """Pairs of near-duplicates among texts, in order: first < second, int64 [pairs]; similarity: float64 [pairs].

    sets: the words of the texts. listed: whether all pairs were looked for, but for those that MinHash misses; False
    where texts of different words agree in a band in crowds, of which only enough pairs stand here to connect them.
    """

    sets: WordSets
    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray
    listed: bool

    def pairs(self, most: int | None = None) -> list[tuple[int, int, float]]:
        """(i, j, Jaccard) of the first `most`, or of all."""
        columns = (column[:most].tolist() for column in (self.first, self.second, self.similarity))
        return list(zip(*columns, strict=True))

    @cached_property
    def clusters(self) -> np.ndarray:
        """The number of the cluster of each text, int64 [texts]."""
        return _components(len(self.sets), self.first, self.second)


def near_texts(texts: Sequence[str], least: float = LEAST, seed: int = 0, progress: bool = False) -> NearTexts:
    """As `near_duplicates`, in arrays."""
    from tqdm.auto import tqdm

    if not is_finite(least) or not 0.3 < least <= 1:
        raise KitError(f"expected the least similarity above 0.3 and up to 1, got {least!r}: 0.7 is usual.")
    bar = partial(tqdm, leave=False, disable=not progress)
    sets, none = WordSets(bar(texts, desc="words", unit=" texts")), np.empty(0, dtype=np.int64)
    if len(texts) < 2:
        return NearTexts(sets, none, none, np.empty(0), True)
    made = np.empty((SIGNATURE, len(texts)), dtype=np.uint32)
    _sign(bar(made, desc="signatures", unit=" rows"), sets, seed)
    by_text = np.ascontiguousarray(made.T)  # [texts, SIGNATURE]: what is compared of a text lies together
    rows, candidates, crowds = rows_of_a_band(least), [], []
    for start in bar(range(0, SIGNATURE, rows), desc="bands"):
        few, crowd = _buckets(made[start : start + rows])
        candidates += few.pairs(by_text, least)
        crowds += [crowd] if len(crowd.members) else []
    pairs = _checked(candidates, sets, least, partial(bar, desc="pairs"))
    links, cluster = _links(crowds, by_text, sets, pairs, least, bar)
    candidates, listed = [], True
    for crowd in crowds:  # of those in it that turned out to be alike, small clusters are listed
        few, many = crowd.by_cluster(cluster)
        candidates += few.pairs(by_text, least)
        listed &= not many.is_mixed(sets.same)
    pairs = np.unique(np.concatenate([pairs, links, _checked(candidates, sets, least)]))
    first, second = np.divmod(pairs, len(texts))
    return NearTexts(sets, first, second, sets.jaccard(first, second), listed)


def rows_of_a_band(least: float) -> int:
    """As many rows as find `CAUGHT` of the pairs at this similarity: 6 from 0.7 on, 3 at 0.4 (93 %)."""
    fitting = (r for r in range(MOST_ROWS, 1, -1) if 1 - (1 - least**r) ** (SIGNATURE // r) >= CAUGHT)
    return next(fitting, 2)


def clusters(count: int, pairs: Sequence[tuple]) -> np.ndarray:
    """The number of the cluster of each of `count` things, where pairs (i, j, …) belong together. int64 [count]."""
    first, second = np.array([pair[:2] for pair in pairs], dtype=np.int64).reshape(-1, 2).T
    return _components(count, first, second)


def _components(count: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(first):
        return np.arange(count)
    graph = coo_array((np.ones(len(first), dtype=bool), (first, second)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _sign(made: Iterable[np.ndarray], sets: WordSets, seed: int) -> None:
    """Fill each row of made, uint32 [texts]: the smallest random number of each text's words, under one numbering."""
    rng = np.random.default_rng(seed)
    for row in made:
        numbering = rng.permutation(sets.vocabulary).astype(np.uint32)
        np.minimum.reduceat(numbering.take(sets.words), sets.starts, out=row)


@dataclass(frozen=True)
class _Bucketed:
    """Texts that agree in a band with another: members, bucket by bucket, in each by place; bucket: of each member."""

    members: np.ndarray
    bucket: np.ndarray

    def apart(self, step: int, cluster: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of texts, first < second, `step` apart in one bucket, of two clusters where these are given."""
        wanted = self.bucket[:-step] == self.bucket[step:]
        if cluster is not None:
            wanted &= cluster[self.members[:-step]] != cluster[self.members[step:]]
        places = np.flatnonzero(wanted)
        return self.members[places], self.members[places + step]

    def pairs(self, by_text: np.ndarray, least: float) -> list[np.ndarray]:
        """All pairs of a bucket of `NEIGHBOURS` + 1 texts or fewer that may be alike: as of `_close`, in parts."""
        found = []
        for step in range(1, NEIGHBOURS + 1):
            first, second = self.apart(step)
            if not len(first):
                break
            found.append(_close(by_text, first, second, least))
        return found

    def by_cluster(self, cluster: np.ndarray) -> tuple[_Bucketed, _Bucketed]:
        """Those of a bucket that are of one cluster as a bucket: the small ones, the crowded ones."""
        own = cluster[self.members]
        order = np.lexsort((self.members, own, self.bucket))
        return _parted(self.members[order], self.bucket[order] * len(cluster) + own[order])

    def is_mixed(self, same: np.ndarray) -> bool:
        """Whether a bucket holds texts of different words."""
        sets = same[self.members]
        return bool(np.any((self.bucket[:-1] == self.bucket[1:]) & (sets[:-1] != sets[1:])))


def _buckets(band: np.ndarray) -> tuple[_Bucketed, _Bucketed]:
    """The texts that agree in a band, uint32 [rows, texts]: those of small buckets, those of crowded ones."""
    keys = np.zeros(band.shape[1], dtype=np.uint64)
    for row in band:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + row + np.uint64(1)  # wraps round: a hash of the band
    order = np.argsort(keys, kind="stable")
    return _parted(order, keys[order])


def _parted(members: np.ndarray, keys: np.ndarray) -> tuple[_Bucketed, _Bucketed]:
    """(members in buckets of 2 to `NEIGHBOURS` + 1, those in larger ones); keys: equal in a bucket, side by side."""
    bucket = np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)
    size = np.bincount(bucket)[bucket]
    few, crowd = (size > 1) & (size <= NEIGHBOURS + 1), size > NEIGHBOURS + 1
    return _Bucketed(members[few], bucket[few]), _Bucketed(members[crowd], bucket[crowd])


def _close(by_text: np.ndarray, first: np.ndarray, second: np.ndarray, least: float) -> np.ndarray:
    """first · texts + second of the pairs whose signatures agree in a share near `least` or above, int64."""
    kept = [np.empty(0, dtype=np.int64)]
    for start in range(0, len(first), AT_ONCE):
        i, j = first[start : start + AT_ONCE], second[start : start + AT_ONCE]
        close = np.count_nonzero(by_text[i] == by_text[j], axis=1) / SIGNATURE >= least - BELOW
        kept.append(i[close] * len(by_text) + j[close])
    return np.concatenate(kept)


def _checked(candidates: list[np.ndarray], sets: WordSets, least: float, bar: Callable = iter) -> np.ndarray:
    """The pairs among these, each once, that have a similarity of `least` or more, as first · texts + second."""
    pairs = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *candidates]))
    return pairs[sets.jaccard(*np.divmod(pairs, len(sets)), bar) >= least]


def _links(
    crowds: Sequence[_Bucketed], by_text: np.ndarray, sets: WordSets, pairs: np.ndarray, least: float, bar: partial
) -> tuple[np.ndarray, np.ndarray]:
    """(pairs that connect what is alike in crowded buckets, as first · texts + second; the cluster of each text).

    pairs: those that are known.
    """
    count, found = len(sets), [np.empty(0, dtype=np.int64)]
    cluster = _components(count, *np.divmod(pairs, count))
    for step in bar(range(1, NEIGHBOURS + 1) if crowds else (), desc="crowds"):
        candidates = [_close(by_text, *crowd.apart(step, cluster), least) for crowd in crowds]
        found.append(_checked(candidates, sets, least))
        first, second = np.divmod(found[-1], count)
        cluster = _components(int(cluster.max()) + 1, cluster[first], cluster[second])[cluster]
    return np.concatenate(found), cluster
