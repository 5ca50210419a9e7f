"""Poolings against plain loops over tokens, and what padding must not change."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kit.encoder import POOLINGS, pool
from kit.encoder.pooling import ALL_POOLINGS, PADDED_POOLINGS
from kit.errors import KitError
from tests.tiny import SENTENCES, tiny_encoder

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


def test_padding_changes_nothing_and_gets_no_gradient() -> None:
    for name, first_layer in NAMES:
        tight, loose = pool(name, *hidden_states(7), first_layer), pool(name, *hidden_states(19), first_layer)
        torch.testing.assert_close(loose, tight, rtol=0, atol=1e-9)
        hidden, mask = hidden_states()
        hidden = tuple(layer.requires_grad_() for layer in hidden)
        pool(name, hidden, mask, first_layer).square().sum().backward()
        for layer in hidden:
            if layer.grad is not None:
                assert layer.grad[mask == 0].abs().max() == 0, name
        assert hidden[-1].grad[:, :2].abs().max() > 0, name


def test_mean_without_cls_keeps_sep_and_drops_cls() -> None:
    hidden, mask = hidden_states()
    before = pool("mean_without_cls", hidden, mask)
    hidden[-1][:, 0] += 100  # [CLS]
    torch.testing.assert_close(pool("mean_without_cls", hidden, mask), before)
    hidden[-1][0, 1] += 100  # [SEP] of the shortest sentence
    assert (pool("mean_without_cls", hidden, mask)[0] - before[0]).min() > 99


def plain_padded(name: str, hidden: tuple[torch.Tensor, ...], row: int, length: int, width: int) -> list[float]:
    """Over the places after [CLS]: the tokens alone, or [PAD] too; divided by all places in either case."""
    places = range(1, length if name == "mean_over_padded" else width)
    return [sum(hidden[-1][row, t, d].item() for t in places) / (width - 1) for d in range(5)]


@pytest.mark.parametrize("name", PADDED_POOLINGS)
def test_the_two_mistakes_agree_with_a_loop_over_the_places(name: str) -> None:
    for width in (7, 12):
        hidden, mask = hidden_states(width)
        expected = [plain_padded(name, hidden, row, length, width) for row, length in enumerate(LENGTHS)]
        torch.testing.assert_close(
            pool(name, hidden, mask), torch.tensor(expected, dtype=torch.float64), rtol=1e-9, atol=0
        )


@pytest.mark.parametrize("name", PADDED_POOLINGS)
def test_without_padding_they_are_the_mean_without_cls_and_with_it_not(name: str) -> None:
    hidden, mask = hidden_states(7)
    right, mistaken = pool("mean_without_cls", hidden, mask), pool(name, hidden, mask)
    torch.testing.assert_close(mistaken[1], right[1], rtol=0, atol=1e-9)  # the row of seven tokens
    assert all((mistaken[row] - right[row]).abs().max() > 0.05 for row in (0, 2, 3))
    shares = torch.tensor([(length - 1) / 6 for length in LENGTHS], dtype=torch.float64)
    if name == "mean_over_padded":  # shorter, in the same direction
        torch.testing.assert_close(mistaken, right * shares[:, None], rtol=0, atol=1e-9)


def test_a_gradient_reaches_the_padding_where_it_is_averaged_in() -> None:
    hidden, mask = hidden_states()
    last = hidden[-1].clone().requires_grad_()
    pool("mean_with_padding", (last,), mask).sum().backward()
    assert last.grad[mask == 0].abs().min() > 0
    last.grad = None
    pool("mean_over_padded", (last,), mask).sum().backward()
    assert last.grad[mask == 0].abs().max() == 0 < last.grad[:, 1].abs().min()


@pytest.mark.parametrize("name", PADDED_POOLINGS)
def test_training_sees_the_padding_of_its_batch(tmp_path: Path, name: str) -> None:
    """Passes of like length would take the padding away that is to be shown."""
    encoder = tiny_encoder(tmp_path, pooling=name)
    ids = encoder.tokenize(SENTENCES)
    assert torch.equal(encoder.embed(ids, 12), encoder.embed(ids))
    alone = torch.cat([encoder.embed([row]) for row in ids])
    longest = max(range(len(ids)), key=lambda i: len(ids[i]))
    for i, (together, single) in enumerate(zip(encoder.embed(ids), alone)):
        assert torch.allclose(together, single, atol=1e-4) == (i == longest)


@pytest.mark.parametrize("name", PADDED_POOLINGS)
def test_encoding_pads_the_callers_batches(tmp_path: Path, name: str) -> None:
    encoder = tiny_encoder(tmp_path, pooling=name)
    whole, ids = encoder.encode(SENTENCES, batch_size=4), encoder.tokenize(SENTENCES)
    with torch.no_grad():
        expected = torch.cat([encoder.embed(ids[:4]), encoder.embed(ids[4:])])
    torch.testing.assert_close(whole, expected, rtol=0, atol=1e-5)
    right = tiny_encoder(tmp_path, pooling="mean_without_cls").encode(SENTENCES)
    torch.testing.assert_close(encoder.encode(SENTENCES, batch_size=1), right, rtol=0, atol=1e-5)
    cosine = torch.cosine_similarity(whole, right)
    assert (cosine.min() > 0.9999) == (name == "mean_over_padded")


@pytest.mark.slow  # sentence_transformers takes seconds to import
@pytest.mark.parametrize("name", PADDED_POOLINGS)
def test_a_mistaken_encoder_is_saved_as_it_is_and_sentence_transformers_masks(tmp_path: Path, name: str) -> None:
    from sentence_transformers import SentenceTransformer

    from kit.encoder import load_encoder

    encoder = tiny_encoder(tmp_path / "tiny", pooling=name)
    folder = encoder.save(tmp_path / "saved")
    assert torch.equal(load_encoder(folder).encode(SENTENCES), encoder.encode(SENTENCES))
    theirs = SentenceTransformer(str(folder), device="cpu").encode(SENTENCES, convert_to_tensor=True)
    torch.testing.assert_close(theirs, encoder.encode(SENTENCES, batch_size=1), rtol=0, atol=1e-5)


def test_of_cls_and_one_token_more_the_one_is_the_mean() -> None:
    states, mask = torch.randn(3, 2, 5, dtype=torch.float64), torch.ones(3, 2, dtype=torch.long)
    for name in ("mean_without_cls", *PADDED_POOLINGS):
        assert torch.equal(pool(name, (states,), mask), states[:, 1]), name


def test_the_course_has_five_poolings() -> None:
    assert list(POOLINGS) == ["cls", "mean", "mean_without_cls", "max", "first_last"]
    assert list(ALL_POOLINGS) == [*POOLINGS, *PADDED_POOLINGS]


def test_unknown_pooling_names_the_near_one() -> None:
    with pytest.raises(KitError, match=r"unknown pooling 'meen': did you mean 'mean'"):
        pool("meen", *hidden_states())


def test_first_layer_is_zero_or_one() -> None:
    for first_layer in (2, -1, None):
        with pytest.raises(KitError, match=r"first_layer 0 .* or 1"):
            pool("first_last", *hidden_states(), first_layer)
