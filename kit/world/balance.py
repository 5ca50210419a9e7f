"""No word and no length of a hypothesis tells its label: what has leant towards a label is used less with it.

Without this a model could guess the label from the hypothesis alone ("nobody": contradiction), as it can on SNLI
(Gururangan et al. 2018, Annotation artifacts in natural language inference data).
"""

from __future__ import annotations

import random
from collections import Counter

SHRUNK = 6.0  # occurrences with each label that a word is taken to have had before the first
STRENGTH = 2.3


class Balance:
    """Counts the words of hypotheses by label, and turns down those that would deepen a lean."""

    def __init__(self) -> None:
        self.counts: dict[int, Counter[str]] = {0: Counter(), 1: Counter(), 2: Counter()}
        self.sizes = {0: 0, 1: 0, 2: 0}

    def takes(self, text: str, label: int, rng: random.Random) -> bool:
        """Whether the hypothesis is kept, at random: the less likely, the more its words lean to its label."""
        ratio = 1.0  # of how often its words come with this label over how often with any, multiplied
        floor = [100 * SHRUNK + self.sizes[one] for one in (0, 1, 2)]
        first, second, third = (self.counts[one] for one in (0, 1, 2))
        for word in _features(text):
            rates = (
                (first.get(word, 0) + SHRUNK) / floor[0],
                (second.get(word, 0) + SHRUNK) / floor[1],
                (third.get(word, 0) + SHRUNK) / floor[2],
            )
            ratio *= 3 * rates[label] / sum(rates)
        return ratio <= 1 or rng.random() < ratio**-STRENGTH

    def count(self, text: str, label: int) -> None:
        """Takes the hypothesis into account."""
        self.counts[label].update(_features(text))
        self.sizes[label] += 1


def _features(text: str) -> set[str]:
    words = text.lower().rstrip(".").replace(",", "").split()
    return {*words, f"{len(words)} words"}
