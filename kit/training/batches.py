"""Text to batches of token ids, each one pass of the encoder.

A corpus is tokenised once. Batches are a function of (seed, epoch) alone, so a resumed run
sees what it would have seen. Rows of like length share a batch, because padding is work for
nothing: items are shuffled, sorted by length within pools of `POOL` batches, and the
batches shuffled again.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from kit.errors import KitError
from kit.losses import Relations, mnrl_hard_relations, scl_relations
from kit.training.recipes import Recipe

POOL = 32  # batches sorted together: enough to match lengths, few enough to stay random


@dataclass(frozen=True)
class Batch:
    """What one step needs: the rows of one encoder pass, and who is what to whom.

    token_ids: rows of z; relations: for the contrastive term; u, v [pairs] rows of z and
    labels [pairs]: for the classifier (None where a recipe has no classifier).
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
    """What must stay in one batch: an anchor and its hypotheses, or a triplet, as token ids."""

    anchor: list[int]
    others: list[list[int]]
    labels: list[int]
    size: int  # what it adds to a batch: its hypotheses, or 1 for a triplet

    @property
    def longest(self) -> int:
        return max(map(len, [self.anchor, *self.others]))


def tokenize_groups(encoder, groups: Sequence, layout: str, seed: int = 0,
                    keep_groups: bool = True) -> list[Item]:
    """NLI groups as items: one a premise ("groups"), or one a triplet ("triplets").

    A triplet is (anchor, an entailed hypothesis, a contradicted one). `keep_groups` False
    makes every pair an item of its own, as when rows are shuffled: the demonstration of how
    that destroys the method. Errors: `KitError` for no groups, or none that fits the layout.
    """
    from kit.data import triplets

    if not groups:
        raise KitError("expected NLI groups to train on, got none: load a data set and group it by premise.")
    if layout == "triplets":
        rows = [(a, [p, n], [0, 2]) for a, p, n in triplets(groups, seed=seed)]
    elif keep_groups:
        rows = [(g.anchor, list(g.hypotheses), list(g.labels)) for g in groups if g.hypotheses]
    else:
        rows = [(g.anchor, [h], [label]) for g in groups for h, label in zip(g.hypotheses, g.labels)]
    if not any(0 in labels for _, _, labels in rows):
        raise KitError("expected at least one entailed hypothesis (label 0) as a positive, got none: "
                       "without positives there is nothing to pull together.")
    texts = list(dict.fromkeys(t for anchor, others, _ in rows for t in (anchor, *others)))
    ids = dict(zip(texts, encoder.tokenize(texts)))
    return [Item(ids[anchor], [ids[t] for t in others], labels, 1 if layout == "triplets" else len(labels))
            for anchor, others, labels in rows]


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
        for item in sorted(order[start:start + pool], key=lambda i: i.longest):
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

    "groups": rows of z are the premises, once each, then all hypotheses. "triplets": the
    anchors, their positives, their hard negatives.
    """
    if recipe.layout == "triplets":
        rows = [i.anchor for i in items] + [i.others[0] for i in items] + [i.others[1] for i in items]
        return Batch(rows, mnrl_hard_relations(len(items)))
    hypotheses = [h for item in items for h in item.others]
    premise = torch.tensor([i for i, item in enumerate(items) for _ in item.others])
    labels = torch.tensor([label for item in items for label in item.labels])
    relations = scl_relations(premise, labels, recipe.anchors, recipe.max_positives,
                              recipe.max_negatives, generator)
    rows = [item.anchor for item in items] + hypotheses
    return Batch(rows, relations, u=premise, v=len(items) + torch.arange(len(labels)), labels=labels)
