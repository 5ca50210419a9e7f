"""From token vectors to one sentence vector: five poolings, and two mistakes.

Each takes the hidden states of every layer, a tuple of [rows, length, dim] with the embedding layer's output first,
and the attention mask [rows, length] (1 for a token, 0 for padding), and returns [rows, dim]. The five are masked: a
sentence's vector must not depend on how far its batch is padded. With the two of `PADDED_POOLINGS` it does, as in the
released code of Liao 2021; they are there to show what that costs.
"""

from __future__ import annotations

import torch

from kit.errors import KitError, check_name

HiddenStates = tuple[torch.Tensor, ...]


def cls(hidden: HiddenStates, mask: torch.Tensor) -> torch.Tensor:
    """The last layer's vector of the first token, [CLS]."""
    return hidden[-1][:, 0]


def mean(hidden: HiddenStates, mask: torch.Tensor) -> torch.Tensor:
    """The mean of the last layer over all tokens, [CLS] and [SEP] included (SBERT's default)."""
    return _masked_mean(hidden[-1], mask)


def mean_without_cls(hidden: HiddenStates, mask: torch.Tensor) -> torch.Tensor:
    """The mean over all tokens but [CLS]; [SEP] is kept (Liao 2021, section 3).

    A text may hold "[CLS]" itself: an `Encoder` masks those as well, as the folder does that it saves.
    """
    return _masked_mean(hidden[-1][:, 1:], mask[:, 1:])


def maximum(hidden: HiddenStates, mask: torch.Tensor) -> torch.Tensor:
    """The largest value of each dimension over the tokens of the last layer."""
    return hidden[-1].masked_fill(mask[..., None] == 0, float("-inf")).amax(1)


def first_last(hidden: HiddenStates, mask: torch.Tensor, first_layer: int = 1) -> torch.Tensor:
    """The mean over tokens of the average of a first and the last layer (SupMPN, BERT-flow).

    "First" is ambiguous in the literature: `first_layer` 0 is the embedding layer's output
    (reproduces the 56.70 quoted for raw BERT), 1 the first block's (60.73).
    """
    return _masked_mean((hidden[first_layer] + hidden[-1]) / 2, mask)


def mean_over_padded(hidden: HiddenStates, mask: torch.Tensor) -> torch.Tensor:
    """The sum over the tokens but [CLS], divided by the padded length (what Liao's code trains with).

    Without padding it is `mean_without_cls`, else a shorter vector of the same direction; with dot products that
    gives every pair a temperature of its own. For demonstration only.
    """
    return (hidden[-1][:, 1:] * mask[:, 1:, None].to(hidden[-1].dtype)).sum(1) / max(1, mask.shape[1] - 1)


def mean_with_padding(hidden: HiddenStates, mask: torch.Tensor) -> torch.Tensor:
    """The mean over all positions but [CLS], [PAD] included (what Liao's code encodes with).

    The encoder is masked, the pooling is not. For demonstration only.
    """
    return hidden[-1][:, 1:].mean(1)


# Lesson 01
POOLINGS = {"cls": cls, "mean": mean, "mean_without_cls": mean_without_cls, "max": maximum, "first_last": first_last}
# With these a vector depends on the padding of its batch; without padding both are "mean_without_cls".
PADDED_POOLINGS = {"mean_over_padded": mean_over_padded, "mean_with_padding": mean_with_padding}
ALL_POOLINGS = POOLINGS | PADDED_POOLINGS


def pool(name: str, hidden: HiddenStates, mask: torch.Tensor, first_layer: int = 1) -> torch.Tensor:
    """Apply one of `ALL_POOLINGS`: [rows, dim], in the dtype of `hidden`. Errors: `KitError` for another. Lesson 01."""
    check_name("pooling", name, ALL_POOLINGS)
    if name == "first_last":
        if first_layer not in (0, 1):
            raise KitError(f"expected first_layer 0 (embeddings) or 1 (first block), got {first_layer!r}.")
        return first_last(hidden, mask, first_layer)
    return ALL_POOLINGS[name](hidden, mask)


def _masked_mean(tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean over the tokens: their sum divided by their number, not by the padded length."""
    weights = mask[..., None].to(tokens.dtype)
    return (tokens * weights).sum(1) / weights.sum(1).clamp(min=1)
