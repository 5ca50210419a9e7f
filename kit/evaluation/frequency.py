"""Whether a space orders sentences by how frequent their words are.

In a collapsed space sentences of frequent words crowd near its centre and those of rare words lie apart (Li et al.
2020, BERT-flow, section 3.1), so that a cosine says something about frequency instead of meaning.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError
from kit.evaluation.vectors import DECIMALS, spearman, unit_rows

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # letters and digits, with apostrophes inside


@checked
def word_counts(sentences: Sequence[str]) -> Counter[str]:
    """How often each lower-cased word occurs in `sentences`: what the functions below count with. Lesson 02."""
    return Counter(word for sentence in sentences for word in WORD.findall(sentence.lower()))


@checked
def frequency_correlation(embeddings: Any, sentences: Sequence[str], counts: Mapping[str, float]) -> float | None:
    """Spearman's correlation, -1 to 1, of nearness and mean log word frequency.

    embeddings [n, dim] of the n sentences; counts: lower-cased word -> occurrences in a corpus. Nearness is
    `nearness`, frequency is `mean_log_frequency`. None where one of them is the same for all sentences. Raises
    KitError for fewer than two vectors, NaN or infinity, another number of sentences, and a sentence without words.
    """
    near = nearness(embeddings)
    if len(near) != len(sentences):
        raise KitError(f"expected one sentence for each of {len(near)} embeddings, but got {len(sentences)}.")
    return spearman(near, mean_log_frequency(sentences, counts))


def nearness(embeddings: Any) -> np.ndarray:
    """The mean cosine of each vector with all the others, float64 [n].

    Rounded to 12 decimals, so that vectors equally near are ties. Raises KitError for
    fewer than two vectors and for what is not a finite [n, dim]. Lesson 02.
    """
    unit = unit_rows(embeddings, least=2)
    others = unit @ unit.sum(axis=0) - np.square(unit).sum(axis=1)  # u·Σu without u·u
    return (others / (len(unit) - 1)).round(DECIMALS)


@checked
def mean_log_frequency(sentences: Sequence[str], counts: Mapping[str, float]) -> np.ndarray:
    """The mean of log(1 + count) over the words of each sentence, float64 [n].

    A word that `counts` does not have counts 0. Raises KitError for a sentence without
    words and for a negative count. Lesson 02.
    """
    means = []
    for place, sentence in enumerate(sentences):
        words = WORD.findall(sentence.lower())
        if not words:
            raise KitError(f"expected words in every sentence, but number {place} has none: leave it out.")
        occurrences = [counts.get(word, 0) for word in words]
        if min(occurrences) < 0:
            raise KitError("expected word counts of 0 or more, but got a negative one.")
        means.append(sum(math.log1p(count) for count in occurrences) / len(words))
    return np.array(means)
