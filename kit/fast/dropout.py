"""Dropout from 64-bit random words, each cut into four decisions: the random numbers are what dropout costs."""

from __future__ import annotations

import torch
from torch import Tensor

_WORD, _PIECES = 2**63, 4  # a 64-bit word holds four numbers of 16 bits


def keep_mask(shape: tuple[int, ...], p: float, device: torch.device | str = "cpu") -> Tensor:
    """Bool tensor of `shape`: False for each unit with probability `p` (0 to below 1), independently.

    p is rounded to 1/65536, and to 65535/65536 at most. Draws on torch's global random numbers, so that a seed, a
    resumed run and gradient caching replay it.
    """
    count = torch.Size(shape).numel()
    words = torch.empty(-(-count // _PIECES), dtype=torch.int64, device=device).random_(-_WORD, None)
    least = min(round(p * 65536), 65535) - 32768  # one more is no number of 16 bits, and would keep every unit
    return (words.view(torch.int16)[:count] >= least).view(shape)


def fast_dropout(x: Tensor, p: float) -> Tensor:
    """x with each unit 0 with probability `p` and the others divided by 1 − p.

    Plain twin: `torch.nn.functional.dropout`, equal in distribution (the random numbers differ).
    """
    if not p:
        return x
    return x * keep_mask(x.shape, p, x.device).to(x.dtype).mul_(1 / (1 - p))
