"""A BERT without padding: the same vectors as the model of `transformers`, in less time on a CPU.

A padded batch multiplies matrices with rows that mean nothing. Here the tokens of all sentences lie end to
end, [tokens, dim], and everything that treats tokens one by one (all of a transformer but attention) runs
over these alone. For attention, sentences of similar length form a block, padded to a multiple of 16: the
softmax of 16 numbers is vectorised, that of 14 is not.

Plain twin: `Encoder.forward` with eager attention; vectors and gradients are the same to rounding.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from kit.encoder.pooling import pool
from kit.fast.dropout import fast_dropout, keep_mask
from kit.fast.linear import linear
from kit.fast.packing import TOKEN_STEP_BF16, TOKEN_STEP_FP32, Packing

# What a BERT that `transformers` builds is made of.
PLAIN = {nn.Linear, nn.LayerNorm, nn.Embedding, nn.Dropout, nn.ModuleList}
BERTS_OWN = ("transformers.models.bert.", "transformers.activations")


class GatherRows(torch.autograd.Function):
    """x[index], with the gradient g[inverse_index]: a second gather where autograd would scatter and add.

    Right where each row of x that matters is taken once; one that is taken more often gets the gradient of one
    of its copies. Plain twin: `torch.Tensor.index_select`.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor, inverse_index: Tensor) -> Tensor:
        ctx.inverse_index = inverse_index
        return x.index_select(0, index)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return gradient.index_select(0, ctx.inverse_index), None, None


