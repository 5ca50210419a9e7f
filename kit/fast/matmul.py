"""a bᵀ, by the library that multiplies sooner.

On a CPU torch leaves float32 products to MKL, which makes little of a processor that Intel did not build.
oneDNN, which comes with torch as well, takes half the time there (see benchmarks/means.py) and rounds no worse.
"""

from __future__ import annotations

import torch
from torch import Tensor

SMALL = 2**22  # multiplications; up to there to begin takes longer than to multiply


def product(a: Tensor, b: Tensor, bias: Tensor | None = None) -> Tensor:
    """a [rows, inner] times b [columns, inner] transposed, plus bias [columns]; without a gradient.

    It is a matter of speed alone: the value is that of `torch.nn.functional.linear` to rounding.
    """
    if a.dtype == torch.float32 and a.numel() * len(b) > SMALL and has_onednn(a.device):
        # What `torch.compile` makes of a linear layer.
        return torch.ops.mkldnn._linear_pointwise(a, b, bias, "none", [], "")
    return torch.nn.functional.linear(a, b, bias)


def has_onednn(device: torch.device) -> bool:
    """Whether this torch has oneDNN for that device."""
    return (
        device.type == "cpu" and torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )
