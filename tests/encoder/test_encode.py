"""Sentences to vectors: order, batches, cutting, precision, and what is no sentence."""

from __future__ import annotations

import itertools
import math
import warnings

import pytest
import torch

from kit.encoder import POOLINGS, Encoder, load_encoder, pad
from kit.errors import KitError, KitWarning
from kit.fast import inference
from kit.world import World
from tests.tiny import SENTENCES, tiny_encoder, write_tiny_bert

LONG = "the small cat sleeps under the old house near the river " * 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    return tmp_path_factory.mktemp("tiny")


@pytest.fixture
def encoder(folder) -> Encoder:
    return tiny_encoder(folder)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_vector_does_not_depend_on_its_batch_or_place(folder, pooling: str) -> None:
    encoder = tiny_encoder(folder, pooling=pooling)
    alone = torch.cat([encoder.encode([sentence]) for sentence in SENTENCES])
    for batch_size, fast in itertools.product((1, 2, 64), (True, False)):
        together = encoder.encode(SENTENCES, batch_size, fast=fast)
        assert together.shape == (len(SENTENCES), encoder.dim) and together.dtype == torch.float32
        torch.testing.assert_close(together, alone, rtol=0, atol=2e-5)
        backwards = encoder.encode(SENTENCES[::-1], batch_size, fast=fast)
        torch.testing.assert_close(backwards, alone.flip(0), rtol=0, atol=2e-5)


def test_vectors_are_float32_whatever_torch_makes_by_default(encoder: Encoder) -> None:
    vectors, usual = encoder.encode(SENTENCES), torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        again = encoder.encode(SENTENCES)
    finally:
        torch.set_default_dtype(usual)
    assert again.dtype == torch.float32 and torch.equal(again, vectors)


def test_any_iterable_of_strings_will_do(encoder: Encoder) -> None:
    vectors = encoder.encode(SENTENCES)
    torch.testing.assert_close(encoder.encode(tuple(SENTENCES)), vectors)
    torch.testing.assert_close(encoder.encode(s for s in SENTENCES), vectors)


def test_encode_has_no_dropout_no_graph_and_leaves_the_mode(encoder: Encoder) -> None:
    for training in (True, False):
        encoder.train(training)
        first, again = encoder.encode(SENTENCES), encoder.encode(SENTENCES)
        assert encoder.training is training and encoder.bert.training is training
        assert torch.equal(first, again) and not first.requires_grad
        ids = encoder.tokenize(SENTENCES)
        assert torch.equal(encoder.embed(ids), encoder.embed(ids)) is not training  # dropout is on in training


