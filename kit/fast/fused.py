"""x Wᵀ + b and what follows it in one product of oneDNN, in float32 or bfloat16; without a gradient.

The result is changed while it is in the cache, instead of being written, read and written again. Weights are packed
once, in the order that the product reads them in.
"""

from __future__ import annotations

from functools import cache, partial

import torch
from torch import Tensor
from torch.nn import functional as F

from kit.fast.matmul import has_onednn
from kit.fast.stopwatch import least_seconds

CPU = torch.device("cpu")
HOPELESS = 3  # bfloat16 that takes so many times as long in a small product is not tried in a larger one


def fused_linear(x: Tensor, weight: Tensor, bias: Tensor, gelu: bool = False, plus: Tensor | None = None) -> Tensor:
    """x [rows, in] times the transpose of weight [out, in], plus bias [out]; then gelu, or plus `plus` [rows, out].

    weight: as `packed_weight` gives it; all are of one dtype.
    Plain twin: `torch.nn.functional.linear` and what follows it, equal to rounding.
    """
    if fuses(x.dtype):
        return _by_onednn(x, weight, bias, gelu, plus)
    found = F.linear(x, weight, bias)
    if gelu:
        return F.gelu(found)
    return found if plus is None else found + plus


def packed_weight(weight: Tensor, rows: int) -> Tensor:
    """`weight` [out, in] as `fused_linear` takes it; rows: of most of the products with it."""
    if fuses(weight.dtype):
        return torch.ops.mkldnn._reorder_linear_weight(weight.detach(), rows)
    return weight


def fuses(dtype: torch.dtype) -> bool:
    """Whether products of this dtype on the CPU go through oneDNN, with what follows them."""
    return _operators_work(dtype) and has_onednn(CPU)


@cache
def bf16_pays() -> bool:
    """Whether a product of bfloat16 is faster here than one of float32: of a usual shape, measured once, in 5 ms.

    A small one comes first: where the processor has no instruction for it, the usual one takes a third of a second.
    """
    float32, bfloat16 = _seconds_in_both(rows=32)
    if bfloat16 > HOPELESS * float32:
        return False
    float32, bfloat16 = _seconds_in_both(rows=1024)
    return bfloat16 < float32


def _seconds_in_both(rows: int) -> list[float]:
    """How long a product of so many rows takes in float32 and in bfloat16."""
    wide = [torch.ones(size) for size in ((rows, 128), (384, 128), (384,))]
    low = [part.bfloat16() for part in wide]
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        for parts in (wide, low):
            parts[1] = packed_weight(parts[1], rows)
        return least_seconds(partial(fused_linear, *wide), partial(fused_linear, *low))


def _by_onednn(x: Tensor, weight: Tensor, bias: Tensor, gelu: bool, plus: Tensor | None) -> Tensor:
    # Private operators of torch (its compiler turns linear layers into them), so `_operators_work` tries them first.
    if plus is not None:
        return torch.ops.mkldnn._linear_pointwise.binary(x, plus, weight, bias, "add")
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "gelu" if gelu else "none", [], "none")


@cache
def _operators_work(dtype: torch.dtype) -> bool:
    """Whether this torch has the operators for this dtype, with these arguments and this meaning; found out once."""
    if dtype not in (torch.float32, torch.bfloat16) or not torch.backends.mkldnn.is_available():
        return False
    x, weight = torch.arange(-6.0, 6.0).view(3, 4).to(dtype), (torch.arange(8.0).view(2, 4) / 8).to(dtype)
    bias, plus = weight[:, 0].contiguous(), x[:, :2].contiguous()  # oneDNN does not look at strides
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        plain = F.linear(x, weight, bias)
        try:
            packed = torch.ops.mkldnn._reorder_linear_weight(weight, len(x))
            found = [_by_onednn(x, packed, bias, *then) for then in ((False, None), (True, None), (False, plus))]
        except (AttributeError, RuntimeError, TypeError):
            return False
    wanted = (plain, F.gelu(plain), plain + plus)
    return all(torch.allclose(a.float(), b.float(), rtol=0.01, atol=0.02) for a, b in zip(found, wanted))
