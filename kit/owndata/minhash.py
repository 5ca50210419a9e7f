"""Texts that say the same in nearly the same words, found among many by MinHash, each checked exactly.

The Jaccard similarity of two texts is |A ∩ B| / |A ∪ B| of their sets of words. Number all words of the corpus at
random: the smallest number in A equals that in B with just this probability (Broder 1997). `ROWS` such numberings make
a band, and two texts become candidates where one of `BANDS` bands agrees in all: 1 − (1 − J^6)^20, which is 92 % of the
pairs at J = 0.7, 99.8 % at 0.8 and 1.5 % at 0.3. Candidates are then compared word by word, so what is returned is
right, and what is missed lies close to the limit. The vocabulary is known, so that a numbering is a random table and
64-bit hashing is not needed: 200,000 texts take seconds in NumPy, where datasketch 2.0 hashes word by word in Python.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from kit.checks.argument_checks import check_texts, checked
from kit.errors import KitError
from kit.number_checks import is_finite
from kit.retrieval.bm25_baseline import tokens

BANDS, ROWS = 20, 6
LEAST = 0.7
NEIGHBOURS = 40  # of a text in a band: of many equal texts each is compared with so many
AT_ONCE = 20_000  # pairs that are compared at a time: limits the memory
BELOW = 0.15  # candidates whose signatures agree in a share so far below the limit are not looked at: 3.6 deviations

_ASCII_WORD = re.compile(r"[a-z0-9]+")


def words_of(text: str) -> dict[str, None]:
    """The distinct words of a text in their order, lower case, without punctuation; the text itself without any."""
    words = _ASCII_WORD.findall(text.lower()) if text.isascii() else tokens(text.replace("_", " "))
    return dict.fromkeys(words or [text])


@checked
def jaccard(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of the words of two texts, from 0 to 1. Lesson 13."""
    first, second = words_of(a).keys(), words_of(b).keys()
    return len(first & second) / len(first | second)


@checked
def near_duplicates(
    texts: Sequence[str], least: float = LEAST, seed: int = 0, progress: bool = False
) -> list[tuple[int, int, float]]:
    """(i, j, Jaccard) of the pairs of texts, i < j, with a similarity of `least` or more. Lesson 13.

    Pairs at the limit may be missed, see above; of more than `NEIGHBOURS` texts with the same words not every pair is
    listed, but enough to connect them. progress: with bars. Errors: `KitError` for a `least` that is not above 0.3 and
    up to 1.
    """
    from tqdm.auto import tqdm

    if not is_finite(least) or not 0.3 < least <= 1:
        raise KitError(f"expected the least similarity above 0.3 and up to 1, got {least!r}: 0.7 is usual.")
    texts = check_texts("texts", texts)
    if len(texts) < 2:
        return []
    bar = partial(tqdm, leave=False, disable=not progress)
    words, starts = _numbered(bar(texts, desc="words", unit=" texts"))
    made = np.empty((BANDS * ROWS, len(texts)), dtype=np.uint32)
    _sign(bar(made, desc="signatures", unit=" rows"), words, starts, seed)
    by_text = np.ascontiguousarray(made.T)  # [texts, BANDS · ROWS]: what is compared of a text lies together
    candidates = [_candidates(made, by_text, band, least - BELOW) for band in bar(range(BANDS), desc="bands")]
    pairs = np.unique(np.concatenate(candidates))
    parts = bar(range(0, len(pairs), AT_ONCE), desc="pairs")  # of texts from one template there are very many
    similarity = _jaccard_of(words, starts, *np.divmod(pairs, len(texts)), parts)
    real = similarity >= least
    first, second = np.divmod(pairs[real], len(texts))
    return list(zip(first.tolist(), second.tolist(), similarity[real].tolist(), strict=True))


def clusters(count: int, pairs: Sequence[tuple]) -> np.ndarray:
    """The number of the cluster of each of `count` things, where pairs (i, j, …) belong together. int64 [count]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not pairs:
        return np.arange(count)
    first, second = np.array([pair[:2] for pair in pairs]).T
    graph = coo_array((np.ones(len(first), dtype=bool), (first, second)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _numbered(texts: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """(the numbers of the distinct words of all texts, one text after the other, int32; where each begins, int64)."""
    number: dict[str, int] = defaultdict(lambda: len(number))
    flat, lengths = array("i"), [0]
    for text in texts:
        own = words_of(text)
        flat.extend(map(number.__getitem__, own))
        lengths.append(len(own))
    return np.frombuffer(flat, dtype=np.int32), np.cumsum(lengths[:-1])


def _sign(made: Iterable[np.ndarray], words: np.ndarray, starts: np.ndarray, seed: int) -> None:
    """Fill each row of made, uint32 [texts]: the smallest random number of each text's words, under one numbering."""
    vocabulary, rng = int(words.max()) + 1, np.random.default_rng(seed)
    for row in made:
        np.minimum.reduceat(rng.permutation(vocabulary).astype(np.uint32).take(words), starts, out=row)


def _candidates(made: np.ndarray, by_text: np.ndarray, band: int, estimate: float) -> np.ndarray:
    """i · texts + j of the pairs that agree in the whole band, and in a share of `estimate` of all places; int64."""
    count = len(by_text)
    keys = np.zeros(count, dtype=np.uint64)
    for row in made[band * ROWS : (band + 1) * ROWS]:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + row + np.uint64(1)  # wraps round: a hash of the band
    order = np.argsort(keys, kind="stable")
    ordered, pairs = keys[order], [np.empty(0, dtype=np.int64)]
    for step in range(1, min(NEIGHBOURS, count - 1) + 1):
        equal = np.flatnonzero(ordered[:-step] == ordered[step:])
        if not len(equal):
            break
        first, second = order[equal], order[equal + step]  # first < second: the sort is stable
        for start in range(0, len(first), AT_ONCE):
            i, j = first[start : start + AT_ONCE], second[start : start + AT_ONCE]
            close = np.count_nonzero(by_text[i] == by_text[j], axis=1) / (BANDS * ROWS) >= estimate
            pairs.append(i[close] * count + j[close])
    return np.concatenate(pairs)


def _jaccard_of(
    words: np.ndarray, starts: np.ndarray, first: np.ndarray, second: np.ndarray, parts: Iterable[int]
) -> np.ndarray:
    """|A ∩ B| / |A ∪ B| of the texts at these places, float64 [pairs]: their words put in order, equal ones meet.

    parts: where each `AT_ONCE` of the pairs begin.
    """
    sizes = np.diff(starts, append=len(words))
    shared = np.empty(len(first), dtype=np.int64)
    for start in parts:
        sides = [side[start : start + AT_ONCE] for side in (first, second)]
        pair = np.concatenate([np.repeat(np.arange(len(side)), sizes[side]) for side in sides])
        own = np.concatenate([words[_ranges(starts[side], sizes[side])] for side in sides])
        keys = np.sort(pair * (int(words.max()) + 1) + own)  # a word is in a text once, so twice in a pair: in both
        twice = keys[1:][keys[1:] == keys[:-1]] // (int(words.max()) + 1)
        shared[start : start + AT_ONCE] = np.bincount(twice, minlength=len(sides[0]))
    return shared / (sizes[first] + sizes[second] - shared)


def _ranges(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """start, start + 1 … of each, `size` of them, one after the other: int64 [Σ sizes]."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1]) + np.repeat(starts - ends + sizes, sizes)
