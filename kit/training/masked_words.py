"""Masked language modelling beside the contrast: "+ MLM" (Gao et al. 2021, appendix D).

A second pass over the batch's sentences with some words hidden; the loss of guessing them is
added with a small weight, so that the encoder keeps what pretraining taught it about words.
"""

from __future__ import annotations

import warnings

import torch
import torch.nn.functional as F
from torch import nn

from kit.encoder.encoder import pad
from kit.encoder.word_head import pretrained_word_head
from kit.errors import KitError, KitWarning
from kit.training.masking import Pieces, mask_whole_words, masked_cross_entropy


class WordGuesser(nn.Module):
    """The head of BERT's masked language model over token vectors: [slots, dim] → [slots, vocabulary].

    The word embeddings [vocabulary, width] are its last matrix, as in BERT, and stay the encoder's own parameters.
    """

    def __init__(self, dim: int, vocabulary: int, width: int):
        super().__init__()
        self.dense, self.norm = nn.Linear(dim, width), nn.LayerNorm(width)  # narrower than dim in ALBERT and ELECTRA
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    @classmethod
    def of(cls, encoder, start: str = "fresh") -> WordGuesser:
        """A head for `encoder`: drawn "fresh", or the "pretrained" one of its file; a warning where it has none."""
        guesser = cls(encoder.dim, *encoder.bert.get_input_embeddings().weight.shape)
        if start == "pretrained":
            try:
                guesser.load_state_dict(pretrained_word_head(encoder))
                guesser.norm.eps = encoder.bert.config.layer_norm_eps
            except KitError as error:
                told = f"{error} So the head starts fresh; word_head='fresh' says that this is meant."
                warnings.warn(KitWarning(told), stacklevel=2)
        return guesser

    def forward(self, vectors: torch.Tensor, word_embeddings: torch.Tensor) -> torch.Tensor:
        return self.norm(F.gelu(self.dense(vectors))) @ word_embeddings.T + self.bias


def masked_words_loss(
    encoder, guesser: WordGuesser, token_ids: list[list[int]], pieces: Pieces, generator: torch.Generator | None = None
) -> torch.Tensor:
    """Mean −log p(piece | the rest of the sentence) over 15 % of the pieces of `token_ids`.

    Rows are padded together: one pass. A batch too short to hide anything gives 0 with a gradient.
    """
    ids, attention = (t.to(encoder.device) for t in pad(token_ids, encoder.tokenizer.pad_token_id))
    inputs, positions, targets = mask_whole_words(ids, pieces, generator=generator)
    states = encoder.bert(input_ids=inputs, attention_mask=attention).last_hidden_state  # [rows, length, dim]
    hidden = states.gather(1, positions[..., None].expand(-1, -1, states.shape[-1]))  # [rows, slots, dim]
    logits = guesser(hidden, encoder.bert.get_input_embeddings().weight)
    return masked_cross_entropy(logits.flatten(0, 1), targets.flatten())
