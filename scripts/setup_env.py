"""Make a virtual environment with the tested versions: the first step of every `make` target.

    python3 scripts/setup_env.py --extras notebook          what the tour needs
    python3 scripts/setup_env.py --extras test              what `make test` needs

Standard library only. A second run with the same versions returns at once; after a failure
or an interruption, run it again: what is finished stays.
"""
# Written so that Python 3.6 can still parse it and get as far as its message: no annotations
# from the future, no walrus.

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the very reader this speaks to runs an older one
    sys.exit(
        "Pull·Push needs Python 3.11 or newer, but this is Python {}.{}: install a newer one "
        "and name it, for example `make tour PYTHON=python3.12`.".format(*sys.version_info[:2])
    )

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAMP = ".kit-setup.json"
WHEELS = "wheels"  # in ROOT, where `make bundle` put them: nothing is asked of a network then
DISK_NEEDED = 4e9  # bytes: the environment and the downloads on their way into it


class SetupFailed(Exception):
    """Set-up cannot go on; the message says why and what to do."""


def python_in(target):
    """The interpreter of the virtual environment `target`."""
    return target / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def fingerprint(constraints):
    """Changes whenever another set of packages would be installed, or from another place."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [document["project"], document["build-system"], constraints.read_text("utf-8"), sys.version, str(ROOT)]
    return hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()


def read_stamp(target):
    """What an earlier run installed into `target`, or {} when none finished there."""
    try:
        stamp = json.loads((target / STAMP).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if python_in(target).exists() else {}


def pip_settings(python):
    """pip's own settings, which uv does not read: name -> value.

    The list is sorted, so `:env:` comes before `global` and wins, as it does in pip.
    """
    found = subprocess.run(
        [python, "-m", "pip", "config", "list"],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    settings = {}
    for line in found.stdout.splitlines():
        name, _, value = line.partition("=")
        settings.setdefault(name.split(".")[-1], value.strip("'\""))
    return settings


def is_on(value):
    """Whether pip takes the value of a setting for "yes"."""
    return value.strip().lower() in ("1", "true", "t", "yes", "y", "on")


def uv_options(settings):
    """pip's settings as options of uv: extra wheels, the index or that there is none, nothing else."""
    options = [f"--find-links={place}" for place in settings.get("find-links", "").split()]
    if is_on(settings.get("no-index", "")):
        options.append("--no-index")
    elif settings.get("index-url"):
        options.append(f"--default-index={settings['index-url']}")
    return options


def torch_options(settings):
    """Which build of torch: with extra wheels configured theirs, else what suits the machine."""
    return [] if settings.get("find-links") else ["--torch-backend=auto"]


