"""A BERT without padding: the same vectors as the model of `transformers`, sooner on a CPU.

A padded batch multiplies matrices with rows that mean nothing. Here the tokens of all sentences lie
one after another, [tokens, dim], and everything that treats tokens one by one (all of a transformer but
attention) runs over just these. Attention needs sentences: those of like length form a block, padded to
a multiple of 16, because the softmax of 16 numbers is vectorised and that of 14 is not.

What is computed is what `BertModel` computes with eager attention, in another order of memory; the
tests compare both, values and gradients. The slow, plain path is `encoder(input_ids, attention_mask)`.
"""

from __future__ import annotations

import os

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from kit.encoder.pooling import pool
from kit.fast.dropout import fast_dropout, keep_mask
from kit.fast.linear import linear
from kit.fast.packing import ROUND, ROUND_FP32, Packing

PASS_TOKENS = 4096  # of a pass on a CPU: above it one is no faster, only larger
# Of compiled products torch's library keeps 1,024, fewer than a training has: it would compile them over and over.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "8192")


class Rearrange(torch.autograd.Function):
    """x[there], whose gradient is g[back]: a second gather, where autograd would scatter and add.

    Right where each row of x that counts is taken once; what is taken more often has the gradient 0.
    """

    @staticmethod
    def forward(ctx, x: Tensor, there: Tensor, back: Tensor) -> Tensor:
        ctx.back = back
        return x.index_select(0, there)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None, None]:
        return gradient.index_select(0, ctx.back), None, None


