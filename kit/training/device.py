"""Which device, which precision, how many threads: decided once, in one place."""

from __future__ import annotations

import contextlib
import os
import time
from functools import cache

import torch
from torch.nn import functional as F

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name

PRECISIONS = ("auto", "fp32", "bf16")
# float32 is taken on a CPU with bfloat16 only where it is so many times faster: where they are alike no noise decides.
CLEARLY = 1.1


@checked
def pick_device(name: str | None = None) -> torch.device:
    """The device to train on: `name`, or CUDA where there is one, else the CPU. Lesson 09."""
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise KitError(f"expected a CUDA GPU for device={name!r}, but torch sees none: use 'cpu'.")
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise KitError(f"expected a device such as 'cpu' or 'cuda', got {name!r}.") from error


def has_fast_bf16(device: torch.device) -> bool:
    """True where training in bfloat16 is the faster way: a GPU that has it, a CPU that has it and is not slower by it.

    Some processors with AVX-512 BF16 and without AMX train faster in float32. Which way it is takes half a second to
    measure, once.
    """
    return has_bf16(device) and (device.type == "cuda" or not _fp32_is_clearly_faster())


def has_bf16(device: torch.device) -> bool:
    """True where the hardware has products of bfloat16, however fast they are."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, probe, lambda: False)() for probe in probes)


@cache
def _fp32_is_clearly_faster() -> bool:
    """Whether a linear layer of a usual shape, forward and backward, takes `CLEARLY` times as long in bfloat16.

    By the processor's own time: beside busy programs the clock on the wall says either.
    """
    x, weight = (torch.ones(shape, requires_grad=True) for shape in ((256, 256), (1024, 256)))

    def seconds(low: bool) -> float:
        began = time.process_time()
        with torch.enable_grad(), torch.autocast("cpu", torch.bfloat16, enabled=low):
            y = F.linear(x, weight)
        torch.autograd.grad(y, (x, weight), torch.ones_like(y))
        return time.process_time() - began

    rounds = [[seconds(low) for low in (False, True)] for _ in range(9)][1:]  # the first one compiles
    float32, bfloat16 = map(min, zip(*rounds))  # the fastest is the one that nobody disturbed
    return float32 * CLEARLY < bfloat16


def autocast(device: torch.device, precision: str = "auto"):
    """A context for the forward pass: bf16 where it is the faster way here, weights stay fp32.

    `precision`: "auto", "fp32" or "bf16". Losses are computed in fp32 by `kit.losses`
    whatever the precision here.
    """
    if resolved(device, precision) == "bf16":
        return torch.autocast(device.type, dtype=torch.bfloat16)
    return contextlib.nullcontext()


def resolved(device: torch.device, precision: str = "auto") -> str:
    """ "bf16" or "fp32": what "auto" means here, and the others themselves."""
    check_name("precision", precision, PRECISIONS)
    if precision != "auto":
        return precision
    return "bf16" if has_fast_bf16(device) else "fp32"


def describe_hardware(device: torch.device, processes: int = 1) -> str:
    """One phrase for results files, such as 'NVIDIA H200' or 'AMD EPYC, 2 threads', with the number of processes."""
    if processes > 1:
        return f"{processes} processes, each {describe_hardware(device)}"
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    model = "CPU"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
            names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
        model = names[0] if names else model
    threads = torch.get_num_threads()
    return f"{model}, {threads} thread{'s' if threads > 1 else ''}"
