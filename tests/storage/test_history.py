"""The history of a run is written once, however many checkpoints it has, and a cut file is not believed."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest
import torch

from kit.errors import KitWarning
from kit.storage.checkpoint import load_checkpoint, save_checkpoint
from kit.storage.history import NAMES, HistoryFile, read_history

TENSORS = {"weight": torch.zeros(1)}


def metrics(count: int, first: int = 1) -> list[dict]:
    return [{"step": step, "loss": 1 / step, "said": "ÿ, \n"} for step in range(first, first + count)]


def train(folder: Path, steps: list[dict], until: int, every: int = 5) -> HistoryFile:
    """A run from what `steps` has to step `until`."""
    kept = HistoryFile(folder, steps)
    for step in range(len(steps) + 1, until + 1):
        steps.extend(metrics(1, step))
        if step % every == 0:
            save_checkpoint(folder, step, TENSORS, {}, kept)
    return kept


def lines(folder: Path, name: str) -> list[dict]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_a_checkpoint_writes_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Written(HistoryFile):
        def write(self) -> dict:
            before = sum(self._sizes.values())
            note = super().write()
            sizes.append(sum(self._sizes.values()) - before)
            return note

    monkeypatch.setitem(train.__globals__, "HistoryFile", Written)
    train(tmp_path, [], 150)
    assert len(sizes) == 30 and max(sizes) < 1.2 * min(sizes[2:]), "no checkpoint writes more than the others"
    assert sum(sizes) == sum((tmp_path / name).stat().st_size for name in NAMES)
    notes = [(path / "meta.json").stat().st_size for path in tmp_path.glob("step-*")]
    assert max(notes) < 500, "and none holds the history itself"
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(150)


def test_a_resumed_run_leaves_the_file_of_the_checkpoint_it_came_from(tmp_path: Path) -> None:
    train(tmp_path, [], 5)
    before = (tmp_path / NAMES[0]).read_bytes()
    train(tmp_path, load_checkpoint(tmp_path)[1]["history"], 10)
    assert (tmp_path / NAMES[0]).read_bytes() == before, "damage to one file costs one checkpoint"
    assert lines(tmp_path, NAMES[1]) == metrics(10)


def test_what_came_after_the_checkpoint_is_cut_off(tmp_path: Path) -> None:
    kept = train(tmp_path, [], 12)
    kept.write()  # steps 11 and 12, and then it was killed
    assert lines(tmp_path, NAMES[0]) == metrics(12)
    meta = load_checkpoint(tmp_path)[1]
    assert meta["history"] == metrics(10)
    meta["history"][:] = [{**step, "loss": 0.5} for step in metrics(10)]  # so that files of before are told apart
    train(tmp_path, meta["history"], 20)
    for name, until in zip(NAMES, (15, 20)):
        assert [(step["step"], step["loss"]) for step in lines(tmp_path, name)] == [
            *((step, 0.5) for step in range(1, 11)),
            *((step, 1 / step) for step in range(11, until + 1)),
        ]
    assert len(load_checkpoint(tmp_path)[1]["history"]) == 20


def test_a_resumed_run_goes_on_in_the_file_that_its_checkpoint_does_not_need(tmp_path: Path) -> None:
    train(tmp_path, [], 10)
    needed = (tmp_path / NAMES[1]).read_bytes()
    resumed = HistoryFile(tmp_path, metrics(10))
    resumed.steps.extend(metrics(5, 11))
    resumed.write()
    assert (tmp_path / NAMES[1]).read_bytes() == needed, "a kill here must leave the checkpoint of step 10 its history"
    assert lines(tmp_path, NAMES[0]) == metrics(15)


def test_an_old_file_without_a_checkpoint_does_not_count(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_text("of another run\n")
    train(tmp_path, [], 10)
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(10)
    assert lines(tmp_path, NAMES[0]) == metrics(5) and lines(tmp_path, NAMES[1]) == metrics(10)


def test_a_history_in_the_checkpoint_itself_goes_on(tmp_path: Path) -> None:
    """As checkpoints were once."""
    save_checkpoint(tmp_path, 5, TENSORS, {"history": metrics(5)})
    train(tmp_path, load_checkpoint(tmp_path)[1]["history"], 10)
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(10)


DAMAGES = {
    "cut": lambda blob: blob[: len(blob) // 2],
    "garbled": lambda blob: blob[:-9] + b"{" * 9,
    "another loss": lambda blob: blob.replace(b"0.25", b"0.26"),  # still JSON
    "a key": lambda blob: blob.replace(b"loss", b"lots"),
    "a line less": lambda blob: b"".join(blob.splitlines(keepends=True)[1:]),
    "longer": lambda blob: blob + b"and more",
    "gone": None,
}


def test_a_damaged_file_costs_one_checkpoint_at_most_and_is_never_believed(tmp_path: Path) -> None:
    for how, damage in DAMAGES.items():
        for name, step in zip(NAMES, (10, 5)):  # the newest checkpoint needs the second file, the other has either
            folder = tmp_path / how / name
            folder.mkdir(parents=True)
            train(folder, [], 10)
            if damage:
                (folder / name).write_bytes(damage((folder / name).read_bytes()))
            else:
                (folder / name).unlink()
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                meta = load_checkpoint(folder)[1]
            expected = 10 if how == "longer" else step
            assert (meta["step"], meta["history"]) == (expected, metrics(expected)), (how, name)
            assert [type(one.message) for one in told] == [KitWarning] * (expected == 5), (how, name)


def test_a_file_that_somebody_has_shortened_is_written_anew(tmp_path: Path) -> None:
    kept = train(tmp_path, [], 10)
    for name in NAMES:
        os.truncate(tmp_path / name, 7)
    kept.steps.extend(metrics(5, 11))
    save_checkpoint(tmp_path, 15, TENSORS, {}, kept)
    assert load_checkpoint(tmp_path)[1]["history"] == metrics(15)


def test_no_steps_are_no_steps(tmp_path: Path) -> None:
    assert read_history(tmp_path, HistoryFile(tmp_path, []).write()) == []


def test_a_number_that_json_lacks_is_null(tmp_path: Path) -> None:
    note = HistoryFile(tmp_path, [{"step": 1, "validation": float("nan")}]).write()
    assert read_history(tmp_path, note) == [{"step": 1, "validation": None}]


def test_a_link_in_its_place_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "mine").write_text("mine")
    for name in NAMES:
        (folder / name).symlink_to(tmp_path / "mine")
    history = HistoryFile(folder, [])
    history.steps.append({"step": 1})
    notes = [history.write(), history.write()]
    assert (tmp_path / "mine").read_text() == "mine"
    assert [read_history(folder, note) for note in notes] == [[{"step": 1}]] * 2
