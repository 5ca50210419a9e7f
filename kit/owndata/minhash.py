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
from collections.abc import Sequence

import numpy as np

from kit.errors import KitError
from kit.number_checks import is_finite

BANDS, ROWS = 20, 6
LEAST = 0.7
NEIGHBOURS = 40  # of a text in a band: of many equal texts each is compared with so many
BELOW = 0.15  # candidates whose signatures agree in a share so far below the limit are not looked at: 3.6 deviations

# Letters and digits make words; of scripts without spaces each character is one.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")


def words_of(text: str) -> dict[str, None]:
    """The distinct words of a text in their order, lower case, without punctuation; the text itself without any."""
    return dict.fromkeys((_ASCII_WORD if text.isascii() else _WORD).findall(text.lower()) or [text])


def jaccard(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of the words of two texts, from 0 to 1. Lesson 13."""
    first, second = words_of(a).keys(), words_of(b).keys()
    return len(first & second) / len(first | second)


def near_duplicates(texts: Sequence[str], least: float = LEAST, seed: int = 0) -> list[tuple[int, int, float]]:
    """(i, j, Jaccard) of the pairs of texts, i < j, with a similarity of `least` or more. Lesson 13.

    Pairs at the limit may be missed, see above; of more than `NEIGHBOURS` texts with the same words not every pair is
    listed, but enough to connect them. Errors: `KitError` for a `least` that is not above 0.3 and up to 1.
    """
    if not is_finite(least) or not 0.3 < least <= 1:
        raise KitError(f"expected the least similarity above 0.3 and up to 1, got {least!r}: 0.7 is usual.")
    if len(texts) < 2:
        return []
    words = [words_of(text) for text in texts]
    signatures = _signatures(words, seed)  # [BANDS · ROWS, texts]
    candidates = [_candidates(signatures, band, least - BELOW) for band in range(BANDS)]
    found = []
    for pair in np.unique(np.concatenate(candidates)).tolist():
        i, j = divmod(pair, len(texts))
        a, b = words[i].keys(), words[j].keys()
        shared = len(a & b)
        if (similarity := shared / (len(a) + len(b) - shared)) >= least:
            found.append((i, j, similarity))
    return found


def clusters(count: int, pairs: Sequence[tuple]) -> np.ndarray:
    """The number of the cluster of each of `count` things, where pairs (i, j, …) belong together. int64 [count]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not pairs:
        return np.arange(count)
    first, second = np.array([pair[:2] for pair in pairs]).T
    graph = coo_array((np.ones(len(first), dtype=bool), (first, second)), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _signatures(words: Sequence[dict[str, None]], seed: int) -> np.ndarray:
    """The smallest random number of each text's words, under every numbering, uint32 [BANDS · ROWS, texts]."""
    number: dict[str, int] = {}
    flat = np.fromiter((number.setdefault(word, len(number)) for own in words for word in own), dtype=np.int32)
    starts = np.cumsum([0, *(len(own) for own in words[:-1])])
    rng = np.random.default_rng(seed)
    made = np.empty((BANDS * ROWS, len(words)), dtype=np.uint32)
    for row in made:
        row[:] = np.minimum.reduceat(rng.permutation(len(number)).astype(np.uint32)[flat], starts)
    return made


def _candidates(signatures: np.ndarray, band: int, estimate: float) -> np.ndarray:
    """i · texts + j of the pairs that agree in the whole band, and in a share of `estimate` of all places; int64."""
    count = signatures.shape[1]
    keys = np.zeros(count, dtype=np.uint64)
    for row in signatures[band * ROWS : (band + 1) * ROWS]:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + row + np.uint64(1)  # wraps round: a hash of the band
    order = np.argsort(keys, kind="stable")
    ordered, pairs = keys[order], [np.empty(0, dtype=np.int64)]
    for step in range(1, min(NEIGHBOURS, count - 1) + 1):
        equal = np.flatnonzero(ordered[:-step] == ordered[step:])
        if not len(equal):
            break
        first, second = order[equal], order[equal + step]  # first < second: the sort is stable
        for start in range(0, len(first), 100_000):
            i, j = first[start : start + 100_000], second[start : start + 100_000]
            close = (signatures[:, i] == signatures[:, j]).mean(axis=0) >= estimate
            pairs.append(i[close] * count + j[close])
    return np.concatenate(pairs)
