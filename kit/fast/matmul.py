"""Matrix products by oneDNN, the second library for them that torch brings along.

On a CPU torch leaves float32 products to MKL, which is slow on processors that are not Intel's.
"""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor
from torch.nn import functional as F

MIN_MULTIPLICATIONS = 2**22  # a smaller product is over before oneDNN has started


def matmul_nt(a: Tensor, b: Tensor, bias: Tensor | None = None) -> Tensor:
    """a [rows, inner] times the transpose of b [columns, inner], plus bias [columns]; without a gradient.

    Plain twin: `torch.nn.functional.linear`, equal to rounding.
    """
    if a.dtype == torch.float32 and a.numel() * len(b) > MIN_MULTIPLICATIONS and has_onednn(a.device):
        return _onednn_linear(a, b, bias)
    return F.linear(a, b, bias)


def has_onednn(device: torch.device) -> bool:
    """Whether oneDNN multiplies on that device, by an operator that gives what `F.linear` gives."""
    return device.type == "cpu" and torch.backends.mkldnn.is_available() and _operator_works()


def _onednn_linear(a: Tensor, b: Tensor, bias: Tensor | None) -> Tensor:
    # A private operator of torch (its compiler turns linear layers into it), so `_operator_works` tries it first.
    return torch.ops.mkldnn._linear_pointwise(a, b, bias, "none", [], "")


@cache
def _operator_works() -> bool:
    """Whether this torch has the operator, with these arguments and this meaning; found out once."""
    a, b = torch.arange(12.0).view(3, 4), torch.arange(8.0).view(2, 4) - 3
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        try:
            return all(torch.equal(_onednn_linear(a, b, bias), F.linear(a, b, bias)) for bias in (None, a[0, :2]))
        except (AttributeError, RuntimeError, TypeError):
            return False
