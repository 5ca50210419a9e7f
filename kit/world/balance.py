"""No word and no length of a hypothesis tells its label: what has leant towards a label is used less with it.

Without this a model could guess the label from the hypothesis alone ("nobody": contradiction), as it can on SNLI
(Gururangan et al. 2018, Annotation artifacts in natural language inference data).
"""

from __future__ import annotations

import random

SHRUNK = 6.0  # occurrences with each label that a word is taken to have had before the first
STRENGTH = 2.3
NEVER = (0, 0, 0)


class Balance:
    """Counts the words of hypotheses by label, and turns down those that would deepen a lean."""

    def __init__(self) -> None:
        self.counts: dict[str, list[int]] = {}  # of each word, how often with the labels 0, 1 and 2
        self.sizes = [0, 0, 0]

    def takes(self, text: str, label: int, rng: random.Random) -> bool:
        """Whether the hypothesis is kept, at random: the less likely, the more its words lean to its label."""
        ratio = 1.0  # of how often its words come with this label over how often with any, multiplied
        first, second, third = (100 * SHRUNK + size for size in self.sizes)
        counts = self.counts
        for word in _features(text):
            zero, one, two = counts.get(word, NEVER)
            rates = ((zero + SHRUNK) / first, (one + SHRUNK) / second, (two + SHRUNK) / third)
            ratio *= 3 * rates[label] / (rates[0] + rates[1] + rates[2])
        return ratio <= 1 or rng.random() < ratio**-STRENGTH

    def count(self, text: str, label: int) -> None:
        """Takes the hypothesis into account."""
        for word in _features(text):
            self.counts.setdefault(word, [0, 0, 0])[label] += 1
        self.sizes[label] += 1


def _features(text: str) -> dict[str, None]:
    """Each word once, in their order, and how many there are: a set would be multiplied in another order each time."""
    words = text.lower().rstrip(".").replace(",", "").split()
    return dict.fromkeys((*words, f"{len(words)} words"))
