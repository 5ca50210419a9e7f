"""Checkpoints: whole or absent, whatever the disk does."""

from __future__ import annotations

import errno
import json
import os
import shutil
import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

from kit.errors import KitError, KitWarning
from kit.storage.checkpoint import load_checkpoint, pack_optimizer, prepare, save_checkpoint, unpack_optimizer
from kit.training.optim import adamw
from tests.storage.kills import syncs_and_renames

TENSORS = {"weight": torch.arange(6.0).view(2, 3).T, "rng": torch.arange(9, dtype=torch.uint8)}  # one is not contiguous


def save(folder: Path, step: int, **more) -> Path:
    return save_checkpoint(folder, step, {**TENSORS, "step": torch.tensor(step)}, {"history": [0.1 * step]}, **more)


def steps_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    save(tmp_path / "deep" / "run", 7)
    tensors, meta = load_checkpoint(tmp_path / "deep" / "run")
    assert meta["step"] == 7 and meta["history"] == [0.1 * 7]
    assert all(torch.equal(tensors[name], value) for name, value in TENSORS.items())
    assert {path.suffix for path in (tmp_path / "deep" / "run").rglob("*.*")} == {".safetensors", ".json"}


@pytest.mark.parametrize("make", [lambda folder: None, lambda folder: folder.mkdir()])
def test_no_checkpoint_is_none(tmp_path: Path, make) -> None:
    make(tmp_path / "run")
    assert load_checkpoint(tmp_path / "run") is None


def test_the_newest_are_kept_and_the_newest_is_loaded(tmp_path: Path) -> None:
    for step in (5, 10, 15, 100):
        save(tmp_path, step, keep=3)
    assert steps_in(tmp_path) == ["step-00000010", "step-00000015", "step-00000100"]
    assert load_checkpoint(tmp_path)[1]["step"] == 100


def test_what_a_user_has_put_beside_them_stays_and_counts_for_none(tmp_path: Path) -> None:
    save(tmp_path, 5)
    mine = ["step-00000005-good", "step-00000005.bak", "step-old"]
    for name in mine:
        shutil.copytree(tmp_path / "step-00000005", tmp_path / name)
    for step in (10, 15, 20):
        save(tmp_path, step, keep=2)
    assert steps_in(tmp_path) == sorted([*mine, "step-00000015", "step-00000020"])
    assert load_checkpoint(tmp_path)[1]["step"] == 20


def test_the_same_step_again_replaces(tmp_path: Path) -> None:
    save(tmp_path, 5)
    save_checkpoint(tmp_path, 5, {"other": torch.ones(1)}, {})
    assert list(load_checkpoint(tmp_path)[0]) == ["other"]


def spoil(checkpoint: Path, how: str) -> None:
    tensors, meta = checkpoint / "tensors.safetensors", checkpoint / "meta.json"
    if how == "tensors cut":
        tensors.write_bytes(tensors.read_bytes()[:-8])
    elif how == "tensors flipped":
        blob = bytearray(tensors.read_bytes())
        blob[-3] ^= 1
        tensors.write_bytes(blob)
    elif how == "tensors missing":
        tensors.unlink()
    elif how == "meta cut":
        meta.write_text(meta.read_text()[:20])
    elif how == "meta of something else":
        meta.write_text("[]")
    elif how == "meta without checksum":
        meta.write_text(json.dumps({"step": 10}))
    elif how == "another step":
        meta.write_text(meta.read_text().replace('"step": 10', '"step": 11'))
    elif how == "a key renamed":
        meta.write_text(meta.read_text().replace('"checksum"', '"chezksum"'))
    elif how == "meta missing":
        meta.unlink()
    else:
        other = checkpoint.with_name("step-00000005") / "tensors.safetensors"
        tensors.write_bytes(other.read_bytes())


@pytest.mark.parametrize(
    "how",
    [
        "tensors cut",
        "tensors flipped",
        "tensors missing",
        "meta cut",
        "meta of something else",
        "meta without checksum",
        "another step",
        "a key renamed",
        "meta missing",
        "tensors of another",
    ],
)
def test_a_damaged_one_is_never_loaded(tmp_path: Path, how: str) -> None:
    save(tmp_path, 5)
    spoil(save(tmp_path, 10), how)
    with pytest.warns(KitWarning, match="step-00000010 is damaged .*: using the one before it"):
        tensors, meta = load_checkpoint(tmp_path)
    assert meta["step"] == 5 and tensors["step"] == 5


def test_the_step_inside_counts_not_the_name_outside(tmp_path: Path) -> None:
    """Two folders that somebody has swapped are both whole, and the newer one is used."""
    old, new = save(tmp_path, 5), save(tmp_path, 10)
    new.rename(tmp_path / "aside")
    old.rename(new)
    (tmp_path / "aside").rename(old)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tensors, meta = load_checkpoint(tmp_path)
    assert meta["step"] == 10 and tensors["step"] == 10


