"""The Makefile names scripts that exist, and every documented target is one that always runs."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
from pathlib import Path

import pytest
import render_results

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_every_script_exists() -> None:
    named = set(re.findall(r"\bscripts/\w+\.py", MAKEFILE))
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_what_writes_a_drawn_file_draws_the_page() -> None:
    """`bench` draws it itself."""
    drawn = [f"data/results/{name}.json" for name in render_results.TABLES]
    rules = re.findall(r"^([a-z-]+):[^#\n]*## (.*)\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    writing = [
        (name, lines)
        for name, said, lines in rules
        for files in re.findall(r"data/results/[\w*-]+\.json", said)
        if fnmatch.filter(drawn, files) and name != "bench"
    ]
    assert len(writing) > 8
    assert [name for name, lines in writing if "render_results.py" not in lines] == []


def test_every_target_is_phony_and_the_help_lists_what_has_a_description() -> None:
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    [phony] = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert targets == set(phony.split())
    described = re.findall(r"^([a-z-]+):[^#\n]*## ", MAKEFILE, re.MULTILINE)
    assert {"setup", "tour", "check", "test", "site", "bench"} <= set(described)


@pytest.mark.parametrize(("minor", "said"), [(11, "set up"), (12, "set up"), (13, "NOT RUN"), (14, "NOT RUN")])
def test_the_oldest_versions_run_where_they_are_built(minor: int, said: str, tmp_path: Path) -> None:
    """A `python` that has its version from here and sets nothing up."""
    pretended = tmp_path / "python"
    pretended.write_text(
        f'#!/bin/sh\n[ $1 = -c ] && exec "{sys.executable}" -c "import sys; sys.version_info = (3, {minor}); $2"\n'
        "echo set up; exit 1\n"
    )
    pretended.chmod(0o755)
    command = ["make", "-C", str(ROOT), "--no-print-directory", "oldest", f"PYTHON={pretended}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said in ran.stdout and (ran.returncode == 0) is (said == "NOT RUN"), ran.stdout + ran.stderr
