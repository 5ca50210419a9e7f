"""Texts that an encoder takes for nearly the same, beside those that share their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kit.retrieval.near_duplicates import near_pairs
from kit.retrieval.vector_index import encode_in_chunks


@dataclass(frozen=True)
class NearByMeaning:
    """pairs: (i, j, cosine), i < j, the nearest first; of them `in_other_words` share few words, by `near_duplicates`.

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
    encoder: Any, texts: Sequence[str], threshold: float, by_words: Sequence[tuple[int, int, float]]
) -> NearByMeaning:
    """All pairs of distinct texts with a cosine of `threshold` or more; by_words: what `near_duplicates` found.

    It compares all texts with all: 100,000 take some twenty seconds more than encoding them. Errors: `KitError` as
    `kit.retrieval.near_duplicates.near_pairs`, such as a threshold that millions of pairs reach. Lesson 13.
    """
    pairs, cosines = near_pairs(encode_in_chunks(encoder, list(texts)), threshold)
    found = sorted(zip(*pairs.T.tolist(), cosines.tolist()), key=lambda one: -one[2]) if len(pairs) else []
    known = {(i, j) for i, j, _ in by_words}
    return NearByMeaning(found, [one for one in found if one[:2] not in known])
