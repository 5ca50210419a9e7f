"""The wheel carries the bundled models and results, and an installed kit finds them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import kit.paths

ROOT = Path(__file__).resolve().parents[2]


def test_bundle_is_the_data_folder_of_a_checkout() -> None:
    assert kit.paths.bundle() == ROOT / "data"
    assert kit.paths.bundle("models", "x") == ROOT / "data" / "models" / "x"


def test_the_licence_exempts_every_folder_of_weights_where_it_lies_and_where_the_wheel_has_it() -> None:
    licence = (ROOT / "LICENSE").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    weights = {path.relative_to(ROOT / "data").parts[0] for path in (ROOT / "data").rglob("*.safetensors")}
    assert weights == {"models", "trained"} and project["license"] == "MIT AND CC-BY-SA-4.0"
    assert all(f"{root}/{name}/" in licence for name in weights for root in ("data", "kit/_bundle"))


@pytest.mark.slow
def test_wheel_carries_the_bundle_and_finds_it(tmp_path: Path) -> None:
    code = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        wheel.extractall(unpacked)
    bundled = {path.relative_to(ROOT / "data") for path in (ROOT / "data").rglob("*") if path.is_file()}
    carried = {
        path.relative_to(unpacked / "kit/_bundle") for path in (unpacked / "kit/_bundle").rglob("*") if path.is_file()
    }
    assert carried == bundled and any(path.parts[0] == "models" for path in carried)
    sources = {path.relative_to(ROOT) for path in (ROOT / "kit").rglob("*.py")}
    assert sources <= {path.relative_to(unpacked) for path in unpacked.rglob("*.py")}
    found = subprocess.run(
        [sys.executable, "-c", "import kit.paths; print(kit.paths.bundle('models'))"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        text=True,
        capture_output=True,
        check=True,
    )
    assert Path(found.stdout.strip()) == unpacked / "kit" / "_bundle" / "models"
