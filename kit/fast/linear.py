"""x Wᵀ + b with a gradient, its products by oneDNN where they are float32 (see `kit.fast.matmul`)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from kit.fast.matmul import has_onednn, matmul_nt


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x [rows, in] times weight [out, in] transposed, plus bias [out]: [rows, out].

    Plain twin: `torch.nn.functional.linear`, value and gradients equal to rounding.
    """
    if x.dtype != torch.float32 or torch.is_autocast_enabled(x.device.type) or not has_onednn(x.device):
        return F.linear(x, weight, bias)
    return Linear.apply(x, weight, bias)


class Linear(torch.autograd.Function):
    """The value and the gradients of x, weight and bias: one product each, and a sum."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return matmul_nt(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        for_x, for_weight, for_bias = ctx.needs_input_grad
        return (
            matmul_nt(gradient, weight.t()) if for_x else None,
            matmul_nt(gradient.t(), x.t()) if for_weight else None,
            gradient.sum(0) if for_bias else None,
        )
