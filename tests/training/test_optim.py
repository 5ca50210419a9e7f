"""AdamW's parameter groups and the schedules of the learning rate."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from kit.training.optim import adamw, set_lr, slanted_triangular, warmup_constant, warmup_linear


def test_the_schedules() -> None:
    linear = [warmup_linear(step, 10, 4) for step in range(11)]
    assert linear == pytest.approx([1 / 4, 2 / 4, 3 / 4, 1, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0])
    assert warmup_linear(25, 10, 4) == 0
    constant = [warmup_constant(step, 10, 4) for step in range(10)]
    assert constant == pytest.approx([1 / 4, 2 / 4, 3 / 4] + [1] * 7)
    assert warmup_constant(0, 10, 0) == 1


def test_the_slanted_triangle_as_its_paper_writes_it() -> None:
    """Howard & Ruder 2018, Eq. 3, with ratio 32."""
    steps, cut_fraction, ratio = 40, 0.1, 32
    cut = int(steps * cut_fraction)
    for t in range(steps + 1):
        p = t / cut if t < cut else 1 - (t - cut) / (cut * (1 / cut_fraction - 1))
        assert slanted_triangular(t, steps, cut) == pytest.approx((1 + p * (ratio - 1)) / ratio)
    assert slanted_triangular(0, 3, 1) == 1 / 32 and slanted_triangular(1, 3, 1) == 1


def test_the_ends_of_a_schedule() -> None:
    """One step after the warm-up, or none: the last step still learns at the whole rate, and nothing divides by 0."""
    for schedule in (warmup_linear, slanted_triangular):
        assert schedule(1, 2, 1) == schedule(0, 1, 0) == 1
    assert (warmup_linear(2, 2, 2), slanted_triangular(2, 2, 2)) == (0, 1 / 32)


def test_only_matrices_decay_and_one_rate_for_all() -> None:
    module = nn.Sequential(nn.Embedding(5, 4), nn.LayerNorm(4), nn.Linear(4, 3))
    optimizer = adamw(module, lr=0.5, weight_decay=0.2)
    decayed = {id(p) for group in optimizer.param_groups if group["weight_decay"] for p in group["params"]}
    assert decayed == {id(p) for p in module.parameters() if p.ndim == 2}
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(list(module.parameters()))
    set_lr(optimizer, 0.1)
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.1]
    before = [p.detach().clone() for p in module.parameters()]
    for p in module.parameters():
        p.grad = torch.zeros_like(p)
    optimizer.step()
    for old, p in zip(before, module.parameters()):
        torch.testing.assert_close(p.detach(), old * (1 - 0.1 * 0.2) if p.ndim == 2 else old)


def test_frozen_weights_are_left_out() -> None:
    """Whatever gradient they have from before."""
    module = nn.Sequential(nn.Linear(4, 3), nn.LayerNorm(3))
    for p in module.parameters():
        p.grad = torch.ones_like(p)
    module[0].requires_grad_(False)
    before = module[0].weight.clone()
    adamw(module, lr=0.5, weight_decay=0.2).step()
    assert torch.equal(module[0].weight, before) and not torch.equal(module[1].bias, torch.zeros(3))
