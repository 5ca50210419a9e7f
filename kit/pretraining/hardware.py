"""What long runs ask of the machine: memory that is not returned, and the yardstick of its speed."""

from __future__ import annotations

import time

import torch

from kit.training.device import has_fast_bf16


def tune_malloc() -> bool:
    """Ask glibc to keep freed memory for the next step instead of returning it to the system.

    A training step frees and allocates the same megabytes again and again, and each time the kernel hands out zeroed
    pages. Returns False where there is no glibc (then nothing changes).
    """
    import ctypes

    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return False
    trim_threshold, mmap_max = -1, -4  # M_TRIM_THRESHOLD and M_MMAP_MAX of malloc.h
    return bool(mallopt(mmap_max, 0) and mallopt(trim_threshold, 2**31 - 1))


def matrix_throughput(device: torch.device, precision: str = "auto", products: int = 5, warmup: int = 2) -> float:
    """Measured floating-point operations per second of a large square matrix product.

    The yardstick for "share of the hardware's matrix throughput": random data (zeros can run faster), the
    precision that training uses, the median of `products` products after `warmup` that are not timed.
    """
    n = 8192 if device.type == "cuda" else 2048
    low = precision == "bf16" or (precision == "auto" and has_fast_bf16(device))
    a = torch.randn(n, n, device=device, dtype=torch.bfloat16 if low else torch.float32)
    seconds = []
    for _ in range(warmup + products):
        start = time.perf_counter()
        a @ a
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        seconds.append(time.perf_counter() - start)
    return 2 * n**3 / sorted(seconds[warmup:])[products // 2]
