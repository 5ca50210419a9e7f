"""Device and precision: what is asked for, what is there, and what is said where they differ."""

from __future__ import annotations

import contextlib
import re

import pytest
import torch

from kit.errors import KitError
from kit.training import device as room
from kit.training.device import autocast, describe_hardware, has_fast_bf16, pick_device

CPU = torch.device("cpu")


def test_the_cpu_can_always_be_asked_for() -> None:
    assert pick_device("cpu") == CPU


@pytest.mark.parametrize("gpu", [True, False])
def test_a_gpu_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch, gpu: bool) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert pick_device().type == ("cuda" if gpu else "cpu")
    if not gpu:
        with pytest.raises(KitError, match="a CUDA GPU for device='cuda:1', but torch sees none: use 'cpu'"):
            pick_device("cuda:1")


def test_an_unknown_device() -> None:
    with pytest.raises(KitError, match="a device such as 'cpu' or 'cuda', got 'gpu'"):
        pick_device("gpu")


@pytest.mark.parametrize(
    ("precision", "fast", "expected"),
    [
        ("auto", True, torch.bfloat16),
        ("auto", False, torch.float32),
        ("fp32", True, torch.float32),
        ("bf16", False, torch.bfloat16),
    ],
)
def test_bf16_where_the_hardware_has_it_or_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, precision: str, fast: bool, expected: torch.dtype
) -> None:
    monkeypatch.setattr(room, "has_fast_bf16", lambda device: fast)
    with autocast(CPU, precision):
        assert (torch.ones(4, 4) @ torch.ones(4, 4)).dtype == expected


def test_an_unknown_precision() -> None:
    with pytest.raises(KitError, match="unknown precision 'fp23': did you mean 'fp32'"):
        autocast(CPU, "fp23")


def test_what_is_known_of_this_machine() -> None:
    assert isinstance(has_fast_bf16(CPU), bool)
    assert re.fullmatch(rf"\S.*, {torch.get_num_threads()} threads?", describe_hardware(CPU))
    assert isinstance(autocast(CPU, "fp32"), contextlib.AbstractContextManager)
