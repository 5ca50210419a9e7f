"""Masked language modelling by a BERT on a CPU: the last layer and the vocabulary at the masked positions alone.

A loss asks for a seventh of the positions. The last layer takes keys and values from all tokens and computes
everything else for those only. Attention and the cross-entropy have their gradients written out, the sums between
layers stay in the type of the products, and a product takes in the residual that is added to it.

Plain twin: `kit.pretraining.compact_bert.masked_lm_loss` with `fast=False`, loss and gradients equal to rounding.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from kit.fast.fused import fused_linear
from kit.fast.matmul import matmul_nt
from kit.fast.packed import BERTS_OWN, PLAIN
from kit.fast.vocabulary import VocabularyLoss


def sparse_masked_lm_loss(
    model: nn.Module, inputs: Tensor, positions: Tensor, targets: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Mean cross-entropy over the targets that are not negative; 0 without one.

    inputs, attention_mask (0: padding) [rows, length]; positions, targets [rows, slots].
    model: one that `can_be_sparse`. Behind its embeddings everything is in autocast's type, where that is on.
    """
    rows, length = inputs.shape
    one_segment = inputs.new_zeros(1, length)  # for all rows: as [rows, length] the gradient of one vector is slow
    x = model.bert.embeddings(input_ids=inputs, token_type_ids=one_segment).flatten(0, 1)  # [tokens, H]
    if torch.is_autocast_enabled("cpu"):
        x = x.to(torch.get_autocast_dtype("cpu"))
    wanted = (positions + torch.arange(0, rows * length, length)[:, None]).flatten()  # [rows · slots], of the tokens
    with torch.autocast("cpu", enabled=False):
        bias = _bias(attention_mask, model.config.num_attention_heads, x.dtype)
        *lower, last = model.bert.encoder.layer
        for layer in lower:
            x = _layer(layer, x, x, rows, bias)
        x = _layer(last, x, x.index_select(0, wanted), rows, bias)
        head = model.cls.predictions
        x = _norm(head.transform.LayerNorm, F.gelu(_linear(head.transform.dense, x)))
        return VocabularyLoss.apply(x, head.decoder.weight, head.decoder.bias, targets.flatten())


def can_be_sparse(model: nn.Module) -> bool:
    """Whether `model` is a BertForMaskedLM of `transformers` on a CPU, without dropout now.

    Behind the embeddings weights are read and no module is called, so one in place of BERT's own, or somebody's
    hook, would not be heard.
    """
    config = model.config
    return (
        type(model).__name__ == "BertForMaskedLM"
        and not config.is_decoder
        and config.hidden_act == "gelu"
        and getattr(config, "position_embedding_type", "absolute") in ("absolute", None)
        and next(model.parameters()).device.type == "cpu"
        and all(_is_bare(module) for part in (model.bert.encoder, model.cls) for module in part.modules())
    )


def _is_bare(module: nn.Module) -> bool:
    """Whether it is a module of BERT's own without effect beyond its weights: no dropout, and no hook but theirs."""
    kinds = (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks)
    hooks = [hook for kind in kinds for hook in kind.values()]
    return (
        (type(module) in PLAIN or type(module).__module__.startswith(BERTS_OWN))
        and not (isinstance(module, nn.Dropout) and module.training and module.p > 0)
        and all(str(getattr(hook, "__module__", "")).startswith("transformers.") for hook in hooks)
    )


def _bias(attention_mask: Tensor | None, heads: int, dtype: torch.dtype) -> Tensor | None:
    """What attention adds to its logits, [rows · heads, 1, length]: the lowest number for padding, else 0."""
    if attention_mask is None:
        return None
    bias = torch.zeros(attention_mask.shape, dtype=dtype).masked_fill_(attention_mask == 0, torch.finfo(dtype).min)
    return bias.repeat_interleave(heads, dim=0)[:, None]


def _layer(layer: nn.Module, x: Tensor, wanted: Tensor, rows: int, bias: Tensor | None) -> Tensor:
    """The output [queries, H] for `wanted` [queries, H], as many of each row, among all tokens x [tokens, H]."""
    own, after = layer.attention.self, layer.attention.output
    pair = (own.key, own.value)
    weight, bias_kv = torch.cat([m.weight for m in pair]), torch.cat([m.bias for m in pair])
    kv = Linear.apply(x, weight, bias_kv, None)  # [tokens, 2 · H]
    found = Attention.apply(_linear(own.query, wanted), kv, rows, own.num_attention_heads, bias)
    y = _norm(after.LayerNorm, _linear(after.dense, found, plus=wanted))
    up, down = layer.intermediate.dense, layer.output.dense
    return _norm(layer.output.LayerNorm, FeedForward.apply(y, up.weight, up.bias, down.weight, down.bias))


def _linear(part: nn.Linear, x: Tensor, plus: Tensor | None = None) -> Tensor:
    return Linear.apply(x, part.weight, part.bias, plus)


def _norm(part: nn.LayerNorm, x: Tensor) -> Tensor:
    return F.layer_norm(x, part.normalized_shape, part.weight, part.bias, part.eps)


