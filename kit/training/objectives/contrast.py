"""Relations of a batch and the masked softmax; beside it cross-entropy, or words to guess.

SBERT, SCL, MNRL, SimCSE in its three forms and SupMPN are this one objective: they differ in the examples of a
batch, in its relations, and in numbers of the recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kit.data.augment import AUGMENTERS
from kit.encoder.pooling import PADDED_POOLINGS
from kit.losses import PairClassifier, contrastive_softmax, cross_entropy
from kit.losses.softmax import OTHER_POSITIVES
from kit.number_checks import is_finite, is_whole
from kit.training.batches import Batch, Example, make_batch, tokenize_groups
from kit.training.masked_words import WordGuesser, masked_words_loss
from kit.training.masking import Pieces
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import GroupOptions, Recipe, Rule, WordOptions

FORMATS = ("groups", "triplets", "pairs", "multi_positive", "self_pairs")
READ_BY = {  # option → the one format that reads it
    **dict.fromkeys(("max_positives", "max_negatives", "anchors", "group_batches", "head"), "groups"),
    **dict.fromkeys(("positives", "negatives", "augment"), "multi_positive"),
    "borrow_negatives": "triplets",
}


@dataclass(frozen=True)
class ContrastOptions(WordOptions, GroupOptions):
    """What the contrastive recipes differ in. `lam` is λ, the weight of the contrast beside cross-entropy."""

    data_format: str = "groups"  # one of FORMATS
    lam: float = 1.0
    other_positives: str = "included"  # an anchor's other positives in the denominator, see `masked_softmax`
    positives: int = 5  # P and Q of "multi_positive"
    negatives: int = 5
    augment: str = "copy"  # where an anchor has fewer than P: "copy", "delete" or "synonyms"
    borrow_negatives: bool = False  # of "triplets": pairs without a hard negative of their own, too, with another's
    chunk: int | None = None  # rows of one pass under gradient caching; None: the whole batch

    @property
    def objective(self) -> type[Contrast]:
        return Contrast

    def rules(self, recipe: Recipe) -> list[Rule]:
        chunked, form = self.chunk is not None, self.data_format
        bound = [(name, only, getattr(self, name), getattr(type(self), name)) for name, only in READ_BY.items()]
        return [
            (form in FORMATS, "data_format " + " or ".join(map(repr, FORMATS)), form),
            (is_finite(self.lam) and 0 <= self.lam <= 1, "λ (lam) from 0 to 1", self.lam),
            (
                form == "groups" or self.lam == 1,
                f"λ (lam) 1, as it weighs a classifier beside a contrast and {form} have not both",
                self.lam,
            ),
            (
                self.other_positives in OTHER_POSITIVES,
                "other_positives 'included', 'excluded' or 'zero_logit'",
                self.other_positives,
            ),
            (is_whole(self.positives, 1), "positives (P) of 1 or more", self.positives),
            (is_whole(self.negatives, 0), "negatives (Q) of 0 or more", self.negatives),
            (str(self.augment) in AUGMENTERS, "augment 'copy', 'delete' or 'synonyms'", self.augment),
            (isinstance(self.borrow_negatives, bool), "borrow_negatives True or False", self.borrow_negatives),
            *(
                (form == only or value == usual, f"{name} {usual!r} where data_format is not {only!r}", value)
                for name, only, value, usual in bound
            ),
            (not chunked or is_whole(self.chunk, 1), "a chunk of 1 row or more, or None for all", self.chunk),
            (
                not chunked or recipe.pooling not in PADDED_POOLINGS,
                "no chunk, as a pooling that depends on the padding would see that of the chunks",
                self.chunk,
            ),
            (
                form != "self_pairs" or recipe.dropout > 0,
                "dropout above 0, as nothing else tells a sentence from itself",
                recipe.dropout,
            ),
            *super().rules(recipe),
        ]


class Contrast(Objective):
    """L = (1 − λ) · CE + λ · contrast + mlm_weight · MLM (Liao 2021, Eq. 3; MLM: Gao et al. 2021)."""

    name = "contrast"
    division = "by_anchors"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        self.head = classifier(encoder.dim, recipe.options.head)
        if recipe.options.mlm_weight:
            self.guesser = WordGuesser.of(encoder, recipe.options.word_head)
            self.pieces = Pieces.of(encoder.tokenizer, encoder.device)

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Example]:
        o = recipe.options
        multiple = (o.positives, o.negatives, o.augment)
        return tokenize_groups(encoder, data, o.data_format, seed, o.group_batches, *multiple, o.borrow_negatives)

    def batch(self, examples: list[Example], recipe: Recipe, generator: torch.Generator | None = None) -> Batch:
        return make_batch(examples, recipe, generator)

    def loss(self, batch: Batch, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        options = context.recipe.options
        weights = {"cross_entropy": 1 - options.lam, "contrastive": options.lam, "mlm": options.mlm_weight}
        z = context.embed(batch.token_ids)  # [rows, dim]
        parts = {}  # a term of weight 0 is not computed
        if weights["cross_entropy"]:
            u, v = z.index_select(0, batch.u), z.index_select(0, batch.v)  # not z[...]: see similarity_matrix
            parts["cross_entropy"] = cross_entropy(self.head(u, v), batch.labels)
        if weights["contrastive"]:
            z = self.project(z)
            parts["contrastive"] = contrastive_softmax(
                z, batch.relations, options.temperature, options.similarity, options.other_positives, fast=context.fast
            )
        if weights["mlm"]:
            with context.autocast():
                parts["mlm"] = masked_words_loss(
                    context.encoder, self.guesser, batch.token_ids, self.pieces, context.generator
                )
        loss = sum(weights[name] * part for name, part in parts.items())
        return loss, {name: part.detach() for name, part in parts.items()}


def classifier(dim: int, head: str = "linear") -> PairClassifier:
    """The head on (u, v, |u − v|): one linear map (SBERT), or two without activation between.

    "two linear" is what Liao's released code has for the "two-layer softmax classifier" of the paper,
    as wide in between as half its features; it can express nothing that one map cannot.
    """
    return PairClassifier(dim, hidden=3 * dim // 2 if head == "two linear" else None)
