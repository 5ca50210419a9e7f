"""Device and precision: what is asked for, what is there, and what is said where they differ."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
import torch

from kit.errors import KitError
from kit.fast import matmul as measured
from kit.fast import stopwatch
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


def test_bf16_that_a_gpu_only_imitates_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colab's T4 has none; torch calls it supported, as it computes it by way of fp32."""
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: including_emulation)
    assert not has_fast_bf16(torch.device("cuda"))


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
    with torch.autocast("cpu", torch.bfloat16), autocast(CPU, precision):  # whatever is around it
        assert (torch.ones(4, 4) @ torch.ones(4, 4)).dtype == expected


@pytest.mark.parametrize(("listed", "slower", "fast"), [(True, False, True), (True, True, False), (False,) * 3])
def test_bf16_is_fast_where_the_cpu_has_it_and_it_is_not_slower(
    monkeypatch: pytest.MonkeyPatch, listed: bool, slower: bool, fast: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: listed)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    monkeypatch.setattr(measured, "fp32_trains_clearly_faster", lambda: slower)
    measured.bf16_trains_well.cache_clear()
    assert has_fast_bf16(CPU) is fast
    measured.bf16_trains_well.cache_clear()


@pytest.mark.parametrize(("low_takes", "slower"), [(0.5, False), (1.0, False), (1.05, False), (1.2, True), (3.0, True)])
def test_only_a_clear_difference_takes_float32(monkeypatch: pytest.MonkeyPatch, low_takes: float, slower: bool) -> None:
    """Float32 takes one unit, bfloat16 `low_takes`, and either nine where it was disturbed."""
    taken = iter([9, 9, 1, 9, 9, low_takes, *[1, low_takes] * 6])

    def seconds(way) -> float:
        way()
        return next(taken)

    monkeypatch.setattr(stopwatch, "seconds", seconds)
    assert measured.fp32_trains_clearly_faster() is slower
    assert not list(taken)  # every time was read


def test_an_unknown_precision() -> None:
    with pytest.raises(KitError, match="unknown precision 'fp23': did you mean 'fp32'"):
        autocast(CPU, "fp23")


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("model name\t: Xeon: 8 cores\nmodel name\t: another\n", "Xeon: 8 cores, 1 thread"),
        ("processor\t: 0\nFeatures\t: fp asimd\n", "CPU, 1 thread"),
    ],
)
def test_a_processor_has_the_name_that_linux_lists_first(monkeypatch, listed: str, said: str) -> None:
    monkeypatch.setattr(room.os.path, "exists", lambda path: True)
    monkeypatch.setattr(room, "open", lambda path, **_: io.StringIO(listed), raising=False)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    assert describe_hardware(CPU) == said
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    assert describe_hardware(CPU, 2) == f"2 processes, each {said}s".replace("1 thread", "2 thread")


def test_what_is_known_of_this_machine() -> None:
    assert isinstance(has_fast_bf16(CPU), bool)
    assert re.fullmatch(rf"\S.*, {torch.get_num_threads()} threads?", describe_hardware(CPU))
    assert isinstance(autocast(CPU, "fp32"), contextlib.AbstractContextManager)