def test_a_failing_encode_leaves_the_mode_too(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder.train()
    monkeypatch.setattr(encoder, "embed_padded", lambda ids: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        encoder.encode(SENTENCES, fast=False)
    assert encoder.training


def test_encoded_vectors_can_be_trained_on(encoder: Encoder) -> None:
    weight = torch.ones(encoder.dim, requires_grad=True)
    (encoder.encode(SENTENCES) @ weight).sum().backward()
    assert weight.grad.isfinite().all()


def test_bf16_is_near_fp32(encoder: Encoder) -> None:
    for precision, fast in itertools.product(("bf16", "bf16_all"), (True, False)):
        exact = encoder.encode(SENTENCES, fast=fast)
        low = encoder.encode(SENTENCES, precision=precision, fast=fast)
        assert low.dtype == torch.float32 and (fast or not torch.equal(low, exact))
        assert torch.nn.functional.cosine_similarity(exact, low).min() > 0.999


@pytest.mark.slow
def test_how_far_bf16_is_from_fp32_is_told_for_every_pooling(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the bundled encoder, whose vectors are what readers get: components of vectors of length 1.

    Asked for where the processor gains nothing by it, too: there `encode` would leave it at fp32.
    """
    monkeypatch.setattr(inference, "bf16_pays", lambda: True)
    texts = [text for group in World(3).groups(40) for text in (group.anchor, *group.hypotheses)]
    for pooling in POOLINGS:
        encoder = load_encoder("kit-bert-tiny", pooling=pooling)
        exact, low = (torch.nn.functional.normalize(encoder.encode(texts, precision=p)) for p in ("fp32", "bf16"))
        told = 2e-3 if pooling == "max" else 1.5e-3
        assert 0 < (exact - low).abs().max() < told, pooling


@pytest.mark.parametrize("fast", [True, False])
def test_a_text_may_hold_cls_itself(encoder: Encoder, fast: bool) -> None:
    """mean_without_cls leaves every [CLS] out, wherever it stands: the mean of the other tokens, by hand."""
    encoder.pooling = "mean_without_cls"
    texts = ["[CLS] a dog runs", "a dog [CLS] runs", "[CLS] [CLS]", "a dog runs"]
    found = encoder.encode(texts, fast=fast)
    for row, ids in zip(found, encoder.tokenize(texts)):
        with torch.no_grad():
            hidden = encoder.bert(input_ids=torch.tensor([ids])).last_hidden_state[0]
        kept = [i for i, token in enumerate(ids) if token != encoder.tokenizer.cls_token_id]
        torch.testing.assert_close(row, hidden[kept].mean(0), rtol=0, atol=1e-5)


def test_a_bar_counts_the_sentences(encoder: Encoder, capsys: pytest.CaptureFixture) -> None:
    encoder.encode(SENTENCES, batch_size=4, progress=True)
    assert f"encode:   0%|          | 0/{len(SENTENCES)}" in capsys.readouterr().err
    encoder.encode(SENTENCES, batch_size=4)
    assert capsys.readouterr().err == ""


def test_pad_fills_with_the_padding_token() -> None:
    ids, mask = pad([[2, 9, 3], [2, 3]], pad_id=7)
    assert ids.tolist() == [[2, 9, 3], [2, 3, 7]] and mask.tolist() == [[1, 1, 1], [1, 1, 0]]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(("rows", "count"), [([], 0), ([[], []], 2)])
def test_no_token_at_all_is_told(encoder: Encoder, rows: list, count: int, fast: bool) -> None:
    with pytest.raises(KitError, match=rf"at least one row with a token id in it, got {count} rows without any\."):
        encoder.embed(rows, microbatch_tokens=64 if fast else None, fast=fast)


def test_a_cut_sentence_keeps_cls_and_sep_and_is_told_once(folder) -> None:
    encoder = tiny_encoder(folder, max_length=8)
    with pytest.warns(
        UserWarning, match=r"1 of 2 sentences .* longer than 8 word pieces .*such as 'the small cat"
    ) as told:
        ids = encoder.tokenize(["a dog runs", LONG])
    assert len(told) == 1
    with pytest.warns(UserWarning, match="longer than 8 word pieces") as told:
        tiny_encoder(folder, max_length=8).encode([LONG])
    assert told[0].filename == __file__, "it names the reader's line"
    assert ids[1] == [2, *tiny_encoder(folder).tokenize([LONG[:100]])[0][1:7], 3]
    assert len(ids[0]) == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.tokenize([LONG])  # said once


def test_ten_thousand_characters_are_cut_not_refused(encoder: Encoder) -> None:
    for filler in ("a red dog runs ", "xyzzy", "a"):
        text = (filler * math.ceil(12_000 / len(filler)))[:12_000]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (row,) = encoder.tokenize([text])
            vector = encoder.encode([text])
        assert 3 <= len(row) <= encoder.max_length and row[-1] == 3
        assert vector.isfinite().all()


def test_a_long_text_is_read_as_far_as_max_length_or_the_cut_is_told(tmp_path) -> None:
    write_tiny_bert(tmp_path, positions=4096)
    encoder = tiny_encoder(tmp_path, max_length=4096)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(encoder.tokenize(["garden " * 2000])[0]) == 2002  # of 14,000 characters
        encoder.tokenize(["a" + " " * 70_000 + "b"])  # blanks are no characters
    with pytest.warns(KitWarning, match="longer than 4096 word pieces") as told:
        encoder.tokenize(["garden " * 11_000])
    assert len(told) == 1, "the row is full, so what is cut before it changes nothing"
    unknown = ("x" * 150 + " ") * 600  # a piece for each of these words
    with pytest.warns(KitWarning, match="1 of 2 texts were cut at 65,536 characters, although they have room") as told:
        encoder.encode(["a dog runs", unknown])
    assert told[0].filename == __file__


def test_space_before_a_sentence_does_not_eat_it(encoder: Encoder) -> None:
    assert encoder.tokenize([" " * 20_000 + "a dog runs"]) == encoder.tokenize(["a dog runs"])


@pytest.mark.parametrize("fast", ["1", "0"])
def test_a_tokenizer_that_cuts_and_pads_by_itself_gives_whole_rows(
    encoder: Encoder, fast: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many a tokenizer.json of the Hub says how to cut and to pad."""
    monkeypatch.setenv("KIT_FAST", fast)
    texts = [*SENTENCES, "ein Bär läuft"]
    whole = encoder.tokenize(texts)
    encoder.tokenizer.backend_tokenizer.enable_truncation(4)
    encoder.tokenizer.backend_tokenizer.enable_padding(length=20)
    assert encoder.tokenize(texts) == whole


@pytest.mark.parametrize(
    ("sentences", "sentence"),
    [
        ([], "at least one sentence, got an empty list"),
        (["a dog", ""], "number 1 is empty or blank"),
        (["\n\t "], "number 0 is empty or blank"),
        (["a dog", None], r"number 1 is NoneType \(None\)"),
        ([3.5], r"number 0 is float \(3.5\)"),
        ("a dog runs", "got one string 'a dog runs': put it in a list"),
        (7, "expected a list of sentences, got int"),
        (None, "expected a list of sentences, got NoneType"),
    ],
)
def test_what_is_no_sentence(encoder: Encoder, sentences: object, sentence: str) -> None:
    for method in (encoder.encode, encoder.tokenize):
        with pytest.raises(KitError, match=sentence):
            method(sentences)


def test_a_batch_has_at_least_one_row(encoder: Encoder) -> None:
    for batch_size in (0, -1, 2.5, "8"):
        with pytest.raises(KitError, match="expected batch_size as a whole number from 1"):
            encoder.encode(SENTENCES, batch_size=batch_size)


def test_an_unknown_precision(encoder: Encoder) -> None:
    with pytest.raises(KitError, match="unknown precision 'bf15': did you mean 'bf16'"):
        encoder.encode(SENTENCES, precision="bf15")


def test_max_length_must_fit_the_encoder(folder) -> None:
    for max_length in (0, 2, 65, -5, 12.0, "20"):
        with pytest.raises(KitError, match="max_length between 3 and the encoder's maximum of 64"):
            tiny_encoder(folder, max_length=max_length)


def test_the_shortest_and_longest_max_length_work(folder) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for max_length in (3, 64):
            encoder = tiny_encoder(folder, max_length=max_length)
            assert encoder.encode([LONG]).isfinite().all() and len(encoder.tokenize([LONG])[0]) == max_length
