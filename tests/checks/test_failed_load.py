"""Why a model did not load: a closed file and a machine's limits are told as what they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
import transformers

from kit.checks.failed_load import lacks_memory
from kit.encoder import load_encoder
from kit.errors import KitError
from tests.tiny import write_tiny_bert


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def refusal(tiny: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> str:
    def fail(*_, **__) -> None:
        raise error

    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", fail)
    with pytest.raises(KitError) as told:
        load_encoder(tiny)
    return str(told.value)


def test_a_closed_file_is_named(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).suffix != ".safetensors")  # no mode stops root
    said = refusal(tiny, monkeypatch, OSError("No such file or directory: model.safetensors"))
    assert said.startswith(f"expected {tiny}/model.safetensors to be open to you, but the system said 'Permission den")


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_what_the_machine_lacks_is_no_fault_of_the_copy(tiny: Path, monkeypatch, error: Exception) -> None:
    said = refusal(tiny, monkeypatch, error)
    assert said.startswith("expected memory and threads enough to load tiny") and "copy" not in said


def test_another_fault_may_be_one_of_the_copy(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Check that the download or the copy is complete" in refusal(tiny, monkeypatch, ValueError("strange"))


def test_memory_that_lacks_is_known_by_torchs_own_words() -> None:
    with pytest.raises(RuntimeError) as told:
        torch.empty(2**60, dtype=torch.uint8)
    assert lacks_memory(told.value) and lacks_memory(MemoryError()) and not lacks_memory(RuntimeError("other"))
