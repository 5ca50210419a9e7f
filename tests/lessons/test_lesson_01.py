"""Lesson 01's sentences that no cell computes."""

from __future__ import annotations

from kit.encoder import load_encoder


def test_the_tokenizer_drops_capitals_and_wraps_every_sentence() -> None:
    encoder = load_encoder("kit-bert-tiny")
    loud, quiet = encoder.tokenize(["The RAIN", "the rain"])
    assert loud == quiet
    [single] = encoder.tokenize(["rain"])
    assert encoder.tokenizer.convert_ids_to_tokens(single) == ["[CLS]", "rain", "[SEP]"], "three vectors"
