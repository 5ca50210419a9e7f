"""Where the commands that judge and search compute: on the GPU if there is one, or as --device says."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kit.commands import BAD_INPUT, main, sentence_transformers_folder
from kit.commands.sentence_transformers_folder import load_saved
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.sharing import CutEncoder


class Loaded(Exception):
    """Carries the device that an encoder would have been loaded on."""


def stop_at_loading(name, device="cpu", **settings):
    raise Loaded(str(device))


@pytest.fixture(params=["a name", "a run", "sentence-transformers", "cut vectors"])
def saved(request, tmp_path) -> str:
    """One of each form that `kit evaluate` takes."""
    if request.param == "a name":
        return "kit-bert-tiny"
    if request.param == "a run":
        load_encoder().save(tmp_path / "encoder")
        return str(tmp_path)
    if request.param == "cut vectors":
        return str(CutEncoder(load_encoder(), 16).save(tmp_path / "cut"))
    folder = load_encoder().save(tmp_path / "exported")
    (folder / "kit.json").unlink()
    return str(folder)


@pytest.mark.parametrize(("gpu", "asked", "used"), [(False, None, "cpu"), (True, None, "cuda"), (True, "cpu", "cpu")])
def test_an_encoder_goes_to_the_gpu_if_there_is_one_or_where_it_is_asked_to(saved, gpu, asked, used, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(sentence_transformers_folder, "load_encoder", stop_at_loading)
    with pytest.raises(Loaded, match=f"^{used}$"):
        load_saved(saved, asked)


@pytest.mark.parametrize("command", ["evaluate PATH", "compare PATH PATH", "search PATH texts.txt --query rain"])
def test_a_gpu_that_is_not_there_is_one_sentence(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    Path("texts.txt").write_text("It rains.\nIt pours.\n", "utf-8")
    arguments = command.replace("PATH", "kit-bert-tiny").split()
    assert main([*arguments, "--device", "cuda"]) == BAD_INPUT
    assert "expected a CUDA GPU for device='cuda', but torch sees none: use 'cpu'." in capsys.readouterr().err


def test_a_device_of_another_name_is_one_sentence():
    with pytest.raises(KitError, match="expected a device such as 'cpu' or 'cuda', got 'gpu'"):
        load_saved("kit-bert-tiny", "gpu")
