"""Texts that an encoder takes for nearly the same, beside those that share their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.owndata.minhash import LEAST
from kit.owndata.word_sets import WordSets
from kit.retrieval.near_duplicates import near_pairs
from kit.retrieval.vector_index import encode_in_chunks


@dataclass(frozen=True)
class NearByMeaning:
    """pairs: (i, j, cosine), i < j, the nearest first; of them `in_other_words` are no near-duplicates by their words.

    texts, texts_in_other_words: how many texts stand in such pairs.
    """

    pairs: list[tuple[int, int, float]]
    in_other_words: list[tuple[int, int, float]]

    @property
    def texts(self) -> int:
        return len({place for i, j, _ in self.pairs for place in (i, j)})

    @property
    def texts_in_other_words(self) -> int:
        return len({place for i, j, _ in self.in_other_words for place in (i, j)})


def near_by_meaning(
    encoder: Any, texts: Sequence[str], threshold: float, least: float = LEAST, sets: WordSets | None = None
) -> NearByMeaning:
    """All pairs of texts with a cosine of `threshold` or more, and those with a Jaccard similarity below `least`.

    It compares all texts with all: 100,000 take some twenty seconds more than encoding them. sets: the words of the
    texts, where they are known. Errors: `KitError` as `kit.retrieval.near_duplicates.near_pairs`, such as a threshold
    that millions of pairs reach. Lesson 13.
    """
    pairs, cosines = near_pairs(encode_in_chunks(encoder, list(texts)), threshold)
    order = np.argsort(-cosines, kind="stable")
    first, second = pairs[order].reshape(-1, 2).T
    found = list(zip(first.tolist(), second.tolist(), cosines[order].tolist()))
    in_other_words = (sets or WordSets(texts)).jaccard(first, second) < least
    return NearByMeaning(found, [one for one, other in zip(found, in_other_words.tolist()) if other])
