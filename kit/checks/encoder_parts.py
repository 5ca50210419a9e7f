"""Whether a transformer and its tokenizer can be read as the kit reads them: as BERT and its kin."""

from __future__ import annotations

from typing import Any

from kit.errors import KitError
from kit.number_checks import is_whole


def longest_input(bert: Any) -> int:
    """The number of word pieces that a model has positions for: the largest `max_length`."""
    positions = getattr(bert.config, "max_position_embeddings", 512)
    table = getattr(getattr(bert, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)  # RoBERTa and its kin count from the place after that of padding
    return positions if padding is None else positions - padding - 1


def check_max_length(max_length: object, bert: Any) -> None:
    """Errors: `KitError` for a number of word pieces that the model cannot read."""
    longest = longest_input(bert)
    if not is_whole(max_length, 3) or max_length > longest:
        raise KitError(f"expected max_length between 3 and the encoder's maximum of {longest}, got {max_length!r}.")
