"""Known false negatives: a negative with the text of the anchor or of one of its positives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from kit.checks.argument_checks import checked
from kit.errors import KitError

AnyRelations = TypeVar("AnyRelations")  # Relations or GroupRelations


@checked
def mask_duplicates(relations: AnyRelations, keys: Sequence[Hashable] | str) -> AnyRelations:
    """New relations in which known false negatives are ignored.

    `keys` has one entry per row of z, equal for equal texts (the texts themselves will do). A negative is ignored if
    its text is the anchor's own or that of one of its positives: "a man is outside", entailed by two premises,
    must not be pushed away from either. Errors: `KitError` for fewer keys than rows. Lesson 04.
    """
    keys = keys.tolist() if hasattr(keys, "tolist") else keys  # elements of a tensor are never equal as keys
    if len(keys) < relations.min_rows:
        raise KitError(f"expected a key for each of {relations.min_rows} rows of z or more, got {len(keys)}: add them.")
    number: dict[Hashable, int] = {}
    texts = torch.tensor([number.setdefault(key, len(number)) for key in keys], dtype=torch.int64)
    return relations.ignore_duplicates(texts.to(relations.anchors.device))


def duplicate_mask(positive: Tensor, anchor_texts: Tensor, candidate_texts: Tensor) -> Tensor:
    """Bool [A, C]: whether a candidate has the text of the anchor or of one of its positives.

    `positive` bool [A, C]; `anchor_texts` [A] and `candidate_texts` [C] number their texts from 0.
    """
    if not positive.numel():
        return positive
    texts = int(max(anchor_texts.max(), candidate_texts.max())) + 1
    # known[i, k]: text k is that of anchor i or of one of its positives
    known = torch.zeros(len(anchor_texts), texts, device=positive.device)
    known.index_add_(1, candidate_texts, positive.float())
    known.scatter_(1, anchor_texts[:, None], 1.0)
    return known.index_select(1, candidate_texts) > 0
