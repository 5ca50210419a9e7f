"""How long `make test` takes, its environment made before.

    KIT_DATA=<mirror folder> python benchmarks/suite.py [--quick] [--out FILE]

Wall-clock minutes of one run: lint, the tests, and those in the oldest versions beside them. Where one fails there is
no figure.
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

SOME = "tests/infrastructure/test_makefile.py"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="the tests of one small file")
    options.add_argument("--out", type=Path, default=BENCH / "suite.json")
    args = options.parse_args()
    if not args.quick:
        run("test-env")
        # A test compares the pages with the results, which the programs before this one may have written anew.
        subprocess.run([sys.executable, str(ROOT / "scripts" / "render_results.py")], check=True)
    began = time.perf_counter()
    said = run("test", *([f"TESTS={SOME}"] if args.quick else []))
    minutes = (time.perf_counter() - began) / 60
    counts = max((int(many) for many in re.findall(r"(\d+) passed", said)), default=0)
    of = " of one file" if args.quick else ", with real data" * bool(os.environ.get("KIT_DATA"))
    target = "" if args.quick else "≤ 9"
    save(args.out, [Row("make test", f"{counts:,} tests{of}", "min", minutes, target=target, repetitions=1)])


def run(*target: str) -> str:
    """What make says. Errors: `KitError` where it fails."""
    from kit.errors import KitError

    left_out = ("KIT_", "OMP_", "MAKE")  # MAKE…: what another make, such as that of `make bench`, was told
    alone = {name: value for name, value in os.environ.items() if name == "KIT_DATA" or name[:4] not in left_out}
    done = subprocess.run(["make", *target], cwd=ROOT, env=alone, capture_output=True, text=True)
    if done.returncode:
        ends = " / ".join(done.stdout.splitlines()[-4:])
        raise KitError(f"expected `make {' '.join(target)}` to pass, but it ended with {ends}: run it to see why.")
    return done.stdout


if __name__ == "__main__":
    main()
