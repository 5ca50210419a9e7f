"""Sentences of the world per second on one core: `python benchmarks/world_speed.py [n]`."""

from __future__ import annotations

import sys
import time

from kit.data.world import World


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    world = World(0)
    world.sentences(1_000)  # imports and caches are not what is measured
    for name, count, sentences in (
        ("sentences", n, lambda made: len(made)),
        ("groups", n // 50, lambda made: sum(1 + len(group.hypotheses) for group in made)),
    ):
        start = time.process_time()  # the core may be shared
        made = getattr(world, name)(count)
        seconds = time.process_time() - start
        print(f"{name}: {sentences(made) / seconds:,.0f} sentences/s ({seconds:.1f} s)")


if __name__ == "__main__":
    main()
