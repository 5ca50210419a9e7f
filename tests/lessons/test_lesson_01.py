"""Lesson 01's sentences that no cell computes."""

from __future__ import annotations

from kit.encoder import load_encoder
from kit.lesson import measured


def test_the_tokenizer_drops_capitals_and_wraps_every_sentence() -> None:
    encoder = load_encoder("kit-bert-tiny")
    loud, quiet = encoder.tokenize(["The RAIN", "the rain"])
    assert loud == quiet
    [single] = encoder.tokenize(["rain"])
    assert encoder.tokenizer.convert_ids_to_tokens(single) == ["[CLS]", "rain", "[SEP]"], "three vectors"


def test_the_price_of_another_pooling() -> None:
    """Points are lost wherever the last layer's states are read otherwise; trained as the mean of two layers' means,
    the last one's mean is read as well as what was trained."""
    systems = measured("poolings")["systems"]
    for recipe, trained in {"simcse": systems["simcse"], "simcse_unsup": systems["simcse_unsup"]}.items():
        for own, heads in trained.items():
            for head in ("none", "tanh"):
                read = {name: one["mean"] for name, one in heads[head]["read_with"].items()}
                assert len(heads[head]["read_with"][own]["seeds"]) == 5, "five seeds each"
                if recipe == "simcse" and own != "first_last":
                    assert all(read[own] > other for name, other in read.items() if name != own), own
    first_last = systems["simcse"]["first_last"]["none"]["read_with"]
    assert first_last["mean"]["mean"] >= first_last["first_last"]["mean"] > first_last["cls"]["mean"] + 1
