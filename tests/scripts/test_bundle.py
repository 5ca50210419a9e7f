"""The bundle for a room without a network: what is gathered, what START.txt says, and what the set-up there does."""

from __future__ import annotations

import platform
import subprocess
import sys
import tomllib
from pathlib import Path

import bundle
import pytest
import setup_env

ROOT = Path(__file__).resolve().parents[2]
CONSTRAINTS = (ROOT / "constraints" / "newest.txt").read_text("utf-8")


def test_all_that_the_set_up_installs_is_wanted() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = bundle.wanted(document)
    assert {*document["project"]["dependencies"], *document["project"]["optional-dependencies"]["notebook"]} < {*wanted}
    assert {"uv", "editables", *document["build-system"]["requires"]} < {*wanted}
    assert bundle.pinned("torch", CONSTRAINTS) == "torch==2.13.0" and "torchvision" not in bundle.pinned(
        "torch", CONSTRAINTS
    )


def test_torch_is_the_build_for_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, told = [], ["torch==2.13.0+cpu\n    # from https://example.org/whl/cpu\n", 0]

    def run(command: list, **more: object) -> subprocess.CompletedProcess:
        asked.append((command, more["input"]))
        return subprocess.CompletedProcess(command, told[1], told[0], "no network")

    monkeypatch.setattr(bundle.subprocess, "run", run)
    for settings, system in (({}, "darwin"), ({"find-links": "wheels"}, "linux"), ({"no-index": "1"}, "linux")):
        assert bundle.torch_index(settings, "torch==2.13.0", system) == [], "the usual one, or one's own"
    assert bundle.torch_index({}, "torch==2.13.0", "linux") == ["--index-url=https://example.org/whl/cpu"]
    [(command, given)] = asked
    assert "--torch-backend=cpu" in command and given == "torch==2.13.0"
    for told[:] in (["torch==2.13.0\n", 0], ["", 2]):
        with pytest.raises(SystemExit, match=r"but uv told none \(no network\): check the network"):
            bundle.torch_index({}, "torch==2.13.0", "linux")


def test_start_says_what_to_type_and_for_which_python() -> None:
    text = bundle.start_text(548_000_000)
    python = "python{}.{}".format(*sys.version_info[:2])
    assert f"cd pullpush\n    make tour PYTHON={python}" in text and f"make lab PYTHON={python}" in text
    assert "548 MB" in text and "{" not in text and text.count("\n") < 15 and max(map(len, text.splitlines())) <= 120


def test_the_repository_is_copied_as_last_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    here, copy = tmp_path / "here", tmp_path / "a room" / "copy"
    here.mkdir()
    monkeypatch.setattr(bundle, "ROOT", here)
    with pytest.raises(SystemExit, match="expected a git clone of the repository"):
        bundle.copy_repository(tmp_path / "none")
    (here / "a.txt").write_text("committed")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"]):
        subprocess.run([*git, *command], cwd=here, check=True)
    (here / "a.txt").write_text("not yet")
    bundle.copy_repository(copy)
    assert (copy / "a.txt").read_text() == "committed" and not (copy / ".git").exists()


def test_a_folder_with_something_else_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    monkeypatch.setattr(sys, "argv", ["bundle.py", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="holds something else: choose another"):
        bundle.main()
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_the_set_up_takes_the_wheels_that_lie_in_the_repository(tmp_path: Path) -> None:
    assert setup_env.bundled_wheels(tmp_path) == {}
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "torch-2.13.0-cp39-cp39-win_arm64.whl").touch()
    with pytest.raises(setup_env.SetupFailed, match="expected wheels for Python .* got torch-2.13.0-cp39"):
        setup_env.bundled_wheels(tmp_path)
    system = {"darwin": "macosx_11_0", "win32": "win"}.get(sys.platform, "manylinux_2_28")
    tags = "cp{0}{1}-cp{0}{1}".format(*sys.version_info[:2])
    (tmp_path / "wheels" / f"torch-2.13.0+cpu-{tags}-{system}_{platform.machine().lower()}.whl").touch()
    assert setup_env.bundled_wheels(tmp_path) == {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "wheels"}
