"""Rows of similar length go through the encoder together, in micro-batches of a limited number of tokens.

Plain twin: one padded pass of all rows, as `Encoder.embed` makes it without `microbatch_tokens`. The vectors
and gradients are the same to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from kit.fast.inference import PASS_TOKENS, Inference
from kit.fast.packed import GatherRows, can_pack, embed_packed
from kit.fast.streams import in_streams


def embed_in_microbatches(encoder, token_ids: list[list[int]], microbatch_tokens: int) -> Tensor:
    """Vectors [rows, dim] of tokenised sentences, in the order given, with a graph.

    Each micro-batch is packed without padding where `can_pack` says so, else padded to its longest row.
    """
    packs = can_pack(encoder.bert)
    embed = partial(embed_rows_packed, encoder) if packs else encoder.embed_padded
    microbatches = split_by_tokens(token_ids, microbatch_tokens, packs)
    parts = [embed([token_ids[i] for i in rows]) for rows in microbatches]
    order = torch.tensor([i for rows in microbatches for i in rows], device=encoder.device)
    return GatherRows.apply(torch.cat(parts), order.argsort(), order)


def embed_rows_packed(encoder, token_ids: list[list[int]]) -> Tensor:
    """Vectors [rows, dim] of one micro-batch, sorted by length, by `kit.fast.packed`."""
    special = (encoder.tokenizer.pad_token_id, encoder.tokenizer.cls_token_id)
    return embed_packed(encoder.bert, token_ids, *special, encoder.pooling, encoder.first_layer)


def encode_in_passes(
    encoder, token_ids: list[list[int]], microbatch_tokens: int, precision: str
) -> Iterator[tuple[list[int], Tensor]]:
    """The rows of each micro-batch, and their vectors [rows, dim] to be read, not trained, in any order.

    On a CPU by `kit.fast.inference`, whose `precision` it is, in streams side by side.
    """
    if encoder.device.type != "cpu":
        return encode_padded(encoder, token_ids, microbatch_tokens)
    embed = Inference(encoder, precision)
    passes = split_by_tokens(token_ids, min(microbatch_tokens, PASS_TOKENS), packed=True)
    return in_streams(lambda rows: embed([token_ids[i] for i in rows]), passes)


def encode_padded(encoder, token_ids: list[list[int]], microbatch_tokens: int) -> Iterator[tuple[list[int], Tensor]]:
    """As `encode_in_passes`, each micro-batch padded: a GPU waits for work, so it gets more than some short rows."""
    for rows in split_by_tokens(token_ids, microbatch_tokens):
        yield rows, encoder.embed_padded([token_ids[i] for i in rows])


def can_encode_in_passes(encoder) -> bool:
    """Whether the encoder is a BERT in float32, or not on a CPU."""
    return encoder.device.type != "cpu" or (can_pack(encoder.bert) and encoder.bert.dtype == torch.float32)


def split_by_tokens(
    token_ids: Sequence[Sequence[int]], microbatch_tokens: int, packed: bool = False
) -> list[list[int]]:
    """The rows sorted by length and cut into micro-batches of at most so many tokens (one row at least).

    Counted with their padding, or, `packed`, without: a random batch then needs no more micro-batches than one
    whose rows are alike.
    """
    order = sorted(range(len(token_ids)), key=lambda i: len(token_ids[i]))
    microbatches: list[list[int]] = [[]]
    tokens = 0
    for i in order:
        length = len(token_ids[i])
        tokens = tokens + length if packed else length * (len(microbatches[-1]) + 1)
        if microbatches[-1] and tokens > microbatch_tokens:
            microbatches.append([])
            tokens = length
        microbatches[-1].append(i)
    return microbatches
