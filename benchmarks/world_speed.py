"""Sentences of the made-up world per second, on one core.

    python benchmarks/world_speed.py [--sentences 20000] [--quick] [--out FILE]

Time of the processor, as the core may be shared.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from rows import BENCH, REPETITIONS, Row, interleaved, save

PAIRS, ROWS = ("stanfordnlp/snli", "train"), 6_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sentences", type=int, default=20_000)
    options.add_argument("--quick", action="store_true", help="500 sentences, once")
    options.add_argument("--out", type=Path, default=BENCH / "world_speed.json")
    args = options.parse_args()
    from kit.world import World
    from kit.world.stand_in import drawn, table

    wanted, repetitions, warmup = (500, 1, 0) if args.quick else (args.sentences, REPETITIONS, 1)
    world = World(0)

    def sentences() -> float:
        """Seconds a sentence."""
        began = time.process_time()
        made = world.sentences(wanted)
        return (time.process_time() - began) / len(made)

    def groups() -> float:
        """Seconds a sentence of premises with their hypotheses."""
        began = time.process_time()
        made = world.groups(max(1, wanted // 50))
        return (time.process_time() - began) / sum(1 + len(group.hypotheses) for group in made)

    def lesson() -> float:
        """Seconds a sentence of the pairs that a lesson offline begins with: kept rows, to be read."""
        began = time.process_time()
        pairs = table(*PAIRS, ROWS, 0, ())
        return (time.process_time() - began) / (2 * len(pairs))

    def without_kept() -> float:
        """Seconds a sentence of the same pairs, drawn anew."""
        began = time.process_time()
        pairs = drawn(*PAIRS, ROWS, 0)
        return (time.process_time() - began) / (2 * len(pairs["label"]))

    ways = {
        "sentences": sentences,
        "groups of premise and hypotheses": groups,
        f"{ROWS:,} pairs, drawn": without_kept,
        f"{ROWS:,} pairs, as a lesson gets them": lesson,
    }
    seconds = interleaved(ways, repetitions, warmup)
    save(
        args.out,
        [
            Row(
                "made-up world",
                f"{name}, one core",
                "sentences/s",
                1 / statistics.median(took),
                repetitions=repetitions,
            )
            for name, took in seconds.items()
        ],
    )


if __name__ == "__main__":
    main()
