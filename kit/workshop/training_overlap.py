"""Test sentences that stand in the training text, and the test pairs that are left without them.

All systems of the papers train on SNLI and MultiNLI, whose sentences are captions and texts that STS took from too. No
gold score is seen by it, but a sentence is. Two sentences are one where their words are, in any case and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kit.data import StsTask


@dataclass(frozen=True)
class Overlap:
    """Of one task: distinct sentences, and those in the training text; pairs, and those that hold such a sentence."""

    sentences: int
    seen_sentences: int
    pairs: int
    pairs_with_one: int


def training_overlap(task: StsTask, training: Iterable[str] | frozenset[str]) -> tuple[Overlap, StsTask]:
    """What of a task stands in the training text, and the task without the pairs that hold such a sentence.

    training: sentences, or what `words_of_all` made of them.
    """
    seen = training if isinstance(training, frozenset) else words_of_all(training)
    sides = [[same_words(text) for text in side] for side in (task.sentences1, task.sentences2)]
    distinct = {words for side in sides for words in side}
    kept = [i for i, both in enumerate(zip(*sides)) if seen.isdisjoint(both)]
    columns = (task.sentences1, task.sentences2, task.scores, task.subsets)
    clean = StsTask(task.name, *([column[i] for i in kept] for column in columns), task.source)
    return Overlap(len(distinct), len(distinct & seen), len(task), len(task) - len(kept)), clean


def words_of_all(sentences: Iterable[str]) -> frozenset[str]:
    """The sentences as `same_words` has them, each once."""
    return frozenset(map(same_words, sentences))


def same_words(sentence: str) -> str:
    """What two sentences have in common that are one: their words, in lower case."""
    return " ".join(re.findall(r"\w+", sentence.casefold()))
