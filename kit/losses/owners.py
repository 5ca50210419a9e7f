"""The same relations without matrices: who belongs to whom.

In every loss of `kit.losses.relations` a candidate is a positive of an anchor where both have the
same owner (a pair, a class, a premise), and a negative where they have not. Four columns of whole
numbers say that, and no batch is too large for them; the two matrices [A, C] are made of a
block of anchors at a time (`kit.fast.chunked`). Sampled relations (N₊, N₋) have no owners.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from kit.errors import KitError
from kit.losses.checks import check_choice, check_groups, check_tensor, count, integers
from kit.losses.duplicates import known_texts
from kit.losses.relations import Relations, scl_relations, unchecked_copy

_COLUMNS = ("anchors", "candidates", "of_anchors", "of_candidates")
_NOBODY = -1  # the owner of a candidate that is nobody's positive
_AT_ONCE = 256  # anchors whose positives are counted together


@dataclass(frozen=True, eq=False)
class Owners:
    """The relations of a batch as the owner of each anchor and of each candidate.

    `anchors` int64 [A] and `candidates` int64 [C] are rows of z, `of_anchors` [A] and
    `of_candidates` [C] their owners: any whole numbers that are compared for equality. A row is
    never its own positive or negative. `texts` int64 [rows of z], where given, is equal for
    equal texts, and known false negatives are ignored (see `mask_duplicates`). `least_rows`: how many
    rows z must have; None to find out, which looks at the rows (and waits for a GPU).
    Everything else as in `Relations`, to which `matrices()` leads: `positive` and `negative`
    make the whole matrices afresh whenever they are asked for.
    A wrong type or length or a row below 0 raises `KitError`.
    """

    anchors: Tensor
    candidates: Tensor
    of_anchors: Tensor
    of_candidates: Tensor
    texts: Tensor | None = None
    least_rows: int | None = None

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            check_tensor(name, getattr(self, name), torch.int64, dimensions=1)
        for name in ("anchors", "candidates"):
            rows, owners = getattr(self, name), getattr(self, f"of_{name}")
            if len(rows) != len(owners):
                raise KitError(f"expected one owner for each of {len(rows)} {name}, got {len(owners)}.")
        if self.least_rows is None:
            object.__setattr__(self, "least_rows", _least_rows(torch.cat([self.anchors, self.candidates])))

    @property
    def positive(self) -> Tensor:
        """Bool [A, C], as in `Relations`."""
        return self.block(0, len(self.anchors))[0]

    @property
    def negative(self) -> Tensor:
        """Bool [A, C], as in `Relations`."""
        positive, ignored = self.block(0, len(self.anchors))
        return ~(positive | ignored)

    def matrices(self) -> Relations:
        """The same as `Relations`: two matrices of A × C."""
        return Relations(self.anchors, self.candidates, self.positive, self.negative)

    def block(self, start: int, stop: int) -> tuple[Tensor, Tensor]:
        """Who is positive and who is ignored, bool [block, C], for the anchors from `start` to `stop`.

        The rest are the negatives."""
        anchors = self.anchors[start:stop]
        same = self.of_anchors[start:stop, None] == self.of_candidates  # [block, C]
        ignored = anchors[:, None] == self.candidates
        positive = same > ignored  # True and not: in one pass
        if self.texts is not None:
            ignored |= known_texts(positive, self.texts[anchors], self.texts[self.candidates]) > positive
        return positive, ignored

    def part(self, start: int, stop: int) -> Owners:
        """The anchors from `start` up to `stop` alone, with all candidates: one rank's share."""
        return unchecked_copy(self, anchors=self.anchors[start:stop], of_anchors=self.of_anchors[start:stop])

    def anchored(self) -> Tensor:
        """How many anchors have a positive, an int64 scalar: what the loss is a mean over."""
        found = [self.block(i, i + _AT_ONCE)[0].any(dim=1).sum() for i in range(0, len(self.anchors), _AT_ONCE)]
        return torch.stack(found).sum() if found else self.anchors.new_zeros(())

    def to(self, device: torch.device | str) -> Owners:
        """The same owners on another device (itself where it is there already)."""
        if self.anchors.device == torch.device(device):
            return self
        moved = {name: getattr(self, name).to(device, non_blocking=True) for name in _COLUMNS}
        texts = self.texts if self.texts is None else self.texts.to(device, non_blocking=True)
        return unchecked_copy(self, texts=texts, **moved)

    def without_known_texts(self, texts: Tensor) -> Owners:
        """See `mask_duplicates`; `texts` int64 [rows of z] is equal for equal texts."""
        return unchecked_copy(self, texts=texts)

    def check(self, rows: int) -> None:
        """Raises `KitError` where z has fewer rows than these relations speak of."""
        Relations.check(self, rows)


