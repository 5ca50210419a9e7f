"""What no encoder is, and a length that it has no positions for, are one sentence before any text is encoded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertJapaneseTokenizer,
    BertModel,
    MPNetConfig,
    MPNetModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
    T5Config,
    T5EncoderModel,
)

from kit.commands.sentence_transformers_folder import load_any
from kit.encoder import load_encoder
from kit.errors import KitError
from tests.tiny import SENTENCES, WORDS, write_tiny_bert

LONG = " ".join(WORDS * 3)
SIZES = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
# The first position is the one after that of padding: of 66, 65 and 64 are left.
SHIFTED = {
    65: lambda vocabulary: RobertaModel(
        RobertaConfig(vocab_size=vocabulary, max_position_embeddings=66, pad_token_id=0, **SIZES)
    ),
    64: lambda vocabulary: MPNetModel(MPNetConfig(vocab_size=vocabulary, max_position_embeddings=66, **SIZES)),
}


def write_like_tiny(folder: Path, model_of_vocabulary) -> Path:
    """A folder with another model than BERT, and the tokenizer of the tiny BERT without a length of its own."""
    write_tiny_bert(folder)
    model_of_vocabulary(len((folder / "vocab.txt").read_text().splitlines())).save_pretrained(folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    del settings["model_max_length"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def bare_bert(vocabulary: int) -> BertModel:
    return BertModel(BertConfig(vocab_size=vocabulary, max_position_embeddings=66, **SIZES))


def write_bare_tokenizer(folder: Path, left_out: str) -> None:
    """The same pieces, but the tokenizer does not know which one that mark is."""
    marks = {name: f"[{name[:3].upper()}]" for name in ("cls_token", "sep_token", "pad_token", "unk_token")}
    pieces = AutoTokenizer.from_pretrained(folder).backend_tokenizer
    del marks[left_out]
    PreTrainedTokenizerFast(tokenizer_object=pieces, **marks).save_pretrained(folder)


def with_modules(folder: Path) -> Path:
    """The folder as one of sentence-transformers, with mean pooling."""
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "mean", "embedding_dimension": 32}')
    modules = [{"idx": 0, "name": "0", "type": "sentence_transformers.models.Transformer", "path": ""}]
    modules += [{"idx": 1, "name": "1", "type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text("{}")
    return folder


@pytest.mark.parametrize("longest", SHIFTED)
def test_positions_that_begin_after_padding_are_fewer(longest: int, tmp_path: Path) -> None:
    folder = write_like_tiny(tmp_path / "shifted", SHIFTED[longest])
    with pytest.raises(KitError, match=f"max_length between 3 and the encoder's maximum of {longest}, got 66"):
        load_encoder(folder, max_length=66)
    assert load_encoder(folder).max_length == longest
    with pytest.warns(UserWarning, match=f"longer than {longest} word pieces"):
        assert load_encoder(folder, max_length=longest).encode([LONG]).isfinite().all()
    encoder, line = load_any(str(with_modules(folder)))
    assert encoder.max_length == longest and f"at most {longest}" in line
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 66}')  # as some of them are published
    assert load_any(str(folder))[0].max_length == longest


def test_an_encoder_decoder_is_called_so(tmp_path: Path) -> None:
    sizes = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 2}
    folder = write_like_tiny(tmp_path / "t5", lambda words: T5EncoderModel(T5Config(vocab_size=words, **sizes)))
    with pytest.raises(KitError, match="expected an encoder in .*, but transformers makes the encoder-decoder T5Model"):
        load_encoder(folder)


def test_a_bert_that_reads_as_a_decoder_is_called_so_and_left_to_sentence_transformers(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    folder = write_like_tiny(tmp_path / "decoder", bare_bert)
    config = folder / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "is_decoder": True}))
    with pytest.raises(KitError, match="expected an encoder in .*decoder, but its config.json says is_decoder, with"):
        load_encoder(folder)
    encoder, line = load_any(str(with_modules(folder)))
    assert "run by sentence-transformers (Transformer, Pooling)" in line
    theirs = SentenceTransformer(str(folder), device="cpu").encode(SENTENCES)
    np.testing.assert_allclose(encoder.encode(SENTENCES), theirs, atol=1e-6)


@pytest.mark.parametrize(("left_out", "lacks"), [("sep_token", r"\[SEP\]"), ("cls_token", r"\[CLS\]")])
def test_a_tokenizer_without_marks_is_refused(left_out: str, lacks: str, tmp_path: Path) -> None:
    folder = write_like_tiny(tmp_path / "bare", bare_bert)
    write_bare_tokenizer(folder, left_out)
    with pytest.raises(KitError, match=f"but TokenizersBackend has none for {lacks}: take a model such as BERT"):
        load_encoder(folder)


@pytest.mark.slow
def test_a_tokenizer_written_in_python_is_refused(tmp_path: Path) -> None:
    folder = write_like_tiny(tmp_path / "japanese", bare_bert)
    kinds = {"word_tokenizer_type": "basic", "subword_tokenizer_type": "character"}
    BertJapaneseTokenizer(str(folder / "vocab.txt"), **kinds).save_pretrained(folder)
    with pytest.raises(KitError, match="expected a fast tokenizer, .* BertJapaneseTokenizer is written in Python"):
        load_encoder(folder)


def test_in_a_folder_of_sentence_transformers_both_are_run_by_that_library(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    sizes = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 2}
    t5 = write_like_tiny(tmp_path / "t5", lambda words: T5EncoderModel(T5Config(vocab_size=words, **sizes)))
    bare = write_like_tiny(tmp_path / "bare", bare_bert)
    write_bare_tokenizer(bare, "sep_token")
    for folder in (t5, bare):
        encoder, line = load_any(str(with_modules(folder)))
        assert "run by sentence-transformers (Transformer, Pooling)" in line
        theirs = SentenceTransformer(str(folder), device="cpu").encode(SENTENCES)
        np.testing.assert_allclose(encoder.encode(SENTENCES), theirs, atol=1e-6)
