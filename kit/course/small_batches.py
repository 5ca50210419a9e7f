"""Batches for a training loop that a lesson writes out itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, islice

from kit.data.nli import Group
from kit.errors import KitError
from kit.training import recipe
from kit.training.batches import Batch, epoch_of_batches, make_batch, tokenize_groups


def triplet_batches(encoder, groups: Sequence[Group], size: int, steps: int, seed: int = 0) -> list[Batch]:
    """`steps` full batches of `size` premises, each with one entailed and one contradicted hypothesis.

    The order is drawn from `seed`, epoch after epoch, and is the same at every call. Each batch has `.token_ids` of
    3 · size sentences (premises, entailed, contradicted) and `.relations`: every premise an anchor, its entailed
    hypothesis the positive, all other hypotheses negatives. Errors: `KitError` where the groups do not give one full
    batch. Lesson 03.
    """
    items = tokenize_groups(encoder, groups, data_format="triplets", seed=seed)
    if len(items) < size:
        raise KitError(f"expected at least {size} triplets for a batch, got {len(items)}: load more rows.")
    chunks = (chunk for epoch in count() for chunk in epoch_of_batches(items, size, seed, epoch))
    full = (chunk for chunk in chunks if len(chunk) == size)
    return [make_batch(chunk, recipe("simcse")) for chunk in islice(full, steps)]
