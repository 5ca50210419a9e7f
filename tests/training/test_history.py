"""The history of a run is written once, however many checkpoints it has, and a cut file is not believed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import torch

from kit.data.hub import KitWarning
from kit.training.checkpoint import load_checkpoint, save_checkpoint
from kit.training.history import NAME, HistoryFile, read_history

TENSORS = {"weight": torch.zeros(1)}


def metrics(count: int, first: int = 1) -> list[dict]:
    return [{"step": step, "loss": 1 / step, "said": "ÿ, \n"} for step in range(first, first + count)]


def train(folder: Path, steps: list[dict], size: int, until: int, every: int = 5) -> HistoryFile:
    """A run from what `steps` has to step `until`."""
    kept = HistoryFile(folder, steps, size)
    for step in range(len(steps) + 1, until + 1):
        steps.extend(metrics(1, step))
        if step % every == 0:
            save_checkpoint(folder, step, TENSORS, {}, kept)
    return kept


def test_a_checkpoint_writes_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Written(HistoryFile):
        def write(self) -> int:
            before = self.size
            sizes.append(super().write() - before)
            return self.size

    monkeypatch.setitem(train.__globals__, "HistoryFile", Written)
    train(tmp_path, [], 0, 500)
    assert len(sizes) == 100 and max(sizes) < 1.2 * min(sizes[1:]), "no checkpoint writes more than the others"
    assert sum(sizes) == (tmp_path / NAME).stat().st_size
    notes = [(path / "meta.json").stat().st_size for path in tmp_path.glob("step-*")]
    assert max(notes) < 400, "and none holds the history itself"
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(500)


def test_what_came_after_the_checkpoint_is_cut_off(tmp_path: Path) -> None:
    kept = train(tmp_path, [], 0, 12)
    kept.write()  # steps 11 and 12, and then it was killed
    assert len((tmp_path / NAME).read_text().splitlines()) == 12
    meta = load_checkpoint(tmp_path)[1]
    assert meta["history"] == metrics(10)
    train(tmp_path, meta["history"], meta["history_bytes"], 15)
    assert [json.loads(line) for line in (tmp_path / NAME).read_text().splitlines()] == metrics(15)
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(15)


def test_an_old_file_without_a_checkpoint_does_not_count(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("of another run\n")
    train(tmp_path, [], 0, 5)
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(5)


def test_a_history_in_the_checkpoint_itself_goes_on(tmp_path: Path) -> None:
    """As checkpoints were once."""
    save_checkpoint(tmp_path, 5, TENSORS, {"history": metrics(5)})
    meta = load_checkpoint(tmp_path)[1]
    train(tmp_path, meta["history"], meta.get("history_bytes", 0), 10)
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(10)


@pytest.mark.parametrize("how", ["cut", "gone", "garbled"])
def test_a_damaged_file_is_a_damaged_checkpoint(tmp_path: Path, how: str) -> None:
    train(tmp_path, [], 0, 10)
    file, first = tmp_path / NAME, read_size(tmp_path, 5)
    if how == "gone":
        file.unlink()
    else:
        blob = file.read_bytes()
        file.write_bytes(blob[: first + 10] + (b"{" * (len(blob) - first - 10) if how == "garbled" else b""))
    with pytest.warns(KitWarning, match="step-00000010 is damaged"):
        found = load_checkpoint(tmp_path)
    if how == "gone":
        assert found is None
    else:
        assert found[1]["history"] == metrics(5) and found[1]["history_bytes"] == first


def test_a_file_that_somebody_has_shortened_is_written_anew(tmp_path: Path) -> None:
    kept = train(tmp_path, [], 0, 10)
    os.truncate(tmp_path / NAME, 7)
    kept.steps.extend(metrics(5, 11))
    save_checkpoint(tmp_path, 15, TENSORS, {}, kept)
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(15)


def test_no_steps_are_no_steps(tmp_path: Path) -> None:
    assert HistoryFile(tmp_path, []).write() == 0 and read_history(tmp_path, 0) == []


def read_size(folder: Path, step: int) -> int:
    return json.loads((folder / f"step-{step:08d}" / "meta.json").read_text())["history_bytes"]
