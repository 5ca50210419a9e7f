"""Gather all that a room without a network needs into build/bundle, to be copied onto its machines.

    python scripts/bundle.py [--out build/bundle]

    START.txt         what to type there
    pullpush          the repository as last committed
    pullpush/wheels   the tested versions for this Python on this kind of machine; `make setup` takes them from there

torch is the CPU build: elsewhere than on Linux there is no other, and with GPUs it is several gigabytes.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
import setup_env  # noqa: E402

COPY = "pullpush"
START = """\
Pull·Push for a room without a network: {size} for Python {python} on {system} {machine}, with `make`.
Copy the folder {copy} onto each machine, and there, in a terminal:

    cd {copy}
    make tour PYTHON=python{python}    sets up .venv from the folder {wheels} and trains a small encoder
    make lab PYTHON=python{python}     opens the lessons in JupyterLab

Without make: python scripts/setup_env.py, then .venv/bin/python scripts/tour.py and .venv/bin/python scripts/lab.py.
Nothing is asked of a network. Made-up captions stand in for real data; a copy of those may be named by KIT_DATA
(README, Real data; data/README.md has the folders).
"""


def wanted(document: dict) -> list[str]:
    """What `make setup` installs by a pyproject.toml, torch excepted: needs, notebooks, how the kit itself is built.

    editables is what hatchling asks for where a package is installed as it lies there.
    """
    project = document["project"]
    needs = [*project["dependencies"], *project["optional-dependencies"]["notebook"]]
    return [*needs, *document["build-system"]["requires"], "editables", "uv"]


def pinned(name: str, constraints: str) -> str:
    """The line name==version of a file of constraints."""
    return next(line for line in constraints.splitlines() if line.startswith(f"{name}=="))


def torch_index(settings: dict, torch: str, system: str = sys.platform) -> list[str]:
    """pip's option for the index with the CPU build of `torch` (name==version), as uv knows it.

    The usual index has the build for GPUs on Linux, and that for the CPU elsewhere. Wheels of one's own come first.
    """
    if system != "linux" or settings.get("find-links") or setup_env.is_on(settings.get("no-index", "")):
        return []
    asked = ["pip", "compile", "-", "--no-deps", "--no-header", "--torch-backend=cpu", "--emit-index-annotation"]
    certificate = {"SSL_CERT_FILE": settings["cert"]} if settings.get("cert") else {}
    done = subprocess.run(
        [sys.executable, "-m", "uv", *asked, "--quiet"],
        input=torch,
        text=True,
        capture_output=True,
        env={**os.environ, **certificate},
    )
    told = re.search(r"# from (\S+)", done.stdout)
    if done.returncode or not told:
        reason = (done.stderr.strip() or "it said nothing").splitlines()[-1].strip()
        sys.exit(
            f"bundle: expected the index with {torch} for the CPU, but uv told none ({reason}): check the network, "
            "then run it again."
        )
    return [f"--index-url={told[1]}"]


def start_text(size: int) -> str:
    """START.txt, for a bundle of so many bytes made by this Python."""
    python = "{}.{}".format(*sys.version_info[:2])
    of = {"python": python, "system": platform.system(), "machine": platform.machine()}
    return START.format(**of, size=f"{size / 1e6:,.0f} MB", copy=COPY, wheels=setup_env.WHEELS)


def copy_repository(target: Path) -> None:
    """The files of the last commit into `target`."""
    target.mkdir(parents=True)
    archive = subprocess.Popen(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE)
    unpacked = subprocess.run(["tar", "-x", "-C", target], stdin=archive.stdout).returncode
    if archive.wait() or unpacked:
        sys.exit("bundle: expected a git clone of the repository to copy, but git cannot read one here: clone it anew.")
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT).returncode:
        print("What is not committed is left out.")


def gather(wheels: Path) -> None:
    """The wheels that `make setup` needs; a package that its authors publish as source alone is built."""
    constraints = ROOT / "constraints" / "newest.txt"
    torch = pinned("torch", constraints.read_text("utf-8"))
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    index = torch_index(setup_env.pip_settings(sys.executable), torch)
    # --no-deps and a folder of its own first: the wheel for the CPU has a higher version than PyPI's for GPUs.
    first = [*pip, "download", "--no-deps", f"--dest={wheels}", *index, torch]
    places = [f"--wheel-dir={wheels}", f"--find-links={wheels}", f"--constraint={constraints}"]
    rest = [*pip, "wheel", *places, torch, *wanted(document)]
    for command in (first, rest):
        if subprocess.run(command, cwd=ROOT).returncode:
            sys.exit("bundle: expected wheels from the package index, but pip stopped, as said above: run it again.")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=ROOT / "build" / "bundle")
    out = options.parse_args().out.absolute()
    if out.exists() and not (out / "START.txt").exists() and any(out.iterdir()):
        sys.exit(f"bundle: expected a new folder or an older bundle, but {out} holds something else: choose another.")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "START.txt").write_text("This bundle is not whole: run `make bundle` again.\n", "utf-8")
    copy_repository(out / COPY)
    gather(out / COPY / setup_env.WHEELS)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    (out / "START.txt").write_text(start_text(size), "utf-8")
    count = len(list((out / COPY / setup_env.WHEELS).iterdir()))
    print(f"{os.path.relpath(out)}: {size / 1e6:,.0f} MB, {count} wheels. START.txt says what to type.")


if __name__ == "__main__":
    main()
