"""Vectors cut to their first dimensions: the same in sentence-transformers, in the kit and by hand."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError

from kit.commands.sentence_transformers_folder import load_any
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.sharing import CutEncoder, encoder_card
from kit.sharing.cut_vectors import cut_of
from tests.tiny import SENTENCES, tiny_encoder


@pytest.mark.slow
@pytest.mark.parametrize("pooling", ["mean", "first_last", "mean_without_cls"])
def test_the_folder_gives_the_same_vectors_everywhere(pooling: str, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    encoder = tiny_encoder(tmp_path / "tiny", pooling=pooling)
    by_hand = encoder.encode(SENTENCES)[:, :12]
    by_hand = by_hand / by_hand.norm(dim=1, keepdim=True)
    folder = CutEncoder(encoder, 12).save(tmp_path / "cut", "# A card")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        theirs = SentenceTransformer(str(folder), device="cpu").encode(SENTENCES, convert_to_tensor=True)
        ours, line = load_any(str(folder))
    torch.testing.assert_close(theirs, by_hand, rtol=0, atol=1e-5)
    torch.testing.assert_close(ours.encode(SENTENCES), by_hand, rtol=0, atol=1e-6)
    assert ours.dim == 12 and "cut to 12 dimensions" in line and (folder / "README.md").read_text() == "# A card"
    whole = load_encoder(folder / "0_Transformer")
    torch.testing.assert_close(whole.encode(SENTENCES), encoder.encode(SENTENCES))


def test_it_replaces_its_own_kind_and_tells_what_is_wrong(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "tiny")
    for dim in (0, 33, 2.5, True):
        with pytest.raises(KitError, match="expected dimensions from 1 to the encoder's 32"):
            CutEncoder(encoder, dim)
    with pytest.raises(KitError, match="expected encoder as an Encoder, got an object"):
        CutEncoder(object(), 8)
    folder = CutEncoder(encoder, 8).save(tmp_path / "cut")
    CutEncoder(encoder, 4).save(folder)
    assert "vectors of 4, pooling mean" in encoder_card(CutEncoder(encoder, 4), "short")
    assert cut_of(folder) == 4 and cut_of(tmp_path / "tiny") is None and cut_of(tmp_path / "none") is None
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    for place in (tmp_path / "mine", tmp_path / "tiny", tmp_path / "mine" / "thesis.txt"):
        with pytest.raises(KitError, match="which would be lost"):
            CutEncoder(encoder, 4).save(place)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(KitError, match="cut vectors to replace, but .* holds notes.txt, which would be lost"):
        CutEncoder(encoder, 8).save(folder)
    assert cut_of(folder) == 4 and (folder / "notes.txt").read_text() == "mine"
    with pytest.raises(KitError, match="expected"):
        load_encoder(folder)  # the whole encoder lies in 0_Transformer


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """safetensors has an error of its own for what the system says."""

    def full(tensors: dict, path: Path, **about: object) -> None:
        raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")

    cut = CutEncoder(tiny_encoder(tmp_path / "tiny"), 8)
    monkeypatch.setattr("safetensors.torch.save_file", full)
    with pytest.raises(KitError, match="expected to save the encoder to .*No space left on device.*: free space or"):
        cut.save(tmp_path / "cut")
    assert not (tmp_path / "cut").exists()
    monkeypatch.undo()
    for encoder in (cut, cut.encoder):
        with pytest.raises(KitError, match="expected card as text, but it holds half of a character"):
            encoder.save(tmp_path / "cut", "x\ud800")
        with pytest.raises(KitError, match="expected folder as a path, .*: it is too long, give a shorter name"):
            encoder.save("x" * 300)
    assert not (tmp_path / "cut").exists()

    def full_inside(*_: object, **__: object) -> None:
        raise KitError(f"expected to save the encoder to {_[1]}, but the disk is full.")

    monkeypatch.setattr("kit.sharing.cut_vectors.save_encoder", full_inside)
    with pytest.raises(KitError, match=rf"save the encoder to {tmp_path / 'cut'}/0_Transformer, but"):
        cut.save(tmp_path / "cut")


def test_a_folder_that_somebody_has_changed_is_not_taken_for_what_was_saved(tmp_path: Path) -> None:
    folder = CutEncoder(tiny_encoder(tmp_path / "tiny"), 8).save(tmp_path / "cut")
    for file, change in [
        ("modules.json", lambda modules: modules[:-1]),
        ("1_Dense/config.json", lambda dense: {**dense, "activation_function": "torch.nn.Tanh"}),
    ]:
        whole = (folder / file).read_text()
        (folder / file).write_text(json.dumps(change(json.loads(whole))))
        assert cut_of(folder) is None, file
        (folder / file).write_text(whole)
    assert cut_of(folder) == 8
    (folder / "1_Dense" / "model.safetensors").write_bytes(b"cut short")
    with pytest.raises(KitError, match="expected whole safetensors in .*1_Dense"):
        load_any(str(folder))
