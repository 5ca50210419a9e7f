"""Sentence vectors layer by layer."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kit.encoder import by_layer, load_encoder, pad, pool
from kit.encoder.pooling import ALL_POOLINGS
from kit.errors import KitError
from tests.tiny import SENTENCES, write_tiny_bert


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("pooling", [pooling for pooling in ALL_POOLINGS if pooling != "first_last"])
def test_the_last_layer_is_what_encode_gives(folder: Path, pooling: str) -> None:
    encoder = load_encoder(folder, pooling=pooling)
    sentences = [*SENTENCES, "a dog [CLS] runs [CLS]"]
    layers = by_layer(encoder, sentences, batch_size=2)
    assert layers.shape == (3, len(sentences), encoder.dim) and layers.dtype == torch.float32
    assert torch.allclose(layers[-1], encoder.encode(sentences, batch_size=2), atol=1e-5)
    assert not torch.allclose(layers[0], layers[1], atol=1e-2)


def test_each_layer_is_pooled_alone(folder: Path) -> None:
    """One sentence at a time, from the hidden states themselves."""
    encoder = load_encoder(folder, pooling="mean")
    layers = by_layer(encoder, SENTENCES)
    for place, sentence in enumerate(SENTENCES):
        ids, mask = pad(encoder.tokenize([sentence]))
        with torch.no_grad():
            hidden = encoder.bert(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        for number, states in enumerate(hidden):
            assert torch.allclose(layers[number, place], pool("mean", (states,), mask)[0], atol=1e-5)


def test_the_mode_of_the_encoder_is_kept(folder: Path) -> None:
    encoder = load_encoder(folder).train()
    first, second = by_layer(encoder, SENTENCES), by_layer(encoder, SENTENCES)
    assert torch.equal(first, second) and encoder.training and not first.requires_grad


def test_a_failure_leaves_the_mode_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = load_encoder(folder).train()
    monkeypatch.setattr("kit.encoder.layers.pool", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        by_layer(encoder, SENTENCES)
    assert encoder.training


def test_what_makes_no_sense_is_refused(folder: Path) -> None:
    with pytest.raises(KitError, match="pooling of one layer"):
        by_layer(load_encoder(folder, pooling="first_last"), SENTENCES)
    with pytest.raises(KitError, match="expected batch_size as a whole number from 1"):
        by_layer(load_encoder(folder), SENTENCES, batch_size=0)
    with pytest.raises(KitError, match="at least one sentence"):
        by_layer(load_encoder(folder), [])
