"""Texts in groups, each named by the words that set it apart.

Groups by k-means on vectors of length 1 (Dhillon & Modha 2001); names by the words whose share in the group is high
for how many groups have them, tf · log(1 + mean / f), the class-based TF-IDF of BERTopic (Grootendorst 2022).
"""

from __future__ import annotations

import unicodedata
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError
from kit.evaluation.tables import table
from kit.number_checks import whole_number
from kit.retrieval.words_of_texts import words_in

if TYPE_CHECKING:
    from kit.retrieval.vector_index import Index


@dataclass(frozen=True)
class Cluster:
    """A group of texts. name: its words; places: of its texts, the most central first; cosine: mean with its centre."""

    name: str
    places: tuple[int, ...]
    cosine: float

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, repr=False)
class Clusters:
    """What `cluster` found, the largest group first. Lesson 13."""

    texts: tuple[str, ...]
    groups: tuple[Cluster, ...]

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, place: int) -> Cluster:
        return self.groups[place]

    def __repr__(self) -> str:
        return f"Clusters({len(self.groups)} of {len(self.texts):,} texts)"

    def table(self, style: str = "text") -> str:
        """Rows of name, size, mean cosine with the centre, and the most central text."""
        lines = [("words", "texts", "cosine", "most central")]
        for group in self.groups:
            lines.append((group.name, f"{len(group):,}", f"{group.cosine:.2f}", self.texts[group.places[0]][:60]))
        return table(lines, style)


@checked
def cluster(index: Index, clusters: int = 8, words: int = 3, seed: int = 0) -> Clusters:
    """The texts of an `Index` in `clusters` groups, each named by its `words` most telling words.

    Errors: `KitError` for more groups than distinct vectors, and numbers below 1. Lesson 13.
    """
    whole_number("clusters", clusters, 1, "8 are a beginning")
    whole_number("words", words, 1, "3 are usual")
    vectors = np.asarray(index.vectors)
    _check_number(clusters, len(np.unique(vectors, axis=0)) if len(vectors) < 10 * clusters else len(vectors))
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of fewer different vectors, which is told below
        label = KMeans(clusters, n_init=3 if len(vectors) <= 20_000 else 1, random_state=seed).fit_predict(vectors)
    _check_number(clusters, len(np.unique(label)))
    groups = []
    names = _names([[index.texts[i] for i in np.flatnonzero(label == one)] for one in range(clusters)], words)
    for one in range(clusters):
        places = np.flatnonzero(label == one)
        centre = vectors[places].mean(axis=0)
        cosines = vectors[places] @ centre / (np.linalg.norm(centre) or 1)
        order = np.argsort(-cosines, kind="stable")
        groups.append(Cluster(names[one], tuple(places[order].tolist()), float(cosines.mean())))
    return Clusters(tuple(index.texts), tuple(sorted(groups, key=len, reverse=True)))


def _check_number(clusters: int, different: int) -> None:
    if clusters > different:
        raise KitError(
            f"expected at most {different:,} clusters, as many as there are different texts, got {clusters:,}."
        )


def _names(groups: list[list[str]], words: int) -> list[str]:
    groups = [[unicodedata.normalize("NFC", text.lower()) for text in texts] for texts in groups]  # spelt as in them
    counts = [
        Counter(word for text in texts for word in set(words_in(text)) if len(word) > 1 or not word.isascii())
        for texts in groups
    ]
    everywhere = sum(counts, Counter())
    mean = sum(everywhere.values()) / max(1, len(groups))

    def weight(word: str, own: Counter) -> float:
        return own[word] / own.total() * np.log(1 + mean / everywhere[word])

    return [", ".join(sorted(own, key=lambda word: (-weight(word, own), word))[:words]) or "no words" for own in counts]
