"""Who is an anchor, who is its positive, who is its negative: one matrix picture per loss.

A batch is a matrix of embeddings z [rows, dim] and a `Relations` over its rows. Every loss
of the softmax family is the same formula (`kit.losses.softmax`) over another `Relations`:

    loss                 anchors           candidates             positives of i     negatives of i
    nt_xent_relations    all 2N rows       all 2N rows            its partner        all other rows
    supcon_relations     all rows          all rows               same class         other classes
    mnrl_relations       N anchors         N positives            its own            the others'
    mnrl_hard_relations  N anchors         positives, negatives   its own            everything else
    scl_relations        premises          hypotheses             entailed by it     all others
    supmpn_relations     N anchors         positives, negatives   its P              everything else

A row is never its own positive or negative; whatever is neither is ignored.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from kit.errors import KitError
from kit.losses.checks import check_choice, check_groups, check_tensor, count, integers
from kit.losses.duplicates import known_texts

_TENSORS = ("anchors", "candidates", "positive", "negative")


@dataclass(frozen=True, eq=False)
class Relations:
    """The relations of a batch, as indices into the rows of z and two boolean matrices.

    `anchors` int64 [A] and `candidates` int64 [C] are rows of z (a row may occur twice);
    `positive` and `negative` bool [A, C] say what candidate c is to anchor i; where both are
    False the pair is ignored. `least_rows` is how many rows z must have.
    A wrong type or shape, a row below 0, or a pair that is both raises `KitError`.
    """

    anchors: Tensor
    candidates: Tensor
    positive: Tensor
    negative: Tensor
    least_rows: int = field(init=False)

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
        rows = torch.cat([self.anchors, self.candidates])
        if len(rows) and int(rows.min()) < 0:
            raise KitError(f"expected rows counted from 0, got {int(rows.min())}: count from 0.")
        object.__setattr__(self, "least_rows", int(rows.max()) + 1 if len(rows) else 0)

    def to(self, device: torch.device | str) -> Relations:
        """The same relations on another device (itself where it is there already)."""
        if self.anchors.device == torch.device(device):
            return self
        return unchecked_copy(self, **{name: getattr(self, name).to(device, non_blocking=True) for name in _TENSORS})

    def matrices(self) -> Relations:
        """Itself: what `kit.losses.owners.Owners` would become."""
        return self

    def part(self, start: int, stop: int) -> Relations:
        """The anchors from `start` up to `stop` alone, with all candidates: one rank's share."""
        names = ("anchors", "positive", "negative")
        return unchecked_copy(self, **{name: getattr(self, name)[start:stop] for name in names})

    def block(self, start: int, stop: int) -> tuple[Tensor, Tensor]:
        """Who is positive and who is ignored, bool [block, C], for the anchors from `start` to `stop`.

        The rest are the negatives."""
        positive = self.positive[start:stop]
        return positive, ~(positive | self.negative[start:stop])

    def anchored(self) -> Tensor:
        """How many anchors have a positive, an int64 scalar: what the loss is a mean over."""
        return self.positive.any(dim=1).sum()

    def without_known_texts(self, texts: Tensor) -> Relations:
        """See `mask_duplicates`; `texts` int64 [rows of z] is equal for equal texts."""
        anchors, candidates = self.anchors, self.candidates
        known = known_texts(self.positive, texts[anchors], texts[candidates])
        return Relations(anchors, candidates, self.positive, self.negative & ~known)

    def check(self, rows: int) -> None:
        """Raises `KitError` where z has fewer rows than these relations speak of."""
        if rows < self.least_rows:
            raise KitError(
                f"expected embeddings with at least {self.least_rows} rows, got {rows}: "
                "the relations were made for another batch."
            )


def unchecked_copy(relations: Any, **changes: Tensor | None) -> Any:
    """A copy with other tensors. Not a new object: its checks would wait for the GPU once more."""
    changed = copy.copy(relations)
    for name, value in changes.items():
        object.__setattr__(changed, name, value)
    return changed


def nt_xent_relations(pairs: int) -> Relations:
    """NT-Xent: every row is an anchor, its partner the positive, all others negatives.

    Rows of z: 2N, row i < N and row i + N are the two views of one sentence.
    Source: Chen et al. 2020 (SimCLR), Eq. 1; DeCLUTR (Giorgi et al. 2021), section 3.1.
    """
    partner = torch.arange(count("pairs", pairs)).repeat(2)
    return supcon_relations(partner)


