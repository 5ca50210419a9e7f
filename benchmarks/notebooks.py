"""How long all notebooks take in their smoke preset, two at a time, as the tests run them.

    python benchmarks/notebooks.py [--quick] [--out FILE]

Wall-clock minutes of one run (it is minutes long, and its many notebooks even each other out),
with the start of pytest and of its two workers, each with one thread. The errors that hide in
widgets count: where a notebook fails there is no figure.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from rows import BENCH, ROOT, Row, save

TEST = "tests/notebooks/test_notebooks.py::test_runs_without_error_or_network"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="the tour alone")
    options.add_argument("--out", type=Path, default=BENCH / "notebooks.json")
    args = options.parse_args()
    began = time.perf_counter()
    ran = passed("-k", "00_tour") if args.quick else passed("-n", "2")
    minutes, there = (time.perf_counter() - began) / 60, len(list((ROOT / "notebooks").glob("*.ipynb")))
    save(
        args.out,
        [
            Row(
                "notebooks",
                f"{ran} of {there}, preset smoke, two workers of one thread",
                "min",
                minutes,
                target="" if args.quick else "≤ 6",
                repetitions=1,
            )
        ],
    )


def passed(*options: str) -> int:
    """How many notebooks ran. Errors: `KitError` where one does not."""
    from kit.errors import KitError

    alone = {name: value for name, value in os.environ.items() if not name.startswith(("KIT_", "OMP_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TEST, *options]
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True)
    counts = {kind: int(many) for many, kind in re.findall(r"(\d+) (passed|failed|error|skipped)", done.stdout)}
    if done.returncode or not counts.get("passed"):
        raise KitError(
            f"expected every notebook to run, but pytest says {counts}: run `{' '.join(command[1:])}` to see which."
        )
    return counts["passed"]


if __name__ == "__main__":
    main()
