"""How long all notebooks take in their smoke preset, two at a time, as the tests run them.

    python benchmarks/notebooks.py [--quick] [--out FILE]

Wall-clock minutes of one run (it is minutes long, and its many notebooks even each other out),
with the start of pytest and of its two workers, each with one thread, and the seconds of the slowest
notebook among them. The errors that hide in widgets count: where a notebook fails there is no figure.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

from rows import BENCH, ROOT, Row, save

TEST = "tests/notebooks/test_notebooks.py::test_runs_without_error_or_network"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="the tour alone")
    options.add_argument("--out", type=Path, default=BENCH / "notebooks.json")
    args = options.parse_args()
    began = time.perf_counter()
    seconds = passed("-k", "00_tour") if args.quick else passed("-n", "2")
    minutes, there = (time.perf_counter() - began) / 60, len(list((ROOT / "notebooks").glob("*.ipynb")))
    slowest = max(seconds, key=seconds.get)
    setting = f"{len(seconds)} of {there}, preset smoke, two workers of one thread"
    all_of_them, one = ("", "") if args.quick else ("≤ 6", "≤ 45")
    save(
        args.out,
        [
            Row("notebooks", setting, "min", minutes, target=all_of_them, repetitions=1),
            Row("the slowest notebook", f"{slowest}, among them", "s", seconds[slowest], target=one, repetitions=1),
        ],
    )


def passed(*options: str) -> dict[str, float]:
    """Notebook → its seconds. Errors: `KitError` where one does not run."""
    from kit.errors import KitError

    alone = {name: value for name, value in os.environ.items() if not name.startswith(("KIT_", "OMP_"))}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "tests.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TEST, *options]
        done = subprocess.run(
            [*command, f"--junitxml={report}"], cwd=ROOT, env=alone, capture_output=True, text=True, check=False
        )
        cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    if done.returncode or not cases:
        counts = re.findall(r"\d+ (?:passed|failed|error|skipped)", done.stdout)
        raise KitError(
            f"expected every notebook to run, but pytest says {counts}: run `{' '.join(command[1:])}` to see which."
        )
    return {re.search(r"\[(.+)\]", case.get("name"))[1]: float(case.get("time")) for case in cases}


if __name__ == "__main__":
    main()