def supcon_relations(labels: Tensor) -> Relations:
    """SupCon: positives are the other rows of the same class, negatives the other classes.

    `labels` integers [rows]; rows of z in any order. The only row of a class has no positive,
    and the loss leaves it out as an anchor.
    Source: Khosla et al. 2020, Eq. 2 (the sum outside the logarithm).
    """
    labels = integers("labels", labels)
    rows = torch.arange(len(labels), device=labels.device)
    same = labels[:, None] == labels[None, :]
    return Relations(rows, rows, same & (rows[:, None] != rows[None, :]), ~same)


def mnrl_relations(n: int) -> Relations:
    """Multiple negatives ranking: the positives of the others are the negatives.

    Rows of z: N anchors, then their N positives in the same order.
    Source: Henderson et al. 2017, section 4.4; unsupervised SimCSE (Gao et al. 2021), Eq. 4,
    where the positive is the same sentence under another dropout mask.
    """
    return supmpn_relations(n, positives=1, negatives=0)


def mnrl_hard_relations(n: int, negatives_per_anchor: int = 1) -> Relations:
    """Multiple negatives ranking with Q hard negatives per anchor, which all anchors share.

    Rows of z: N anchors, N positives, N·Q negatives (those of anchor 0 first).
    Source: supervised SimCSE (Gao et al. 2021), Eq. 5, has Q = 1.
    """
    return supmpn_relations(n, positives=1, negatives=negatives_per_anchor)


def supmpn_relations(n: int, positives: int, negatives: int) -> Relations:
    """SupMPN: P positives and Q negatives per anchor; everybody else's are negatives too.

    Rows of z: N anchors, N·P positives (those of anchor 0 first), N·Q negatives (likewise).
    The loss takes these with `siblings="alone"`.
    Source: Dehghan and Amasyali 2022 (SupMPN), section 4.1.
    """
    anchors = torch.arange(count("n", n))
    mine = anchors.repeat_interleave(count("positives", positives))  # owner of each positive
    others = torch.full((n * count("negatives", negatives),), -1)  # positive of nobody
    owner = torch.cat([mine, others])  # [C]
    positive = anchors[:, None] == owner[None, :]
    return Relations(anchors, n + torch.arange(len(owner)), positive, ~positive)


def scl_relations(
    premise_ids: Tensor,
    labels: Tensor,
    anchors: str = "premise",
    max_positives: int | None = None,
    max_negatives: int | None = None,
    generator: torch.Generator | None = None,
) -> Relations:
    """SCL: a premise pulls the hypotheses it entails and pushes all others of the batch.

    Rows of z: the unique premises, then the H hypotheses. `premise_ids` int64 [H] is the
    premise of each hypothesis, counted 0, 1, ... within the batch; `labels` [H] is 0
    entailment, 1 neutral, 2 contradiction. A premise that entails nothing is no anchor.
    `anchors`: "premise" has one anchor per premise (the paper); "row" one per entailed
    hypothesis, so a premise with three counts three times (the released code).
    `max_positives` (N₊, the anchor's own hypothesis included) and `max_negatives` (N₋) sample
    min(N, available) per anchor without replacement, by `generator` (None: torch's global
    one); the rest is ignored. With "row" the own hypothesis always stays.
    Source: Liao 2021, section 3, Eq. 2 and "Anchor, Positive and Negative Sentence".
    """
    premise_ids, labels = integers("premise_ids", premise_ids), integers("labels", labels)
    premises = check_groups(premise_ids, labels)
    check_choice("anchors", anchors, ("premise", "row"))
    entailed = labels == 0  # [H]
    own = None
    if anchors == "premise":
        anchor_rows = premise_ids[entailed].unique()  # [A], sorted
    else:
        anchor_rows = premise_ids[entailed]  # [A], one per entailed hypothesis
        own = entailed.nonzero()  # [A, 1], that hypothesis
    positive = (anchor_rows[:, None] == premise_ids[None, :]) & entailed  # [A, H]
    negative = ~positive
    if max_positives is not None:
        positive = _sample(positive, count("max_positives", max_positives, 1), generator, own)
    if max_negatives is not None:
        negative = _sample(negative, count("max_negatives", max_negatives), generator)
    hypotheses = premises + torch.arange(len(labels), device=labels.device)
    return Relations(anchor_rows, hypotheses, positive, negative)


def _sample(mask: Tensor, at_most: int, generator: torch.Generator | None, keep: Tensor | None = None) -> Tensor:
    """In each row of `mask` [A, C], min(at_most, available) of the True, at random.

    Every candidate draws a number and the highest win; column `keep` [A, 1] always wins.
    """
    draw = torch.rand(mask.shape, generator=generator).to(mask.device)
    if keep is not None:
        draw.scatter_(1, keep, 2.0)
    rank = draw.masked_fill(~mask, -1.0).argsort(dim=1, descending=True).argsort(dim=1)
    return mask & (rank < at_most)
