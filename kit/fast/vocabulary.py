"""Cross-entropy over a vocabulary, its logits and their gradient one matrix in the type of the products."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from kit.fast.fused import fused_linear
from kit.fast.matmul import matmul_nt

CHUNK = 64  # rows of logits in fp32 at a time: 2 MB with 8,192 word pieces, which a cache holds


class VocabularyLoss(torch.autograd.Function):
    """Mean − log softmax(x Wᵀ + b)[target] over the targets that are not negative; 0, with a gradient, without one.

    x [n, H]; weight [V, H]; bias [V]; targets [n]. The softmax is in fp32 at least. It becomes softmax − target, which
    takes the place of the logits a few rows at a time, so that [n, V] is kept once, in the type of x; each row's share
    in the mean multiplies x and its gradient, which are smaller.
    Plain twin: `kit.training.masking.masked_cross_entropy` of `torch.nn.functional.linear`.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
        low = weight.to(x.dtype)
        errors = fused_linear(x, low, bias.to(x.dtype))  # [n, V]: the logits first
        wide = torch.promote_types(x.dtype, torch.float32)
        is_real = (targets >= 0).to(wide)[:, None]  # [n, 1], 1 or 0
        chosen = targets.clamp(min=0)[:, None]
        losses = [
            _turn_into_errors(logits, target, wide) for logits, target in zip(errors.split(CHUNK), chosen.split(CHUNK))
        ]
        count = is_real.sum().clamp(min=1)
        ctx.save_for_backward(x, low, errors, is_real, count)
        ctx.dtype = weight.dtype
        return (torch.cat(losses) * is_real).sum() / count

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, weight, errors, is_real, count = ctx.saved_tensors
        share = upstream / count  # of each row in the mean
        for_x = matmul_nt(errors, weight.t()) * (is_real * share)
        for_weight = matmul_nt(errors.t(), (x * (is_real * share)).to(x.dtype).t())
        for_bias = matmul_nt(errors.t(), is_real.to(x.dtype).t())[:, 0] * share
        return for_x.to(x.dtype), for_weight.to(ctx.dtype), for_bias.to(ctx.dtype), None


def _turn_into_errors(logits: Tensor, target: Tensor, wide: torch.dtype) -> Tensor:
    """− log softmax(logits)[target], [rows, 1]; in the place of the logits [rows, V] comes softmax − target."""
    probability = logits.softmax(-1, dtype=wide)
    # That of the target may be too small to be told from 0; the largest, of the largest logit, is not.
    behind = logits.amax(-1, keepdim=True).to(wide) - logits.gather(1, target).to(wide)
    loss = behind - probability.amax(-1, keepdim=True).log()
    logits.copy_(probability.scatter_add_(1, target, probability.new_full(target.shape, -1.0)))
    return loss
