"""What the page gets of an encoder: only one that it can compute, and the tokenizer's own classes of characters."""

from __future__ import annotations

import json

import heal_encoder
import pytest
import record_characters

from kit.boards.own_sentences_widget import recorded_pair
from kit.boards.page_encoder import CHARACTERS, half_weights, page_buffers, page_shape
from kit.encoder import load_encoder
from kit.errors import KitError


def test_the_classes_of_characters_are_the_tokenizers() -> None:
    """On a sample that has each class and both ends of most runs."""
    kept = json.loads(CHARACTERS.read_text("utf-8"))
    points = sorted({*range(0x3100), *(end for runs in kept.values() for end in runs), 0x1F600, 0x10FFFF})
    found = record_characters.classified(points)
    for name, runs in kept.items():
        spans = list(zip(runs[::2], runs[1::2]))
        assert found[name] == [p for p in points if any(low <= p <= high for low, high in spans)], name


def test_both_encoders_are_small_enough_to_load() -> None:
    buffers = page_buffers(recorded_pair(), ["A boat.", "It rains."])
    assert len(buffers) == 5 and sum(map(len, buffers)) * 4 / 3 < 9e6, "as text in a script"
    shape = json.loads(buffers[0])
    assert shape["longest"] == 128 and len(shape["vocabulary"]) == 8192
    assert len(half_weights(recorded_pair()["raw"])) == len(buffers[1])


def test_an_encoder_that_the_page_cannot_compute_is_refused() -> None:
    with pytest.raises(KitError, match="mean_without_cls"):
        page_shape(load_encoder("kit-bert-tiny", pooling="mean"))
    short = load_encoder("kit-bert-tiny", pooling="mean_without_cls", max_length=32)
    with pytest.raises(KitError, match="of one shape"):
        page_buffers({"raw": recorded_pair()["raw"], "healed": short}, ["A boat."])


def test_the_trained_encoder_healed_and_its_card_says_what_was_measured() -> None:
    record = json.loads((heal_encoder.FOLDER / "measured.json").read_text("utf-8"))
    raw, trained = record["measured"]["raw"], record["measured"]["trained"]
    assert trained["mean_cosine"] < raw["mean_cosine"] - 0.2 and trained["sts"] > raw["sts"] + 10
    assert trained["effective_rank"] > raw["effective_rank"] + 5
    assert (heal_encoder.FOLDER / "README.md").read_text("utf-8") == heal_encoder.card(record)
