"""TSDAE: write the sentence again from one vector of what was left of it.

Most words of a sentence are deleted and the rest becomes one vector. A small decoder sees that
vector and the words that came before, and guesses the next piece: what it needs to know of the
whole must pass through the vector. The decoder is thrown away afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from kit.comparators.distortions import drop_words
from kit.comparators.sentence_rows import sentence_examples
from kit.encoder.encoder import pad
from kit.number_checks import is_finite, is_whole
from kit.training.batches import Example
from kit.training.masked_words import WordGuesser
from kit.training.masking import IGNORE, Pieces
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Options, Recipe, Rule


@dataclass(frozen=True)
class DenoisingOptions(Options):
    """delete: the probability that a word leaves; decoder_layers: transformer layers of the decoder."""

    data_format = "sentences"
    delete: float = 0.6
    decoder_layers: int = 1

    @property
    def objective(self) -> type[Denoising]:
        return Denoising

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [
            (is_finite(self.delete) and 0 <= self.delete < 1, "a share to delete from 0 to below 1", self.delete),
            (is_whole(self.decoder_layers, 1), "decoder_layers of 1 or more", self.decoder_layers),
        ]


@dataclass(frozen=True)
class Noisy:
    """token_ids: what is left of each sentence; inputs, targets [rows, length]: the whole one, a piece apart."""

    token_ids: list[list[int]]
    inputs: Tensor
    targets: Tensor

    def to(self, device: torch.device) -> Noisy:
        return Noisy(self.token_ids, self.inputs.to(device), self.targets.to(device))


class Denoising(Objective):
    """−log p(piece | pieces before it, vector of the noisy sentence), its mean (Wang et al. 2021, section 3)."""

    name = "denoising"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        config = encoder.bert.config
        layer = nn.TransformerDecoderLayer(
            encoder.dim,
            config.num_attention_heads,
            4 * encoder.dim,
            recipe.dropout,
            activation="gelu",
            batch_first=True,
        )
        self.decoder = nn.TransformerDecoder(layer, recipe.options.decoder_layers)
        self.guesser = WordGuesser.of(encoder)
        self.continues = Pieces.of(encoder.tokenizer).continues.tolist()
        self.pad_id = encoder.tokenizer.pad_token_id

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Example]:
        return sentence_examples(encoder, data, recipe, seed)

    def batch(self, examples: list[Example], recipe: Recipe, generator: torch.Generator | None = None) -> Noisy:
        rows = [example.anchor for example in examples]
        ids, mask = pad(rows, self.pad_id)
        targets = ids.masked_fill(mask == 0, IGNORE)[:, 1:]
        return Noisy(
            [drop_words(row, recipe.options.delete, self.continues, generator) for row in rows], ids[:, :-1], targets
        )

    def loss(self, batch: Noisy, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        sentences = context.embed(batch.token_ids)  # [rows, dim]
        with context.autocast():
            loss = self.reconstruction(context.encoder, sentences, batch)
        return loss, {"reconstruction": loss.detach()}

    def reconstruction(self, encoder, sentences: Tensor, batch: Noisy) -> Tensor:
        """Mean over all pieces of the batch, [SEP] the last of each row; sentences [rows, dim].

        The embeddings are the encoder's own, going in and coming out. The decoder attends to earlier
        pieces and to the one vector; so padding, which comes last, is seen by no real piece.
        """
        embedded = encoder.bert.embeddings(input_ids=batch.inputs)  # [rows, length, dim]
        length = embedded.shape[1]
        later = torch.ones(length, length, dtype=torch.bool, device=embedded.device).triu(1)
        states = self.decoder(embedded, sentences[:, None], tgt_mask=later, tgt_is_causal=True)
        logits = self.guesser(states, encoder.bert.get_input_embeddings().weight)  # [rows, length, vocabulary]
        return F.cross_entropy(logits.flatten(0, 1).float(), batch.targets.flatten(), ignore_index=IGNORE)
