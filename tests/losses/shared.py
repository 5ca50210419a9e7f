"""What the tests of several losses share: relations of every kind, a comparison with a peer, and corner cases."""

from __future__ import annotations

import itertools

import torch

from kit.losses import (
    Relations,
    mnrl_hard_relations,
    mnrl_relations,
    nt_xent_relations,
    scl_relations,
    supcon_relations,
    supmpn_relations,
)
from kit.losses.softmax import OTHER_POSITIVES, SIMILARITIES

OPTIONS = list(itertools.product(SIMILARITIES, OTHER_POSITIVES))  # whatever is offered is held to the slow sum
PREMISE_IDS, LABELS = [0, 0, 0, 1, 1, 2, 2, 0], [0, 1, 0, 0, 2, 1, 2, 2]

# name → relations and the number of rows of z: every row of the table in `kit.losses.relations`, and its corners
RELATIONS = {
    "nt_xent": (nt_xent_relations(3), 6),
    "supcon": (supcon_relations([0, -1, 0, 2, -1, 0]), 6),  # −1 is a class like any other
    "mnrl": (mnrl_relations(4), 8),
    "mnrl_hard": (mnrl_hard_relations(3, 2), 12),
    "scl": (scl_relations(PREMISE_IDS, LABELS), 11),
    "scl_by_row": (scl_relations(PREMISE_IDS, LABELS, "row"), 11),
    "supmpn": (supmpn_relations(3, 2, 2), 15),
    "no_anchor_with_a_positive": (supcon_relations([0, 1, 2]), 3),
    "a_missing_positive": (supcon_relations([0, 0, 1]), 3),
    "no_negatives": (supcon_relations([0, 0, 0]), 3),
    "nothing_but_pairs": (mnrl_relations(1), 2),
    "batch_of_one": (supcon_relations([0]), 1),
    "empty_batch": (supcon_relations([]), 0),
    "no_candidate": (supmpn_relations(2, 0, 0), 2),
    "nothing_is_entailed": (scl_relations([0, 1], [1, 2]), 4),
}
WITHOUT_POSITIVES = ["no_anchor_with_a_positive", "batch_of_one", "empty_batch", "no_candidate", "nothing_is_entailed"]


def random_relations(rows: int, seed: int) -> Relations:
    """Six anchors with any mixture of positives, negatives and ignored candidates; a row may be an anchor twice."""
    rng = torch.Generator().manual_seed(seed)
    kind = torch.randint(0, 3, (6, rows - 1), generator=rng)  # 0 ignored, 1 positive, 2 negative
    kind[0], kind[1], kind[2] = 2, 1, 0  # without a positive, without a negative, without either
    anchors = torch.randint(0, rows, (6,), generator=rng)
    return Relations(anchors, torch.randperm(rows, generator=rng)[: rows - 1], kind == 1, kind == 2)


def random_vectors(seed: int, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def both(ours, theirs, *tensors, close=1e-6):
    """Asserts equal loss and equal gradient of every tensor."""
    results = []
    for function in (ours, theirs):
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        loss = function(*leaves)
        results.append((loss, *torch.autograd.grad(loss, leaves)))
    for mine, other in zip(*results, strict=True):
        assert mine.abs().max() > 0
        torch.testing.assert_close(mine, other, rtol=close, atol=close)


# name → what it makes of vectors [rows, dim]
CORNERS = {
    "random": lambda z: z,
    "duplicates": lambda z: z[:1].expand_as(z).clone(),
    "opposites": lambda z: z[:1] * torch.tensor([1.0, -1.0]).repeat(len(z))[: len(z), None],
    "zero_vectors": lambda z: z * 0,
    "one_zero_vector": lambda z: z * (torch.arange(len(z)) > 0)[:, None],
    "long_vectors": lambda z: z * 1000,
    "short_vectors": lambda z: z * 1e-15,
}
