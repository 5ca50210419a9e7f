"""A model by its name is the same as its folder: in the mirror, in the Hub's cache, on the Hub."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path

import pytest
import torch

import kit.encoder.find as find
from kit.commands.sentence_transformers_folder import load_any
from kit.errors import KitError, KitWarning
from tests.tiny import SENTENCES, write_tiny_bert

NAME = "somebody/some-model"


@pytest.fixture(autouse=True)
def no_mirror_no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setattr(find, "hub_problem", lambda: "no answer within 1.2 seconds")


def write_cls_model(folder: Path, transformer: str = "") -> Path:
    """A folder as sentence-transformers writes it, of [CLS] and at most 9 word pieces, with its transformer there."""
    write_tiny_bert(folder / transformer)
    (folder / transformer / "sentence_bert_config.json").write_text('{"max_seq_length": 9}')
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    modules = [{"type": "sentence_transformers.models.Transformer", "path": transformer}]
    modules.append({"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"})
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


def cache_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the Hub's libraries keep what they have fetched of the model."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    kept = tmp_path / f"models--{NAME.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0badcafe")
    return kept / "snapshots" / "0badcafe"


def check_same(folder: Path) -> None:
    """Errors: AssertionError unless the name gives the pooling, length and vectors of the folder."""
    (ours, line), (theirs, _) = load_any(NAME), load_any(str(folder))
    assert "pooling cls, at most 9" in line and ours.source.name == NAME
    torch.testing.assert_close(ours.encode(SENTENCES), theirs.encode(SENTENCES))


@pytest.mark.parametrize("transformer", ["", "0_Transformer"])
def test_a_name_of_the_mirror(transformer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_cls_model(tmp_path / "models" / NAME.replace("/", "__"), transformer)
    monkeypatch.setenv("KIT_DATA", str(tmp_path))
    check_same(folder)


@pytest.mark.parametrize("transformer", ["", "0_Transformer"])
def test_a_name_in_the_cache_of_the_hub(transformer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_same(write_cls_model(cache_at(tmp_path, monkeypatch), transformer))


def test_a_cache_that_was_never_asked_for_modules_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_tiny_bert(cache_at(tmp_path, monkeypatch))
    with pytest.warns(KitWarning, match=f"does not tell whether {NAME} is a model of sentence-transformers"):
        assert "Pooling mean" in load_any(NAME)[1]
    asked = folder.parents[1] / ".no_exist" / folder.name
    asked.mkdir(parents=True)
    (asked / "modules.json").touch()  # as the Hub's client notes that there is no such file
    with warnings.catch_warnings():
        warnings.simplefilter("error", KitWarning)
        assert "Pooling mean" in load_any(NAME)[1]


def test_a_name_of_the_hub_is_fetched_with_its_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub.errors import EntryNotFoundError

    def fetch(name: str, file: str = "", **_: object) -> str:
        if not (there / "modules.json").exists() and file:
            raise EntryNotFoundError("404")
        return str(there / file)

    there = write_cls_model(tmp_path / "there")
    monkeypatch.setattr(find, "hub_problem", lambda: "")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fetch)
    check_same(there)
    shutil.rmtree(there / "1_Pooling")
    (there / "modules.json").unlink()
    monkeypatch.setattr("kit.commands.sentence_transformers_folder.load_encoder", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # a plain model is for `load_encoder`
        load_any(NAME)


def test_a_hub_that_fails_on_the_way_is_not_taken_for_a_plain_model(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def broken(*_: object, **__: object) -> str:
        raise LocalEntryNotFoundError("the connection broke")

    monkeypatch.setattr(find, "hub_problem", lambda: "")
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", broken)
    with pytest.raises(KitError, match=f"expected {NAME} on the Hub, but: the connection broke"):
        load_any(NAME)


@pytest.mark.parametrize("similarity", ["dot", "euclidean", "cosine", None])
def test_a_model_for_another_similarity_is_told_to_be_compared_by_cosine(similarity: object, tmp_path: Path) -> None:
    folder = write_cls_model(tmp_path)
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"similarity_fn_name": similarity}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KitWarning)
        load_any(str(folder))
        told = [str(one.message) for one in caught if "compares by cosine" in str(one.message)]
        assert len(told) == (similarity not in ("cosine", None)) and all(f"{similarity}" in line for line in told)
        caught.clear()
        modules = json.loads((folder / "modules.json").read_text("utf-8"))
        modules.append({"type": "sentence_transformers.models.Normalize", "path": ""})
        (folder / "modules.json").write_text(json.dumps(modules))
        load_any(str(folder))
        assert not [one for one in caught if "compares by cosine" in str(one.message)]
