"""Documents a second of the span sampler, on one core: `python benchmarks/span_sampler.py [documents]`.

The paper's numbers (ℓmin 32, ℓmax 512, A 2, P 2) on documents of 2,048 to 8,000 tokens, each
strategy and each rule for anchor starts; time of the processor, as the core may be shared.
"""

from __future__ import annotations

import random
import sys
import time
from itertools import product

from kit.data.spans import STARTS, STRATEGIES, SpanSampler


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = random.Random(0)
    tokens = [rng.randint(2_048, 8_000) for _ in range(documents)]
    for strategy, starts in product(STRATEGIES, STARTS):
        sampler = SpanSampler(strategy=strategy, anchor_starts=starts)
        began = time.process_time()
        for length in tokens:
            sampler.sample(length, rng)
        print(f"{strategy:>9}, {starts:>5}: {documents / (time.process_time() - began):9,.0f} documents/s")


if __name__ == "__main__":
    main()
