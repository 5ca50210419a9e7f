"""Captions of one picture as pairs: two people wrote them, each without the other's, of the same thing."""

from __future__ import annotations

import random
from dataclasses import dataclass

from measuring import real

CAPTIONS = (("nli/captions_flickr30k", "train"), ("nli/captions_coco", "val2017"))


@dataclass(frozen=True)
class MadePairs:
    """Groups made of texts that nobody labelled as NLI, and what they were made of, in words."""

    groups: list
    data: list[str]


def caption_pairs(first: int = 0, seed: int = 0) -> MadePairs:
    """Two pairs of every picture's five captions; `first` is the first pair's number among the groups.

    Whoever trains on pairs of captions trains on some scored pairs of STS, which takes from the same captions. So
    every picture with a caption that stands in a test set, or among the pairs that settings are chosen on, is left
    out first, with its other captions, too.
    """
    from kit.data import load
    from kit.data.nli import ENTAILMENT, Group
    from kit.workshop.training_overlap import same_words

    scored, rng = scored_sentences(), random.Random(seed)
    groups, left_out, sources = [], 0, []
    for name in CAPTIONS:
        table = real(load(*name))
        sources.append(table.source.summary())
        for captions in table["captions"]:
            if any(same_words(text) in scored for text in captions):
                left_out += 1
                continue
            new = list(dict.fromkeys(captions))
            rng.shuffle(new)
            for anchor, positive in zip(new[::2], new[1::2]):
                groups.append(Group(first + len(groups), anchor, (positive,), (ENTAILMENT,)))
    made = f"Of these {len(groups):,} pairs; {left_out:,} pictures with a caption in STS or SICK were left out."
    return MadePairs(groups, [*sources, made])


def scored_sentences() -> frozenset[str]:
    """The words of every sentence in a test set or among the pairs that settings are chosen on."""
    from kit.data import load_sts
    from kit.workshop.choosing_pairs import choosing_pairs
    from kit.workshop.training_overlap import words_of_all

    tasks = [*load_sts().values(), *choosing_pairs().values()]
    return words_of_all(text for task in tasks for side in (task.sentences1, task.sentences2) for text in side)