def bundled_wheels(root):
    """pip's settings, as environment variables, for the wheels of `make bundle` in `root`; {} where there are none.

    Raises SetupFailed where they were made for another Python or another kind of machine.
    """
    wheels = root / WHEELS
    found = [path.name for path in wheels.glob("torch-*.whl")]
    if not found:
        return {}
    python = "{}.{}".format(*sys.version_info[:2])
    system = {"darwin": "macosx", "win32": "win"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    tags = [f"cp{python.replace('.', '')}-", system, machine]
    if not any(all(tag in name for tag in tags) for name in found):
        raise SetupFailed(
            f"expected wheels for Python {python} on {system} {machine} in {wheels}, got {found[0]}: name "
            "another Python, for example `make tour PYTHON=python3.12`, or delete the folder to use the network."
        )
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": WHEELS}  # relative: pip cuts the setting at spaces


class Steps:
    """Runs commands, one numbered line each with the seconds they take; output goes to a log."""

    def __init__(self, total, log):
        self.total, self.number, self.log = total, 0, log
        self.live = sys.stdout.isatty()

    def run(self, label, *attempts):
        """Run the commands of `attempts` in turn until one succeeds; SetupFailed if none does."""
        self.number += 1
        head = f"[{self.number}/{self.total}] {label}"
        start = time.monotonic()
        if not self.live:
            print(head, "...", flush=True)
        for command, environment in attempts:
            if self._one(head, start, command, environment):
                mark = "\r\033[K" if self.live else ""
                print(f"{mark}{head}: done after {time.monotonic() - start:.0f} s", flush=True)
                return
            if (command, environment) != attempts[-1]:
                print("\n      that did not work; trying it with pip (slower)", flush=True)
        last = [line for line in self.log.read_text("utf-8", "replace").split("\n") if line][-15:]
        print("", *last, sep="\n    ")
        raise SetupFailed(
            f"Step {self.number} ({label}) failed; the lines above are the end of "
            f"{os.path.relpath(self.log)}. Check the network (or the wheels) and the disk, then run "
            "the same command again: what is done stays done. (torch is built for Linux, for macOS 14 "
            "and later on Apple silicon, and for Windows.)"
        )

    def _one(self, head, start, command, environment):
        with self.log.open("a", encoding="utf-8") as log:
            log.write("\n$ " + " ".join(map(str, command)) + "\n")
            log.flush()
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=ROOT,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
            )
            try:
                while process.poll() is None:
                    if self.live:
                        line = f"{head} {time.monotonic() - start:4.0f} s  {self._latest()}"
                        width = shutil.get_terminal_size().columns - 1
                        print("\r\033[K" + line[:width], end="", flush=True)
                    time.sleep(0.2)
            finally:
                if process.poll() is None:  # interrupted: leave no installer running behind
                    process.terminate()
                    process.wait()
        return process.returncode == 0

    def _latest(self):
        lines = self.log.read_text("utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def is_of_this_python(settings):
    """Whether a pyvenv.cfg tells the version of this very Python: "version" of venv, "version_info" of others."""
    lines = [line.partition("=") for line in settings.read_text("utf-8").splitlines()]
    told = [value.strip() for name, _, value in lines if name.strip() in ("version", "version_info")]
    version = "{}.{}.{}".format(*sys.version_info[:3])
    return any(one == version or one.startswith(f"{version}.") for one in told)


def make_venv(target, steps):
    """An environment of this very Python at `target`; one of another version is replaced."""
    settings = target / "pyvenv.cfg"
    if target.exists() and not settings.exists():
        raise SetupFailed(
            f"{target} exists but is no virtual environment: move it away or choose another place with --target."
        )
    if settings.exists() and (not is_of_this_python(settings) or not python_in(target).exists()):
        shutil.rmtree(target)
    fresh = [sys.executable, "-m", "venv", target]
    has_pip = [python_in(target), "-m", "ensurepip"]
    steps.run("the environment", (has_pip if target.exists() else fresh, {}))


def install(target, extras, constraints, compile_all, steps):
    """torch first (it has one build per accelerator), then the kit and all the rest."""
    python = python_in(target)
    steps.run(
        "the installer (uv)", ([python, "-m", "pip", "install", "uv"], {}), ([python, "-m", "pip", "--version"], {})
    )  # without uv, pip does it all
    settings = pip_settings(python)
    environment = {"SSL_CERT_FILE": settings["cert"]} if settings.get("cert") else {}
    uv = [python, "-m", "uv", "pip", "install", "--python", python, *uv_options(settings)]
    pip = [python, "-m", "pip", "install", "--progress-bar=off"]
    pinned = ["--constraint", constraints]
    kit = ["--editable", f".[{','.join(extras)}]" if extras else "."]
    compiled = ["--compile-bytecode"] if compile_all else []
    steps.run("torch", ([*uv, *torch_options(settings), *pinned, "torch"], environment), ([*pip, *pinned, "torch"], {}))
    steps.run(
        "the kit and everything it needs", ([*uv, *compiled, *pinned, *kit], environment), ([*pip, *pinned, *kit], {})
    )


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--target", type=Path, default=ROOT / ".venv")
    options.add_argument("--extras", nargs="*", default=["notebook"], help="extras of pyproject")
    options.add_argument("--constraints", type=Path, default=ROOT / "constraints" / "newest.txt")
    options.add_argument(
        "--no-compile", action="store_true", help="leave compiling to the first import: a quicker set-up"
    )
    given = options.parse_args()
    target, constraints = given.target.absolute(), given.constraints.absolute()
    shown = os.path.relpath(target)
    key, stamp = fingerprint(constraints), read_stamp(target)
    if stamp.get("key") == key and set(given.extras) <= set(stamp["extras"]):
        print(f"{shown} is up to date ({', '.join(stamp['extras'])}).")
        return
    # What an earlier run asked for stays: `make tour` after `make test` takes nothing away.
    extras = sorted({*given.extras, *stamp.get("extras", [])})
    log = ROOT / "build" / "setup.log"
    log.parent.mkdir(exist_ok=True)
    log.write_text("", "utf-8")
    print(
        f"Setting up {shown} with Python {sys.version.split()[0]} ({', '.join(extras)}); "
        f"every detail in {os.path.relpath(log)}.",
        flush=True,
    )
    free = shutil.disk_usage(ROOT).free
    if free < DISK_NEEDED:
        print(f"Only {free / 1e9:.1f} GB are free here; this may need {DISK_NEEDED / 1e9:.0f} GB.")
    start = time.monotonic()
    try:
        os.environ.update(bundled_wheels(ROOT))
        steps = Steps(4, log)
        make_venv(target, steps)
        (target / STAMP).unlink(missing_ok=True)  # from here on the environment is half-made
        install(target, extras, constraints, not given.no_compile, steps)
    except SetupFailed as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:
        sys.exit("\nStopped. Run the same command again to go on from here.")
    (target / STAMP).write_text(json.dumps({"key": key, "extras": extras}), "utf-8")
    print(f"{shown} is ready after {time.monotonic() - start:.0f} s.")


if __name__ == "__main__":
    main()
