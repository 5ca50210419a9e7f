"""Relations of a batch and the masked softmax; beside it cross-entropy, or words to guess.

SBERT, SCL, MNRL, SimCSE in its three forms and SupMPN are this one system: they differ in the
items of a batch, in its relations, and in numbers of the recipe.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from kit.losses import Blend, PairClassifier, contrastive_softmax, cross_entropy, interpolate
from kit.training.batches import Batch, Item, make_batch, tokenize_groups
from kit.training.masked_words import WordGuesser, masked_words_loss
from kit.training.masking import Pieces
from kit.training.objectives.objective import Moment, System
from kit.training.settings import Recipe


class Contrast(System):
    """L = (1 − λ)·CE + λ·contrast, plus mlm_weight · MLM where the recipe wants it."""

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        self.head = classifier(encoder.dim, recipe.head)
        if recipe.mlm_weight:
            self.guesser = WordGuesser(encoder.dim, encoder.bert.config.vocab_size)
            self.pieces = Pieces.of(encoder.tokenizer, encoder.device)

    @staticmethod
    def items(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Item]:
        return tokenize_groups(
            encoder, data, recipe.layout, seed, recipe.keep_groups, recipe.positives, recipe.negatives, recipe.fill
        )

    def batch(self, items: list[Item], recipe: Recipe, generator: torch.Generator | None = None) -> Batch:
        return make_batch(items, recipe, generator)

    def loss(self, batch: Batch, moment: Moment) -> tuple[Tensor, dict[str, Tensor]]:
        embeddings = moment.embed(batch.token_ids)  # [rows, dim]
        loss, parts = self.objective(moment.recipe)(embeddings, batch, moment.step)
        if moment.recipe.mlm_weight:
            with moment.autocast():
                guessing = masked_words_loss(
                    moment.encoder, self.guesser, batch.token_ids, self.pieces, moment.generator
                )
            loss = loss + moment.recipe.mlm_weight * guessing
            parts["mlm"] = guessing.detach()
        return loss, parts

    def objective(self, recipe: Recipe) -> Blend:
        """(1 − λ)·CE + λ·contrast of the recipe (Liao 2021, Eq. 3): a function of (embeddings, batch, step)."""

        def classify(z: Tensor, batch: Batch) -> Tensor:
            return cross_entropy(self.head(z[batch.u], z[batch.v]), batch.labels)

        def contrast(z: Tensor, batch: Batch) -> Tensor:
            return contrastive_softmax(
                z, batch.relations, recipe.temperature, recipe.similarity, recipe.other_positives
            )

        return interpolate(classify, contrast, recipe.lam)


def classifier(dim: int, head: str = "linear") -> PairClassifier:
    """The head on (u, v, |u − v|): one linear map (SBERT), or two without activation between.

    "two linear" is what Liao's released code has for the "two-layer softmax classifier" of the paper,
    as wide in between as half its features; it can express nothing that one map cannot.
    """
    return PairClassifier(dim, hidden=3 * dim // 2 if head == "two linear" else None)
