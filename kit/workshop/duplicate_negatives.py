"""How often a batch calls a sentence a negative although it is known to be a positive.

Contrast within the batch assumes that the others' sentences are negatives. The larger the batch,
the more often one of them is the anchor's own text, or that of one of its positives.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import torch

from kit.checks.after_prompt import text_key
from kit.errors import KitError
from kit.losses import mask_duplicates
from kit.number_checks import is_whole
from kit.training.batches import Example, epoch_of_batches, make_batch
from kit.training.settings import Recipe


@dataclass(frozen=True)
class Duplicates:
    """Counts over the batches of one epoch."""

    batch_size: int
    batches: int
    anchors: int  # over all batches
    touched: int  # of them those that meet a known false negative
    negatives: int  # pairs of an anchor and a negative
    false_negatives: int  # of them those with the anchor's own text or that of one of its positives
    same_anchor: int  # anchors whose text is that of another anchor of the batch

    def summary(self) -> str:
        """One sentence for the screen."""
        batches = "1 batch" if self.batches == 1 else f"{self.batches:,} batches"
        return (
            f"In {batches} of up to {self.batch_size:,}, {self.touched:,} of {self.anchors:,} anchors "
            f"({self.touched / max(1, self.anchors):.1%}) meet a negative with the text of one of their positives "
            f"or their own ({self.false_negatives:,} of {self.negatives:,} negative pairs), and "
            f"{self.same_anchor:,} share their text with another anchor."
        )


def count_duplicates(
    examples: list[Example], recipe: Recipe, batch_size: int | None = None, seed: int = 0
) -> Duplicates:
    """What `mask_duplicates` would take out of the batches of one epoch.

    examples: as from `tokenize_groups` in the recipe's format; texts are compared by their token ids, without
    two different prompts. batch_size: None for the recipe's. What the mask cannot see is counted apart: two
    examples of one premise, whose positives count as negatives of one another.
    Errors: `KitError` for no examples or a batch size below 1. Lesson 05.
    """
    if not examples:
        raise KitError("expected examples to count duplicates in, got none: tokenise some groups first.")
    size = recipe.batch_size if batch_size is None else batch_size
    if not is_whole(size, 1):
        raise KitError(f"expected a batch size of 1 or more, got {size!r}.")
    unmasked = recipe.changed(mask_duplicates=False)
    batches = epoch_of_batches(examples, size, seed, 0, recipe.batch_order)
    anchors = touched = negatives = false_negatives = same_anchor = 0
    for chosen in batches:
        batch = make_batch(chosen, unmasked, torch.Generator().manual_seed(seed))
        keys = list(map(text_key, batch.token_ids))
        before, after = batch.relations.negative, mask_duplicates(batch.relations, keys).negative  # [A, C]
        dropped = before & ~after
        texts = [keys[row] for row in batch.relations.anchors.tolist()]
        often = Counter(texts)
        anchors += len(texts)
        touched += int(dropped.any(dim=1).sum())
        negatives += int(before.sum())
        false_negatives += int(dropped.sum())
        same_anchor += sum(often[text] > 1 for text in texts)
    return Duplicates(size, len(batches), anchors, touched, negatives, false_negatives, same_anchor)
