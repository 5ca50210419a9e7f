"""Matrix products by oneDNN, the second library for them that torch brings along.

On a CPU torch leaves float32 products to MKL, which takes twice the time on processors that are not Intel's. On
Intel's the two are alike, but for transposed matrices (the gradients of weights): MKL reads them as they lie, oneDNN's
operator copies them first. Which it is here is measured at the first product of a kind; so is, before a training,
whether products of bfloat16 pay (for encoding alone: `kit.fast.fused.bf16_pays`).
"""

from __future__ import annotations

from functools import cache, partial

import torch
from torch import Tensor
from torch.nn import functional as F

from kit.fast.stopwatch import least_seconds

MIN_MULTIPLICATIONS = 2**22  # a smaller product is over before oneDNN has started
# oneDNN is left only for a torch that is so many times faster. Where they are alike no noise decides between them: the
# two round differently, and a run that is repeated or resumed must round as before.
CLEARLY = 1.5
CLEARLY_TRANSPOSED = 1.4  # between Intel, measured at 1.6 to 1.8, and AMD, at 1.1 to 1.3: neither comes near it
# float32 is taken on a CPU with bfloat16 only where it is so many times faster: where they are alike no noise decides.
CLEARLY_IN_TRAINING = 1.1


def matmul_nt(a: Tensor, b: Tensor, bias: Tensor | None = None) -> Tensor:
    """a [rows, inner] times the transpose of b [columns, inner], plus bias [columns]; without a gradient.

    Plain twin: `torch.nn.functional.linear`, equal to rounding.
    """
    is_large = a.dtype == torch.float32 and a.numel() * len(b) > MIN_MULTIPLICATIONS
    if is_large and has_onednn(a.device) and (a.is_contiguous() or not _torch_is_clearly_faster(transposed=True)):
        return _onednn_linear(a, b, bias)
    return F.linear(a, b, bias)


def has_onednn(device: torch.device) -> bool:
    """Whether oneDNN multiplies on that device: by an operator that gives what `F.linear` gives, and not slower."""
    return (
        device.type == "cpu"
        and torch.backends.mkldnn.is_available()
        and _operator_works()
        and not _torch_is_clearly_faster(transposed=False)
    )


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


@cache
def _torch_is_clearly_faster(transposed: bool) -> bool:
    """Whether `F.linear` is faster here than oneDNN by a factor of `CLEARLY`: ten products of a usual shape, 7 ms.

    transposed: by one of `CLEARLY_TRANSPOSED`, of two matrices that lie transposed, as in the gradient of a weight.
    """
    a, b = torch.ones(1024, 128), torch.ones(384, 128)
    if transposed:
        a, b = torch.ones(1024, 384).t(), torch.ones(1024, 128).t()
    ways = (lambda: _onednn_linear(a, b, None), lambda: F.linear(a, b))
    with torch.no_grad(), torch.autocast("cpu", enabled=False):
        onednn, plain = least_seconds(*ways)
    return plain * (CLEARLY_TRANSPOSED if transposed else CLEARLY) < onednn


@cache
def bf16_trains_well() -> bool:
    """Whether the processor has products of bfloat16 and does not train clearly slower with them than in float32.

    With AVX-512 BF16 and without AMX some train slower, so it is measured, once.
    """
    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    in_hardware = any(getattr(torch.cpu, probe, lambda: False)() for probe in probes)
    return in_hardware and not fp32_trains_clearly_faster()


def fp32_trains_clearly_faster() -> bool:
    """Measured: whether a linear layer, forward and backward, takes `CLEARLY_IN_TRAINING` times as long in bfloat16."""
    x, weight = (torch.ones(shape, requires_grad=True) for shape in ((256, 256), (1024, 256)))

    def layer(low: bool) -> None:
        with torch.enable_grad(), torch.autocast("cpu", torch.bfloat16, enabled=low):
            y = F.linear(x, weight)
        torch.autograd.grad(y, (x, weight), torch.ones_like(y))

    float32, bfloat16 = least_seconds(partial(layer, low=False), partial(layer, low=True), rounds=8)
    return float32 * CLEARLY_IN_TRAINING < bfloat16
