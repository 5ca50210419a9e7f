"""Write constraints/newest.txt, its lock with hashes and constraints/oldest.txt from the ranges in pyproject.toml.

    python scripts/pin_versions.py --torch 2.13.0

    python scripts/pin_versions.py --lock       the lock alone, of newest.txt as it stands

Resolving is not testing: run `make test` before committing what this writes. torch is
given by hand, because its wheels are large and come in one build per accelerator.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

NEWEST = """\
# The newest versions that pyproject.toml admits and that `make test` passed with
# (torch: the CPU build). Written by scripts/pin_versions.py; do not edit.
"""
OLDEST = """\
# The lower bounds of pyproject.toml and Colab's IPython, ipykernel and pandas: the older
# world that `make test` imports every module and draws every figure with.
# One exception, said out loud: torch {torch} stands here although the range begins at
# {floor}, because the only build of torch {floor} that an index offers for Linux is the
# CUDA one, several gigabytes. The lower bound of torch is therefore not tested.
# Written by scripts/pin_versions.py; do not edit.
"""


LOCK = """\
# constraints/newest.txt with the hashes of every file that each version was published with:
#     pip install --require-hashes --no-deps -r constraints/newest.lock
# installs these files or none. Written by scripts/pin_versions.py; do not edit.
"""


def find_uv() -> str:
    """The path of uv, beside this Python or on the PATH."""
    places = [str(Path(sys.executable).parent), os.defpath, os.environ.get("PATH", "")]
    uv = shutil.which("uv", path=os.pathsep.join(places))
    return uv or sys.exit("pin_versions needs uv: run `make setup` first, or `pip install uv`.")


def lock(newest: Path) -> str:
    """The pins of `newest` with their hashes, as pip reads them."""
    options = ["--generate-hashes", "--no-deps", "--no-header", "--no-annotate", "--python-version", "3.11", "--quiet"]
    command = [find_uv(), "pip", "compile", str(newest), *options]
    return subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout


def pins(extras: list[str], torch: str, options: list[str]) -> list[str]:
    """Resolve pyproject.toml with `extras`: lines `name==version`, torch without its local part."""
    with tempfile.TemporaryDirectory() as folder:
        override = Path(folder, "torch.txt")
        # The CPU build: the CUDA build would pin a dozen driver packages nobody tested.
        override.write_text(f"torch=={torch}+cpu\n", "utf-8")
        # 3.11 means 3.11.0 here: a package that wants a later patch release than Debian's
        # or Colab's would otherwise be pinned out of their reach.
        command = [
            find_uv(),
            "pip",
            "compile",
            "pyproject.toml",
            "--quiet",
            "--python-version",
            "3.11",
            "--no-annotate",
            "--no-header",
            "--override",
            str(override),
            *options,
            *[part for extra in extras for part in ("--extra", extra)],
        ]
        if wheels := os.environ.get("PIP_FIND_LINKS"):
            command += ["--find-links", wheels]
        else:
            command += ["--torch-backend", "cpu"]
        found = subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE)
    return [re.sub(r"\+.*", "", line) for line in found.stdout.splitlines() if re.match(r"[a-z0-9]", line)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--torch", help="the version of torch that was tested")
    options.add_argument("--lock", action="store_true", help="write constraints/newest.lock of newest.txt, and no pins")
    given = options.parse_args()
    torch, folder = given.torch, ROOT / "constraints"
    if given.lock:
        (folder / "newest.lock").write_text(LOCK + lock(folder / "newest.txt"), "utf-8")
        return
    if not torch:
        options.error("give the tested version of torch: --torch 2.13.0")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    [floor] = [re.search(r">=([\d.]+)", d)[1] for d in project["dependencies"] if re.match(r"torch\b", d)]
    newest = pins(["test", "glove", "flow"], torch, [])
    oldest = pins(["oldest"], torch, ["--resolution", "lowest-direct"])
    folder.mkdir(exist_ok=True)
    (folder / "newest.txt").write_text(NEWEST + "\n".join(newest) + "\n", "utf-8")
    (folder / "newest.lock").write_text(LOCK + lock(folder / "newest.txt"), "utf-8")
    (folder / "oldest.txt").write_text(OLDEST.format(torch=torch, floor=floor) + "\n".join(oldest) + "\n", "utf-8")
    print(f"{len(newest)} pins in constraints/newest.txt, {len(oldest)} in constraints/oldest.txt")


if __name__ == "__main__":
    main()
