"""A BERT that only encodes: no gradient is kept, so each product takes in what follows it, and little is copied.

The tokens of some sentences lie end to end, as in `kit.fast.packed`, but sentences of equal length stand together:
attention takes each such run as it lies, without padding and without tables. A pass is so short that what it computes
stays in the cache.

Plain twin: `Encoder.forward` in eval mode, its vectors equal to rounding.
"""

from __future__ import annotations

from itertools import groupby

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kit.encoder.pooling import pool
from kit.fast.fused import bf16_pays, fused_linear, packed_weight

PASS_TOKENS = 2048  # at most, in one pass: more leaves the cache, less leaves a second thread idle
TOKEN_STEP = 128  # tokens are filled up to a multiple, because products of each new shape are compiled first

Run = tuple[int, int, int]  # first token, last token + 1, tokens of each of its sentences


class Inference:
    """Vectors of tokenised sentences by the weights that `encoder`, a BERT in float32 on a CPU, has now.

    precision: "fp32"; "bf16" for the feed-forward halves of the upper layers alone, where rounding does the least
    harm; "bf16_all" for everything behind the embeddings. Both are fp32 where the processor gains nothing by them.
    """

    def __init__(self, encoder: nn.Module, precision: str):
        self.bert, self.pooling, self.first_layer = encoder.bert, encoder.pooling, encoder.first_layer
        self.pad_id, self.cls_id = encoder.tokenizer.pad_token_id, encoder.tokenizer.cls_token_id
        layers = self.bert.encoder.layer
        low = torch.bfloat16 if precision != "fp32" and bf16_pays() else torch.float32
        self.dtype = low if precision == "bf16_all" else torch.float32
        self.layers = [
            _Layer(layer, self.dtype, low if depth >= len(layers) / 2 else self.dtype)
            for depth, layer in enumerate(layers)
        ]

    def __call__(self, token_ids: list[list[int]]) -> Tensor:
        """Vectors [rows, dim], float32, of sentences sorted by length."""
        runs = equal_lengths(token_ids)
        with torch.autocast("cpu", enabled=False):
            ids, hidden = self._hidden(token_ids, runs)
            kept = hidden[:2] + hidden[-1:] if self.pooling == "first_last" else hidden[-1:]
            return torch.cat([self._pooled(ids, kept, run) for run in runs])

    def _hidden(self, token_ids: list[list[int]], runs: list[Run]) -> tuple[Tensor, list[Tensor]]:
        """Token ids [tokens], and the hidden states of every layer [tokens, dim], the embeddings first."""
        padding = -runs[-1][1] % TOKEN_STEP
        ids = torch.tensor([piece for row in token_ids for piece in row] + [self.pad_id] * padding)
        places = [torch.arange(length).repeat((end - start) // length) for start, end, length in runs]
        parts = self.bert.embeddings
        x = parts.word_embeddings(ids) + parts.position_embeddings(F.pad(torch.cat(places), (0, padding)))
        x = parts.LayerNorm(x + parts.token_type_embeddings.weight[0])
        hidden = [x.to(self.dtype)]
        for layer in self.layers:
            hidden.append(layer(hidden[-1], runs))
        return ids, hidden

    def _pooled(self, ids: Tensor, hidden: list[Tensor], run: Run) -> Tensor:
        """Vectors [rows, dim] of the sentences of a run."""
        start, end, length = run
        pieces = ids[start:end].view(-1, length)
        states = tuple(layer[start:end].view(*pieces.shape, -1).float() for layer in hidden)
        mask = pieces != self.cls_id if self.pooling == "mean_without_cls" else torch.ones_like(pieces)
        return pool(self.pooling, states, mask, self.first_layer)


class _Layer:
    """One layer: its weights as the products take them, attention in one dtype, the feed-forward half in another."""

    def __init__(self, layer: nn.Module, attention: torch.dtype, feed_forward: torch.dtype):
        own, after = layer.attention.self, layer.attention.output
        qkv = (own.query, own.key, own.value)
        weight, bias = torch.cat([m.weight for m in qkv]), torch.cat([m.bias for m in qkv])
        # torch's attention gives 0 for queries and keys of NaN, where there are fewer than 16: values of NaN it shows.
        spoilt = (weight.sum() + bias.sum()).isnan()
        self.qkv = _weights(weight, torch.full_like(bias, torch.nan) if spoilt else bias, attention)
        self.out = _weights(after.dense.weight, after.dense.bias, attention)
        self.up = _weights(layer.intermediate.dense.weight, layer.intermediate.dense.bias, feed_forward)
        self.down = _weights(layer.output.dense.weight, layer.output.dense.bias, feed_forward)
        self.norms = (after.LayerNorm, layer.output.LayerNorm)
        self.heads, self.feed_forward = own.num_attention_heads, feed_forward

    def __call__(self, x: Tensor, runs: list[Run]) -> Tensor:
        """Hidden states [tokens, dim], of the next layer."""
        found = attention(fused_linear(x, *self.qkv), runs, self.heads)
        x = self.norms[0](fused_linear(found, *self.out, plus=x))
        inner = fused_linear(x.to(self.feed_forward), *self.up, gelu=True)
        if inner.dtype == x.dtype:
            return self.norms[1](fused_linear(inner, *self.down, plus=x))
        return self.norms[1](fused_linear(inner, *self.down) + x)  # the sum in float32


def attention(qkv: Tensor, runs: list[Run], heads: int) -> Tensor:
    """softmax(q kᵀ / √size) v within each sentence: [tokens, dim] of [tokens, query | key | value]; 0 behind them."""
    dim = qkv.shape[1] // 3
    found = []
    for start, end, length in runs:
        q, k, v = qkv[start:end].view(-1, length, 3, heads, dim // heads).permute(2, 0, 3, 1, 4)
        found.append(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(-1, dim))
    return torch.cat([*found, qkv.new_zeros(len(qkv) - runs[-1][1], dim)])


def equal_lengths(token_ids: list[list[int]]) -> list[Run]:
    """The runs of sentences of equal length; token_ids: sorted by length."""
    runs, start = [], 0
    for length, members in groupby(map(len, token_ids)):
        end = start + length * len(list(members))
        runs.append((start, end, length))
        start = end
    return runs


def _weights(weight: Tensor, bias: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    return packed_weight(weight.to(dtype), PASS_TOKENS), bias.to(dtype)