def _least_rows(rows: Tensor) -> int:
    low, high = map(int, rows.aminmax()) if len(rows) else (0, -1)
    if low < 0:
        raise KitError(f"expected rows counted from 0, got {low}: count from 0.")
    return high + 1


def nt_xent_owners(pairs: int) -> Owners:
    """`nt_xent_relations`: a pair of views owns its two rows."""
    return supcon_owners(torch.arange(count("pairs", pairs)).repeat(2))


def supcon_owners(labels: Tensor) -> Owners:
    """`supcon_relations`: a class owns its rows."""
    labels = integers("labels", labels)
    rows = torch.arange(len(labels), device=labels.device)
    return Owners(rows, rows, labels, labels, least_rows=len(labels))


def mnrl_owners(n: int) -> Owners:
    """`mnrl_relations`: an anchor owns its positive."""
    return supmpn_owners(n, positives=1, negatives=0)


def mnrl_hard_owners(n: int, negatives_per_anchor: int = 1) -> Owners:
    """`mnrl_hard_relations`: an anchor owns its positive, and nobody the negatives."""
    return supmpn_owners(n, positives=1, negatives=negatives_per_anchor)


def supmpn_owners(n: int, positives: int, negatives: int) -> Owners:
    """`supmpn_relations`: an anchor owns its P positives, and nobody the negatives."""
    anchors = torch.arange(count("n", n))
    mine = anchors.repeat_interleave(count("positives", positives))
    others = torch.full((n * count("negatives", negatives),), _NOBODY)
    owner = torch.cat([mine, others])  # [C]
    return Owners(anchors, torch.arange(n, n + len(owner)), anchors, owner)


def scl_owners(premise_ids: Tensor, labels: Tensor, anchors: str = "premise") -> Owners:
    """`scl_relations` without sampling: a premise owns the hypotheses that it entails."""
    premise_ids, labels = integers("premise_ids", premise_ids), integers("labels", labels)
    premises = check_groups(premise_ids, labels)
    check_choice("anchors", anchors, ("premise", "row"))
    entailed = labels == 0  # [H]
    anchor_rows = premise_ids.masked_select(entailed)  # [A], one per entailed hypothesis
    if anchors == "premise":
        anchor_rows = anchor_rows.unique()  # [A], sorted
    rows = premises + len(labels)
    owners = torch.where(entailed, premise_ids, _NOBODY)  # [H]
    return Owners(anchor_rows, torch.arange(premises, rows, device=labels.device), anchor_rows, owners, least_rows=rows)


def scl_owners_unless_sampled(
    premise_ids: Tensor,
    labels: Tensor,
    anchors: str = "premise",
    max_positives: int | None = None,
    max_negatives: int | None = None,
    generator: torch.Generator | None = None,
) -> Owners | Relations:
    """`scl_relations` as `Owners`; with N₊ or N₋, which leave some out, as the matrices they are."""
    if max_positives is None and max_negatives is None:
        return scl_owners(premise_ids, labels, anchors)
    return scl_relations(premise_ids, labels, anchors, max_positives, max_negatives, generator)
