"""One source of truth for versions: conda, Binder and the constraints repeat pyproject.toml."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
CONDA_FILES = {"environment.yml": "pytorch", "binder/environment.yml": "pytorch-cpu"}
# Colab, image of 2026.01: what the kit has to live with there.
COLAB = {
    "ipywidgets": "7.7.1",
    "plotly": "5.24.1",
    "transformers": "4.57.6",
    "datasets": "4.0.0",
    "torch": "2.9.0",
    "umap-learn": "0.5.11",
    "anywidget": "0.9.21",
    "numpy": "2.0.2",
    "scikit-learn": "1.6.1",
    "threadpoolctl": "3.6.0",
}


def ranges(lines: list[str]) -> dict[str, SpecifierSet]:
    """Package -> range; references to our own extras left out."""
    wanted = [Requirement(line) for line in lines]
    return {canonicalize_name(one.name): one.specifier for one in wanted if one.name != PROJECT["name"]}


def conda_ranges(name: str) -> dict[str, SpecifierSet]:
    """As `ranges`; conda's `=3.12` is written `==3.12.*` elsewhere."""
    lines = yaml.safe_load((ROOT / name).read_text("utf-8"))["dependencies"]
    pairs = (re.match(r"(\S+)\s*(.*)", line).groups() for line in lines)
    return {package: SpecifierSet(re.sub(r"^=([\d.]+)$", r"==\1.*", wanted)) for package, wanted in pairs}


def pins(name: str) -> dict[str, Version]:
    lines = (ROOT / "constraints" / name).read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(package): Version(version) for package, version in pairs}


@pytest.mark.parametrize(("name", "torch"), CONDA_FILES.items())
def test_conda_files_agree_with_pyproject(name: str, torch: str) -> None:
    found = conda_ranges(name)
    python = found.pop("python")
    assert found.pop("pip") == SpecifierSet()
    found["torch"] = found.pop(torch)
    assert found == ranges(PROJECT["dependencies"] + EXTRAS["notebook"])
    admitted = [f"3.{minor}" for minor in range(8, 20) if f"3.{minor}" in python]
    assert admitted and all(version in SpecifierSet(PROJECT["requires-python"]) for version in admitted)


def test_binder_names_one_python() -> None:
    """repo2docker looks for `python=<version>`; a range counts as nothing and means 3.10."""
    assert re.search(r"^  - python =3\.\d+\b", (ROOT / "binder/environment.yml").read_text(), re.MULTILINE)


def test_both_conda_files_are_one_environment() -> None:
    loaded = [yaml.safe_load((ROOT / name).read_text("utf-8")) for name in CONDA_FILES]
    assert loaded[0]["channels"] == loaded[1]["channels"] == ["conda-forge", "nodefaults"]
    assert loaded[0]["name"] == loaded[1]["name"]


@pytest.mark.parametrize("name", ["newest.txt", "oldest.txt"])
def test_constraints_are_plain_pins(name: str) -> None:
    """`name==version` and nothing else: no address, no path, no build that only one index has."""
    for line in (ROOT / "constraints" / name).read_text("utf-8").splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9][a-z0-9._-]*==[0-9][a-z0-9.]*", line), line


def test_newest_pins_lie_in_the_ranges() -> None:
    wanted = ranges(
        PROJECT["dependencies"] + [line for extra in ("notebook", "test", "glove", "flow") for line in EXTRAS[extra]]
    )
    found = pins("newest.txt")
    assert [package for package, span in wanted.items() if found[package] not in span] == []


def test_oldest_pins_are_the_lower_bounds() -> None:
    found = pins("oldest.txt")
    for package, span in ranges(PROJECT["dependencies"]).items():
        [floor] = [Version(part.version) for part in span if part.operator == ">="]
        if package == "torch":
            assert found[package] >= floor  # the file itself says why it is not the floor
        else:
            assert found[package] == floor, package


def test_ranges_admit_colab() -> None:
    wanted = ranges(PROJECT["dependencies"])
    assert [package for package, version in COLAB.items() if version not in wanted[package]] == []


def test_this_environment_is_the_pinned_one() -> None:
    """The tests speak for constraints/newest.txt, so they must run with it."""
    from importlib.metadata import distributions

    found = {canonicalize_name(one.name): Version(one.version.split("+")[0]) for one in distributions()}
    wanted = pins("newest.txt")
    assert {
        package: (found[package], wanted[package])
        for package in found.keys() & wanted.keys()
        if found[package] != wanted[package]
    } == {}


@pytest.mark.parametrize("name", [".ci/run", "binder/postBuild", "binder/start"])
def test_scripts_can_run(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)
    shell = "sh" if (ROOT / name).read_text().startswith("#!/bin/sh") else "bash"
    subprocess.run([shell, "-n", str(ROOT / name)], check=True)


def test_ci_and_binder_do_what_they_promise() -> None:
    assert re.search(r"^exec make test$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    jobs = (ROOT / ".github/workflows/test.yml").read_text()
    weekly = jobs.partition("newest-versions:")[2]
    assert ".ci/run" in jobs and weekly.index("make pins TORCH=") < weekly.index("make check")
    assert re.search(r"^set -e", (ROOT / "binder/postBuild").read_text(), re.MULTILINE)
    assert (ROOT / "binder/start").read_text().rstrip().endswith('exec "$@"')


def test_binder_start_limits_threads_and_passes_the_command_on() -> None:
    command = ["sh", "-c", 'echo "$OMP_NUM_THREADS $1"', "sh", "two words"]
    done = subprocess.run([str(ROOT / "binder/start"), *command], text=True, capture_output=True, check=True)
    assert done.stdout == "1 two words\n"


def test_postbuild_stops_at_the_first_error(tmp_path: Path) -> None:
    """With a pip that fails, nothing after it is tried."""
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\necho "$@" >> calls\nexit 1\n')
    fake.chmod(0o755)
    done = subprocess.run(
        ["bash", str(ROOT / "binder/postBuild")],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.returncode != 0
    assert len((tmp_path / "calls").read_text().splitlines()) == 1
