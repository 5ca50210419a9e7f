"""Captions beside a rewording and beside a change of a word or two: triplets whose negative looks like the anchor."""

from __future__ import annotations

from caption_pairs import MadePairs, scored_sentences
from measuring import real

SOURCE = ("nli/hardneg_sugarcrepe_pp", "all")


def minimal_pairs(first: int = 0, negatives: bool = True) -> MadePairs:
    """SugarCrepe++ (Dumpala et al. 2024) as triplets; `first` is the first one's number among the groups.

    negatives: False leaves them out, for what the rewordings are worth without them.

    The positive says what the anchor says in other words; the negative says something else in nearly the anchor's
    words: a noun, an adjective or a preposition is another, or two have changed places. Made by a language model and
    checked by people, as a test of encoders, so whoever trains on it cannot be tested with it. A triplet with a
    sentence of STS or SICK, or of the pairs that settings are chosen on, is left out.
    """
    from kit.data import load
    from kit.data.nli import CONTRADICTION, ENTAILMENT, Group
    from kit.workshop.training_overlap import same_words

    table, scored = real(load(*SOURCE)), scored_sentences()
    triplets = list(zip(table["anchor"], table["positive"], table["negative"]))
    kept = [triplet for triplet in triplets if not any(same_words(text) in scored for text in triplet)]
    sides = slice(None if negatives else 1)
    groups = [
        Group(first + i, anchor, hypotheses[sides], (ENTAILMENT, CONTRADICTION)[sides])
        for i, (anchor, *hypotheses) in enumerate(kept)
    ]
    made = f"{len(groups):,} {'triplets' if negatives else 'pairs of caption and rewording, without the negative'}"
    left_out = f"{len(triplets) - len(kept):,} with a sentence of STS or SICK were left out"
    return MadePairs(groups, [table.source.summary(), f"Of these {made}; {left_out}."])
