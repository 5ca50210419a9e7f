"""What the inputs of the exercises are drawn with: the same numbers at every run, in float64."""

from __future__ import annotations

import torch


def normal(seed: int, *shape: int) -> torch.Tensor:
    """Standard normal numbers of a shape; a seed gives the same ones for ever."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def uniform(seed: int, *shape: int) -> torch.Tensor:
    """Numbers from 0 to 1, as `normal`."""
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rows(*values: list[float]) -> torch.Tensor:
    """A matrix written out row by row."""
    return torch.tensor(values, dtype=torch.float64)
