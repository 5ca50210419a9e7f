"""BM25, the baseline without any training: words in common, weighted by how rare they are.

score(q, d) = Σ over the words of q of  idf(w) · tf / (tf + k₁ · (1 − b + b · |d| / mean |d|)),  Lucene's variant, by
the package `bm25s` (Lù 2024); Robertson & Zaragoza (2009) derive it.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

import numpy as np

from kit.checks.argument_checks import checked
from kit.checks.sentences import check_sentences
from kit.errors import KitError, shown
from kit.number_checks import is_finite, whole_number
from kit.retrieval.words_of_texts import tokens


class BM25:
    """Ranks documents by the words they share with a query; `k1` and `b` are Lucene's. Lesson 13.

    Words are runs of letters and digits, whatever their case and width, unstemmed and without stop words left out: both
    would need to know the language. Of Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese each character is one.
    Errors: `KitError` where `bm25s` is not installed (`pip install bm25s`).
    """

    name = "BM25"

    def __init__(self, k1: float = 1.2, b: float = 0.75) -> None:
        if not is_finite(k1) or k1 < 0 or not is_finite(b) or not 0 <= b <= 1:
            raise KitError(
                f"expected k1 from 0 and b from 0 to 1, got {shown(k1)} and {shown(b)}: 1.2 and 0.75 are usual."
            )
        self.k1, self.b = k1, b
        _bm25s()

    @checked
    def rank(self, queries: Sequence[str], corpus: Sequence[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        """(scores, places), each [queries, min(k, documents)], best first; equal scores in the order of the corpus.

        Errors: `KitError` for a `k` below 1.
        """
        whole_number("k", k, 1, "10 is usual")
        queries, corpus = (check_sentences(list(texts), cut=False) for texts in (queries, corpus))
        engine = _bm25s().BM25(method="lucene", k1=self.k1, b=self.b)
        words = [tokens(text) for text in corpus]
        k = min(k, len(corpus))
        if not any(words):
            return np.zeros((len(queries), k)), np.tile(np.arange(k), (len(queries), 1))
        engine.index(words, show_progress=False)
        scores, places = np.empty((len(queries), k)), np.empty((len(queries), k), dtype=np.int64)
        for row, query in enumerate(queries):
            known = [word for word in tokens(query) if word in engine.vocab_dict]
            found = np.zeros(len(corpus)) if not known else np.asarray(engine.get_scores(known), dtype=float)
            places[row] = _largest(found, k)
            scores[row] = found[places[row]]
        return scores, places


def unmatched(queries: Sequence[str], corpus: Sequence[str], among_them: bool = False) -> int:
    """How many queries share no word with a document. among_them: with one beside themselves, as each is one, too."""
    having = Counter(word for text in corpus for word in set(tokens(text)))
    return sum(all(having[word] < 1 + among_them for word in tokens(query)) for query in queries)


def _largest(scores: np.ndarray, k: int) -> np.ndarray:
    """Places of the k largest, equal ones in their order."""
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    above, equal = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    places = np.sort(np.concatenate([above, equal[: k - len(above)]]))
    return places[np.argsort(-scores[places], kind="stable")]


def _bm25s():
    try:
        import bm25s
    except ImportError as error:
        raise KitError("expected the package bm25s for this baseline: pip install bm25s, or leave it out.") from error
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s
