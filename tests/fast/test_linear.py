"""Products by oneDNN are those of torch.nn.functional.linear: values, gradients, when they are used, the fallback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import patch

import pytest
import torch
from torch.nn import functional as F

from kit.fast import matmul, stopwatch
from kit.fast.linear import Linear, linear
from kit.fast.matmul import has_onednn, matmul_nt


def parts(rows: int, inner: int, outer: int) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return [torch.randn(size, requires_grad=True) for size in ((rows, inner), (outer, inner), (outer,))]


def test_values_and_gradients_are_those_of_torch() -> None:
    for sizes in ((1, 1, 1), (5, 128, 3), (128, 7, 384), (1000, 128, 512), (2048, 512, 128)):
        ours, theirs = parts(*sizes), parts(*sizes)
        some = torch.randn(sizes[0], sizes[2])
        exact = F.linear(*(part.detach().double() for part in ours))
        for way, args in ((Linear.apply, ours), (F.linear, theirs)):
            out = way(*args)
            assert (out.double() - exact).abs().max() < 1e-5 * sizes[1] ** 0.5
            (out * some).sum().backward()
        for mine, other in zip(ours, theirs):
            torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-3)


def test_no_rows_and_no_columns() -> None:
    for sizes in ((0, 8, 8), (8, 8, 0)):
        args = parts(*sizes)
        linear(*args).sum().backward()
        assert linear(*args).shape == (sizes[0], sizes[2]) and args[0].grad.shape == args[0].shape


def test_what_is_not_learned_has_no_gradient() -> None:
    for learned in ((0,), (1,), (2,), (0, 2), (1, 2)):
        args = [part.detach().requires_grad_(i in learned) for i, part in enumerate(parts(40, 16, 24))]
        linear(*args).sum().backward()
        assert [i for i, part in enumerate(args) if part.grad is not None] == list(learned)


def test_a_gradient_that_is_not_contiguous() -> None:
    ours, theirs = parts(30, 16, 24), parts(30, 16, 24)
    for way, args in ((Linear.apply, ours), (F.linear, theirs)):
        way(*args).t().flip(0).cumsum(1).sum().backward()
        way(*args)[:, :1].expand(-1, 7).sum().backward()
    for mine, other in zip(ours, theirs):
        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-3)


def test_float32_goes_through_onednn_where_it_is() -> None:
    taken = []
    with (
        patch("kit.fast.linear.has_onednn", lambda device: True),
        patch("kit.fast.linear.matmul_nt", lambda *args: taken.append(args) or F.linear(*args)),
    ):
        linear(*parts(8, 4, 6)).sum().backward()
    assert len(taken) == 3, "the value and two gradients"


def test_other_precisions_and_processors_take_the_way_of_torch() -> None:
    x, weight, bias = parts(8, 4, 6)
    plain = F.linear(x, weight, bias)
    with patch("kit.fast.linear.Linear.apply", side_effect=AssertionError("through oneDNN")):
        wide = linear(x.double(), weight.double(), bias.double())
        with torch.autocast("cpu", torch.bfloat16):
            assert linear(x, weight, bias).dtype == torch.bfloat16
        with patch("kit.fast.linear.has_onednn", lambda device: False):
            assert torch.equal(linear(x, weight, bias), plain)
    torch.testing.assert_close(wide.float(), plain, rtol=0, atol=1e-5)
    assert not has_onednn(torch.device("cuda"))
    with patch("torch.backends.mkldnn.is_available", lambda: False):
        assert not has_onednn(x.device)


def gone(*args: object) -> torch.Tensor:
    raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute '_linear_pointwise'")


@pytest.mark.parametrize("operator", [gone, lambda a, b, bias: F.linear(a, b)], ids=["gone", "another_meaning"])
def test_without_the_private_operator_torch_multiplies(operator, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, bias = (part.detach() for part in parts(300, 128, 256))
    assert a.numel() * len(b) > matmul.MIN_MULTIPLICATIONS
    monkeypatch.setattr(matmul, "_onednn_linear", operator)
    matmul._operator_works.cache_clear()
    try:
        assert not has_onednn(a.device)
        assert torch.equal(matmul_nt(a, b, bias), F.linear(a, b, bias))
        assert torch.equal(linear(a, b, bias), F.linear(a, b, bias))
    finally:
        matmul._operator_works.cache_clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[float, float], None]]:
    """clock(onednn, torch_s): a product takes so long, and more where it was disturbed."""

    def set_to(onednn: float, torch_s: float) -> None:
        noise, calls = [9, 1, 3, 1, 5, 2], iter(range(99))

        def seconds(way) -> float:
            assert way().shape in ((1024, 384), (384, 128))
            turn, which = divmod(next(calls), 2)
            return noise[turn] * (onednn, torch_s)[which]

        monkeypatch.setattr(stopwatch, "seconds", seconds)
        matmul._torch_is_clearly_faster.cache_clear()

    yield set_to
    matmul._torch_is_clearly_faster.cache_clear()


@pytest.mark.parametrize(("onednn", "torch_s", "taken"), [(1.0, 2.0, True), (1.0, 0.8, True), (2.0, 1.0, False)])
def test_the_faster_way_is_taken_and_oneDNN_where_they_are_alike(
    onednn: float, torch_s: float, taken: bool, clock
) -> None:
    """Whatever single products took: the fastest of a few counts."""
    clock(onednn, torch_s)
    assert has_onednn(torch.device("cpu")) is taken


@pytest.mark.parametrize(("torch_s", "taken"), [(2.0, True), (1.0, True), (0.9, True), (0.7, False)])
def test_transposed_matrices_have_a_way_of_their_own(
    torch_s: float, taken: bool, clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """oneDNN's operator copies them, torch reads them as they lie: what is faster for others need not be for them."""
    clock(1.0, torch_s)
    ways = []
    operator = matmul._onednn_linear
    monkeypatch.setattr(matmul, "has_onednn", lambda device: True)
    monkeypatch.setattr(matmul, "_onednn_linear", lambda *args: ways.append("onednn") or operator(*args))
    a, b = torch.randn(512, 300), torch.randn(512, 128)
    matmul._torch_is_clearly_faster(transposed=True)
    ways.clear()  # those of the measurement
    found = matmul_nt(a.t(), b.t())
    assert ways == ["onednn"] * taken
    torch.testing.assert_close(found, a.t() @ b, rtol=1e-4, atol=1e-3)
    matmul_nt(a.t().contiguous(), b.t())
    assert ways == ["onednn"] * (taken + 1)
