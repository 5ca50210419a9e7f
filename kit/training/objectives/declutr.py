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

from kit.data.hub import KitWarning
from kit.data.spans import SpanSampler, expectations
from kit.encoder.encoder import pad
from kit.encoder.pooling import pool
from kit.errors import KitError
from kit.losses import contrastive_softmax, nt_xent_relations
from kit.training.masked_words import WordGuesser, masked_words_loss
from kit.training.masking import Pieces, mask_whole_words, masked_cross_entropy
from kit.training.objectives.objective import Moment, System
from kit.training.settings import Options, Recipe, Rule, number

AT_ONCE = 32  # documents tokenised together: the tokenizer's own records are large


@dataclass(frozen=True)
class DeclutrOptions(Options):
    """Spans in word pieces, [CLS] and [SEP] apart; see `kit.data.spans.SpanSampler`."""

    anchors_per_document: int = 2  # A
    positives_per_anchor: int = 2  # P
    min_span: int = 32  # ℓmin
    max_span: int = 512  # ℓmax
    strategy: str = "any"  # or "adjacent", "subsuming"
    anchor_starts: str = "paper"  # or "code"
    shared_pass: bool = True  # contrast and MLM from one pass over anchors with hidden words
    contrast_weight: float = 1.0  # beside it stands the recipe's mlm_weight

    def rules(self) -> list[Rule]:
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
                number(self.contrast_weight) and self.contrast_weight >= 0,
                "a contrast_weight of 0 or more",
                self.contrast_weight,
            ),
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


class Declutr(System):
    """Spans of documents under NT-Xent, and masked words of the anchors."""

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        if not recipe.mlm_weight and not recipe.options.contrast_weight:
            raise KitError(
                f"recipe {recipe.name!r}: expected contrast_weight or mlm_weight above 0, got 0 for both: "
                "without either there is nothing to learn."
            )
        self.sampler = sampler_of(recipe)
        self.frame = (encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id)
        if recipe.mlm_weight:
            self.guesser = WordGuesser(encoder.dim, encoder.bert.config.vocab_size)
            self.pieces = Pieces.of(encoder.tokenizer, encoder.device)

    @staticmethod
    def items(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Document]:
        """Documents as token ids; those too short for the spans are left out, and a warning counts them.

        Errors: `KitError` for an encoder that is too short for the spans, for what is no list of
        texts, and where no document is long enough.
        """
        longest = recipe.options.max_span + 2
        if encoder.max_length < longest:
            raise KitError(
                f"recipe {recipe.name!r}: expected an encoder with a max_length of {longest} or more, as a "
                f"span of up to {longest - 2} tokens gets [CLS] and [SEP], got one of {encoder.max_length}: "
                f"load it with max_length={longest}, or choose max_span={encoder.max_length - 2} or less."
            )
        whole = [Document(tokens) for tokens in tokenize_documents(encoder, data, recipe.name)]
        needed = sampler_of(recipe).needed
        kept = [document for document in whole if len(document.tokens) >= needed]
        if not kept:
            most = max(len(document.tokens) for document in whole)
            raise KitError(
                f"recipe {recipe.name!r}: expected documents of at least 2·A·ℓmax = {needed:,} tokens, but "
                f"the longest of {len(whole):,} has {most:,}: give longer ones, or choose a smaller "
                "max_span or fewer anchors_per_document."
            )
        if len(kept) < len(whole):
            warnings.warn(
                KitWarning(
                    f"{len(whole) - len(kept):,} of {len(whole):,} documents have fewer than the "
                    f"{needed:,} tokens that the spans need and were left out."
                ),
                stacklevel=2,
            )
        return kept

    def batch(self, items: list[Document], recipe: Recipe, generator: torch.Generator | None = None) -> SpanBatch:
        rng = random.Random(torch.randint(2**62, (), generator=generator).item())
        anchors, positives = [], []
        for document in items:
            for spans in self.sampler.sample(len(document.tokens), rng):
                anchors.append(self._row(document, *spans.anchor))
                positives += [self._row(document, *span) for span in spans.positives]
        return SpanBatch(anchors, positives)

    def loss(self, batch: SpanBatch, moment: Moment) -> tuple[Tensor, dict[str, Tensor]]:
        """The weighted sum, and its parts "contrastive" and "mlm" as far as they have a weight."""
        contrast_weight, mlm_weight = moment.recipe.options.contrast_weight, moment.recipe.mlm_weight
        anchors, parts = None, {}
        if mlm_weight and moment.recipe.options.shared_pass:
            anchors, parts["mlm"] = self.anchors_and_words(batch.anchors, moment)
        elif mlm_weight:
            with moment.autocast():
                parts["mlm"] = masked_words_loss(
                    moment.encoder, self.guesser, batch.anchors, self.pieces, moment.generator
                )
        if contrast_weight:
            parts["contrastive"] = self._contrast(batch, anchors, moment)
        weights = {"mlm": mlm_weight, "contrastive": contrast_weight}
        loss = sum(weights[name] * part for name, part in parts.items())
        return loss, {name: part.detach() for name, part in parts.items()}

    def _contrast(self, batch: SpanBatch, anchors: Tensor | None, moment: Moment) -> Tensor:
        """NT-Xent of the anchors [AN, dim] (None: not embedded yet) and the means of their positives.

        The mean over the 2AN rows, as the released code has it; the paper's Eq. writes a sum.
        """
        if anchors is None:
            both = moment.embed(batch.token_ids)  # [AN + AN·P, dim]
            anchors, positives = both[: len(batch.anchors)], both[len(batch.anchors) :]
        else:
            positives = moment.embed(batch.positives)  # [AN·P, dim]
        means = positives.view(len(anchors), -1, positives.shape[1]).mean(dim=1)  # [AN, dim], raw, not of length 1
        return contrastive_softmax(
            torch.cat([anchors, means]),
            nt_xent_relations(len(anchors)),
            moment.recipe.temperature,
            moment.recipe.similarity,
        )

    def anchors_and_words(self, rows: list[list[int]], moment: Moment) -> tuple[Tensor, Tensor]:
        """Vectors [AN, dim] of the anchors with hidden words, and the loss of guessing those: one pass."""
        encoder = moment.encoder
        ids, attention = (t.to(encoder.device) for t in pad(rows, encoder.tokenizer.pad_token_id))
        inputs, positions, targets = mask_whole_words(ids, self.pieces, generator=moment.generator)
        with moment.autocast():
            out = encoder.bert(
                input_ids=inputs, attention_mask=attention, output_hidden_states=encoder.pooling == "first_last"
            )
            states = out.last_hidden_state  # [AN, length, dim]
            layers = out.hidden_states if encoder.pooling == "first_last" else (states,)
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

    Errors: `KitError` for what is no list of texts.
    """
    listed = isinstance(data, Sequence) and not isinstance(data, str)
    strange = next((text for text in data if not isinstance(text, str) or not text.strip()), None) if listed else data
    if not listed or not data or strange is not None:
        got = (
            "one string"
            if isinstance(data, str)
            else "none"
            if listed and not data
            else ("a blank one" if isinstance(strange, str) else f"a {type(strange).__name__}")
        )
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
