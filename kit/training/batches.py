"""Text to batches of token ids, each one pass of the encoder.

A corpus is tokenised once. Batches are a function of (seed, epoch) alone, so a resumed run
sees what it would have seen. Rows of like length share a batch, because padding is work for
nothing: items are shuffled, sorted by length within pools of `POOL` batches, and the
batches shuffled again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from kit.errors import KitError
from kit.losses import Relations, mask_duplicates, scl_relations, supmpn_relations
from kit.training.settings import Recipe
from kit.training.validate_data import KINDS, check_kind

POOL = 32  # batches sorted together: enough to match lengths, few enough to stay random


@dataclass(frozen=True)
class Batch:
    """What one step needs: the rows of one encoder pass, and who is what to whom.

    token_ids: rows of z; relations: for the contrastive term, dense only where N₊ or N₋
    sample some; u, v [pairs] rows of z and labels [pairs]: for the classifier (None where a
    recipe has no classifier).
    """

    token_ids: list[list[int]]
    relations: Relations
    u: torch.Tensor | None = None
    v: torch.Tensor | None = None
    labels: torch.Tensor | None = None

    def to(self, device: torch.device) -> Batch:
        pairs = [t if t is None else t.to(device) for t in (self.u, self.v, self.labels)]
        return Batch(self.token_ids, self.relations.to(device), *pairs)


@dataclass(frozen=True)
class Item:
    """What must stay in one batch: an anchor with its hypotheses, or with its positives and negatives."""

    anchor: list[int]  # token ids
    others: list[list[int]]
    labels: list[int]  # of the others: 0 entailed or positive, 2 contradicted or negative
    size: int  # what it adds to a batch: its hypotheses in "groups", else 1

    @property
    def longest(self) -> int:
        return max(map(len, [self.anchor, *self.others]))


def tokenize_groups(
    encoder,
    groups: Sequence,
    layout: str,
    seed: int = 0,
    keep_groups: bool = True,
    positives: int = 5,
    negatives: int = 5,
    fill: str = "copy",
) -> list[Item]:
    """NLI groups as items of token ids; what an item is, the layout says.

    "groups": a premise with its hypotheses. `keep_groups` False makes every pair an item of its
    own, as when rows are shuffled: the demonstration of how that destroys the method.
    "triplets": an anchor, an entailed hypothesis, a contradicted one. "pairs": an anchor and an
    entailed hypothesis. "multiples": an anchor, `positives` and `negatives`, missing positives
    made by `fill` (see `kit.data.multiples`; a list of Multiple is taken as it is). "twins": each
    distinct sentence with itself; "sentences": each by itself (for both a list of sentences will do).
    Errors: `KitError` for no groups, none that fits the layout, or the wrong kind of data.
    """
    if isinstance(groups, Sequence) and not len(groups):
        raise KitError("expected NLI groups to train on, got none: load a data set and group it by premise.")
    check_kind(groups, layout, *KINDS[layout])
    if layout == "multiples":
        rows = _multiples(groups, positives, negatives, fill, seed)
    else:
        rows = _rows(groups, layout, seed, keep_groups)
    if layout != "sentences" and not any(0 in labels for _, _, labels in rows):
        raise KitError(
            "expected at least one entailed hypothesis (label 0) as a positive, got none: "
            "without positives there is nothing to pull together."
        )
    texts = list(dict.fromkeys(t for anchor, others, _ in rows for t in (anchor, *others)))
    ids = dict(zip(texts, encoder.tokenize(texts)))
    return [
        Item(ids[anchor], [ids[t] for t in others], labels, len(labels) if layout == "groups" else 1)
        for anchor, others, labels in rows
    ]


def _rows(groups: Sequence, layout: str, seed: int, keep_groups: bool) -> list[tuple[str, list[str], list[int]]]:
    """(anchor, others, their labels) of every item."""
    from kit.data import triplets

    if layout == "triplets":
        return [(a, [p, n], [0, 2]) for a, p, n in triplets(groups, seed=seed)]
    if layout == "pairs":
        return [(g.anchor, [positive], [0]) for g in groups for positive in g.positives]
    if layout in ("twins", "sentences"):
        texts = (t for g in groups for t in ((g,) if isinstance(g, str) else (g.anchor, *g.hypotheses)))
        return [(t, [t], [0]) if layout == "twins" else (t, [], []) for t in dict.fromkeys(texts)]
    if keep_groups:
        return [(g.anchor, list(g.hypotheses), list(g.labels)) for g in groups if g.hypotheses]
    return [(g.anchor, [h], [label]) for g in groups for h, label in zip(g.hypotheses, g.labels)]


def _multiples(
    groups: Sequence, positives: int, negatives: int, fill: str, seed: int
) -> list[tuple[str, list[str], list[int]]]:
    from kit.data.multiples import Multiple, multiples

    ready = isinstance(groups[0], Multiple)
    made = groups if ready else multiples(groups, positives, negatives, fill, seed)
    shapes = sorted({(len(m.positives), len(m.negatives)) for m in made})
    if len(shapes) > 1:
        raise KitError(
            f"expected as many positives and negatives for every anchor, got (P, Q) of {shapes[0]} and "
            f"{shapes[-1]}: make them all with one call of multiples."
        )
    ((p, q),) = shapes
    return [(m.anchor, [*m.positives, *m.negatives], [0] * p + [2] * q) for m in made]


def epoch_of_batches(items: list[Item], size: int, seed: int, epoch: int) -> list[list[Item]]:
    """The batches of one epoch: items whole, about `size` pairs a batch, like lengths together.

    A batch of premise groups closes as soon as it has `size` pairs, and may hold a few more.
    """
    rng = random.Random(f"{seed}/{epoch}")
    order = list(items)
    rng.shuffle(order)
    pairs_per_item = sum(item.size for item in order) / len(order)
    pool = max(1, int(POOL * size / pairs_per_item))
    batches: list[list[Item]] = []
    for start in range(0, len(order), pool):
        current: list[Item] = []
        pairs = 0
        for item in sorted(order[start : start + pool], key=lambda i: i.longest):
            current.append(item)
            pairs += item.size
            if pairs >= size:
                batches.append(current)
                current, pairs = [], 0
        if current:
            batches.append(current)
    rng.shuffle(batches)
    return batches


def make_batch(items: list[Item], recipe: Recipe, generator: torch.Generator | None = None) -> Batch:
    """Token ids and relations of one batch.

    "groups": rows of z are the premises, once each, then all hypotheses. The other layouts: the
    anchors, their positives (those of the first anchor first), their negatives (likewise). A
    text that occurs twice has two rows, each with a dropout of its own.
    """
    if recipe.layout == "groups":
        batch = _of_groups(items, recipe, generator)
    else:
        p = items[0].labels.count(0)
        rows = [i.anchor for i in items]
        rows += [t for i in items for t in i.others[:p]] + [t for i in items for t in i.others[p:]]
        batch = Batch(rows, supmpn_relations(len(items), p, len(items[0].others) - p))
    if not recipe.mask_duplicates:
        return batch
    return replace(batch, relations=mask_duplicates(batch.relations, list(map(tuple, batch.token_ids))))


def _of_groups(items: list[Item], recipe: Recipe, generator: torch.Generator | None) -> Batch:
    hypotheses = [h for item in items for h in item.others]
    premise = torch.tensor([i for i, item in enumerate(items) for _ in item.others])
    labels = torch.tensor([label for item in items for label in item.labels])
    relations = scl_relations(premise, labels, recipe.anchors, recipe.max_positives, recipe.max_negatives, generator)
    rows = [item.anchor for item in items] + hypotheses
    return Batch(rows, relations, u=premise, v=len(items) + torch.arange(len(labels)), labels=labels)
