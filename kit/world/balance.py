"""No word and no length of a hypothesis tells its label: what has leant towards a label is used less with it.

Without this a model could guess the label from the hypothesis alone ("nobody": contradiction), as it can on SNLI
(Gururangan et al. 2018, Annotation artifacts in natural language inference data). Leans are counted in standard
deviations, for that is what a model can learn of them: a small lean of a frequent word as well as a large one of a
rare word, and ever smaller ones the more there are to learn from.
"""

from __future__ import annotations

import random
from math import exp, sqrt

PATIENCE = 3.2  # standard deviations, summed over the words, at which one hypothesis in e is still taken
SLACK = 6.0  # variance that a word is allowed beyond chance, so that a few occurrences decide nothing
TOTAL = 3  # place of the sum in the counts of a word


class Balance:
    """Counts the words of hypotheses by label, and turns down those that would deepen a lean."""

    def __init__(self) -> None:
        self.counts: dict[str, list[int]] = {}  # of each word, how often with the labels 0, 1, 2, and in all
        self.sizes = [0, 0, 0]

    def takes(self, features: list[str], label: int, rng: random.Random) -> bool:
        """Whether a hypothesis is kept, at random: the less likely, the more its `features` lean to its label."""
        share = self.sizes[label] / max(1, sum(self.sizes))  # of the label; expected of each word's occurrences too
        spread = share * (1 - share)
        lean = 0.0  # of its words to the label, in standard deviations
        known = self.counts.get
        for word in features:
            counts = known(word)
            if counts is not None:
                often = counts[TOTAL]
                lean += (counts[label] - often * share) / sqrt(often * spread + SLACK)
        return lean <= 0 or rng.random() < exp(-lean / PATIENCE)

    def count(self, features: list[str], label: int) -> None:
        """Takes a hypothesis with these `features` into account."""
        for word in features:
            counts = self.counts.get(word)
            if counts is None:
                counts = self.counts[word] = [0, 0, 0, 0]
            counts[label] += 1
            counts[TOTAL] += 1
        self.sizes[label] += 1


def features_of(words: list[str]) -> list[str]:
    """Each word once, in their order, and how many there are: a set would be added in another order each time."""
    return [*dict.fromkeys(words), f"{len(words)} words"]
