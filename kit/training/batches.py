"""Text to batches of token ids, each one pass of the encoder.

What one example is made of is the recipe's data format:

    groups           a premise with all its hypotheses
    triplets         an anchor, a positive and a hard negative
    pairs            an anchor and a positive
    multi_positive   an anchor with P positives and Q negatives
    self_pairs       a sentence and itself
    sentences        a sentence
    labelled         a pair with a label, which may be hidden   (`kit.training.objectives.pause`)
    documents        a long document                            (`kit.training.objectives.declutr`)
    scored           a pair with a score from 0 to 1            (`kit.comparators.scored_pairs`)
    classes          two texts of one class, three or one       (`kit.comparators.text_classes`)

A corpus is tokenised once. Batches are a function of (seed, epoch) alone, so a resumed run sees what it would have
seen. They are drawn at random, as in the papers; `kit.fast` sorts the rows inside a batch, which changes no result.
The option `batch_order="by_length"` saves padding at a price: in-batch negatives then have their anchor's length.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from kit.checks.after_prompt import ids_of, text_key
from kit.errors import KitError, NothingToTrainOn
from kit.losses import Relations, mask_duplicates, scl_relations, supmpn_relations
from kit.training.settings import GroupOptions, Recipe
from kit.training.validate_data import validate_data

POOL = 32  # batches sorted together "by_length": enough to match lengths, few enough to stay random


@dataclass(frozen=True)
class Batch:
    """What one step needs: the rows of one encoder pass, and who is what to whom.

    token_ids: rows of z; relations: for the contrastive term, dense only where N₊ or N₋ sample some; u, v [pairs] rows
    of z and labels [pairs]: for the classifier (None where a recipe has no classifier).
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
class Example:
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
    data_format: str,
    seed: int = 0,
    group_batches: bool = True,
    positives: int = 5,
    negatives: int = 5,
    augment: str = "copy",
    borrow_negatives: bool = False,
) -> list[Example]:
    """Tokenise NLI groups as examples of a data format.

    group_batches: of "groups", False makes every pair an example of its own, as when rows are shuffled, which destroys
    the method. positives, negatives, augment: of "multi_positive", see `kit.data.multiples` (a list of `Multiple` is
    taken as it is). borrow_negatives: of "triplets", see `kit.data.triplets`. "self_pairs" and "sentences" keep each
    distinct sentence once, and also take a list of strings.
    Errors: `KitError` for no groups, none that fits the format, or the wrong kind of data. Lesson 05.
    """
    if isinstance(groups, Sequence) and not len(groups):
        raise NothingToTrainOn("expected NLI groups to train on, got none: load a data set and group it by premise.")
    validate_data(groups, data_format)
    if data_format == "multi_positive":
        rows = _multi_positive(groups, positives, negatives, augment, seed)
    else:
        rows = _rows(groups, data_format, seed, group_batches, borrow_negatives)
    if data_format != "sentences" and not any(0 in labels for _, _, labels in rows):
        raise NothingToTrainOn(
            "expected at least one entailed hypothesis (label 0) as a positive, got none: "
            "nothing else says what belongs together."
        )
    ids = ids_of(encoder, (t for anchor, others, _ in rows for t in (anchor, *others)))
    return [
        Example(ids[anchor], [ids[t] for t in others], labels, len(labels) if data_format == "groups" else 1)
        for anchor, others, labels in rows
    ]


def _rows(groups: Sequence, data_format: str, seed: int, group_batches: bool, borrow: bool) -> list[tuple]:
    """(anchor, others, their labels) of every example."""
    from kit.data import triplets

    if data_format == "triplets":
        return [(a, [p, n], [0, 2]) for a, p, n in triplets(groups, seed=seed, borrow=borrow)]
    if data_format == "pairs":
        return [(g.anchor, [positive], [0]) for g in groups for positive in g.positives]
    if data_format in ("self_pairs", "sentences"):
        texts = (t for g in groups for t in ((g,) if isinstance(g, str) else (g.anchor, *g.hypotheses)))
        return [(t, [t], [0]) if data_format == "self_pairs" else (t, [], []) for t in dict.fromkeys(texts)]
    if group_batches:
        return [(g.anchor, list(g.hypotheses), list(g.labels)) for g in groups if g.hypotheses]
    return [(g.anchor, [h], [label]) for g in groups for h, label in zip(g.hypotheses, g.labels)]


