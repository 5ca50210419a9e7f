"""Text to a token stream: where paragraphs begin, what is left out, what is kept for the next run."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from kit.errors import KitError
from kit.pretraining import corpus
from kit.pretraining.corpus import (
    corpus_files,
    fingerprint_of_files,
    load_stream,
    read_documents,
    save_stream,
    tokenize_stream,
    train_vocabulary,
)

DOCUMENTS = [
    "A small boat left the harbour.\nThe wind was calm, and nobody spoke.",
    "Rain fell.",
    "\n  \nThe café opened late.\n\nThe boat came back.\n",
    "   \n ",
    "She waited in the harbour\n\u200b\u0007",
]  # the last line is nothing to the tokenizer
PARAGRAPHS = [
    ["A small boat left the harbour.", "The wind was calm, and nobody spoke."],
    ["Rain fell."],
    ["The café opened late.", "The boat came back."],
    ["She waited in the harbour"],
]


def write(path: Path, **columns: list) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "boats.parquet", text=DOCUMENTS, source=["log", "log", "diary", "diary", "log"])
    write(tmp_path / "plain.parquet", text=["The harbour was quiet."])
    write(tmp_path / "heldout.parquet", text=["Zebras yawn."], source=["log"])
    write(tmp_path / "captions-flickr30k.parquet", text=["Zebras yawn again."], source=["captions"])
    return tmp_path


@pytest.fixture
def tokenizer(folder: Path):
    return train_vocabulary(corpus_files(folder), 120)


def test_stream_is_every_document_and_its_sep(folder: Path, tokenizer) -> None:
    stream = tokenize_stream(corpus_files(folder), tokenizer, progress=False)
    tokens, starts, lengths = [], [], []
    for document in [*PARAGRAPHS, ["The harbour was quiet."]]:
        for paragraph in document:
            ids = tokenizer(paragraph, add_special_tokens=False)["input_ids"]
            starts.append(len(tokens))
            lengths.append(len(ids))
            tokens += ids
        tokens.append(tokenizer.sep_token_id)
    assert stream.tokens.tolist() == tokens
    assert stream.line_starts.tolist() == starts
    assert stream.line_lengths.tolist() == lengths
    assert (stream.tokens.dtype, stream.line_starts.dtype) == (torch.int32, torch.int64)


def test_a_paragraph_of_the_stream_reads_as_it_was_written(folder: Path, tokenizer) -> None:
    stream = tokenize_stream(corpus_files(folder), tokenizer, progress=False)
    start, length = int(stream.line_starts[1]), int(stream.line_lengths[1])
    assert tokenizer.decode(stream.tokens[start : start + length]) == "the wind was calm, and nobody spoke."


def test_sources_count_every_token(folder: Path, tokenizer) -> None:
    stream = tokenize_stream(corpus_files(folder), tokenizer, progress=False)
    assert set(stream.sources) == {"log", "diary", "plain"}, "an unnamed source is its file's name"
    assert sum(stream.sources.values()) == len(stream.tokens)


def test_many_batches_are_one_stream(folder: Path, tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tokenize_stream(corpus_files(folder), tokenizer, progress=False)
    batched = corpus._batched
    monkeypatch.setattr(corpus, "_batched", lambda documents: batched(documents, size=1))
    one_by_one = tokenize_stream(corpus_files(folder), tokenizer, progress=False)
    assert torch.equal(whole.tokens, one_by_one.tokens)
    assert torch.equal(whole.line_starts, one_by_one.line_starts)


def test_vocabulary_is_uncased_without_accents_and_the_same_every_time(folder: Path, tokenizer) -> None:
    files = corpus_files(folder)
    again = train_vocabulary(files, 120)
    assert again.get_vocab() == tokenizer.get_vocab()
    assert tokenizer.convert_ids_to_tokens(range(5)) == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert tokenizer("CAFÉ")["input_ids"] == tokenizer("cafe")["input_ids"]
    assert "z" not in "".join(tokenizer.get_vocab()), "held-out text is not learned from"


def test_what_is_kept_for_measuring_or_unlicensed_is_not_trained_on(folder: Path) -> None:
    assert [file.stem for file in corpus_files(folder)] == ["boats", "plain"]
    assert [file.stem for file in corpus_files(folder, excluded=("boats",))] == [
        "captions-flickr30k",
        "heldout",
        "plain",
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: folder,
        lambda folder: folder / "nowhere",
        lambda folder: write(folder / "heldout.parquet", text=["x"]).parent,
    ],
    ids=["empty", "missing", "only held-out text"],
)
def test_no_corpus_is_one_sentence(tmp_path: Path, make) -> None:
    with pytest.raises(KitError, match="--corpus") as caught:
        corpus_files(make(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_file_without_text_says_what_it_has(tmp_path: Path) -> None:
    file = write(tmp_path / "a.parquet", body=["x"], page=[3])
    with pytest.raises(KitError, match=r"a 'text' column .* in a\.parquet, .*body \(string\), page \(int64\)"):
        list(read_documents([file]))
    with pytest.raises(KitError, match=r"'text' column of strings .*text \(int64\)"):
        list(read_documents([write(tmp_path / "b.parquet", text=[1, 2])]))


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    file = write(tmp_path / "torn.parquet", text=["word " * 100] * 100)
    file.write_bytes(file.read_bytes()[:-20])
    for broken in (file, tmp_path / "absent.parquet"):
        with pytest.raises(KitError, match="expected a whole Parquet file at") as caught:
            train_vocabulary([broken], 50)
        assert "\n" not in str(caught.value)
        assert broken.name in str(caught.value)


def test_empty_documents_make_no_stream(tmp_path: Path, tokenizer) -> None:
    file = write(tmp_path / "blank.parquet", text=[None, "", " \n ", "\u200b"])
    with pytest.raises(KitError, match=r"documents with text in blank\.parquet"):
        tokenize_stream([file], tokenizer, progress=False)


@pytest.mark.slow
def test_a_vocabulary_beyond_two_bytes_is_refused(folder: Path, tokenizer) -> None:
    tokenizer.add_tokens([f"extra{i}" for i in range(2**16)])
    with pytest.raises(KitError, match="at most 65,536 word pieces"):
        tokenize_stream(corpus_files(folder), tokenizer, progress=False)


def test_kept_stream_serves_the_same_vocabulary_and_corpus_only(folder: Path, tokenizer, tmp_path: Path) -> None:
    files = corpus_files(folder)
    stream, kept = tokenize_stream(files, tokenizer, progress=False), tmp_path / "work" / "stream.safetensors"
    assert load_stream(kept, "words", "files") is None
    save_stream(stream, kept, "words", "files")
    back = load_stream(kept, "words", "files")
    assert torch.equal(back.tokens, stream.tokens)
    assert torch.equal(back.line_starts, stream.line_starts)
    assert torch.equal(back.line_lengths, stream.line_lengths)
    assert back.sources == stream.sources
    assert (back.tokens.dtype, back.line_lengths.dtype) == (stream.tokens.dtype, stream.line_lengths.dtype)
    assert load_stream(kept, "other words", "files") is None
    assert load_stream(kept, "words", "other files") is None
    assert [path.name for path in kept.parent.iterdir()] == ["stream.safetensors"]


def test_a_torn_stream_is_made_anew(folder: Path, tokenizer, tmp_path: Path) -> None:
    kept = tmp_path / "stream.safetensors"
    save_stream(tokenize_stream(corpus_files(folder), tokenizer, progress=False), kept, "words", "files")
    kept.write_bytes(kept.read_bytes()[:-3])
    assert load_stream(kept, "words", "files") is None


def test_a_full_disk_leaves_the_earlier_stream(
    folder: Path, tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, kept = tokenize_stream(corpus_files(folder), tokenizer, progress=False), tmp_path / "stream.safetensors"
    save_stream(stream, kept, "words", "files")

    def full(path: Path, blob: bytes) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kit.storage.atomic.write_synced", full)
    with pytest.raises(KitError, match=r"'No space left on device': free space"):
        save_stream(stream, kept, "new words", "files")
    assert load_stream(kept, "words", "files") is not None
    assert not list(tmp_path.glob(".stream*"))


def test_fingerprint_follows_the_files(folder: Path) -> None:
    before = fingerprint_of_files(corpus_files(folder))
    assert fingerprint_of_files(corpus_files(folder)) == before
    write(folder / "plain.parquet", text=["The harbour was quiet, and then it was not quiet at all."])
    grown = fingerprint_of_files(corpus_files(folder))
    write(folder / "new.parquet", text=["One more."])
    assert len({before, grown, fingerprint_of_files(corpus_files(folder))}) == 3


def test_the_fingerprint_of_a_stream_changes_with_its_tokens_and_its_paragraphs(monkeypatch) -> None:
    """Every one counts in a short stream, both ends in a long one."""
    tokens, starts = torch.arange(100, dtype=torch.int32), torch.arange(0, 100, 5)

    def changed(at: int) -> str:
        return corpus.Stream(tokens + (torch.arange(100) == at), starts, starts, {}).fingerprint()

    first = corpus.Stream(tokens, starts, starts, {}).fingerprint()
    assert len({first, *map(changed, range(100))}) == 101
    assert corpus.Stream(tokens, starts + 1, starts, {}).fingerprint() != first
    monkeypatch.setattr(corpus, "BLOCK", 10)
    monkeypatch.setattr(corpus, "BLOCKS", 4)
    assert len({changed(-1), *map(changed, (0, 9, 30, 99))}) == 5 and changed(20) == changed(-1)
