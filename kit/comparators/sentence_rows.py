"""What the objectives on sentences alone share: their examples, and a batch that is its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from kit.training.batches import Example, tokenize_groups
from kit.training.settings import Recipe


@dataclass(frozen=True)
class Rows:
    """A batch of sentences. token_ids: the rows, plain lists until they are padded."""

    token_ids: list[list[int]]

    def to(self, device: torch.device) -> Rows:
        return self


def sentence_examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[Example]:
    """Tokenise each distinct sentence of NLI groups, or of a list of strings. Errors: as `tokenize_groups`."""
    return tokenize_groups(encoder, data, "sentences", seed)