class AttentionPlan:
    """The index tables and masks of a packing for attention, the same for all layers; its products are in `dtype`."""

    def __init__(self, packing: Packing, heads: int, dtype: torch.dtype):
        self.dtype = dtype
        self.index, self.inverse_index = packing.order(heads)  # of the result [token, head]
        # From [token, query | key | value, head] to [query | key | value, block …], and the inverse.
        which = torch.arange(3)[:, None]
        self.qkv_index = (self.index + self.index // heads * (2 * heads) + which * heads).flatten()
        self.qkv_inverse_index = (self.inverse_index.view(-1, 1, heads) + which * len(self.index)).flatten()
        self.blocks, start = [], 0  # (first row, last row, length, bias) of each
        for block in packing.blocks:
            end = start + block.tokens.numel() * heads
            self.blocks.append((start, end, block.tokens.shape[1], block.bias(heads, dtype)))
            start = end


class Attention(torch.autograd.Function):
    """softmax(q kᵀ / √size + bias) v for every head, block by block (Vaswani et al. 2017, Eq. 1).

    Products are computed in the plan's dtype, the softmax in float32 or wider.
    Plain twin: eager attention of `transformers`' BertSelfAttention.
    """

    @staticmethod
    def forward(ctx, qkv: Tensor, plan: AttentionPlan, heads: int, dropout: float) -> Tensor:
        size = qkv.shape[1] // 3 // heads
        wide = torch.promote_types(plan.dtype, torch.float32)
        with torch.autocast(qkv.device.type, enabled=False):
            q, k, v = qkv.view(-1, size).index_select(0, plan.qkv_index).to(plan.dtype).view(3, -1, size)
            out, kept = torch.empty_like(q), []
            for start, end, length, bias in plan.blocks:
                qb, kb, vb, ob = (t[start:end].view(-1, length, size) for t in (q, k, v, out))
                logits = torch.baddbmm(bias, qb, kb.transpose(1, 2), alpha=size**-0.5)
                weights = logits.softmax(-1, dtype=wide)
                factor = _dropout_factor(weights, dropout)
                used = weights * factor if dropout else weights
                torch.bmm(used.to(plan.dtype), vb, out=ob)
                kept += [weights, factor]
        ctx.save_for_backward(q, k, v, *kept)
        ctx.plan, ctx.shape, ctx.dtype, ctx.dropout = plan, qkv.shape, qkv.dtype, dropout
        return out.to(qkv.dtype).index_select(0, plan.inverse_index).view(len(qkv), -1)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        q, k, v, *kept = ctx.saved_tensors
        size = q.shape[1]
        gradient = gradient.reshape(-1, size).index_select(0, ctx.plan.index).to(q.dtype)
        found = q.new_empty(3, *q.shape)
        for (start, end, length, _), weights, factor in zip(ctx.plan.blocks, kept[::2], kept[1::2]):
            qb, kb, vb, gb, dq, dk, dv = (t[start:end].view(-1, length, size) for t in (q, k, v, gradient, *found))
            d_weights = torch.bmm(gb, vb.transpose(1, 2)).to(weights.dtype)
            used = weights
            if ctx.dropout:
                d_weights, used = d_weights.mul_(factor), weights * factor
            # softmax: w (∂w − Σ w ∂w), and the scale of the logits
            d_logits = weights * (d_weights - (weights * d_weights).sum(-1, keepdim=True)) * size**-0.5
            used, d_logits = used.to(q.dtype), d_logits.to(q.dtype)
            torch.bmm(used.transpose(1, 2), gb, out=dv)
            torch.bmm(d_logits, kb, out=dq)
            torch.bmm(d_logits.transpose(1, 2), qb, out=dk)
        found = found.view(-1, size).to(ctx.dtype).index_select(0, ctx.plan.qkv_inverse_index)
        return found.view(ctx.shape), None, None, None


def bf16_training(bert: nn.Module) -> bool:
    """Whether `bert` is in training mode under bf16 autocast.

    It must not depend on whether gradients are recorded: gradient caching embeds first without them and then
    with, and replays the random numbers of dropout in between.
    """
    return bert.training and torch.is_autocast_enabled("cpu")


def attention_dtype(x: Tensor, bf16: bool) -> torch.dtype:
    """The dtype of attention's products: autocast's in bf16 training, else float32 or wider."""
    return torch.get_autocast_dtype("cpu") if bf16 else torch.promote_types(x.dtype, torch.float32)


def can_pack(bert: nn.Module) -> bool:
    """Whether `packed_hidden` computes what this model does: it is a plain BERT, on a CPU.

    Weights are read and most modules never called, so a module in place of one of BERT's (an adapter, a quantised
    map) or somebody's hook would not be heard.
    """
    config = bert.config
    return (
        type(bert).__name__ == "BertModel"
        and not config.is_decoder
        and config.hidden_act == "gelu"
        and getattr(config, "position_embedding_type", "absolute") in ("absolute", None)
        and next(bert.parameters()).device.type == "cpu"
        and not _is_hooked(bert)
        and all(_is_plain(module) for part in (bert.embeddings, bert.encoder) for module in part.modules())
    )


def _is_plain(module: nn.Module) -> bool:
    kind = type(module)
    return (kind in PLAIN or kind.__module__.startswith(BERTS_OWN)) and not _is_hooked(module)


def _is_hooked(module: nn.Module) -> bool:
    """Whether somebody's hook sees or changes what goes through; `transformers`' own note hidden states when asked."""
    hooks = (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks)
    found = [hook for kind in hooks if kind for hook in kind.values()]
    return any(not str(getattr(hook, "__module__", "")).startswith("transformers.") for hook in found)


def packed_hidden(bert: nn.Module, packing: Packing) -> list[Tensor]:
    """The hidden states of every layer, each [tokens, dim], the embeddings first.

    Under bf16 autocast a training computes all products in bf16. Outside of training they are as wide as the weights;
    `Encoder.encode`, whose vectors are made to be compared, has its own passes in bf16, see `kit.fast.inference`.
    """
    parts, heads = bert.embeddings, bert.config.num_attention_heads
    x = parts.word_embeddings(packing.ids) + parts.position_embeddings(packing.positions)
    x = _dropout(parts.dropout, parts.LayerNorm(x + parts.token_type_embeddings.weight[0]))
    bf16 = bf16_training(bert)
    plan = AttentionPlan(packing, heads, attention_dtype(x, bf16))
    hidden = [x]
    for layer in bert.encoder.layer:
        attention = layer.attention.self
        qkv = (attention.query, attention.key, attention.value)
        with torch.autocast("cpu", enabled=bf16):
            found = linear(x, torch.cat([m.weight for m in qkv]), torch.cat([m.bias for m in qkv]))  # [tokens, 3 · dim]
            found = Attention.apply(found, plan, heads, attention.dropout.p * attention.training)
            x = _residual(layer.attention.output, found, x)
            x = _residual(layer.output, F.gelu(_linear(layer.intermediate.dense, x)), x)
        hidden.append(x)
    return hidden


def embed_packed(
    bert: nn.Module, token_ids: list[list[int]], pad_id: int, cls_id: int, pooling: str, first_layer: int
) -> Tensor:
    """Vectors [rows, dim], with a graph, of sentences sorted by length, the shortest first."""
    bf16 = bf16_training(bert)
    packing = Packing(token_ids, pad_id, bucket_rows=bf16, multiple=TOKEN_STEP_BF16 if bf16 else TOKEN_STEP_FP32)
    hidden = packed_hidden(bert, packing)
    index, inverse_index = packing.order(heads=1)
    pooled_layers = hidden[:2] + hidden[-1:] if pooling == "first_last" else hidden[-1:]
    # Parted by one split, whose gradient is one concatenation: that of a slice is as large as the whole, and zero but
    # for its own places.
    sizes = [block.tokens.numel() for block in packing.blocks]
    padded = [GatherRows.apply(layer, index, inverse_index).split(sizes) for layer in pooled_layers]
    vectors = []
    for block, *layers in zip(packing.blocks, *padded):
        states = tuple(layer.view(*block.tokens.shape, -1) for layer in layers)
        mask = block.mask
        if pooling == "mean_without_cls":
            mask = mask * (packing.ids[block.tokens] != cls_id)
        vectors.append(pool(pooling, states, mask, first_layer)[: block.sentences])
    return torch.cat(vectors)[packing.padding_rows :]


def _residual(part: nn.Module, x: Tensor, residual: Tensor) -> Tensor:
    """The end of a half layer: linear map, dropout, residual connection and layer norm."""
    return part.LayerNorm(_dropout(part.dropout, _linear(part.dense, x)) + residual)


def _linear(part: nn.Linear, x: Tensor) -> Tensor:
    return linear(x, part.weight, part.bias)


def _dropout(dropout: nn.Dropout, x: Tensor) -> Tensor:
    return fast_dropout(x, dropout.p) if dropout.training else x


def _dropout_factor(weights: Tensor, dropout: float) -> Tensor:
    """What dropout multiplies attention weights by, 0 or 1 / (1 − dropout); empty without dropout."""
    if not dropout:
        return weights.new_empty(0)
    return keep_mask(weights.shape, dropout).to(weights.dtype).mul_(1 / (1 - dropout))
