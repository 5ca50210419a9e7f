"""Saved folders: what comes back, what sentence-transformers reads, and full disks."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from kit.encoder import POOLINGS, Encoder, load_encoder
from kit.errors import KitError
from kit.storage import replace_folder
from tests.storage.kills import kill_at_each_call
from tests.tiny import SENTENCES, tiny_encoder, write_tiny_bert

SETTINGS = [*((name, 1) for name in POOLINGS), ("first_last", 0)]
PICKLES = {".bin", ".pkl", ".pt", ".pth", ".pickle", ".ckpt"}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny", layers=3)


def trained(tiny: Path, **settings) -> Encoder:
    """An encoder whose weights are no longer those of its folder."""
    encoder = tiny_encoder(tiny, **settings)
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    return encoder


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize(("pooling", "first_layer"), SETTINGS)
def test_what_is_saved_comes_back(tiny: Path, tmp_path: Path, pooling: str, first_layer: int) -> None:
    encoder = trained(tiny, pooling=pooling, first_layer=first_layer, max_length=17)
    assert encoder.save(tmp_path / "deep" / "saved") == tmp_path / "deep" / "saved"
    back = load_encoder(tmp_path / "deep" / "saved")
    assert (back.pooling, back.first_layer, back.max_length) == (pooling, first_layer, 17)
    assert torch.equal(back.encode(SENTENCES), encoder.encode(SENTENCES))
    said = json.loads((tmp_path / "deep" / "saved" / "config_sentence_transformers.json").read_text())
    assert said == {"similarity_fn_name": "cosine"}, "what sentence-transformers compares by"
    assert not any(path.suffix in PICKLES for path in (tmp_path / "deep").rglob("*"))
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["saved"]


@pytest.mark.slow
def test_sentence_transformers_loads_every_pooling_without_a_word_of_warning(tiny: Path, tmp_path: Path) -> None:
    for number, (pooling, first_layer) in enumerate(SETTINGS):
        trained(tiny, pooling=pooling, first_layer=first_layer).save(tmp_path / str(number))
    code = (
        "import logging, warnings; logging.basicConfig(level=logging.WARNING); warnings.simplefilter('default')\n"
        "from sentence_transformers import SentenceTransformer\n"
        f"for number in range({len(SETTINGS)}): SentenceTransformer(f'{tmp_path}/{{number}}', device='cpu')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], text=True, capture_output=True, env=os.environ | {"HF_HUB_OFFLINE": "1"}
    )
    assert done.returncode == 0, done.stderr
    said = [
        line for line in done.stderr.splitlines() if re.search("MISSING|UNEXPECTED|LOAD REPORT|[Ww]arn|WARNING", line)
    ]
    assert said == []


@pytest.mark.slow  # sentence_transformers takes seconds to import
@pytest.mark.parametrize(("pooling", "first_layer"), SETTINGS)
def test_sentence_transformers_gives_the_same_vectors(
    tiny: Path, tmp_path: Path, pooling: str, first_layer: int
) -> None:
    from sentence_transformers import SentenceTransformer

    encoder = trained(tiny, pooling=pooling, first_layer=first_layer, max_length=17)
    sentences = [*SENTENCES, "an unseen zebra, twice: zebra!", "a [CLS] dog [CLS]", "the man in the garden " * 9]
    with pytest.warns(UserWarning, match="cut there"):
        ours = encoder.encode(sentences)
    theirs = SentenceTransformer(str(encoder.save(tmp_path / "saved")), device="cpu")
    theirs = theirs.encode(sentences, convert_to_tensor=True, show_progress_bar=False)
    torch.testing.assert_close(theirs, ours, rtol=0, atol=1e-5)


def test_mean_without_cls_is_stored_as_a_zero_weight_for_cls(tiny: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    encoder = trained(tiny, pooling="mean_without_cls")
    weights = load_file(encoder.save(tmp_path / "saved") / "1_WordWeights" / "model.safetensors")["emb_layer.weight"]
    assert weights.shape == (encoder.bert.config.vocab_size, 1)
    assert (weights[:, 0] == 0).nonzero().flatten().tolist() == [encoder.tokenizer.cls_token_id]
    assert set(weights.unique().tolist()) == {0, 1}


@pytest.mark.slow
def test_a_vocabulary_with_fewer_pieces_than_weights_is_read_by_sentence_transformers(
    tiny: Path, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    encoder.bert.resize_token_embeddings(len(encoder.tokenizer) + 8)
    folder = encoder.save(tmp_path / "padded")
    theirs = SentenceTransformer(str(folder), device="cpu").encode(SENTENCES, convert_to_tensor=True)
    torch.testing.assert_close(theirs, encoder.encode(SENTENCES), rtol=0, atol=1e-5)


def test_saving_changes_nothing_in_the_encoder(tiny: Path, tmp_path: Path) -> None:
    encoder = trained(tiny, pooling="first_last").train()
    before, config = encoder.bert.state_dict(), encoder.bert.config.to_dict()
    attention = encoder.bert.config._attn_implementation
    encoder.save(tmp_path / "saved")
    assert encoder.training and encoder.bert.config._attn_implementation == attention
    assert encoder.bert.config.output_hidden_states is config["output_hidden_states"] is False
    assert all(torch.equal(value, before[name]) for name, value in encoder.bert.state_dict().items())


def test_saving_again_replaces_the_model(tiny: Path, tmp_path: Path) -> None:
    tiny_encoder(tiny, pooling="first_last").save(tmp_path / "saved")
    trained(tiny, pooling="max").save(tmp_path / "saved")
    back = load_encoder(tmp_path / "saved")
    assert back.pooling == "max" and not (tmp_path / "saved" / "1_WeightedLayerPooling").exists()
    assert torch.equal(back.encode(SENTENCES), trained(tiny, pooling="max").encode(SENTENCES))
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def test_saving_where_it_was_loaded_from_under_a_relative_name(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trained(tiny).save("mine")
    load_encoder("mine", pooling="cls").save("./mine")
    assert load_encoder(tmp_path / "mine").pooling == "cls"
    monkeypatch.chdir(tmp_path / "mine" / "1_Pooling")
    before = content(tmp_path)
    for place in (".", "..", tmp_path / "mine"):
        with pytest.raises(KitError, match="another folder than the one you work in or one above it, got .*mine"):
            load_encoder(tmp_path / "mine").save(place)
    assert content(tmp_path) == before and Path("config.json").is_file()


def full_disk(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("where", ["weights", "json", "exchange", "rename"])
def test_a_full_disk_loses_nothing(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    encoder = trained(tiny, pooling="first_last")
    tiny_encoder(tiny).save(tmp_path / "saved")
    before = content(tmp_path)
    if where == "weights":
        monkeypatch.setattr(type(encoder.bert), "save_pretrained", full_disk)
    elif where == "json":
        write = Path.write_text
        monkeypatch.setattr(
            Path, "write_text", lambda self, *a, **k: full_disk() if self.name == "kit.json" else write(self, *a, **k)
        )
    elif where == "exchange":
        monkeypatch.setattr(replace_folder, "exchange", full_disk)
    else:
        monkeypatch.setattr(replace_folder, "exchange", lambda *_: False)  # as on NFS
        rename = Path.rename
        monkeypatch.setattr(
            Path, "rename", lambda self, target: full_disk() if self.name.endswith(".new") else rename(self, target)
        )
    with pytest.raises(KitError, match=r"save the encoder to .*saved.*'No space left on device'.*nothing half-written"):
        encoder.save(tmp_path / "saved")
    assert content(tmp_path) == before
    assert encoder.bert.config.output_hidden_states is False
    monkeypatch.undo()
    assert load_encoder(tmp_path / "saved").encode(SENTENCES).isfinite().all()


@pytest.mark.parametrize("part", ["bert", "tokenizer"])
def test_a_refusal_as_other_libraries_tell_it(tiny: Path, tmp_path: Path, monkeypatch, part: str) -> None:
    """safetensors in a type of its own, tokenizers in a bare `Exception`; another fault goes through as it is."""
    from safetensors.torch import save_file

    def refuse(*_) -> None:
        none = tmp_path / "none" / "model"
        save_file({"a": torch.ones(1)}, none) if part == "bert" else encoder.tokenizer.backend_tokenizer.save(str(none))

    encoder = trained(tiny)
    monkeypatch.setattr(type(getattr(encoder, part)), "save_pretrained", refuse)
    with pytest.raises(KitError, match="save the encoder to .*No such file or directory.*nothing half-written"):
        encoder.save(tmp_path / "saved")
    monkeypatch.setattr(type(getattr(encoder, part)), "save_pretrained", lambda *_: [][0])
    with pytest.raises(IndexError):
        encoder.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_folder(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*args, **kwargs):
        raise OSError(errno.EROFS, "Read-only file system")

    encoder = trained(tiny)
    monkeypatch.setattr(Path, "mkdir", read_only)  # modes of a folder do not stop the superuser
    with pytest.raises(KitError, match=r"save the encoder to .*'Read-only file system'"):
        encoder.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_kept(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for target in (tmp_path / "notes.txt", tmp_path / "notes.txt" / "below"):
        with pytest.raises(KitError):
            trained(tiny).save(target)
    assert content(tmp_path) == {"notes.txt": b"mine"}


def test_a_folder_with_other_things_is_not_replaced(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    with pytest.raises(KitError, match="holds chapter.txt, which would be lost"):
        trained(tiny).save(tmp_path / "thesis")
    assert content(tmp_path) == {"thesis/chapter.txt": b"years of work"}


@pytest.mark.parametrize("name", ["notes.txt", "data.csv", ".git/HEAD", "1_Pooling/notes.txt", "data.json"])
def test_a_model_beside_which_other_files_lie_is_not_replaced(tiny: Path, tmp_path: Path, name: str) -> None:
    folder = trained(tiny).save(tmp_path / "saved", "# A card")
    trained(tiny).save(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("mine")
    before = content(folder)
    with pytest.raises(KitError, match=f"a saved model to replace, but .* holds {name}, which would be lost"):
        trained(tiny).save(folder)
    assert content(folder) == before


def test_what_a_desktop_leaves_in_a_folder_is_in_nobodys_way(tiny: Path, tmp_path: Path) -> None:
    folder = trained(tiny).save(tmp_path / "saved")
    (folder / ".DS_Store").write_text("icons")
    assert load_encoder(trained(tiny).save(folder)).pooling == "mean"


def test_a_model_that_transformers_has_written_is_replaced(tiny: Path, tmp_path: Path) -> None:
    encoder = trained(tiny)
    encoder.bert.save_pretrained(tmp_path / "theirs", max_shard_size="20KB")
    encoder.tokenizer.save_pretrained(tmp_path / "theirs", legacy_format=True)
    assert (tmp_path / "theirs" / "model.safetensors.index.json").exists(), "in several files"
    assert load_encoder(encoder.save(tmp_path / "theirs")).pooling == "mean"
    assert not (tmp_path / "theirs" / "model.safetensors.index.json").exists()


@pytest.mark.slow
def test_a_model_that_sentence_transformers_has_saved_again_is_replaced(tiny: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    for pooling in ("mean", "first_last", "mean_without_cls"):
        folder = trained(tiny, pooling=pooling).save(tmp_path / pooling)
        SentenceTransformer(str(folder), device="cpu").save(str(tmp_path / "theirs"))
        assert load_encoder(trained(tiny, pooling="cls").save(tmp_path / "theirs")).pooling == "cls"


def test_a_name_that_is_no_utf_8_is_refused(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(KitError, match="expected a folder whose name is UTF-8 for a saved model, got 'a.udce4b' in"):
        trained(tiny).save(tmp_path / os.fsdecode(b"a\xe4b"))
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_will_do(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    trained(tiny).save(tmp_path / "new")
    assert json.loads((tmp_path / "new" / "kit.json").read_text())["pooling"] == "mean"


def test_every_file_has_the_mode_of_the_users_umask(tiny: Path, tmp_path: Path) -> None:
    """The weights too, which safetensors writes through a temporary file of mode 0600."""
    before = os.umask(0o022)
    try:
        for umask, expected in ((0o022, 0o644), (0o027, 0o640), (0o077, 0o600)):
            os.umask(umask)
            folder = tiny_encoder(tiny, pooling="mean_without_cls").save(tmp_path / f"{umask:o}")
            modes = {path.name: path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()}
            assert set(modes.values()) == {expected}, modes
    finally:
        os.umask(before)


def test_weights_that_are_not_finite_are_not_saved(tiny: Path, tmp_path: Path) -> None:
    encoder = trained(tiny)
    encoder.save(tmp_path / "saved")
    before = content(tmp_path)
    for bad in (float("nan"), float("inf")):
        with torch.no_grad():
            next(encoder.parameters())[3, 1] = bad
        with pytest.raises(KitError, match="expected finite weights to save, got NaN or infinity in 1 tensors"):
            encoder.save(tmp_path / "saved")
    assert content(tmp_path) == before


@pytest.mark.slow  # a process for each call of the system
def test_a_kill_at_any_call_of_the_system_leaves_the_old_model_or_the_new(tiny: Path, tmp_path: Path) -> None:
    old, new = tiny_encoder(tiny, pooling="first_last"), trained(tiny, pooling="mean_without_cls")
    wanted = [content(encoder.save(tmp_path / name / "saved")) for name, encoder in (("old", old), ("new", new))]
    target = tmp_path / "kills" / "saved"
    old.save(target)
    deaths, seen = kill_at_each_call(
        lambda: new.save(target), lambda: wanted.index(content(target)), lambda: old.save(target)
    )
    assert deaths > 30 and set(seen) == {0, 1} and sorted(seen) == seen, (
        "the old one up to a point, the new one from it on"
    )
    assert [path.name for path in target.parent.iterdir()] == ["saved"], "leftovers are swept"
