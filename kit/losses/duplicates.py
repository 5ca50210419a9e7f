"""Known false negatives: a negative with the text of the anchor or of one of its positives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

Related = TypeVar("Related")  # Relations or Owners


def mask_duplicates(relations: Related, keys: Sequence[Hashable]) -> Related:
    """New relations in which known false negatives are ignored.

    `relations`: `Relations`, or `Owners`, which stay as lean as they are. `keys` has one entry per row
    of z, equal for equal texts (the texts themselves will do). A negative is dropped where its
    text is the anchor's own or that of one of its positives: "a man is outside", entailed by two
    premises, must not be pushed from either.
    """
    relations.check(len(keys))
    number: dict[Hashable, int] = {}
    texts = torch.tensor([number.setdefault(key, len(number)) for key in keys], dtype=torch.int64)
    return relations.without_known_texts(texts.to(relations.anchors.device))


def known_texts(positive: Tensor, of_anchor: Tensor, of_candidate: Tensor) -> Tensor:
    """Whether a candidate has the text of the anchor or of one of its positives, bool [A, C].

    `positive` bool [A, C]; `of_anchor` [A] and `of_candidate` [C] number their texts from 0.
    """
    if not positive.numel():
        return positive
    texts = int(max(of_anchor.max(), of_candidate.max())) + 1
    # friends[i, k]: does text k stand among the positives of anchor i, or is it the anchor?
    friends = torch.zeros(len(of_anchor), texts, device=positive.device)
    friends.index_add_(1, of_candidate, positive.float())
    friends.scatter_(1, of_anchor[:, None], 1.0)
    return friends.index_select(1, of_candidate) > 0
