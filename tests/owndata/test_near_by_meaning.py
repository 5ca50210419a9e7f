"""Near-duplicates by an encoder beside those by words: against plain loops, and as `look` says them."""

from __future__ import annotations

import numpy as np
import pytest

from kit.encoder import load_encoder
from kit.errors import KitError
from kit.owndata import look, near_duplicates, read
from kit.owndata.near_by_meaning import near_by_meaning

TEXTS = [
    "the dog sleeps in the hall", "the dog sleeps in a hall", "a quick answer", "a fast reply", "bread is fresh",
    "two boats at sea", "the boats are at sea", "where is the key", "where is the small key", "it rains",
]  # fmt: skip


def test_pairs_are_those_of_plain_loops_and_the_others_share_few_words() -> None:
    encoder = load_encoder("kit-bert-tiny")
    vectors = encoder.encode(TEXTS).double().numpy()
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    by_words = near_duplicates(TEXTS)
    found = near_by_meaning(encoder, TEXTS, 0.9)
    expected = {(i, j) for i in range(10) for j in range(i + 1, 10) if vectors[i] @ vectors[j] >= 0.9}
    assert {(i, j) for i, j, _ in found.pairs} == expected and len(expected) > 2
    assert all(cosine == pytest.approx(vectors[i] @ vectors[j], abs=1e-6) for i, j, cosine in found.pairs)
    assert [cosine for *_, cosine in found.pairs] == sorted((c for *_, c in found.pairs), reverse=True)
    known = {(i, j) for i, j, _ in by_words}
    assert {(i, j) for i, j, _ in found.in_other_words} == expected - known and known & expected
    assert found.texts == len({place for pair in expected for place in pair}) > found.texts_in_other_words
    assert near_by_meaning(encoder, ["one text"], 0.9).pairs == []


def test_texts_of_one_template_are_not_in_other_words() -> None:
    """Of so many not every pair of near-duplicates is listed, but each is one."""
    texts = [f"how do i reset the password of my account number {i}" for i in range(60)]
    found = near_by_meaning(load_encoder("kit-bert-tiny"), texts, 0.9)
    assert len(found.pairs) > 1000 and found.in_other_words == []
    assert near_by_meaning(load_encoder("kit-bert-tiny"), texts, 0.9, least=0.9).in_other_words == found.pairs


def test_look_asks_the_encoder_where_it_is_told_to() -> None:
    encoder, data = load_encoder("kit-bert-tiny"), read(TEXTS)
    found = look(data, encoder, meaning=0.9)
    pairs = near_by_meaning(encoder, data.texts(), 0.9)
    assert found["texts with another at a cosine of 0.9"].count == pairs.texts
    assert found["of these in other words"].count == pairs.texts_in_other_words > 0
    assert "≈" in found["of these in other words"].examples[0] and "deduplicate" in str(found)
    assert not any("cosine" in finding.what for finding in look(data, encoder).findings)
    for wrong in (1.5, -1, float("nan"), "0.9"):
        with pytest.raises(KitError, match="a cosine above −1 and up to 1"):
            look(data, encoder, meaning=wrong)