class Linear(torch.autograd.Function):
    """x Wᵀ + b, plus a residual [rows, out] or None, in the type of x; the weights' gradients in their own.

    Plain twin: `torch.nn.functional.linear` and a sum, under autocast.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, plus: Tensor | None) -> Tensor:
        low = weight.to(x.dtype)
        ctx.save_for_backward(x, low)
        ctx.dtype, ctx.has_plus = weight.dtype, plus is not None
        return fused_linear(x, low, bias.to(x.dtype), plus=plus)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        for_x = matmul_nt(gradient, weight.t())
        for_weight = matmul_nt(gradient.t(), x.t()).to(ctx.dtype)
        return for_x, for_weight, gradient.sum(0).to(ctx.dtype), gradient if ctx.has_plus else None


class FeedForward(torch.autograd.Function):
    """y + gelu(y W₁ᵀ + b₁) W₂ᵀ + b₂, in the type of y; the weights' gradients in their own.

    The gradient of gelu is written over that of its result: four times as wide as y, it would be memory to fetch anew.
    Plain twin: transformers' BertIntermediate and BertOutput, but for its LayerNorm.
    """

    @staticmethod
    def forward(ctx: Any, y: Tensor, up: Tensor, up_bias: Tensor, down: Tensor, down_bias: Tensor) -> Tensor:
        ctx.dtype = up.dtype
        up, down = up.to(y.dtype), down.to(y.dtype)
        before = fused_linear(y, up, up_bias.to(y.dtype))  # [tokens, 4 · H]
        inner = F.gelu(before)
        ctx.save_for_backward(y, up, down, before, inner)
        return fused_linear(inner, down, down_bias.to(y.dtype), plus=y)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, ...]:
        y, up, down, before, inner = ctx.saved_tensors
        for_down = matmul_nt(gradient.t(), inner.t()).to(ctx.dtype)
        for_inner = matmul_nt(gradient, down.t())
        torch.ops.aten.gelu_backward.grad_input(for_inner, before, grad_input=for_inner)
        for_up = matmul_nt(for_inner.t(), y.t()).to(ctx.dtype)
        for_y = matmul_nt(for_inner, up.t()).add_(gradient)
        return for_y, for_up, for_inner.sum(0).to(ctx.dtype), for_down, gradient.sum(0).to(ctx.dtype)


class Attention(torch.autograd.Function):
    """softmax(q kᵀ / √size + bias) v for every head (Vaswani et al. 2017, Eq. 1).

    q [rows · queries, H], and keys and values side by side [rows · length, 2 · H]: a row may have fewer queries
    than tokens. Plain twin: eager attention of `transformers`' BertSelfAttention.
    """

    @staticmethod
    def forward(ctx: Any, q: Tensor, kv: Tensor, rows: int, heads: int, bias: Tensor | None) -> Tensor:
        q, (k, v) = _by_head(q, rows, heads, 1)[0], _by_head(kv, rows, heads, 2)
        scale = q.shape[-1] ** -0.5
        if bias is None:
            logits = torch.baddbmm(q.new_zeros(1, 1, 1), q, k.transpose(1, 2), alpha=scale, beta=0)
        else:
            logits = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=scale)
        weights = torch.softmax(logits, -1, out=logits)  # [rows · heads, queries, length]
        ctx.save_for_backward(q, k, v, weights)
        ctx.rows, ctx.heads, ctx.scale = rows, heads, scale
        return _by_token((weights @ v)[None], rows, heads)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        q, k, v, weights = ctx.saved_tensors
        gradient = _by_head(gradient, ctx.rows, ctx.heads, 1)[0]
        d_logits = gradient @ v.transpose(1, 2)  # of the weights first
        torch.ops.aten._softmax_backward_data.out(d_logits, weights, -1, weights.dtype, grad_input=d_logits)
        d_q, d_kv = torch.empty_like(q), k.new_empty(2, *k.shape)
        torch.baddbmm(d_q, d_logits, k, alpha=ctx.scale, beta=0, out=d_q)
        torch.baddbmm(d_kv[0], d_logits.transpose(1, 2), q, alpha=ctx.scale, beta=0, out=d_kv[0])
        torch.bmm(weights.transpose(1, 2), gradient, out=d_kv[1])
        return _by_token(d_q[None], ctx.rows, ctx.heads), _by_token(d_kv, ctx.rows, ctx.heads), None, None, None


def _by_head(x: Tensor, rows: int, heads: int, parts: int) -> Tensor:
    """[rows · length, parts · heads · size] as [parts, rows · heads, length, size]."""
    size = x.shape[1] // parts // heads
    return x.view(rows, -1, parts, heads, size).permute(2, 0, 3, 1, 4).reshape(parts, rows * heads, -1, size)


def _by_token(x: Tensor, rows: int, heads: int) -> Tensor:
    """The inverse of `_by_head`."""
    parts, _, length, size = x.shape
    return x.view(parts, rows, heads, length, size).permute(1, 3, 0, 2, 4).reshape(rows * length, -1)
