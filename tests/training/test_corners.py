"""Corners of training in which something was ignored, refused with a raw error, or computed otherwise than said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from kit.errors import KitError
from kit.losses import contrastive_softmax, mask_duplicates, mnrl_relations, nt_xent, supcon_relations
from kit.training import fit, recipe
from kit.training.masking import Pieces
from tests.tiny import tiny_encoder, tiny_groups


def test_a_second_mask_of_duplicates_keeps_what_the_first_has_masked() -> None:
    groups = supcon_relations([0, 0, 1, 1, 2, 2])
    first, second = list("abcade"), list("xyxzwv")
    expected = mask_duplicates(mask_duplicates(groups.to_dense(), first), second)
    assert torch.equal(mask_duplicates(mask_duplicates(groups, first), second).negative, expected.negative)


def test_numbers_of_numpy_are_judged_as_those_of_python() -> None:
    z = torch.randn(4, 3)
    with pytest.raises(KitError, match="a temperature above 0"):
        nt_xent(z, temperature=np.float32("inf"))
    assert nt_xent(z, temperature=np.float32(0.5)) == nt_xent(z, temperature=0.5)


def test_a_frozen_encoder_trains_its_head_in_chunks_too(tmp_path: Path) -> None:
    losses = []
    for chunk in (None, 4):
        encoder = tiny_encoder(tmp_path / str(chunk)).requires_grad_(False)
        settings = recipe("scl", "smoke", chunk=chunk, dropout=0.0)
        losses.append([step["loss"] for step in fit(encoder, settings, tiny_groups(), steps=3, progress=False).history])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_a_seed_of_many_digits_is_taken(tmp_path: Path) -> None:
    assert (
        fit(tiny_encoder(tmp_path), recipe("scl", "smoke"), tiny_groups(), seed=2**62, steps=1, progress=False).steps
        == 1
    )


def test_what_only_groups_heed_is_refused_elsewhere() -> None:
    for name in ("simcse", "mnrl", "supmpn"):
        with pytest.raises(KitError, match="max_negatives None where data_format is not 'groups', got 1"):
            recipe(name, max_negatives=1)
    with pytest.raises(KitError, match="augment 'copy'"):
        recipe("supmpn", augment=["copy"])
    with pytest.raises(KitError, match="schedule 'linear'"):
        recipe("scl", schedule=["linear"])


def test_every_reduction_is_known() -> None:
    with pytest.raises(KitError, match="mean, sum, none"):
        contrastive_softmax(torch.randn(4, 3), mnrl_relations(2), 0.1, reduction="men")


def test_a_special_token_at_the_end_leaves_words_to_replace_by(tmp_path: Path) -> None:
    tokenizer = tiny_encoder(tmp_path).tokenizer
    before = Pieces.of(tokenizer).first_word_id
    tokenizer.add_special_tokens({"additional_special_tokens": ["[DOC]"]})
    assert Pieces.of(tokenizer).first_word_id == before
