"""Minimal pairs as triplets: numbered on, each with its own hard negative, and none with a sentence of a test."""

from __future__ import annotations

import minimal_pairs as module
import pytest

from kit.data.table import Source, Table

ROWS = {
    "anchor": ["A red bus stops.", "Two men sing.", "A lamp is lit.", "A cat sleeps."],
    "positive": ["A bus that is red stops.", "Two singers are men.", "Light comes from a lamp.", "A cat is asleep."],
    "negative": ["A blue bus stops.", "Two men sleep.", "A lamp is off.", "A dog sleeps."],
}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("close", "all", "path", "here", "a revision", 4)
    monkeypatch.setattr("kit.data.load", lambda name, split: Table(ROWS, source))
    monkeypatch.setattr(module, "real", lambda table: table)
    scored = {"a bus that is red stops", "two men sleep", "a lamp is lit"}  # one of each column
    monkeypatch.setattr(module, "scored_sentences", lambda: frozenset(scored))


def test_a_triplet_is_left_out_where_any_of_its_sentences_is_scored() -> None:
    made = module.minimal_pairs(first=7)
    [group] = made.groups
    assert (group.premise_id, group.anchor) == (7, "A cat sleeps.")
    assert (group.positives, group.negatives) == (("A cat is asleep.",), ("A dog sleeps.",))
    assert made.data[-1] == "Of these 1 triplets; 3 with a sentence of STS or SICK were left out."


def test_without_their_negatives_the_rewordings_stay() -> None:
    made = module.minimal_pairs(first=7, negatives=False)
    [group] = made.groups
    assert (group.anchor, group.positives, group.negatives) == ("A cat sleeps.", ("A cat is asleep.",), ())
    assert "1 pairs of caption and rewording, without the negative; 3 with" in made.data[-1]
