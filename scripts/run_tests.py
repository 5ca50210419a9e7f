"""Run every stage of the tests and say at the end, in one table, what passed.

    .venv/bin/python scripts/run_tests.py                    all stages
    .venv/bin/python scripts/run_tests.py unit notebooks     some of them

A stage that fails does not stop the others; the exit code is 1 if any failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "build" / "tests"
OLDEST = ROOT / ".venv-oldest"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

# One torch thread per worker: two threads beside another busy process are many times slower.
# PASSIVE lets waiting threads sleep instead of holding the core that the other one needs.
QUIET = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TOKENIZERS_PARALLELISM": "false",
    "NUMBA_CACHE_DIR": str(ROOT / "build" / "numba"),
    "IPYTHONDIR": str(ROOT / "build" / "ipython"),
}


@dataclass
class Outcome:
    """How a stage ended: counts from pytest's report, or one for a command without a report."""

    name: str
    ok: bool
    seconds: float
    counts: dict[str, int] = field(default_factory=dict)
    note: str = ""


def counts_from(report: Path) -> dict[str, int]:
    """Tests passed, failed (errors included) and skipped, from a JUnit file; {} without one."""
    if not report.exists():
        return {}
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    total, failures, errors, skipped = (
        sum(int(suite.get(key, 0)) for suite in suites) for key in ("tests", "failures", "errors", "skipped")
    )
    return {"passed": total - failures - errors - skipped, "failed": failures + errors, "skipped": skipped}


def run(name: str, *commands: list[str | Path]) -> Outcome:
    """Run the commands of a stage one after another until one fails; show their output."""
    print(f"\n━━ {name} " + "━" * (76 - len(name)), flush=True)
    start = time.monotonic()
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    ok = all(
        subprocess.run([str(part) for part in command], cwd=ROOT, env={**os.environ, **QUIET}).returncode == 0
        for command in commands
    )
    counts = counts_from(report) or {"passed": int(ok), "failed": int(not ok), "skipped": 0}
    return Outcome(name, ok, time.monotonic() - start, counts)


def pytest(name: str, *arguments: str, python: str | Path = sys.executable) -> list[str | Path]:
    """The command that runs pytest with a report that `run` can count."""
    return [python, "-m", "pytest", "-q", f"--junitxml={REPORTS / name}.xml", *arguments]


def lint() -> Outcome:
    ruff = [sys.executable, "-m", "ruff"]
    return run("lint", [*ruff, "check", "."], [*ruff, "format", "--check", "."])


def unit() -> Outcome:
    elsewhere = [f"--ignore=tests/{part}" for part in ("notebooks", "browser", "oldest")]
    return run("unit", pytest("unit", "tests", *elsewhere, "-n", "2"))


def notebooks() -> Outcome:
    return run("notebooks", pytest("notebooks", "tests/notebooks", "-n", "2"))


def browser() -> Outcome:
    found = os.environ.get("KIT_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), "")
    if not found:
        return Outcome(
            "browser",
            True,
            0.0,
            {"passed": 0, "failed": 0, "skipped": 1},
            "NOT RUN: no Chromium here; install one (`apt-get install chromium`) or name it in KIT_CHROMIUM",
        )
    os.environ["KIT_CHROMIUM"] = found
    return run("browser", pytest("browser", "tests/browser"))


def oldest() -> Outcome:
    setup = [
        sys.executable,
        "scripts/setup_env.py",
        "--target",
        OLDEST,
        "--extras",
        "oldest",
        "--constraints",
        "constraints/oldest.txt",
        "--no-compile",
    ]
    python = OLDEST / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return run("oldest", setup, pytest("oldest", "tests/oldest", python=python))


STAGES = {stage.__name__: stage for stage in (lint, unit, notebooks, browser, oldest)}


def summary(outcomes: list[Outcome]) -> str:
    """The table printed at the end: one line per stage, then the verdict."""
    lines = [f"{'stage':<11}{'passed':>7}{'failed':>8}{'skipped':>9}{'seconds':>9}"]
    for outcome in outcomes:
        numbers = "".join(
            f"{outcome.counts[key]:>{width}}" for key, width in (("passed", 7), ("failed", 8), ("skipped", 9))
        )
        verdict = "" if outcome.ok else "  FAILED"
        lines.append(
            f"{outcome.name:<11}{numbers}{outcome.seconds:>9.0f}{verdict}"
            + (f"  {outcome.note}" if outcome.note else "")
        )
    failed = [outcome.name for outcome in outcomes if not outcome.ok]
    total = sum(outcome.seconds for outcome in outcomes)
    lines.append(f"\n{'FAILED: ' + ', '.join(failed) if failed else 'All passed'} after {total / 60:.1f} minutes.")
    if skipped := sum(outcome.counts["skipped"] for outcome in outcomes):
        lines.append(f"{skipped} skipped: the reasons stand above, in lines that begin SKIPPED, or in the table.")
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("stages", nargs="*", metavar="stage", help=f"any of {', '.join(STAGES)} (default: all)")
    names = options.parse_args().stages or list(STAGES)
    if unknown := [name for name in names if name not in STAGES]:
        options.error(f"no stage {unknown[0]!r}; there are {', '.join(STAGES)}")
    REPORTS.mkdir(parents=True, exist_ok=True)
    outcomes = [STAGES[name]() for name in names]
    print(f"\n━━ summary {'━' * 69}\n{summary(outcomes)}")
    sys.exit(any(not outcome.ok for outcome in outcomes))


if __name__ == "__main__":
    main()
