"""How fast every slider answers, in a real browser: data/results/latency.json

    python scripts/latency.py            (an idle machine, please: a busy one measures its load)

Runs the browser tests of the lessons one after another, in JupyterLab and Chromium, each slider with sixteen presses,
and gathers what they measured: milliseconds from a key press to the changed picture (where the kernel answers, to
the sentence that says so), and the frames a second of the live trainings.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from statistics import median

from measuring import ROOT, provenance

TIMES = ROOT / "build" / "latency.json"
TARGETS = {"browser": {"median_ms": 50, "p95_ms": 100}, "kernel": {"median_ms": 50, "p95_ms": 120}}


def main() -> None:
    from kit.storage.atomic import write_atomically

    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    tests = [
        str(path) for name in ("test_tour", "test_lesson_*") for path in (ROOT / "tests" / "browser").glob(f"{name}.py")
    ]
    command = [sys.executable, "-m", "pytest", "-q", *sorted(tests), "-p", "no:cacheprovider"]
    TIMES.unlink(missing_ok=True)
    failed = subprocess.run(command, cwd=ROOT, env={**os.environ, "KIT_MEASURE_LATENCY": "1"}).returncode
    if failed or not TIMES.exists():
        sys.exit("latency: expected the browser tests to pass, but they did not: see above; nothing was written.")
    measured = json.loads(TIMES.read_text("utf-8"))
    sliders = [
        {"notebook": notebook, "slider": name, **summary(entry)}
        for notebook, entries in sorted(measured.items())
        for name, entry in entries.items()
    ]
    kinds = {kind: overall([s for s in sliders if s["kind"] == kind]) for kind in TARGETS}
    result = {
        "what": "milliseconds from key press to changed page, JupyterLab and Chromium, headless",
        "targets": TARGETS,
        "by_kind": kinds,
        "sliders": sliders,
        **provenance(),
    }
    text = json.dumps(result, indent=1, ensure_ascii=False)
    write_atomically(ROOT / "data" / "results" / "latency.json", text + "\n")
    print(f"wrote data/results/latency.json: {len(sliders)} sliders")


def summary(entry: dict) -> dict:
    """Median and 95th percentile of one slider's presses; what else was measured stays."""
    times = sorted(entry["milliseconds"])
    high = times[min(len(times) - 1, round(0.95 * len(times)))]
    return {
        **{k: v for k, v in entry.items() if k != "milliseconds"},
        "presses": len(times),
        "median_ms": round(median(times), 1),
        "p95_ms": high,
    }


def overall(sliders: list[dict]) -> dict:
    """The slowest slider of a kind decides whether the target is met."""
    if not sliders:
        return {"sliders": 0}
    return {
        "sliders": len(sliders),
        "slowest_median_ms": max(s["median_ms"] for s in sliders),
        "slowest_p95_ms": max(s["p95_ms"] for s in sliders),
    }


if __name__ == "__main__":
    main()
