"""x Wᵀ + b and its gradient, with products by oneDNN where they are float32 (see `kit.fast.matmul`).

What is computed is `torch.nn.functional.linear`; the tests compare both, values and gradients.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from kit.fast.matmul import has_onednn, product


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x [rows, in] times weight [out, in] transposed, plus bias [out]: [rows, out]."""
    if x.dtype != torch.float32 or torch.is_autocast_enabled(x.device.type) or not has_onednn(x.device):
        return F.linear(x, weight, bias)
    return Linear.apply(x, weight, bias)


class Linear(torch.autograd.Function):
    """Value and gradients, a product each."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        return (
            product(gradient, weight.t()) if of_x else None,
            product(gradient.t(), x.t()) if of_weight else None,
            gradient.sum(0) if of_bias else None,
        )
