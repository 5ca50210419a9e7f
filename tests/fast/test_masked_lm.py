"""The sparse pass of masked language modelling has the loss and gradients of the plain one, and knows its limits."""

from __future__ import annotations

from unittest.mock import patch

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kit.fast.masked_lm import Attention, FeedForward, Linear, can_be_sparse
from kit.fast.vocabulary import CHUNK, VocabularyLoss
from kit.pretraining.compact_bert import Size, masked_lm_loss, new_masked_lm
from kit.training.masking import IGNORE, masked_cross_entropy
from tests.pretraining.toy import PAD, V

ROWS, LENGTH = 5, 12


def small_model(dtype: torch.dtype = torch.float32) -> nn.Module:
    """Two layers with two heads, its weights away from the flat start so that a wrong one shows."""
    model = new_masked_lm(Size(2, 128), V, positions=16, seed=3, attention="eager")
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) / 8)
    return model.to(dtype)


def batch(padded: bool = True) -> dict[str, Tensor | None]:
    """Inputs, positions and targets with slots that hold none, and a mask of rows of different lengths."""
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randint(5, V, (ROWS, LENGTH), generator=generator)
    mask = torch.arange(LENGTH) < torch.tensor([12, 12, 7, 9, 4])[:, None]
    positions = torch.stack([torch.randperm(4, generator=generator)[:3] for _ in range(ROWS)])
    targets = torch.randint(5, V, (ROWS, 3), generator=generator)
    targets[1, 2], targets[3, :] = IGNORE, IGNORE
    given = {"inputs": inputs, "positions": positions, "targets": targets}
    return given | {"inputs": inputs.where(mask, PAD), "attention_mask": mask.long()} if padded else given


def loss_and_gradients(
    model: nn.Module, given: dict, fast: bool, scale: float = 1.0
) -> tuple[Tensor, dict[str, Tensor]]:
    model.zero_grad()
    loss = scale * masked_lm_loss(model, **given, fast=fast)
    loss.backward()
    return loss.detach(), {name: weight.grad.clone() for name, weight in model.named_parameters()}


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(("dtype", "close"), [(torch.float64, 1e-10), (torch.float32, 2e-5)])
def test_loss_and_gradients_are_those_of_the_plain_pass(padded: bool, dtype: torch.dtype, close: float) -> None:
    model, given = small_model(dtype), batch(padded)
    found, gradients = loss_and_gradients(model, given, fast=True, scale=3.0)
    with patch("kit.fast.masked_lm.sparse_masked_lm_loss", side_effect=AssertionError("the fast pass")):
        expected, plain = loss_and_gradients(model, given, fast=False, scale=3.0)
    torch.testing.assert_close(found, expected, rtol=close, atol=close)
    assert gradients.keys() == plain.keys()
    for name, gradient in gradients.items():
        assert gradient.dtype == dtype
        torch.testing.assert_close(gradient, plain[name], rtol=close, atol=close)


def test_with_autocast_it_errs_no_more_than_the_plain_pass() -> None:
    model, given = small_model(), batch()
    exact, exact_gradients = loss_and_gradients(model, given, fast=False)
    errors = {}
    for fast in (True, False):
        with torch.autocast("cpu", torch.bfloat16):
            loss = masked_lm_loss(model, **given, fast=fast)
        model.zero_grad()
        loss.backward()
        off = torch.cat([(w.grad - exact_gradients[name]).flatten() for name, w in model.named_parameters()])
        errors[fast] = (float((loss.detach() - exact).abs()), float(off.norm()))
        assert loss.dtype == torch.float32 and all(w.grad.dtype == torch.float32 for w in model.parameters())
    whole = float(torch.cat([gradient.flatten() for gradient in exact_gradients.values()]).norm())
    assert errors[True][0] < 0.01 * float(exact) and errors[True][1] < 0.05 * whole
    assert errors[True][1] < 1.3 * errors[False][1]


def test_without_a_target_the_loss_is_zero_and_so_are_the_gradients() -> None:
    given = batch()
    given["targets"] = torch.full_like(given["targets"], IGNORE)
    loss, gradients = loss_and_gradients(small_model(), given, fast=True)
    assert loss == 0 and not any(gradient.any() for gradient in gradients.values())


def test_a_position_that_is_asked_for_twice_counts_twice() -> None:
    model, given = small_model(torch.float64), batch()
    given["positions"][0] = given["positions"][0, 0]
    (found, gradients), (expected, plain) = (loss_and_gradients(model, given, fast) for fast in (True, False))
    torch.testing.assert_close(found, expected)
    for name, gradient in gradients.items():
        torch.testing.assert_close(gradient, plain[name])


