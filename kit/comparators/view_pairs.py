"""Two views of each sentence, and NT-Xent: ConSERT and Mirror-BERT.

The two views of a sentence pull each other and push all views of the other sentences of the batch.
What a view is, `kit.comparators.distortions` says; dropout comes on top where the recipe has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kit.comparators.distortions import cut, mask_span, shuffle
from kit.comparators.sentence_rows import sentence_examples
from kit.losses import contrastive_softmax, nt_xent_relations
from kit.number_checks import is_finite, is_whole
from kit.training.batches import Batch, Example
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Recipe, Rule, SoftmaxOptions

VIEWS = ("copy", "cut", "shuffle", "mask")


@dataclass(frozen=True)
class ViewsOptions(SoftmaxOptions):
    """The two views; cut_share: of the pieces, for "cut"; span: pieces behind one [MASK], for "mask"."""

    data_format = "sentences"
    first_view: str = "copy"
    second_view: str = "mask"
    cut_share: float = 0.15
    span: int = 2

    @property
    def objective(self) -> type[Views]:
        return Views

    def rules(self, recipe: Recipe) -> list[Rule]:
        names = " or ".join(map(repr, VIEWS))
        both = (self.first_view, self.second_view)
        return [
            (self.first_view in VIEWS, f"first_view {names}", self.first_view),
            (self.second_view in VIEWS, f"second_view {names}", self.second_view),
            (both != ("copy", "copy"), "a view that is no copy (two copies are the recipe 'simcse_unsup')", both),
            (is_finite(self.cut_share) and 0 < self.cut_share < 1, "a cut_share between 0 and 1", self.cut_share),
            (is_whole(self.span, 1), "a span of 1 piece or more", self.span),
            *super().rules(recipe),
        ]


class Views(Objective):
    """NT-Xent over two views of each sentence (Chen et al. 2020, Eq. 1; ConSERT, Eq. 1; Mirror-BERT, Eq. 1)."""

    name = "views"
    division = "by_anchors"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        self.mask_id = encoder.tokenizer.mask_token_id

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Example]:
        return sentence_examples(encoder, data, recipe, seed)

    def batch(self, examples: list[Example], recipe: Recipe, generator: torch.Generator | None = None) -> Batch:
        """Rows: the first views of all sentences, then the second views in the same order."""
        options = recipe.options
        rows = [
            self.view(name, example.anchor, options, generator)
            for name in (options.first_view, options.second_view)
            for example in examples
        ]
        return Batch(rows, nt_xent_relations(len(examples)))

    def view(self, name: str, row: list[int], options: ViewsOptions, generator: torch.Generator | None) -> list[int]:
        if name == "cut":
            return cut(row, options.cut_share, generator)
        if name == "shuffle":
            return shuffle(row, generator)
        if name == "mask":
            return mask_span(row, options.span, self.mask_id, generator)
        return row

    def loss(self, batch: Batch, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        z, options = self.project(context.embed(batch.token_ids)), context.recipe.options  # [rows, dim]
        loss = contrastive_softmax(z, batch.relations, options.temperature, options.similarity, fast=context.fast)
        return loss, {"contrastive": loss.detach()}
