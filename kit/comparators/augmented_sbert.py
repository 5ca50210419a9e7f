"""Cross-entropy alone on the pairs that SCL contrasts: Liao's Augment baselines.

Does SCL win by its loss, or by the pairs that it makes of a batch? Here an anchor meets the very
positives and negatives that SCL would sample for it (same N₊, N₋, same generator), but each is
one more pair for the classifier. The pairs that people wrote keep their labels and are all in it,
sampled or not. A hypothesis borrowed from another premise has no label; the paper does not say
which one it got. `borrowed` "contradiction" is the default: SNLI asks for hypotheses about one photo,
and of another photo they are mostly false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kit.data import CONTRADICTION, NEUTRAL
from kit.losses import cross_entropy
from kit.training.batches import Batch, Example, make_batch, tokenize_groups
from kit.training.objectives.contrast import classifier
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import GroupOptions, Recipe, Rule

BORROWED = {"contradiction": CONTRADICTION, "neutral": NEUTRAL}


@dataclass(frozen=True)
class AugmentOptions(GroupOptions):
    """borrowed: the label of a premise with the hypothesis of another one."""

    data_format = "groups"
    borrowed: str = "contradiction"

    @property
    def objective(self) -> type[Augment]:
        return Augment

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [
            (self.borrowed in BORROWED, "borrowed 'contradiction' or 'neutral'", self.borrowed),
            *super().rules(recipe),
        ]


class Augment(Objective):
    """L = CE over the pairs of the batch and those that N₋ adds (Liao 2021, section 4 and table 2)."""

    name = "augment"
    division = "replicated"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        self.head = classifier(encoder.dim, recipe.options.head)

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Example]:
        return tokenize_groups(encoder, data, "groups", seed, recipe.options.group_batches)

    def batch(self, examples: list[Example], recipe: Recipe, generator: torch.Generator | None = None) -> Batch:
        """The rows of SCL's batch; u, v, labels: the pairs of the data, then those that are added."""
        batch = make_batch(examples, recipe, generator)
        r = batch.relations
        # added: anchor with a sampled hypothesis that is not its own (the own ones are all there)
        owner = batch.u[None, :]  # [1, H], a premise's row
        added = ((r.positive | r.negative) & (r.anchors[:, None] != owner)).nonzero()  # [more, 2]
        u, v = r.anchors[added[:, 0]], r.candidates[added[:, 1]]
        labels = torch.full((len(added),), BORROWED[recipe.options.borrowed])
        return Batch(
            batch.token_ids, r, *(torch.cat(pair) for pair in ((batch.u, u), (batch.v, v), (batch.labels, labels)))
        )

    def loss(self, batch: Batch, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        z = context.embed(batch.token_ids)  # [rows, dim]
        # index_select, not z[...]: see kit.losses.softmax.similarity_matrix
        loss = cross_entropy(self.head(z.index_select(0, batch.u), z.index_select(0, batch.v)), batch.labels)
        return loss, {"cross_entropy": loss.detach()}
