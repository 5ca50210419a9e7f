"""Real processes that share, kill and damage run folders: nothing lost, nothing mixed, nothing wrong believed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import hard_use
import hard_use_damages
import pytest
import training_code

from kit.errors import KitError

ROOT = Path(__file__).resolve().parents[2]
PAIRS, DAMAGED = 10, 40


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What the program counts with few pairs and damages."""
    folder = tmp_path_factory.mktemp("hard")
    command = [sys.executable, "scripts/hard_use.py", "--pairs", str(PAIRS), "--damages", str(DAMAGED)]
    (folder / "out.json").write_text('{"of another program": 1}')
    done = subprocess.run(
        [*command, "--work", str(folder / "work"), "--out", str(folder / "out.json")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    written = json.loads((folder / "out.json").read_text())
    assert written["of another program"] == 1 and written["storage"]["hardware"]
    return written["storage"]


@pytest.mark.nightly
def test_two_processes_on_one_folder_lose_and_mix_nothing(counted: dict) -> None:
    pairs = counted["pairs"]
    assert pairs["pairs"] == pairs["ended_bit_for_bit"] == PAIRS and pairs["kills"] > 0
    assert pairs["checkpoints_lost"] == 0 and pairs["wrong"] == []
    assert pairs["refused_while_in_use"] > 0, "the draw is seeded: some come while the other trains"


@pytest.mark.nightly
def test_a_damage_is_harmless_or_told_and_the_newest_whole_checkpoint_is_used(counted: dict) -> None:
    damages = counted["damages"]
    assert damages["damages"] == damages["ended_bit_for_bit"] == damages["newest_whole_used"] == DAMAGED
    assert damages["wrong"] == [] and damages["told_and_an_older_one_used"] > 0 < damages["harmless"]


@pytest.mark.nightly
def test_a_killed_save_leaves_the_old_model_or_the_new(counted: dict) -> None:
    assert "before_each_call_of_python" in counted["saves"], "by strace as well, where it is at hand"
    for way, found in counted["saves"].items():
        assert sum(found["held"].values()) == found["kills"] > 30 and found["held"].keys() == {"old", "new"}, way
        assert found["leftovers"] == 0, way


def test_fewer_are_a_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["hard_use.py", "--pairs", "20", "--damages", "50"])
    with pytest.raises(KitError, match="expected --out with --pairs and --damages"):
        hard_use.main()


def test_what_is_kept_is_kept_by_the_code_that_it_tried(tmp_path: Path) -> None:
    files = [*hard_use.TRYING, *(f"{folder}/file.py" for folder in hard_use.TRIED)]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1")
    marks = {hard_use.code_tried(tmp_path)}
    for name in files:
        (tmp_path / name).write_text("x = 2")
        training_code._meaning.cache_clear()
        marks.add(hard_use.code_tried(tmp_path))
    assert len(marks) == 1 + len(files) and len(hard_use.code_tried()) == 12


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_damage_always_changes_something_and_all_kinds_come(tmp_path: Path) -> None:
    kinds = Counter()
    for number in range(200):
        folder = tmp_path / str(number)
        for name in ("step-1/meta.json", "step-2/meta.json", "history.jsonl"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(json.dumps({"meta": {"step": 1, "name": name}}) + "\n")
        before = content(folder)
        kind, what = hard_use_damages.damage(folder, random.Random(number))
        assert content(folder) != before and what, (kind, what)
        kinds[kind] += 1
    assert set(kinds) == set(hard_use_damages.DAMAGES) and min(kinds.values()) > 10
