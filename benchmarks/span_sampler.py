"""Documents a second of the span sampler, on one core.

    python benchmarks/span_sampler.py [--documents 4000] [--quick] [--out FILE]

The paper's numbers (ℓmin 32, ℓmax 512, A 2, P 2) on documents of 2,048 to 8,000 tokens, each
strategy and each rule for anchor starts; time of the processor, as the core may be shared.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from functools import partial
from itertools import product
from pathlib import Path

from rows import BENCH, REPETITIONS, Row, interleaved, save


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--documents", type=int, default=4_000)
    options.add_argument("--quick", action="store_true", help="100 documents, once")
    options.add_argument("--out", type=Path, default=BENCH / "span_sampler.json")
    args = options.parse_args()
    from kit.data.spans import STARTS, STRATEGIES, SpanSampler

    rng = random.Random(0)
    documents, repetitions, warmup = (100, 1, 0) if args.quick else (args.documents, REPETITIONS, 1)
    tokens = [rng.randint(2_048, 8_000) for _ in range(documents)]
    ways = {
        f"{strategy}, anchors {starts}": partial(
            seconds_of, SpanSampler(strategy=strategy, anchor_starts=starts), tokens, rng
        )
        for strategy, starts in product(STRATEGIES, STARTS)
    }
    seconds = interleaved(ways, repetitions, warmup)
    save(
        args.out,
        [
            Row(
                "spans drawn from documents",
                f"{name}, one core",
                "documents/s",
                documents / statistics.median(took),
                repetitions=repetitions,
            )
            for name, took in seconds.items()
        ],
    )


def seconds_of(sampler, tokens: list[int], rng: random.Random) -> float:
    """Seconds of the processor that it takes to draw the spans of every document."""
    began = time.process_time()
    for length in tokens:
        sampler.sample(length, rng)
    return time.process_time() - began


if __name__ == "__main__":
    main()