def with_dropout(model: nn.Module) -> None:
    model.bert.encoder.layer[0].output.dropout.p = 0.1
    model.train()


def with_an_adapter(model: nn.Module) -> None:
    class Adapter(nn.Linear):
        pass

    model.bert.encoder.layer[1].intermediate.dense = Adapter(128, 512)


def with_a_hook(model: nn.Module) -> None:
    model.cls.predictions.register_forward_hook(lambda module, inputs, output: 2 * output)


def with_another_activation(model: nn.Module) -> None:
    model.config.hidden_act = "relu"


@pytest.mark.parametrize("change", [with_dropout, with_an_adapter, with_a_hook, with_another_activation])
def test_a_model_that_computes_something_else_is_left_to_the_plain_pass(change) -> None:
    model = small_model()
    assert can_be_sparse(model)
    change(model)
    assert not can_be_sparse(model)
    with patch("kit.fast.masked_lm.sparse_masked_lm_loss", side_effect=AssertionError("the fast pass")):
        masked_lm_loss(model, **batch(), fast=True)
    assert can_be_sparse(model.eval()) == (change is with_dropout), "dropout that is off changes nothing"


def test_the_gradient_of_the_vocabulary_loss_is_its_derivative() -> None:
    rows, size, vocabulary = CHUNK + 3, 4, 7  # more than one chunk
    generator = torch.Generator().manual_seed(0)
    args = [
        torch.randn(s, generator=generator, dtype=torch.float64)
        for s in ((rows, size), (vocabulary, size), (vocabulary,))
    ]
    args = [part.requires_grad_() for part in args]
    targets = torch.randint(vocabulary, (rows,), generator=generator)
    targets[::5] = IGNORE
    plain = masked_cross_entropy(F.linear(*args), targets)
    torch.testing.assert_close(VocabularyLoss.apply(*args, targets), plain)
    assert torch.autograd.gradcheck(lambda *parts: VocabularyLoss.apply(*parts, targets), args)


def test_logits_far_apart_overflow_nothing() -> None:
    x, weight, bias = (
        torch.tensor([[1.0], [1.0]], requires_grad=True),
        torch.tensor([[500.0], [-500.0]]),
        torch.zeros(2),
    )
    loss = VocabularyLoss.apply(x, weight, bias, torch.tensor([0, 1]))
    loss.backward()
    assert loss == 500 and x.grad.tolist() == [[0.0], [500.0]]


def test_the_gradient_of_the_feed_forward_part_is_its_derivative() -> None:
    rows, size = 5, 3
    generator = torch.Generator().manual_seed(0)
    shapes = ((rows, size), (4 * size, size), (4 * size,), (size, 4 * size), (size,))
    args = [torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True) for shape in shapes]
    y, up, up_bias, down, down_bias = args
    plain = y + F.linear(F.gelu(F.linear(y, up, up_bias)), down, down_bias)
    torch.testing.assert_close(FeedForward.apply(*args), plain)
    assert torch.autograd.gradcheck(FeedForward.apply, args)


def test_the_gradient_of_attention_is_its_derivative() -> None:
    rows, heads, size = 2, 2, 3
    generator = torch.Generator().manual_seed(0)

    def some(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)

    q, kv = some(rows * 2, heads * size), some(rows * 4, 2 * heads * size)  # two queries among four tokens
    bias = torch.zeros(rows * heads, 1, 4, dtype=torch.float64)
    bias[:2, :, 3:] = torch.finfo(bias.dtype).min
    k, v = kv.view(rows, 4, 2, heads, size).permute(2, 0, 3, 1, 4)
    plain = F.scaled_dot_product_attention(q.view(rows, 2, heads, size).transpose(1, 2), k, v, bias.view(2, 2, 1, 4))
    found = Attention.apply(q, kv, rows, heads, bias)
    torch.testing.assert_close(found, plain.transpose(1, 2).reshape(found.shape))
    for mask in (None, bias):
        assert torch.autograd.gradcheck(Attention.apply, (q, kv, rows, heads, mask))


def test_a_product_with_a_residual_is_the_sum_of_both() -> None:
    generator = torch.Generator().manual_seed(0)
    parts = [
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in ((6, 4), (3, 4), (3,), (6, 3))
    ]
    torch.testing.assert_close(Linear.apply(*parts), F.linear(*parts[:3]) + parts[3])
    assert torch.autograd.gradcheck(Linear.apply, parts)
