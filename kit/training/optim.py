"""AdamW and its schedules, shared by pretraining and fine-tuning."""

from __future__ import annotations

import torch
from torch import nn


def adamw(
    module: nn.Module, lr: float, weight_decay: float = 0.0, betas: tuple[float, float] = (0.9, 0.999)
) -> torch.optim.AdamW:
    """Fused AdamW (Loshchilov & Hutter 2019); weight decay on matrices only.

    Biases and LayerNorm gains (one-dimensional) are not decayed: pulling a gain towards
    zero fights the normalisation instead of regularising the map.
    """
    parameters = [p for p in module.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], lr=lr, betas=betas, fused=True)


def warmup_linear(step: int, steps: int, warmup: int) -> float:
    """Factor on the learning rate: rises to 1 over `warmup` steps, then falls linearly to 0.

    `step` counts from 0. The last step still learns a little (factor 1 / (steps − warmup)).
    """
    if step < warmup:
        return (step + 1) / warmup
    return max(0.0, (steps - step) / max(1, steps - warmup))


def warmup_constant(step: int, steps: int, warmup: int) -> float:
    """Rises to 1 over `warmup` steps and stays (what Liao's released code does)."""
    return min(1.0, (step + 1) / max(1, warmup))


def slanted_triangular(step: int, steps: int, warmup: int) -> float:
    """Rises from 1/32 to 1 over `warmup` steps and falls to 1/32 (Howard & Ruder 2018, Eq. 3; DeCLUTR)."""
    part = step / warmup if step < warmup else (steps - step) / max(1, steps - warmup)
    return (1 + 31 * part) / 32


SCHEDULES = {"linear": warmup_linear, "constant": warmup_constant, "slanted": slanted_triangular}


def set_lr(optimizer: torch.optim.Optimizer, lr: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = lr
