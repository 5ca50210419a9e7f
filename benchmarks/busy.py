"""A training while other programs keep every processor busy: how much slower than its share of them explains.

    KIT_DATA=<mirror folder> python benchmarks/busy.py [--quick] [--out FILE]

As many programs as the process has processors do nothing but count, at the same priority; they are stopped and sent on
by signals, so that quiet and busy repetitions take turns. With N processors, N such programs and N threads of the
training, half of the processors is its share, which makes it twice as slow. A thread that waits for another without
sleeping takes its processor from it: that is what the rest measures. A figure of 1: nothing is lost beyond the share.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rows import BENCH, REPETITIONS, Row, interleaved, save
from training_speed import Case, Ours, new_encoder, quiet, training_data

COUNTING = "n = 0\nwhile True:\n    n += 1"
SHARE = 0.5  # of the processors, where as many others want them as there are
TARGET = "≤ 3"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="one step of a small case, to see that it runs")
    options.add_argument("--repetitions", type=int, default=REPETITIONS)
    options.add_argument("--out", type=Path, default=BENCH / "busy.json")
    args = options.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    quiet()
    from kit.threads import allowed_processors

    cases = [Case("tiny", "simcse", 64), Case("mini", "simcse", 64)][: 1 if args.quick else 2]
    groups = training_data(2000 if args.quick else 45_000)
    found = []
    with tempfile.TemporaryDirectory() as folder, counting(allowed_processors()) as others:
        for case in cases:
            model = new_encoder(case, Path(folder) / case.shape)
            ours = Ours(case, model, groups, 4 * case.steps(args.quick))
            ways = {"quiet": ours, "busy": partial(beside, others, ours)}
            found.append(row(case, interleaved(ways, 1 if args.quick else args.repetitions)))
    save(args.out, found)


@contextmanager
def counting(processes: int) -> Iterator[list[subprocess.Popen]]:
    """So many programs that count, stopped until they are sent on; they end with the block."""
    others = [subprocess.Popen([sys.executable, "-c", COUNTING]) for _ in range(processes)]
    try:
        tell(others, signal.SIGSTOP)
        yield others
    finally:
        for other in others:
            other.kill()
            other.wait()


def tell(others: list[subprocess.Popen], what: signal.Signals) -> None:
    """Send the signal to each."""
    for other in others:
        other.send_signal(what)


def beside(others: list[subprocess.Popen], ours: Ours) -> float:
    """Seconds a sentence while the others count."""
    tell(others, signal.SIGCONT)
    try:
        return ours()
    finally:
        tell(others, signal.SIGSTOP)


def row(case: Case, seconds: dict[str, list[float]]) -> Row:
    """How many times slower than its share explains, the median over pairs of neighbours."""
    lost = [SHARE * busy / quiet for quiet, busy in zip(seconds["quiet"], seconds["busy"])]
    return Row(
        "training beside busy processors",
        f"{case.name}: times slower than its share explains",
        "×",
        statistics.median(lost),
        target=TARGET,
        repetitions=len(lost),
        note=f"from {min(lost):.2f} to {max(lost):.2f}: half of the processors is its share, and would give 1.",
    )


if __name__ == "__main__":
    main()
