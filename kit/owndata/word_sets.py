"""The words of texts as sets of numbers, and what two of them share."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise

import numpy as np

from kit.checks.argument_checks import checked
from kit.retrieval.words_of_texts import UNSPACED, folded, words_in

WORDS_AT_ONCE = 2_000_000  # of pairs that are compared at a time: limits the memory
_UNSPACED = re.compile(UNSPACED)


def words_of(text: str) -> dict[str, None]:
    """The distinct words of a text in their order, without punctuation; the text itself without any.

    Letters that differ in case or width alone are one, see `folded`. In scripts without spaces two characters side by
    side are a word, too: long texts share most of their characters, whatever they are about.
    """
    words = words_in(folded(text).replace("_", " "))
    if not text.isascii():
        words += [a + b for a, b in pairwise(words) if _UNSPACED.match(a) and _UNSPACED.match(b)]
    return dict.fromkeys(words or [text])


@checked
def jaccard(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of the words of two texts, from 0 to 1. Lesson 13."""
    first, second = words_of(a).keys(), words_of(b).keys()
    return len(first & second) / len(first | second)


class WordSets:
    """The distinct words of texts, numbered over all of them.

    words: of one text after the other, int32 [Σ sizes]; starts: where each begins; sizes: how many it has, int64
    [texts]; vocabulary: how many different words there are.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        number: dict[str, int] = defaultdict(lambda: len(number))
        flat, lengths = array("i"), array("q")
        for text in texts:
            own = words_of(text)
            flat.extend(map(number.__getitem__, own))
            lengths.append(len(own))
        self.words, self.sizes = np.array(flat, dtype=np.int32), np.array(lengths, dtype=np.int64)
        self.starts, self.vocabulary = np.cumsum(self.sizes) - self.sizes, len(number)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def same(self) -> np.ndarray:
        """The number of the set of each text, int64 [texts]: equal where all words are, by a 64-bit sum of them."""
        marks = np.random.default_rng(0).integers(2**64, size=self.vocabulary, dtype=np.uint64)
        return np.unique(np.add.reduceat(marks[self.words], self.starts), return_inverse=True)[1].astype(np.int64)

    def jaccard(self, first: np.ndarray, second: np.ndarray, bar: Callable[[list], Iterable] = iter) -> np.ndarray:
        """|A ∩ B| / |A ∪ B| of the texts at these places, float64 [pairs]: their words put in order, equal ones meet.

        bar: shows the portions, as tqdm does.
        """
        both = self.sizes[first] + self.sizes[second]
        cuts = np.flatnonzero(np.diff(np.cumsum(both) // WORDS_AT_ONCE)) + 1
        shared = np.zeros(len(first), dtype=np.int64)
        for portion in bar(np.split(np.arange(len(first)), cuts)):
            sides = [side[portion] for side in (first, second)]
            pair = np.concatenate([np.repeat(np.arange(len(side)), self.sizes[side]) for side in sides])
            own = np.concatenate([self.words[_ranges(self.starts[side], self.sizes[side])] for side in sides])
            keys = np.sort(pair * self.vocabulary + own)  # a word is in a text once, so twice in a pair: in both
            twice = keys[1:][keys[1:] == keys[:-1]] // self.vocabulary
            shared[portion] = np.bincount(twice, minlength=len(portion))
        return shared / (both - shared)


def _ranges(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """start, start + 1 … of each, `size` of them, one after the other: int64 [Σ sizes]."""
    ends = np.cumsum(sizes)
    return np.arange(sizes.sum()) + np.repeat(starts - ends + sizes, sizes)
