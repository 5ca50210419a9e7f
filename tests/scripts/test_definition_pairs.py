"""Pairs of words and definitions: every meaning once, and none whose definition a test or a choice of settings has."""

from __future__ import annotations

import definition_pairs as module
import pytest

MEANINGS = [
    ("rain, pour", "fall heavily from clouds", "verb"),
    ("ferry", "a boat that carries people; usually across a river", "noun"),
    ("bench", "A long seat!", "noun"),
    ("lamp", "a thing that gives light", "noun"),
]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> module.MadePairs:
    asked = []
    monkeypatch.setattr("kit.english.definitions.definitions", lambda **options: asked.append(options) or MEANINGS)
    monkeypatch.setattr(module, "scored_sentences", lambda: frozenset({"a long seat", "usually across a river"}))
    made = module.definition_pairs(first=7)
    assert asked == [{"usual": False}], "every meaning, not the usual ones alone"
    return made


def test_no_definition_is_scored_as_a_whole_or_between_semicolons(found: module.MadePairs) -> None:
    pairs = [(group.premise_id, group.anchor, group.positives) for group in found.groups]
    assert pairs == [(7, "rain, pour", (MEANINGS[0][1],)), (8, "lamp", (MEANINGS[3][1],))]
    assert not any(group.negatives or group.neutrals for group in found.groups)
    assert "2 meanings" in found.data[0] and "2 whose definition STS or SICK has" in found.data[0]
