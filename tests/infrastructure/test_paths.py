"""Where a reader's files go; a real read-only file system and an unwritable HOME among the places."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kit.errors import KitWarning
from kit.paths import output

ROOT = Path(__file__).resolve().parents[2]
LESSON = """
import warnings
from pathlib import Path
from kit.course.exercises.progress_record import record
from kit.lesson import start
from kit.paths import output

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    kept = start("smoke").keep("tour", {"figure": 1})
    problem = record().tried("an exercise", True)
    assert output("runs").parent == kept.parent
try:
    Path("here").touch()
except OSError as error:
    print(error.strerror)
print(kept.is_file(), repr(problem), [str(w.message) for w in told if "takes no files" in str(w.message)])
"""


def test_an_empty_variable_names_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIT_OUT", "")
    assert output("progress.json") == Path(".kit/progress.json")


def test_a_folder_that_may_not_be_searched_takes_no_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stat, access = os.stat, os.access

    def closed(path, *given, **named):
        if str(path) == ".kit":
            raise PermissionError(13, "Permission denied")
        return stat(path, *given, **named)

    monkeypatch.setenv("KIT_OUT", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "stat", closed)
    monkeypatch.setattr(os, "access", lambda path, how: str(path) != "." and access(path, how))
    with pytest.warns(KitWarning, match="This folder takes no files"):
        assert output("progress.json").parent.parent == tmp_path


@pytest.mark.slow
def test_a_lesson_keeps_its_files_where_the_folder_is_read_only(tmp_path: Path) -> None:
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("NO READ-ONLY FOLDER: this machine lets no process mount a file system of its own (unshare -rm)")
    for name in ("here", "home", "temporary"):
        (tmp_path / name).mkdir()
    mounts = " && ".join(f"mount -t tmpfs -o ro tmpfs {tmp_path / name}" for name in ("here", "home"))
    run = f"{mounts} && cd {tmp_path / 'here'} && exec {sys.executable} -c '{LESSON}'"
    environment = {key: value for key, value in os.environ.items() if key != "KIT_OUT"}
    places = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "temporary"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", run], env={**environment, **places}, text=True, capture_output=True
    )
    assert "Read-only file system" in done.stdout, done.stderr
    assert "True '' ['This folder takes no files: what is kept goes to " in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("This folder takes no files") == 1
