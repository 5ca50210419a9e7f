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

    x [n, H]; weight [V, H]; bias [V]; targets [n]. The softmax is in fp32 at least. It becomes the gradient, which
    takes the place of the logits a few rows at a time, so that [n, V] is kept once, in the type of x.
    Plain twin: `kit.training.masking.masked_cross_entropy` of `torch.nn.functional.linear`.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
        low = weight.to(x.dtype)
        gradient = fused_linear(x, low, bias.to(x.dtype))  # [n, V]: the logits first
        wide = torch.promote_types(x.dtype, torch.float32)
        is_real = targets >= 0
        shares = (is_real.to(wide) / is_real.sum().clamp(min=1))[:, None]  # of each row in the mean, 0 for no target
        loss = x.new_zeros((), dtype=wide)
        for logits, target, share in zip(*(t.split(CHUNK) for t in (gradient, targets.clamp(min=0)[:, None], shares))):
            log_probability = logits.log_softmax(-1, dtype=wide)
            loss -= (log_probability.gather(1, target) * share).sum()
            logits.copy_(log_probability.exp_().mul_(share).scatter_add_(1, target, -share))
        ctx.save_for_backward(x, low, gradient)
        ctx.dtype = weight.dtype
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, weight, gradient = ctx.saved_tensors
        for_x = matmul_nt(gradient, weight.t()) * upstream.to(x.dtype)
        for_weight = matmul_nt(gradient.t(), (x * upstream.to(x.dtype)).t()).to(ctx.dtype)
        return for_x, for_weight, gradient.sum(0).to(ctx.dtype) * upstream, None
