"""ONNX: the same vectors to 1e-4, bytes for floats, and what is refused."""

from __future__ import annotations

import errno
import logging
import os
import sys
from pathlib import Path

import pytest
import tokenizers
import torch

from kit.errors import KitError
from kit.retrieval import Index
from kit.sharing import OnnxEncoder, export_onnx, onnx_export
from tests.tiny import SENTENCES, tiny_encoder

TEXTS = [*SENTENCES, "a man in the garden with a ball " * 20, "a hat"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tiny")


@pytest.mark.slow
def test_the_exported_encoder_gives_the_same_vectors(folder: Path, tmp_path: Path, monkeypatch) -> None:
    encoder = tiny_encoder(folder, pooling="first_last", max_length=20)
    program, export = [], torch.onnx.export
    monkeypatch.setattr(torch.onnx, "export", lambda *a, **k: program.append(export(*a, **k)) or program[0])
    report = export_onnx(encoder, tmp_path / "export")
    assert report.largest_difference < 1e-4 and report.bytes > 1000 and "largest difference" in str(report)
    graph = (tmp_path / "export" / "model.onnx").read_bytes()
    assert not [trace for trace in (b".py", b"File ", os.sep.encode() + b"site-packages") if trace in graph]
    exported = OnnxEncoder(tmp_path / "export")
    for batch_size in (1, 3, 64):
        assert torch.allclose(exported.encode(TEXTS, batch_size), encoder.encode(TEXTS), atol=1e-4)
    alone = tokenizers.Tokenizer.from_file(str(tmp_path / "export" / "tokenizer.json")).encode_batch(TEXTS)
    assert {len(one.ids) for one in alone} == {20}, "cut and padded without the kit too"
    assert [[n for n, kept in zip(one.ids, one.attention_mask) if kept] for one in alone] == encoder.tokenize(TEXTS)
    index = Index.build(encoder, SENTENCES)
    index.save(tmp_path / "index")
    assert Index.load(tmp_path / "index", exported).search("a hat", 1)[0].text == "a hat"
    monkeypatch.setattr(torch.onnx, "export", lambda *_, **__: program[0])  # of the same encoder: it takes seconds
    small = export_onnx(encoder, tmp_path / "export", int8=True)  # replaces the first
    assert small.precision == "int8" and small.bytes < report.bytes and small.lowest_cosine > 0.98
    assert "int8" in OnnxEncoder(tmp_path / "export").name
    (tmp_path / "export" / "notes.txt").write_text("mine")
    with pytest.raises(KitError, match="an ONNX export to replace, but .* holds notes.txt, which would be lost"):
        export_onnx(encoder, tmp_path / "export")
    note = (tmp_path / "export" / "onnx.json").read_text()
    for lost in ("dim", "max_length", "precision"):
        (tmp_path / "export" / "onnx.json").write_text(note.replace(f'"{lost}"', '"x"'))
        with pytest.raises(KitError, match="expected max_length, dim and precision in .*onnx.json"):
            OnnxEncoder(tmp_path / "export")
    (tmp_path / "export" / "onnx.json").write_text(note)
    (tmp_path / "export" / "model.onnx").write_bytes(b"half")
    with pytest.raises(KitError, match="whole ONNX export"):
        OnnxEncoder(tmp_path / "export")


def test_a_graph_whose_vectors_differ_is_refused_and_of_bytes_the_worst_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for onnxruntime turns one vector of all round."""
    encoder = tiny_encoder(folder)

    def encode(self: OnnxEncoder, texts: list[str]) -> torch.Tensor:
        vectors = encoder.encode(texts)
        vectors[1] = -vectors[1]
        return vectors

    monkeypatch.setattr(onnx_export, "_packages", lambda: (None, None))
    monkeypatch.setattr(onnx_export, "_write_graph", lambda encoder, path, int8: path.write_bytes(b"graph"))
    monkeypatch.setattr(OnnxEncoder, "_start", lambda self, *_: None)
    monkeypatch.setattr(OnnxEncoder, "encode", encode)
    with pytest.raises(KitError, match="vectors within 0.0001 of torch's .*: nothing was written"):
        export_onnx(encoder, tmp_path / "export")
    assert not list(tmp_path.iterdir())
    report = export_onnx(encoder, tmp_path / "export", int8=True)
    turned = torch.nn.functional.normalize(encoder.encode([onnx_export.SAMPLE[1]]), dim=1)
    assert report.largest_difference == pytest.approx(2 * turned.abs().max().item(), rel=1e-4)
    assert report.lowest_cosine == pytest.approx(-1)
    for card in ("# Mine", "# Yours"):
        export_onnx(encoder, tmp_path / "export", int8=True, card=card)
        assert (tmp_path / "export" / "README.md").read_text() == card
    with pytest.raises(KitError, match="holds README.md, which would be lost"):
        export_onnx(encoder, tmp_path / "export", int8=True)


def test_an_export_leaves_logging_and_the_encoder_as_they_were(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = tiny_encoder(folder).train()

    def fails(model: torch.nn.Module, *_, **__) -> None:
        assert not model.training and logging.root.manager.disable == logging.WARNING
        raise RuntimeError("no such operator\nand so on")

    monkeypatch.setattr(torch.onnx, "export", fails)
    logging.disable(logging.DEBUG)
    try:
        with pytest.raises(KitError, match=r"export the encoder to ONNX, but it said: no such operator\.$"):
            onnx_export._write_graph(encoder, tmp_path / "model.onnx", int8=False)
        assert encoder.training and logging.root.manager.disable == logging.DEBUG
    finally:
        logging.disable(logging.NOTSET)


@pytest.mark.slow  # onnxruntime takes seconds to import
def test_what_cannot_be_exported_is_told_and_nothing_is_written(folder: Path, tmp_path: Path, monkeypatch) -> None:
    encoder = tiny_encoder(folder)
    (tmp_path / "thesis.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(KitError, match="a new folder or an ONNX export"):
            export_onnx(encoder, place)
    with pytest.raises(KitError, match="'mean_without_cls' is nearest"):
        export_onnx(tiny_encoder(folder, pooling="mean_with_padding"), tmp_path / "x")
    with pytest.raises(KitError, match=r"export_onnx writes one"):
        OnnxEncoder(tmp_path)
    with pytest.raises(KitError, match="expected encoder as an Encoder"):
        export_onnx("kit-bert-tiny", tmp_path / "x")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(KitError, match="pip install onnx onnxruntime onnxscript"):
        export_onnx(encoder, tmp_path / "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.txt"]


def test_a_disk_that_is_full_at_the_tokenizer_is_told(folder: Path, tmp_path: Path, monkeypatch) -> None:
    """Its own `save` raises a bare Exception, which no command expects."""
    pytest.importorskip("onnxruntime")
    encoder = tiny_encoder(folder, max_length=20)
    monkeypatch.setattr(onnx_export, "_write_graph", lambda *_: None)

    def full(path: Path, *_: object, **__: object) -> int:
        raise OSError(errno.EFBIG, "File too large", str(path))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(KitError, match="expected to write the ONNX export to .*'File too large': free space"):
        export_onnx(encoder, tmp_path / "export")
    assert (
        encoder.tokenizer.backend_tokenizer.truncation is None and encoder.tokenizer.backend_tokenizer.padding is None
    )
    assert not (tmp_path / "export").exists()
