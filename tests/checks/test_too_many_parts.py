"""A file with more parts than any model has is one sentence, before it is read."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from kit.checks import too_many_parts
from kit.checks.too_many_parts import MOST_ADDED, refuse_too_many_parts
from kit.encoder import load_encoder
from kit.errors import KitError
from tests.tiny import SENTENCES, write_tiny_bert


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    folder = write_tiny_bert(tmp_path / "tiny")
    AutoTokenizer.from_pretrained(folder).save_pretrained(folder)
    return folder


def lengthen(file: Path, size: int) -> None:
    """Without a byte on the disk."""
    file.touch()
    os.truncate(file, size)


def test_a_list_of_a_million_tensors_is_refused(tiny: Path) -> None:
    weights = tiny / "model.safetensors"
    weights.write_bytes(struct.pack("<Q", 80_000_000))
    lengthen(weights, 83_000_000)
    with pytest.raises(KitError, match="of at most 16,777,216 bytes in .*model.safetensors, got 80,000,000: no model"):
        load_encoder(tiny)
    lengthen(weights, 1000)  # it says to be longer than it is
    with pytest.raises(KitError, match="whole safetensors weights in .* damaged"):
        load_encoder(tiny)


def test_a_tokenizer_with_too_many_pieces_beside_its_vocabulary_is_refused(tiny: Path) -> None:
    file = tiny / "tokenizer.json"
    content = json.loads(file.read_text())
    one = content["added_tokens"][0]
    more = [one | {"id": 100 + i, "content": f"<x{i}>"} for i in range(MOST_ADDED)]
    content["added_tokens"] += more
    file.write_text(json.dumps(content))
    with pytest.raises(KitError, match=r"at most 100,000 pieces beside the vocabulary in .*, got 100,005: no model"):
        load_encoder(tiny)


@pytest.mark.parametrize("name", ["tokenizer.json", "vocab.txt", "config.json", "tokenizer_config.json"])
def test_a_file_of_settings_that_no_model_needs_is_refused(tiny: Path, name: str) -> None:
    lengthen(tiny / name, 110_000_000)
    with pytest.raises(KitError, match=f"expected at most [0-9,]+ bytes in .*{name}, got 110,000,000: no model"):
        load_encoder(tiny)


def test_what_just_fits_is_read(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = (tiny / "model.safetensors").read_bytes()
    monkeypatch.setattr(too_many_parts, "LONGEST_HEADER", struct.unpack("<Q", weights[:8])[0])
    monkeypatch.setattr(too_many_parts, "LARGEST_VOCABULARY", (tiny / "tokenizer.json").stat().st_size)
    monkeypatch.setattr(too_many_parts, "LARGEST_SETTINGS", (tiny / "config.json").stat().st_size)
    monkeypatch.setattr(
        too_many_parts, "MOST_ADDED", len(json.loads((tiny / "tokenizer.json").read_text())["added_tokens"])
    )
    assert load_encoder(tiny).encode(SENTENCES).isfinite().all()
    refuse_too_many_parts(tiny / "nowhere")
