"""DeCLUTR: spans of one document belong together, those of others apart; beside it words to guess.

L = contrast_weight · NT-Xent over 2AN vectors + mlm_weight · MLM on the anchors
(Giorgi et al. 2021, sections 3.1 and 3.3). A document gives A anchors, and P positives near each;
the positive of an anchor is the mean of its P raw vectors. All else in the batch is a negative,
the other anchors and positives of the same document included.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from kit.checks.encoder_parts import longest_input
from kit.data.spans import SpanSampler, expectations
from kit.encoder.encoder import pad
from kit.encoder.pooling import pool
from kit.errors import KitError, KitWarning
from kit.losses import contrastive_softmax, nt_xent_relations
from kit.number_checks import is_finite
from kit.training.masked_words import WordGuesser, masked_words_loss
from kit.training.masking import Pieces, mask_whole_words, masked_cross_entropy
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Recipe, Rule, WordOptions

AT_ONCE = 32  # documents tokenised together: the tokenizer's own records are large


@dataclass(frozen=True)
class DeclutrOptions(WordOptions):
    """Spans in word pieces, [CLS] and [SEP] apart (see `kit.data.spans.SpanSampler`), and the weights of the terms."""

    data_format = "documents"
    anchors_per_document: int = 2  # A
    positives_per_anchor: int = 2  # P
    min_span: int = 32  # ℓmin
    max_span: int = 512  # ℓmax
    strategy: str = "any"  # or "adjacent", "subsuming"
    anchor_starts: str = "paper"  # or "code"
    shared_pass: bool = True  # contrast and MLM from one pass over anchors with hidden words
    contrast_weight: float = 1.0

    @property
    def objective(self) -> type[Declutr]:
        return Declutr

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [
            *expectations(
                self.min_span,
                self.max_span,
                self.anchors_per_document,
                self.positives_per_anchor,
                self.strategy,
                self.anchor_starts,
            ),
            (isinstance(self.shared_pass, bool), "shared_pass True or False", self.shared_pass),
            (
                is_finite(self.contrast_weight) and self.contrast_weight >= 0,
                "a contrast_weight of 0 or more",
                self.contrast_weight,
            ),
            *super().rules(recipe),
        ]


@dataclass(frozen=True)
class Document:
    """Token ids of a whole document, without [CLS] and [SEP]."""

    tokens: list[int]
    size = 1
    longest = 0  # spans have their length by chance, so documents of like length need not meet


@dataclass(frozen=True)
class SpanBatch:
    """Rows of [CLS] span [SEP]: the anchors, then P positives of the first anchor, of the second …"""

    anchors: list[list[int]]
    positives: list[list[int]]

    @property
    def token_ids(self) -> list[list[int]]:
        return self.anchors + self.positives

    def to(self, device: torch.device) -> SpanBatch:
        return self


class Declutr(Objective):
    """Spans of documents under NT-Xent, and masked words of the anchors. Lesson 07."""

    name = "declutr"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        if not recipe.options.mlm_weight and not recipe.options.contrast_weight:
            raise KitError(
                f"recipe {recipe.name!r}: expected contrast_weight or mlm_weight above 0, got 0 for both: "
                "without either there is nothing to learn."
            )
        self.sampler = sampler_of(recipe)
        self.frame = (encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id)
        if recipe.options.mlm_weight:
            self.guesser = WordGuesser.of(encoder, recipe.options.word_head)
            self.pieces = Pieces.of(encoder.tokenizer, encoder.device)

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Document]:
        """Documents as token ids; those too short for the spans are left out, and a warning counts them.

        Errors: `KitError` for an encoder that is too short for the spans, for anything that is not a
        list of texts, and where no document is long enough.
        """
        longest, most = recipe.options.max_span + 2, longest_input(encoder.bert)
        load = f"load it with max_length={longest}, or "
        if encoder.max_length < longest:
            raise KitError(
                f"recipe {recipe.name!r}: expected an encoder with a max_length of {longest} or more, as a "
                f"span of up to {longest - 2} tokens gets [CLS] and [SEP], got one of {encoder.max_length}: "
                f"{load * (longest <= most)}choose max_span={encoder.max_length - 2} or less."
            )
        documents = [Document(tokens) for tokens in tokenize_documents(encoder, data, recipe.name)]
        needed = sampler_of(recipe).needed
        long_enough = [document for document in documents if len(document.tokens) >= needed]
        if not long_enough:
            most = max(len(document.tokens) for document in documents)
            raise KitError(
                f"recipe {recipe.name!r}: expected documents of at least 2·A·ℓmax = {needed:,} tokens, but "
                f"the longest of {len(documents):,} has {most:,}: give longer ones, or choose a smaller "
                "max_span or fewer anchors_per_document."
            )
        if len(long_enough) < len(documents):
            warnings.warn(
                KitWarning(
                    f"{len(documents) - len(long_enough):,} of {len(documents):,} documents have fewer than the "
                    f"{needed:,} tokens that the spans need and were left out."
                ),
                stacklevel=2,
            )
        return long_enough

    def batch(self, examples: list[Document], recipe: Recipe, generator: torch.Generator | None = None) -> SpanBatch:
        rng = random.Random(torch.randint(2**62, (), generator=generator).item())
        anchors, positives = [], []
        for document in examples:
            for spans in self.sampler.sample(len(document.tokens), rng):
                anchors.append(self._row(document, *spans.anchor))
                positives += [self._row(document, *span) for span in spans.positives]
        return SpanBatch(anchors, positives)

    def loss(self, batch: SpanBatch, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        """The weighted sum, and its parts "contrastive" and "mlm" as far as they have a weight."""
        options = context.recipe.options
        weights = {"mlm": options.mlm_weight, "contrastive": options.contrast_weight}
        anchors, parts = None, {}
        if weights["mlm"] and options.shared_pass:
            anchors, parts["mlm"] = self.anchors_and_words(batch.anchors, context)
        elif weights["mlm"]:
            with context.autocast():
                parts["mlm"] = masked_words_loss(
                    context.encoder, self.guesser, batch.anchors, self.pieces, context.generator
                )
        if weights["contrastive"]:
            parts["contrastive"] = self._contrast(batch, anchors, context)
        loss = sum(weights[name] * part for name, part in parts.items())
        return loss, {name: part.detach() for name, part in parts.items()}

    def _contrast(self, batch: SpanBatch, anchors: Tensor | None, context: StepContext) -> Tensor:
        """NT-Xent of the anchors [AN, dim] (None: not embedded yet) and the means of their positives.

        The mean over the 2AN rows, as the released code has it; the paper's Eq. writes a sum.
        """
        if anchors is None:
            both = context.embed(batch.token_ids)  # [AN + AN·P, dim]
            anchors, positives = both[: len(batch.anchors)], both[len(batch.anchors) :]
        else:
            positives = context.embed(batch.positives)  # [AN·P, dim]
        means = positives.view(len(anchors), -1, positives.shape[1]).mean(dim=1)  # [AN, dim], raw, not of length 1
        return contrastive_softmax(
            self.project(torch.cat([anchors, means])),
            nt_xent_relations(len(anchors)),
            context.recipe.options.temperature,
            context.recipe.options.similarity,
            fast=context.fast,
        )

    def anchors_and_words(self, rows: list[list[int]], context: StepContext) -> tuple[Tensor, Tensor]:
        """Vectors [AN, dim] of the anchors with hidden words, and the loss of guessing those: one pass."""
        encoder = context.encoder
        ids, attention = (t.to(encoder.device) for t in pad(rows, encoder.tokenizer.pad_token_id))
        inputs, positions, targets = mask_whole_words(ids, self.pieces, generator=context.generator)
        with context.autocast():
            out = encoder.bert(
                input_ids=inputs, attention_mask=attention, output_hidden_states=encoder.pooling == "first_last"
            )
            states = out.last_hidden_state  # [AN, length, dim]
            layers = out.hidden_states if encoder.pooling == "first_last" else (states,)
            if encoder.pooling == "mean_without_cls":  # as in `Encoder.forward`: a text may hold it, too
                attention = attention * (inputs != encoder.tokenizer.cls_token_id)
            vectors = pool(encoder.pooling, layers, attention, encoder.first_layer)
            hidden = states.gather(1, positions[..., None].expand(-1, -1, states.shape[-1]))  # [AN, slots, dim]
            logits = self.guesser(hidden, encoder.bert.get_input_embeddings().weight)
            words = masked_cross_entropy(logits.flatten(0, 1), targets.flatten())
        return vectors, words  # bf16 vectors become float32 in the softmax

    def _row(self, document: Document, start: int, end: int) -> list[int]:
        return [self.frame[0], *document.tokens[start:end], self.frame[1]]


def sampler_of(recipe: Recipe) -> SpanSampler:
    """The span sampler with the numbers of a recipe."""
    o = recipe.options
    return SpanSampler(
        o.min_span, o.max_span, o.anchors_per_document, o.positives_per_anchor, o.strategy, o.anchor_starts
    )


def tokenize_documents(encoder, data: Sequence, name: str = "declutr") -> list[list[int]]:
    """Token ids of whole documents, nothing cut and nothing added.

    Errors: `KitError` for anything that is not a list of texts. Lesson 07.
    """

    def wrong(text: object) -> str | None:
        blank = isinstance(text, str) and not text.strip()
        return "a blank one" if blank else None if isinstance(text, str) else f"a {type(text).__name__}"

    if isinstance(data, str):
        got = "one string"
    elif not isinstance(data, Sequence):
        got = wrong(data)
    else:
        got = next(filter(None, map(wrong, data)), None) if data else "none"
    if got:
        raise KitError(
            f"recipe {name!r}: expected documents, a list of texts, got {got}: "
            "load some with kit.data.documents.load_documents."
        )
    number_of = list(range(len(encoder.tokenizer)))  # one int for each piece, not one for each occurrence
    ids: list[list[int]] = []
    for start in range(0, len(data), AT_ONCE):
        found = encoder.tokenizer(
            list(data[start : start + AT_ONCE]),
            add_special_tokens=False,
            truncation=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        ids += [[number_of[i] for i in row] for row in found["input_ids"]]
    return ids
