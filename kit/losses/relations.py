"""Which rows of a batch are anchors, and which are their positives and negatives.

A batch is a matrix of embeddings z [rows, dim] and `Relations` over its rows. Every loss of the softmax
family is one formula (`kit.losses.softmax`) over other relations:

    loss                 anchors           candidates             positives of i     negatives of i
    nt_xent_relations    all 2N rows       all 2N rows            its partner        all other rows
    supcon_relations     all rows          all rows               same class         other classes
    mnrl_relations       N anchors         N positives            its own            the others'
    mnrl_hard_relations  N anchors         positives, negatives   its own            everything else
    scl_relations        premises          hypotheses             entailed by it     all others
    supmpn_relations     N anchors         positives, negatives   its P              everything else

A row is never its own positive or negative; a pair that is neither is ignored.

`Relations` hold two boolean matrices [A, C]. In all of these losses an anchor and a candidate are positive where
they belong to one group (a pair, a class, a premise) and negative where they do not; `GroupRelations` hold
the group ids, and make the matrices when they are asked for.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import torch
from torch import Tensor

from kit.checks.tensor_checks import check_groups, check_tensor, integers
from kit.errors import KitError, check_name
from kit.losses.duplicates import duplicate_mask
from kit.number_checks import whole_number

NO_GROUP = -1  # the group of a candidate that is nobody's positive
_BLOCK = 256  # anchors whose positives are counted at once


@dataclass(frozen=True, eq=False)
class Relations:
    """The relations of a batch as two boolean matrices: for any pattern, also one made by hand.

    `anchors` int64 [A] and `candidates` int64 [C] are rows of z (a row may occur twice); `positive` and `negative` bool
    [A, C] say what candidate c is to anchor i; where both are False the pair is ignored. `min_rows` is how many rows z
    must have. Errors: `KitError` for a wrong type or shape, a row below 0, or a pair that is both. Lesson 05.
    """

    anchors: Tensor
    candidates: Tensor
    positive: Tensor
    negative: Tensor
    min_rows: int = field(init=False)

    def __post_init__(self) -> None:
        for name in ("anchors", "candidates"):
            check_tensor(name, getattr(self, name), torch.int64, dimensions=1)
        shape = (len(self.anchors), len(self.candidates))
        for name in ("positive", "negative"):
            check_tensor(name, getattr(self, name), torch.bool, dimensions=2)
            if getattr(self, name).shape != shape:
                raise KitError(
                    f"expected {name} of shape {shape} (anchors, candidates), "
                    f"got {tuple(getattr(self, name).shape)}: make one row per anchor."
                )
        both = int((self.positive & self.negative).sum())
        if both:
            raise KitError(
                f"{both} pairs are both positive and negative: a pair can be one of them, or neither to be ignored."
            )
        object.__setattr__(self, "min_rows", _min_rows(self.anchors, self.candidates))

    def block(self, start: int, stop: int) -> tuple[Tensor, Tensor]:
        """Which pairs of the anchors from `start` to `stop` are positive, and which ignored, bool [block, C]."""
        positive = self.positive[start:stop]
        return positive, ~(positive | self.negative[start:stop])

    def num_valid_anchors(self) -> Tensor:
        """How many anchors have a positive, an int64 scalar: the loss is a mean over these."""
        starts = range(0, len(self.anchors), _BLOCK)
        counts = [self.block(start, start + _BLOCK)[0].any(dim=1).sum() for start in starts]
        return torch.stack(counts).sum() if counts else self.anchors.new_zeros(())

    def slice(self, start: int, stop: int) -> Relations:
        """The anchors from `start` up to `stop`, with all candidates."""
        names = ("anchors", "positive", "negative")
        return self._changed(**{name: getattr(self, name)[start:stop] for name in names})

    def ignore_duplicates(self, texts: Tensor) -> Relations:
        """See `mask_duplicates`; `texts` int64 [rows of z] has equal numbers for equal texts."""
        duplicate = duplicate_mask(self.positive, texts[self.anchors], texts[self.candidates])
        return Relations(self.anchors, self.candidates, self.positive, self.negative & ~duplicate)

    def to_dense(self) -> Relations:
        """The same relations with both matrices in memory."""
        return self

    def to(self, device: torch.device | str) -> Self:
        """The same relations on another device; itself if it is there already."""
        if self.anchors.device == torch.device(device):
            return self
        tensors = {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}
        return self._changed(**{name: tensor.to(device) for name, tensor in tensors.items()})

    def check(self, rows: int) -> None:
        """Raise `KitError` if z has fewer rows than these relations mention."""
        if rows < self.min_rows:
            raise KitError(
                f"expected embeddings with at least {self.min_rows} rows, got {rows}: "
                "the relations were made for another batch."
            )

    def _changed(self, **changes: Tensor | None) -> Self:
        """A copy with other tensors, without the checks, which would make a GPU wait."""
        changed = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(changed, name, value)
        return changed


class GroupRelations(Relations):
    """The relations of a batch as group ids: positive where anchor and candidate have the same id.

    `anchors` int64 [A] and `candidates` int64 [C] are rows of z, `anchor_groups` [A] and `candidate_groups`
    [C] any integers, compared for equality. `min_rows`: None to find it out, for which a GPU has to wait. Memory
    grows with A + C; `positive` and `negative` compute a matrix each time. `texts`: see `ignore_duplicates`.
    Errors: `KitError` for a wrong type or length, or, without `min_rows`, a row below 0.
    """

    def __init__(
        self,
        anchors: Tensor,
        candidates: Tensor,
        anchor_groups: Tensor,
        candidate_groups: Tensor,
        min_rows: int | None = None,
    ):
        parts = {"anchors": (anchors, anchor_groups), "candidates": (candidates, candidate_groups)}
        for name, (rows, groups) in parts.items():
            check_tensor(name, rows, torch.int64, dimensions=1)
            check_tensor(f"{name[:-1]}_groups", groups, torch.int64, dimensions=1)
            if len(rows) != len(groups):
                raise KitError(f"expected one group for each of {len(rows)} {name}, got {len(groups)}.")
        if min_rows is None:
            min_rows = _min_rows(anchors, candidates)
        columns = {"anchor_groups": anchor_groups, "candidate_groups": candidate_groups, "texts": None}
        vars(self).update(anchors=anchors, candidates=candidates, **columns, min_rows=min_rows)

    @property
    def positive(self) -> Tensor:
        """Bool [A, C], computed at each access."""
        return self.block(0, len(self.anchors))[0]

    @property
    def negative(self) -> Tensor:
        """Bool [A, C], computed at each access."""
        positive, ignored = self.block(0, len(self.anchors))
        return ~(positive | ignored)

    def block(self, start: int, stop: int) -> tuple[Tensor, Tensor]:
        anchors = self.anchors[start:stop]
        same = self.anchor_groups[start:stop, None] == self.candidate_groups  # [block, C]
        ignored = anchors[:, None] == self.candidates
        positive = same > ignored  # same and not ignored, in one pass
        if self.texts is not None:
            ignored |= duplicate_mask(positive, self.texts[anchors], self.texts[self.candidates]) > positive
        return positive, ignored

    def slice(self, start: int, stop: int) -> GroupRelations:
        return self._changed(anchors=self.anchors[start:stop], anchor_groups=self.anchor_groups[start:stop])

    def ignore_duplicates(self, texts: Tensor) -> GroupRelations:
        return self._changed(texts=texts) if self.texts is None else self.to_dense().ignore_duplicates(texts)

    def to_dense(self) -> Relations:
        return Relations(self.anchors, self.candidates, self.positive, self.negative)


def _min_rows(anchors: Tensor, candidates: Tensor) -> int:
    rows = torch.cat([anchors, candidates])
    low, high = map(int, rows.aminmax()) if len(rows) else (0, -1)
    if low < 0:
        raise KitError(f"expected rows counted from 0, got {low}: count from 0.")
    return high + 1


def nt_xent_relations(pairs: int) -> GroupRelations:
    """NT-Xent: every row is an anchor, its partner the positive, all others negatives.

    Rows of z: 2N, row i < N and row i + N are two views of one sentence. Errors: `KitError` for another number.
    Source: Chen et al. 2020 (SimCLR), Eq. 1; DeCLUTR (Giorgi et al. 2021), section 3.1. Lesson 04.
    """
    return supcon_relations(torch.arange(whole_number("pairs", pairs, 0)).repeat(2))


def supcon_relations(labels: Tensor | Sequence[int]) -> GroupRelations:
    """SupCon: positives are the other rows of the same class, negatives the other classes.

    `labels` integers [rows]; rows of z in any order. The only row of a class has no positive, and the loss leaves it
    out as an anchor. Source: Khosla et al. 2020, Eq. 2 (the sum outside the logarithm). Lessons 03, 05.
    """
    labels = integers("labels", labels)
    rows = torch.arange(len(labels), device=labels.device)
    return GroupRelations(rows, rows, labels, labels, min_rows=len(labels))


def mnrl_relations(n: int) -> GroupRelations:
    """Multiple negatives ranking: the positives of the others are the negatives.

    Rows of z: N anchors, then their N positives in the same order.
    Source: Henderson et al. 2017, section 4.4; unsupervised SimCSE (Gao et al. 2021), Eq. 4,
    where the positive is the same sentence under another dropout mask. Lesson 04.
    """
    return supmpn_relations(n, positives=1, negatives=0)


def mnrl_hard_relations(n: int, negatives_per_anchor: int = 1) -> GroupRelations:
    """Multiple negatives ranking with Q hard negatives per anchor, which all anchors share.

    Rows of z: N anchors, N positives, N·Q negatives (those of anchor 0 first).
    Source: supervised SimCSE (Gao et al. 2021), Eq. 5, has Q = 1. Lesson 05.
    """
    return supmpn_relations(n, positives=1, negatives=negatives_per_anchor)


def supmpn_relations(n: int, positives: int, negatives: int) -> GroupRelations:
    """SupMPN: P positives and Q negatives per anchor; those of the other anchors are negatives too.

    Rows of z: N anchors, N·P positives (those of anchor 0 first), N·Q negatives (likewise). The loss takes these with
    `other_positives="excluded"`. Source: Dehghan and Amasyali 2022 (SupMPN), 4.1. Errors: `KitError`. Lesson 05.
    """
    anchors = torch.arange(whole_number("n", n, 0))
    of_positives = anchors.repeat_interleave(whole_number("positives", positives, 0))
    of_negatives = torch.full((n * whole_number("negatives", negatives, 0),), NO_GROUP)
    groups = torch.cat([of_positives, of_negatives])  # [C]
    rows = n + len(groups)
    return GroupRelations(anchors, torch.arange(n, rows), anchors, groups, min_rows=rows)


def scl_relations(
    premise_ids: Tensor | Sequence[int],
    labels: Tensor | Sequence[int],
    anchors: str = "premise",
    max_positives: int | None = None,
    max_negatives: int | None = None,
    generator: torch.Generator | None = None,
) -> Relations:
    """SCL: a premise pulls the hypotheses it entails and pushes all others of the batch.

    Rows of z: the unique premises, then the H hypotheses. `premise_ids` int64 [H] is the premise of each hypothesis,
    counted 0, 1, ... within the batch; `labels` [H] is 0 entailment, 1 neutral, 2 contradiction. A premise that entails
    nothing is no anchor. `anchors`: "premise" has one anchor per premise (the paper); "row" one per entailed
    hypothesis, so that a premise with three counts three times (the released code). `max_positives` (N₊, the anchor's
    own hypothesis included) and `max_negatives` (N₋) sample min(N, available) per anchor without replacement, by
    `generator` (None: torch's global one); the rest is ignored, and the relations are dense. With "row" the own
    hypothesis always stays. Source: Liao 2021, section 3, Eq. 2 and "Anchor, Positive and Negative Sentence".
    Errors: `KitError` for bad input. Lessons 03, 06.
    """
    premise_ids, labels = integers("premise_ids", premise_ids), integers("labels", labels)
    premises = check_groups(premise_ids, labels)
    check_name("anchors", anchors, ("premise", "row"))
    entailed = labels == 0  # [H]
    anchor_rows = premise_ids[entailed]  # [A], one per entailed hypothesis
    if anchors == "premise":
        anchor_rows = anchor_rows.unique()  # [A], sorted
    hypotheses = premises + torch.arange(len(labels), device=labels.device)
    groups = torch.where(entailed, premise_ids, NO_GROUP)  # [H]
    relations = GroupRelations(anchor_rows, hypotheses, anchor_rows, groups, min_rows=premises + len(labels))
    if max_positives is None and max_negatives is None:
        return relations
    positive, negative = relations.positive, relations.negative
    if max_positives is not None:
        own = entailed.nonzero() if anchors == "row" else None  # [A, 1], the hypothesis of each anchor
        positive = _sample(positive, whole_number("max_positives", max_positives, 1), generator, own)
    if max_negatives is not None:
        negative = _sample(negative, whole_number("max_negatives", max_negatives, 0), generator)
    return Relations(anchor_rows, hypotheses, positive, negative)


def _sample(mask: Tensor, at_most: int, generator: torch.Generator | None, keep: Tensor | None = None) -> Tensor:
    """In each row of `mask` [A, C], min(at_most, available) of the True, at random.

    Every candidate draws a number and the highest win; column `keep` [A, 1] always wins.
    """
    draw = torch.rand(mask.shape, generator=generator, device=generator and generator.device).to(mask.device)
    if keep is not None:
        draw.scatter_(1, keep, 2.0)
    rank = draw.masked_fill(~mask, -1.0).argsort(dim=1, descending=True).argsort(dim=1)
    return mask & (rank < at_most)
