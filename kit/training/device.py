"""Which device, which precision, how many threads: decided once, in one place."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import torch

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name

PRECISIONS = ("auto", "fp32", "bf16")


@checked
def pick_device(name: str | None = None) -> torch.device:
    """The device to train on: `name`, or CUDA where there is one, else the CPU. Errors: `KitError`. Lesson 09."""
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise KitError(f"expected a CUDA GPU for device={name!r}, but torch sees none: use 'cpu'.")
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise KitError(f"expected a device such as 'cpu' or 'cuda', got {name!r}.") from error


def has_fast_bf16(device: torch.device) -> bool:
    """True where bfloat16 is in hardware and training in it is not clearly slower (measured once, on a CPU)."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    from kit.fast.matmul import bf16_trains_well

    return bf16_trains_well()


def autocast(device: torch.device, precision: str = "auto"):
    """A context for the forward pass in `precision` ("auto": bf16 unless clearly slower); weights, losses stay fp32."""
    check_name("precision", precision, PRECISIONS)
    torch.clear_autocast_cache()  # one around it, as `undisturbed`, keeps copies of the weights from before a step
    low = precision == "bf16" or (precision == "auto" and has_fast_bf16(device))
    return torch.autocast(device.type, torch.bfloat16, enabled=low)


@contextlib.contextmanager
def undisturbed(device: torch.device) -> Iterator[None]:
    """A context to train in as if nothing were around it: gradients on, no autocast; torch's random state as before."""
    cuda = [device] if device.type == "cuda" else [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
    no_autocast = torch.autocast(device.type, enabled=False)
    with torch.random.fork_rng(cuda), torch.inference_mode(False), torch.enable_grad(), no_autocast:
        yield


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
