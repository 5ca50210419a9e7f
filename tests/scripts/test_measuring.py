"""Intervals over seeds and the commit, as every result file has them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import measuring
import pytest
from measuring import mean_interval


def test_interval_over_seeds() -> None:
    figure = mean_interval([1.0, 2.0, 3.0])
    assert figure["mean"] == 2.0 and figure["sd"] == 1.0
    assert figure["high"] - 2.0 == pytest.approx(4.302653 / 3**0.5, rel=1e-6)  # t(0.975, 2) = 4.302653
    assert mean_interval([5.0]) == {"mean": 5.0, "n": 1}


def test_the_commit_is_with_changes_when_what_decides_a_figure_is_changed(tmp_path: Path, monkeypatch) -> None:
    folders = ("kit", "scripts", "benchmarks", "data/models", "data/results", "docs")
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_text("committed")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(measuring, "ROOT", tmp_path)
    told = []
    for folder in folders:
        (tmp_path / folder / "file").write_text("changed")
        told += [folder] if measuring.provenance()["commit"].endswith(" with changes") else []
        subprocess.run([*git, "checkout", "-q", "."], cwd=tmp_path, check=True)
    assert told == ["kit", "scripts", "benchmarks", "data/models"]
