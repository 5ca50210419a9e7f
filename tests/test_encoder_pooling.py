"""Poolings against plain loops over tokens, and what padding must not change."""

from __future__ import annotations

import pytest
import torch

from kit.encoder import POOLINGS, pool
from kit.errors import KitError

LENGTHS = [2, 7, 4, 5]
NAMES = [*((name, 1) for name in POOLINGS), ("first_last", 0)]


def hidden_states(longest: int = 7, seed: int = 0) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
    """Three layers' outputs [4, longest, 5] with large numbers in the padding, and the mask."""
    generator = torch.Generator().manual_seed(seed)
    real = torch.randn(3, len(LENGTHS), max(LENGTHS), 5, generator=generator, dtype=torch.float64)
    mask = torch.zeros(len(LENGTHS), longest, dtype=torch.long)
    layers = torch.full((3, len(LENGTHS), longest, 5), 1e6, dtype=torch.float64)
    for row, length in enumerate(LENGTHS):
        mask[row, :length] = 1
        layers[:, row, :length] = real[:, row, :length]
    return tuple(layers), mask


def plain(name: str, hidden: tuple[torch.Tensor, ...], row: int, length: int, first_layer: int) -> list[float]:
    """One sentence's vector, number by number, from its own tokens only."""
    vector = []
    for d in range(5):
        last = [hidden[-1][row, t, d].item() for t in range(length)]
        if name == "cls":
            vector.append(last[0])
        elif name == "max":
            vector.append(max(last))
        elif name == "mean":
            vector.append(sum(last) / length)
        elif name == "mean_without_cls":
            vector.append(sum(last[1:]) / (length - 1))
        else:
            first = [hidden[first_layer][row, t, d].item() for t in range(length)]
            vector.append(sum((a + b) / 2 for a, b in zip(first, last)) / length)
    return vector


@pytest.mark.parametrize(("name", "first_layer"), NAMES)
def test_agrees_with_a_loop_over_the_tokens(name: str, first_layer: int) -> None:
    hidden, mask = hidden_states()
    expected = [plain(name, hidden, row, length, first_layer) for row, length in enumerate(LENGTHS)]
    vectors = pool(name, hidden, mask, first_layer)
    torch.testing.assert_close(vectors, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("name", "first_layer"), NAMES)
def test_more_padding_changes_nothing(name: str, first_layer: int) -> None:
    tight, loose = pool(name, *hidden_states(7), first_layer), pool(name, *hidden_states(19), first_layer)
    torch.testing.assert_close(loose, tight, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("name", "first_layer"), NAMES)
def test_no_gradient_reaches_the_padding(name: str, first_layer: int) -> None:
    hidden, mask = hidden_states()
    hidden = tuple(layer.requires_grad_() for layer in hidden)
    pool(name, hidden, mask, first_layer).square().sum().backward()
    for layer in hidden:
        if layer.grad is not None:
            assert layer.grad[mask == 0].abs().max() == 0
    assert hidden[-1].grad[:, :2].abs().max() > 0


def test_mean_without_cls_keeps_sep_and_drops_cls() -> None:
    hidden, mask = hidden_states()
    before = pool("mean_without_cls", hidden, mask)
    hidden[-1][:, 0] += 100  # [CLS]
    torch.testing.assert_close(pool("mean_without_cls", hidden, mask), before)
    hidden[-1][0, 1] += 100  # [SEP] of the shortest sentence
    assert (pool("mean_without_cls", hidden, mask)[0] - before[0]).min() > 99


def test_unknown_pooling_names_the_near_one() -> None:
    with pytest.raises(KitError, match=r"unknown pooling 'meen': did you mean 'mean'"):
        pool("meen", *hidden_states())


@pytest.mark.parametrize("first_layer", [2, -1, None])
def test_first_layer_is_zero_or_one(first_layer: object) -> None:
    with pytest.raises(KitError, match=r"first_layer 0 .* or 1"):
        pool("first_last", *hidden_states(), first_layer)
