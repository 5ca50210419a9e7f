"""The batches of lesson 03's own training loop: full, repeatable, one positive for each premise."""

from __future__ import annotations

import pytest

from kit.course.small_batches import triplet_batches
from kit.encoder import load_encoder
from kit.errors import KitError
from tests.tiny import tiny_groups


def test_batches_are_full_and_the_same_again() -> None:
    encoder, groups = load_encoder(), tiny_groups()
    first, again = (triplet_batches(encoder, groups, size=4, steps=7, seed=1) for _ in range(2))
    assert len(first) == 7, "a second epoch follows where the first is over"
    assert all(batch.relations.positive.shape == (4, 8) for batch in first)
    assert all(batch.relations.positive.sum(dim=1).eq(1).all() for batch in first)
    assert [batch.token_ids for batch in first] == [batch.token_ids for batch in again]
    assert [batch.token_ids for batch in first] != [
        batch.token_ids for batch in triplet_batches(encoder, groups, size=4, steps=7, seed=2)
    ]
    with pytest.raises(KitError, match="expected at least 5000 triplets"):
        triplet_batches(encoder, groups, size=5000, steps=1)
