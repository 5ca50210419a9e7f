"""Twelve sentences, four topics, three each: the course's own small test of a space.

After the design of the SupMPN paper's Figure 2 (Dehghan & Amasyali 2022), with sentences of our own. Each topic has
an anchor, a positive that says the same and a negative that says something else. In two topics the negative shares
more words with its anchor than the positive does, so counting words gets those wrong.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """One topic's three sentences."""

    name: str
    anchor: str
    positive: str
    negative: str


TWELVE = (
    Topic(
        "weather",
        "Heavy rain kept falling on the town all night.",
        "It poured over the little city until morning.",
        "Heavy traffic kept rolling through the town all night.",
    ),
    Topic(
        "sport",
        "The goalkeeper stopped the penalty in the last minute.",
        "A late spot kick was saved by the keeper.",
        "The goalkeeper missed the training in the last week.",
    ),
    Topic(
        "phone",
        "The battery of my phone is empty before the evening.",
        "My phone runs out of battery before the evening comes.",
        "This camera takes sharp pictures even in the dark.",
    ),
    Topic(
        "food",
        "She baked fresh bread for breakfast.",
        "She made fresh bread to eat for breakfast.",
        "The restaurant on the corner stays closed on Mondays.",
    ),
)


def twelve_sentences() -> list[str]:
    """The twelve in order: anchor, positive, negative of each topic. Lesson 01."""
    return [s for t in TWELVE for s in (t.anchor, t.positive, t.negative)]


def twelve_labels() -> list[str]:
    """Short names for plots, such as 'weather +'. Lesson 02."""
    return [f"{t.name} {mark}" for t in TWELVE for mark in ("anchor", "+", "−")]
