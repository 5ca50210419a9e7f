"""x Wᵀ + b and its gradient, by the library that multiplies sooner.

On a CPU torch leaves float32 products to MKL, which makes little of a processor that Intel did not build.
oneDNN, which comes with torch as well, takes half the time there (see benchmarks) and rounds no worse. What is
computed is `torch.nn.functional.linear`; the tests compare both, values and gradients.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x [rows, in] times weight [out, in] transposed, plus bias [out]: [rows, out]."""
    if x.dtype != torch.float32 or torch.is_autocast_enabled(x.device.type) or not has_onednn(x.device):
        return F.linear(x, weight, bias)
    return Linear.apply(x, weight, bias)


def has_onednn(device: torch.device) -> bool:
    """Whether this torch has oneDNN for that device."""
    return (device.type == "cpu" and torch.backends.mkldnn.is_available()
            and hasattr(torch.ops.mkldnn, "_linear_pointwise"))


class Linear(torch.autograd.Function):
    """All three products through oneDNN."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _product(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        return (_product(gradient, weight.t()) if of_x else None,
                _product(gradient.t(), x.t()) if of_weight else None,
                gradient.sum(0) if of_bias else None)


def _product(a: Tensor, b: Tensor, bias: Tensor | None = None) -> Tensor:
    """a bᵀ + bias. (The operation is one that `torch.compile` makes of a linear layer.)"""
    return torch.ops.mkldnn._linear_pointwise(a, b, bias, "none", [], "")
