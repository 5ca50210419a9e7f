"""The word-guessing head in an encoder's file: BERT's own, and one clear sentence where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from transformers import BertForMaskedLM

from kit.data.twelve import twelve_sentences
from kit.encoder import Encoder, load_encoder, random_encoder
from kit.encoder.word_head import pretrained_word_head
from kit.errors import KitError, KitWarning
from kit.training.masked_words import WordGuesser


@pytest.mark.parametrize("name", ["kit-bert-tiny", "kit-bert-mini", "kit-bert-mini-v2"])
def test_the_guesser_says_what_the_masked_language_model_of_the_file_says(name: str) -> None:
    encoder = load_encoder(name)
    guesser, fresh = WordGuesser.of(encoder, "pretrained").double(), WordGuesser.of(encoder).double()
    whole = BertForMaskedLM.from_pretrained(encoder.source.location).double().eval()
    ids = torch.tensor(encoder.tokenize(twelve_sentences()[:1]))
    with torch.no_grad():
        states = encoder.double().bert(input_ids=ids).last_hidden_state, encoder.bert.get_input_embeddings().weight
        torch.testing.assert_close(guesser(*states), whole(input_ids=ids).logits, atol=1e-9, rtol=1e-9)
        assert (fresh(*states) - guesser(*states)).abs().max() > 1


def test_it_is_a_copy_and_nothing_random_is_drawn() -> None:
    encoder = load_encoder()
    state = torch.get_rng_state()
    first = pretrained_word_head(encoder)
    assert torch.equal(torch.get_rng_state(), state)
    first["bias"].zero_()
    assert pretrained_word_head(encoder)["bias"].abs().max() > 0
    guesser = WordGuesser.of(encoder, "pretrained")
    assert all(p.requires_grad and p.is_leaf for p in guesser.parameters())


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_an_encoder_in_another_precision_has_its_files_weights_all_the_same(dtype: torch.dtype) -> None:
    encoder = load_encoder()
    expected = pretrained_word_head(encoder)
    encoder.bert.to(dtype)
    found = pretrained_word_head(encoder)
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def refused(encoder, why: str) -> None:
    with pytest.raises(KitError, match=f"expected an encoder beside .* {why}"):
        pretrained_word_head(encoder)
    torch.manual_seed(0)
    with pytest.warns(
        KitWarning, match=rf"{why}.* So the head starts fresh; word_head='fresh' says that this is meant\."
    ):
        found = WordGuesser.of(encoder, "pretrained")
    torch.manual_seed(0)
    fresh = WordGuesser.of(encoder)
    assert all(torch.equal(a, b) for a, b in zip(found.parameters(), fresh.parameters()))


def test_a_random_encoder_has_no_head_of_its_own() -> None:
    refused(random_encoder(), "with random weights .* has other weights than the encoder by now")


def test_nor_has_one_that_was_trained_further() -> None:
    encoder = load_encoder()
    with torch.no_grad():
        encoder.bert.get_input_embeddings().weight[7] += 0.1
    refused(encoder, "has other weights than the encoder by now")


def test_a_saved_encoder_has_no_head(tmp_path: Path) -> None:
    load_encoder().save(tmp_path / "saved")
    refused(load_encoder(tmp_path / "saved"), "holds no such head")


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    load_encoder().save(tmp_path / "saved")
    encoder = load_encoder(tmp_path / "saved")
    shutil.rmtree(tmp_path / "saved")
    refused(encoder, r"could not be read again \(")


def test_an_encoder_that_was_put_together_by_hand() -> None:
    encoder = load_encoder()
    refused(Encoder(encoder.bert, encoder.tokenizer), "its file is not known")


def test_a_model_of_another_kind_and_another_activation() -> None:
    for changes in ({"model_type": "electra"}, {"hidden_act": "relu"}):
        encoder = load_encoder()
        encoder.bert.config = encoder.bert.config.__class__(**encoder.bert.config.to_dict())
        for name, value in changes.items():
            setattr(encoder.bert.config, name, value)
        refused(encoder, "is not of BERT's form")
