"""Words and their definitions as pairs: a dictionary says each meaning twice, in one word or a few and in a phrase."""

from __future__ import annotations

import re

from caption_pairs import MadePairs, scored_sentences


def definition_pairs(first: int = 0) -> MadePairs:
    """The words of every meaning in WordNet beside its definition; `first` is the first pair's number among the groups.

    STS12, 13 and 14 score definitions, some of them WordNet's own. A meaning is left out if its definition, or a part
    of it between semicolons, stands in a test set or among the pairs that settings are chosen on, in any case and
    punctuation. Errors: `KitError` where WordNet is not installed.
    """
    from kit.data.nli import ENTAILMENT, Group
    from kit.english.definitions import definitions

    scored = scored_sentences()
    found = definitions(usual=False)
    kept = [(words, definition) for words, definition, _ in found if not said(definition, scored)]
    groups = [Group(first + i, words, (definition,), (ENTAILMENT,)) for i, (words, definition) in enumerate(kept)]
    made = f"WordNet 3.0: {len(groups):,} meanings, each with its words and its definition"
    return MadePairs(groups, [f"{made}; {len(found) - len(kept):,} whose definition STS or SICK has were left out."])


def said(definition: str, scored: frozenset[str]) -> bool:
    """Whether a definition, or a part of it between semicolons, is among `scored`."""
    from kit.workshop.training_overlap import same_words

    return any(same_words(part) in scored for part in {definition, *re.split(r"\s*;\s*", definition)} if part)