def _multi_positive(groups: Sequence, positives: int, negatives: int, augment: str, seed: int) -> list[tuple]:
    from kit.data.multiples import Multiple, multiples

    ready = isinstance(groups[0], Multiple)
    drawn = groups if ready else multiples(groups, positives, negatives, augment, seed)
    shapes = sorted({(len(m.positives), len(m.negatives)) for m in drawn})
    if len(shapes) > 1:
        raise KitError(
            f"expected as many positives and negatives for every anchor, got (P, Q) of {shapes[0]} and "
            f"{shapes[-1]}: make them all with one call of multiples."
        )
    ((p, q),) = shapes
    return [(m.anchor, [*m.positives, *m.negatives], [0] * p + [2] * q) for m in drawn]


def epoch_of_batches(examples: list, size: int, seed: int, epoch: int, order: str = "random") -> list[list]:
    """The batches of one epoch: whole examples, about `size` pairs a batch, in any order.

    A batch of premise groups closes as soon as it has `size` pairs, and may hold a few more. order: "by_length"
    sorts the shuffled examples by length within pools of `POOL` batches, and shuffles the batches. Lesson 06.
    """
    rng = random.Random(f"{seed}/{epoch}")
    shuffled = list(examples)
    rng.shuffle(shuffled)
    if order == "random":
        return _cut(shuffled, size)
    pairs_per_example = sum(example.size for example in shuffled) / max(1, len(shuffled))
    pool = max(1, int(POOL * size / max(1, pairs_per_example)))
    pools = (shuffled[start : start + pool] for start in range(0, len(shuffled), pool))
    batches = [batch for one in pools for batch in _cut(sorted(one, key=lambda e: e.longest), size)]
    rng.shuffle(batches)
    return batches


def _cut(examples: list, size: int) -> list[list]:
    """Batches of about `size` pairs, in the order of the examples."""
    batches, current, pairs = [], [], 0
    for example in examples:
        current.append(example)
        pairs += example.size
        if pairs >= size:
            batches.append(current)
            current, pairs = [], 0
    return [*batches, current] if current else batches


def make_batch(examples: list[Example], recipe: Recipe, generator: torch.Generator | None = None) -> Batch:
    """Token ids and relations of one batch.

    "groups": rows of z are the premises, once each, then all hypotheses. The other formats: the anchors, their
    positives (those of the first anchor first), their negatives (likewise). A text that occurs twice has two
    rows, each with its own dropout. Lesson 05.
    """
    if recipe.options.data_format == "groups":
        batch = _of_groups(examples, recipe.options, generator)
    else:
        p = examples[0].labels.count(0)
        rows = [e.anchor for e in examples]
        rows += [t for e in examples for t in e.others[:p]] + [t for e in examples for t in e.others[p:]]
        batch = Batch(rows, supmpn_relations(len(examples), p, len(examples[0].others) - p))
    if not recipe.options.mask_duplicates:
        return batch
    return replace(batch, relations=mask_duplicates(batch.relations, list(map(text_key, batch.token_ids))))


def _of_groups(examples: list[Example], options: GroupOptions, generator: torch.Generator | None) -> Batch:
    hypotheses = [h for example in examples for h in example.others]
    premise = torch.tensor([i for i, example in enumerate(examples) for _ in example.others])
    labels = torch.tensor([label for example in examples for label in example.labels])
    relations = scl_relations(premise, labels, options.anchors, options.max_positives, options.max_negatives, generator)
    rows = [example.anchor for example in examples] + hypotheses
    return Batch(rows, relations, u=premise, v=len(examples) + torch.arange(len(labels)), labels=labels)
