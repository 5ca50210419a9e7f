"""Encoders that are not BERT but are read like it: their vectors, their dropout, and words to guess."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import transformers
from torch import nn

from kit.checks.encoder_parts import UnlikeBert
from kit.encoder import Encoder, load_encoder
from kit.training import fit, recipe
from kit.training.trainer import set_dropout
from tests.tiny import SENTENCES, tiny_groups, write_tiny_bert

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
IDS = {"pad_token_id": 0, "bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}


def of_kind(kind: str, **settings) -> Callable[[int], nn.Module]:
    """Vocabulary → a small model with random weights."""
    config, model = (getattr(transformers, f"{kind}{what}") for what in ("Config", "Model"))
    return lambda vocabulary: model(config(vocab_size=vocabulary, **settings))


KIN = {
    "roberta": of_kind("Roberta", max_position_embeddings=66, pad_token_id=0, **SIZES),
    "mpnet": of_kind("MPNet", max_position_embeddings=66, **SIZES),
    "distilbert": of_kind("DistilBert", dim=32, n_layers=2, n_heads=2, hidden_dim=64, max_position_embeddings=64),
    "electra": of_kind("Electra", embedding_size=16, max_position_embeddings=64, **SIZES),
    "albert": of_kind("Albert", embedding_size=16, max_position_embeddings=64, **SIZES),
    "deberta": of_kind("DebertaV2", max_position_embeddings=64, relative_attention=True, **SIZES),
    "modernbert": of_kind("ModernBert", max_position_embeddings=64, local_attention=8, **SIZES, **IDS),
    "longformer": of_kind("Longformer", max_position_embeddings=66, pad_token_id=0, attention_window=8, **SIZES),
}
WITH_NUMBERS = ("modernbert", "longformer")  # whose attention holds the share as a number


def written(folder: Path, model_of_vocabulary: Callable[[int], nn.Module]) -> Path:
    """A folder with that model and the tokenizer of the tiny BERT, which says neither its class nor its length."""
    write_tiny_bert(folder)
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(folder)
    torch.manual_seed(0)
    model_of_vocabulary(len((folder / "vocab.txt").read_text("utf-8").splitlines())).save_pretrained(folder)
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text("utf-8")) | {"tokenizer_class": "PreTrainedTokenizerFast"}
    file.write_text(json.dumps(settings | {"model_max_length": 64}), "utf-8")
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def folder_of(kind: str) -> Path:
        if kind not in made:
            made[kind] = written(tmp_path_factory.mktemp(kind) / kind, KIN[kind])
        return made[kind]

    return folder_of


@pytest.mark.parametrize("kind", KIN)
def test_a_vector_does_not_depend_on_its_batch(folders, kind: str) -> None:
    encoder = load_encoder(folders(kind))
    together = encoder.encode(SENTENCES)
    alone = torch.cat([encoder.encode([sentence]) for sentence in SENTENCES])
    torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-5)
    assert float(together.std()) > 0.01


@pytest.mark.parametrize("kind", KIN)
def test_the_dropout_of_a_recipe_is_that_of_every_layer(folders, kind: str) -> None:
    """With none, two passes in training are one; with some, every dropout has the recipe's share, numbers too."""
    encoder = load_encoder(folders(kind)).train()
    ids = encoder.tokenize(SENTENCES)
    set_dropout(encoder, 0.0)
    torch.testing.assert_close(encoder.embed(ids), encoder.embed(ids), rtol=0, atol=0)
    set_dropout(encoder, 0.25)
    assert {module.p for module in encoder.bert.modules() if isinstance(module, nn.Dropout)} == {0.25}
    numbers = [value for module in encoder.bert.modules() for name, value in vars(module).items() if "dropout" in name]
    assert set(numbers) <= {0.25} and bool(numbers) == (kind in WITH_NUMBERS)
    assert not torch.equal(encoder.embed(ids), encoder.embed(ids))


@pytest.mark.parametrize("kind", WITH_NUMBERS)
def test_attention_itself_drops_out_where_it_holds_a_number(folders, kind: str) -> None:
    encoder = load_encoder(folders(kind)).train()
    ids = encoder.tokenize(SENTENCES)
    set_dropout(encoder, 0.5)
    for module in encoder.bert.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    assert not torch.equal(encoder.embed(ids), encoder.embed(ids))


@pytest.mark.parametrize("kind", KIN)
def test_words_are_guessed_beside_the_contrast(folders, kind: str) -> None:
    """Of ALBERT and ELECTRA by a head as narrow as their embeddings; no file here holds a head of BERT's form."""
    encoder = load_encoder(folders(kind))
    words = encoder.bert.get_input_embeddings().weight
    before, made = words.detach().clone(), recipe("simcse_mlm", batch_size=4, lr=1e-3)
    with pytest.warns(UserWarning, match="is not of BERT's form. So the head starts fresh"):
        result = fit(encoder, made, tiny_groups(), steps=2, progress=False, precision="fp32")
    assert 0.5 < result.history[0]["mlm"] / torch.tensor(float(len(words))).log().item() < 2, "about that of guessing"
    assert not torch.equal(words, before)


def test_a_model_without_positions_of_its_own_takes_a_usual_length(tmp_path: Path) -> None:
    model = of_kind("XLNet", d_model=32, n_layer=1, n_head=2, d_inner=64)
    encoder = load_encoder(written(tmp_path / "xlnet", model))
    assert encoder.max_length == 128 and encoder.encode(SENTENCES).isfinite().all()


def test_a_tokenizer_that_puts_no_marks_round_a_sentence_is_refused(tmp_path: Path) -> None:
    """[CLS] pooling would take the first word; and a text that is cut would end with [SEP], as no other does."""
    encoder = load_encoder(write_tiny_bert(tmp_path / "tiny"))
    backend = encoder.tokenizer.backend_tokenizer
    backend.post_processor = None
    marks = {name: getattr(encoder.tokenizer, name) for name in ("cls_token", "sep_token", "pad_token", "unk_token")}
    bare = transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **marks)
    with pytest.raises(
        UnlikeBert, match=r"puts \[CLS\] before a sentence and \[SEP\] behind it, but .* of the word 'a'"
    ):
        Encoder(encoder.bert, bare)