class AttentionPlan:
    """What attention needs to know of a packing, once for all layers. dtype: of its products."""

    def __init__(self, packing: Packing, heads: int, dtype: torch.dtype):
        self.dtype = dtype
        self.there, self.back = packing.order(heads)  # of the result [token, head]
        # The input is [token, query | key | value, head], and is to be [query | key | value, block …].
        which = torch.arange(3)[:, None]
        self.into = (self.there + self.there // heads * (2 * heads) + which * heads).flatten()
        self.out_of = (self.back.view(-1, 1, heads) + which * len(self.there)).flatten()
        self.blocks, start = [], 0  # (first row, last row, length, bias) of each
        for block in packing.blocks:
            end = start + block.tokens.numel() * heads
            self.blocks.append((start, end, block.tokens.shape[1], block.bias(heads, dtype)))
            start = end


class Attention(torch.autograd.Function):
    """softmax(q kᵀ / √size + bias) v of every head of that size, block by block; Vaswani et al. 2017, Eq. 1.

    The products in the plan's dtype, the softmax in float32 at least.
    """

    @staticmethod
    def forward(ctx, qkv: Tensor, plan: AttentionPlan, heads: int, dropout: float) -> Tensor:
        size = qkv.shape[1] // 3 // heads
        wide = torch.promote_types(plan.dtype, torch.float32)
        with torch.autocast(qkv.device.type, enabled=False):
            q, k, v = qkv.view(-1, size).index_select(0, plan.into).to(plan.dtype).view(3, -1, size)
            out, kept = torch.empty_like(q), []
            for start, end, length, bias in plan.blocks:
                qb, kb, vb, ob = (t[start:end].view(-1, length, size) for t in (q, k, v, out))
                logits = torch.baddbmm(bias, qb, kb.transpose(1, 2), alpha=size**-0.5)
                weights = logits.softmax(-1, dtype=wide)
                factor = _factor(weights, dropout)
                used = weights * factor if dropout else weights
                torch.bmm(used.to(plan.dtype), vb, out=ob)
                kept += [weights, factor]
        ctx.save_for_backward(q, k, v, *kept)
        ctx.plan, ctx.shape, ctx.dtype, ctx.dropout = plan, qkv.shape, qkv.dtype, dropout
        return out.to(qkv.dtype).index_select(0, plan.back).view(len(qkv), -1)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        q, k, v, *kept = ctx.saved_tensors
        size = q.shape[1]
        gradient = gradient.reshape(-1, size).index_select(0, ctx.plan.there).to(q.dtype)
        found = q.new_empty(3, *q.shape)
        for (start, end, length, _), weights, factor in zip(ctx.plan.blocks, kept[::2], kept[1::2]):
            qb, kb, vb, gb, dq, dk, dv = (t[start:end].view(-1, length, size) for t in (q, k, v, gradient, *found))
            of_weights = torch.bmm(gb, vb.transpose(1, 2)).to(weights.dtype)
            used = weights
            if ctx.dropout:
                of_weights, used = of_weights.mul_(factor), weights * factor
            # softmax: w (∂w − Σ w ∂w), and the scale of the logits
            of_logits = weights * (of_weights - (weights * of_weights).sum(-1, keepdim=True)) * size**-0.5
            used, of_logits = used.to(q.dtype), of_logits.to(q.dtype)
            torch.bmm(used.transpose(1, 2), gb, out=dv)
            torch.bmm(of_logits, kb, out=dq)
            torch.bmm(of_logits.transpose(1, 2), qb, out=dk)
        found = found.view(-1, size).to(ctx.dtype).index_select(0, ctx.plan.out_of)
        return found.view(ctx.shape), None, None, None


def trains_low(bert: nn.Module) -> bool:
    """Whether `bert` is in training, and in bf16: it meets the few shapes of `rounded` again and again.

    Not whether there is a gradient: gradient caching embeds without one first, and then again with the same masks.
    """
    return bert.training and torch.is_autocast_enabled("cpu")


def attention_dtype(x: Tensor, low: bool) -> torch.dtype:
    """bfloat16 in a training in bf16; else float32 at least: what is only encoded is worth the exactness."""
    return torch.get_autocast_dtype("cpu") if low else torch.promote_types(x.dtype, torch.float32)


def can_pack(bert: nn.Module) -> bool:
    """Whether `packed_hidden` computes what this model computes: a plain BERT, on a CPU."""
    config = bert.config
    return (
        type(bert).__name__ == "BertModel"
        and not config.is_decoder
        and config.hidden_act == "gelu"
        and getattr(config, "position_embedding_type", "absolute") in ("absolute", None)
        and next(bert.parameters()).device.type == "cpu"
    )


def packed_hidden(bert: nn.Module, packing: Packing) -> list[Tensor]:
    """The hidden states of every layer, each [tokens, dim], the embeddings first.

    Under autocast a training has all of its products in bf16. Out of training, where vectors are made to be
    compared, only the feed-forward halves of the upper layers: rounding there does least harm (of vectors of
    kit-bert-tiny about a quarter of what it does with all products in bf16).
    """
    parts, heads = bert.embeddings, bert.config.num_attention_heads
    x = parts.word_embeddings(packing.ids) + parts.position_embeddings(packing.positions)
    x = _dropped(parts.dropout, parts.LayerNorm(x + parts.token_type_embeddings.weight[0]))
    all_low = trains_low(bert)
    plan = AttentionPlan(packing, heads, attention_dtype(x, all_low))
    hidden, layers = [x], bert.encoder.layer
    low = torch.is_autocast_enabled("cpu")
    for depth, layer in enumerate(layers):
        attention = layer.attention.self
        qkv = (attention.query, attention.key, attention.value)
        with torch.autocast("cpu", enabled=all_low):
            found = linear(x, torch.cat([m.weight for m in qkv]), torch.cat([m.bias for m in qkv]))  # [tokens, 3 · dim]
            found = Attention.apply(found, plan, heads, attention.dropout.p * attention.training)
            x = _added(layer.attention.output, found, x)
        with torch.autocast("cpu", enabled=all_low or (low and depth >= len(layers) / 2)):
            x = _added(layer.output, F.gelu(_mapped(layer.intermediate.dense, x)), x)
        hidden.append(x)
    return hidden


def embed_packed(bert: nn.Module, token_ids: list[list[int]], pad_id: int, pooling: str, first_layer: int) -> Tensor:
    """Vectors [rows, dim] of sentences sorted by length, the shortest first; keeps the graph."""
    low = trains_low(bert)
    packing = Packing(token_ids, pad_id, few_shapes=low, multiple=ROUND if low else ROUND_FP32)
    hidden = packed_hidden(bert, packing)
    there, back = packing.order(heads=1)
    wanted = hidden[:2] + hidden[-1:] if pooling == "first_last" else hidden[-1:]
    wide = [Rearrange.apply(layer, there, back) for layer in wanted]  # each [slots, dim]
    vectors, start = [], 0
    for block in packing.blocks:
        end = start + block.tokens.numel()
        states = tuple(layer[start:end].view(*block.tokens.shape, -1) for layer in wide)
        vectors.append(pool(pooling, states, block.mask, first_layer)[: block.sentences])
        start = end
    return torch.cat(vectors)[packing.fillers :]


def _added(part: nn.Module, x: Tensor, before: Tensor) -> Tensor:
    """The end of a half layer: its linear map, dropout, the way around it, and the normalisation."""
    return part.LayerNorm(_dropped(part.dropout, _mapped(part.dense, x)) + before)


def _mapped(part: nn.Linear, x: Tensor) -> Tensor:
    return linear(x, part.weight, part.bias)


def _dropped(dropout: nn.Dropout, x: Tensor) -> Tensor:
    return fast_dropout(x, dropout.p) if dropout.training else x


def _factor(weights: Tensor, dropout: float) -> Tensor:
    """What dropout multiplies attention by: 0, or 1 / (1 − dropout); empty where there is none."""
    if not dropout:
        return weights.new_empty(0)
    return keep_mask(weights.shape, dropout).to(weights.dtype).mul_(1 / (1 - dropout))
