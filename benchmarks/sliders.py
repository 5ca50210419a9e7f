"""How fast the sliders answer: the rows of what `make latency` measured last, in a real browser.

    python benchmarks/sliders.py [--quick] [--out FILE]

Nothing is measured anew here (that takes a browser and many minutes): the figures are those of
data/results/latency.json, and so are machine, day, commit and versions.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rows import BENCH, ROOT, Row, save

WHO = {"browser": "computed in the browser", "kernel": "answered by the kernel"}
MEASURED = ("versions", "commit", "python", "hardware", "date")  # where and when: of the measuring, not of this copy
FIGURES = {"median_ms": "median", "p95_ms": "95 % of presses"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="the same: it only reads a file")
    options.add_argument("--out", type=Path, default=BENCH / "sliders.json")
    args = options.parse_args()
    latency = ROOT / "data" / "results" / "latency.json"
    if not latency.exists():
        from kit.errors import KitError

        raise KitError("expected data/results/latency.json, which is not there: run `make latency` first.")
    found = json.loads(latency.read_text("utf-8"))
    save(args.out, rows_of(found), {name: found[name] for name in MEASURED})


def rows_of(latency: dict) -> list[Row]:
    """Two rows for each kind of slider: its slowest median and its slowest 95th percentile."""
    rows = []
    for kind, found in latency["by_kind"].items():
        if not found["sliders"]:
            continue
        presses = min(slider["presses"] for slider in latency["sliders"] if slider["kind"] == kind)
        for figure, name in FIGURES.items():
            rows.append(
                Row(
                    "slider, key press to changed picture",
                    f"{WHO[kind]}, slowest of {found['sliders']}: {name}",
                    "ms",
                    found[f"slowest_{figure}"],
                    target=f"≤ {latency['targets'][kind][figure]}",
                    repetitions=presses,
                    note=f"Measured on {latency['date']} by `make latency`, not again here.",
                )
            )
    return rows


if __name__ == "__main__":
    main()