def test_a_checkpoint_from_before_there_were_checksums_loads(tmp_path: Path) -> None:
    checkpoint = save(tmp_path, 5)
    meta = json.loads((checkpoint / "meta.json").read_text())["meta"]
    lines = "".join(f'{{"step": {step}, "loss": 0.5}}\n' for step in range(1, 6))
    (tmp_path / "history.jsonl").write_text(lines + '{"step": 6, "loss": 0.5}\n')  # and what came after
    (checkpoint / "meta.json").write_text(json.dumps({**meta, "history_bytes": len(lines)}, indent=1))
    found = load_checkpoint(tmp_path)[1]
    assert found["step"] == 5 and found["history"] == [{"step": step, "loss": 0.5} for step in range(1, 6)]


def test_what_json_has_not_is_written_as_null(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, 5, TENSORS, {"seconds": float("nan"), "parts": [float("inf"), 1.5]})
    meta = load_checkpoint(tmp_path)[1]
    assert meta["seconds"] is None and meta["parts"] == [None, 1.5]


def test_a_later_damaged_one_does_not_push_out_the_whole_ones(tmp_path: Path) -> None:
    """A run that goes on from step 10 because step 15 is damaged, with other steps between its checkpoints."""
    save(tmp_path, 5), save(tmp_path, 10)
    spoil(save(tmp_path, 15), "tensors cut")
    save(tmp_path, 12), save(tmp_path, 13)
    assert [name for name in steps_in(tmp_path) if name != "step-00000015"] == ["step-00000012", "step-00000013"]
    with pytest.warns(KitWarning, match="step-00000015 is damaged"):
        assert load_checkpoint(tmp_path)[1]["step"] == 13


def test_nothing_but_damaged_ones_is_none(tmp_path: Path) -> None:
    spoil(save(tmp_path, 5), "tensors cut")
    with pytest.warns(KitWarning, match="or the beginning where there is none"):
        assert load_checkpoint(tmp_path) is None


def test_what_a_killed_process_left_is_not_loaded_and_cleaned_up(tmp_path: Path) -> None:
    save(tmp_path, 5)
    (tmp_path / "step-00000005").rename(tmp_path / ".writing-00000099-1234")  # whole, but not renamed yet
    (tmp_path / "step-00000098").mkdir()  # not of our making: no meta.json
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_checkpoint(tmp_path) is None
    save(tmp_path, 6)
    assert not list(tmp_path.glob(".writing-*"))
    assert load_checkpoint(tmp_path)[1]["step"] == 6


def test_all_of_it_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = syncs_and_renames(monkeypatch)
    checkpoint = save(tmp_path, 5)
    before, after = seen[: seen.index("rename")], seen[seen.index("rename") + 1 :]
    assert set(before) == {path.stat().st_ino for path in (checkpoint, *checkpoint.iterdir())}
    assert before[-1] == checkpoint.stat().st_ino, "the names in it after the files"
    assert after == [tmp_path.stat().st_ino]


@pytest.mark.parametrize("call", ["fsync", "mkdir", "rename"])
@pytest.mark.parametrize("said", [(errno.ENOSPC, "No space left on device"), (errno.EROFS, "Read-only file system")])
def test_a_full_or_read_only_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, said: tuple) -> None:
    def refuse(*args, **kwargs):
        raise OSError(*said)

    save(tmp_path, 5)
    with monkeypatch.context() as patch:
        patch.setattr(os if call == "fsync" else Path, call, refuse)
        with pytest.raises(KitError, match=f"write a checkpoint into .*'{said[1]}': earlier checkpoints are intact"):
            save(tmp_path, 10)
    assert steps_in(tmp_path) == ["step-00000005"]
    assert load_checkpoint(tmp_path)[1]["step"] == 5


def test_a_folder_that_cannot_be_is_told_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(KitError, match="a folder for checkpoints at .*choose another folder"):
            prepare(folder)
    prepare(tmp_path / "new" / "run")
    assert steps_in(tmp_path / "new" / "run") == []


def test_an_optimizer_goes_on_where_it_was() -> None:
    def model_and_optimizer(seed: int) -> tuple[nn.Module, torch.optim.Optimizer]:
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 2))
        return model, adamw(model, 0.01, weight_decay=0.1)

    def go_on(model: nn.Module, optimizer: torch.optim.Optimizer, steps: range) -> list[float]:
        losses = []
        for step in steps:
            loss = model(torch.sin(torch.arange(12.0).view(3, 4) + step)).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.item())
        return losses

    model, optimizer = model_and_optimizer(0)
    go_on(model, optimizer, range(5))
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    kept = {name: value.clone() for name, value in pack_optimizer(optimizer).items()}
    expected = go_on(model, optimizer, range(5, 9))
    other, fresh = model_and_optimizer(1)
    other.load_state_dict(weights)
    unpack_optimizer(fresh, {**kept, "module.weight": torch.ones(1)})
    assert go_on(other, fresh, range(5, 9)) == expected
