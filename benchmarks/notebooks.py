"""How long all notebooks take in their smoke preset, two at a time, as the test stage runs them.

    python benchmarks/notebooks.py [--quick] [--out FILE]

Wall-clock minutes of one run (it is minutes long, and its many notebooks even each other out),
with the start of pytest and of its two workers, each with one thread. The errors that hide in
widgets count: where a notebook fails there is no figure.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rows import BENCH, ROOT, Row, save

TEST = "tests/notebooks/test_notebooks.py::test_runs_without_error_or_network"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="the tour alone")
    options.add_argument("--out", type=Path, default=BENCH / "notebooks.json")
    args = options.parse_args()
    import run_tests

    from kit.errors import KitError

    run_tests.REPORTS.mkdir(parents=True, exist_ok=True)
    name, chosen = "notebooks_timed", ["-k", "00_tour"] if args.quick else []
    outcome = run_tests.run(name, run_tests.pytest(name, TEST, "-n", "2", "-p", "no:cacheprovider", *chosen))
    if not outcome.ok:
        raise KitError(
            f"expected every notebook to run, but {outcome.counts['failed']} of "
            f"{sum(outcome.counts.values())} did not: see the lines above."
        )
    there, ran = len(list((ROOT / "notebooks").glob("*.ipynb"))), outcome.counts["passed"]
    save(
        args.out,
        [
            Row(
                "notebooks",
                f"{ran} of {there}, preset smoke, two workers of one thread",
                "min",
                outcome.seconds / 60,
                target="" if args.quick else "≤ 6",
                repetitions=1,
            )
        ],
    )


if __name__ == "__main__":
    main()
