"""What share of the matrix throughput measured here a training step reaches, and where the rest of its time goes.

    KIT_DATA=<mirror folder> python benchmarks/training_share.py [--quick] [--threads 2] [--out FILE]

The share: floating-point operations of the encoder's products for the tokens that there are (no padding counted; three
times those of the forward pass), divided by the time of the whole step and by what one large product reaches in the
same precision; steps and products take turns. The rest: time by operator, of torch's profiler over a few more steps,
in percent of these steps; an operator counts without those that it calls, and "between operators" is Python.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

from rows import BENCH, REPETITIONS, Row, save
from training_speed import SHAPES, Case, Ours, new_encoder, quiet, training_data

TARGETS = {"mini": "≥ 45"}
# An operator counts in the first group of which its name holds a word.
GROUPS = {
    "autograd and kit.fast's functions": ("Backward", "Attention", "ChunkedSoftmax", "GatherRows", "Optimizer."),
    "products": ("mm", "linear", "bmm"),
    "gelu": ("gelu",),
    "layer norm": ("layer_norm",),
    "softmax": ("softmax",),
    "update and norm of the gradient": ("adam", "foreach", "linalg_vector_norm"),
    "random numbers of dropout": ("random_", "bernoulli", "aten::ge"),
    "gathers and embeddings": ("index", "embedding", "gather", "scatter"),
    "copies and casts": ("copy_", "cat", "fill_", "zero_", "clone", "contiguous", "repeat_interleave"),
    "sums and products of elements": ("add", "mul", "sub", "div", "sum", "mean", "exp", "neg", "pow", "where"),
}
OTHERS, PYTHON = "other operators", "between operators"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="one small case, to see that it runs")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=REPETITIONS)
    options.add_argument("--out", type=Path, default=BENCH / "training_share.json")
    args = options.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(args.threads), "TOKENIZERS_PARALLELISM": "true"}
    quiet()
    groups = training_data(2000 if args.quick else 20_000)
    cases = [Case("tiny", "simcse", 64)] if args.quick else [Case(shape, "simcse", 64) for shape in ("tiny", "mini")]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            model = new_encoder(case, Path(folder) / case.shape)
            ours = Counting(case, model, groups, 1 if args.quick else max(4, case.steps(False)))
            found += [share(ours, 1 if args.quick else args.repetitions), *operators(ours)]
    save(args.out, found)


class Counting(Ours):
    """Steps of training that also count the floating-point operations of the encoder's products."""

    operations = 0.0

    def _counting(self, items: list, *rest):
        batch = super()._counting(items, *rest)
        layers, width, _ = SHAPES[self.case.shape]
        for ids in batch.token_ids:
            weights, attention = 12 * width**2 * len(ids), 2 * width * len(ids) ** 2
            self.operations += 3 * 2 * layers * (weights + attention)  # forward, and twice that backward
        return batch

    def train(self) -> tuple[float, float]:
        """(seconds, operations) of `steps` steps."""
        self.operations, began = 0.0, time.perf_counter()
        for _ in range(self.steps):
            self.trainer.step()
        return time.perf_counter() - began, self.operations


def share(ours: Counting, repetitions: int) -> Row:
    """The share of the matrix throughput in each turn: the median with its range, and the two figures of that turn."""
    import torch

    from kit.pretraining.hardware import matrix_throughput

    ours.train()  # compiles its products
    turns = []
    for _ in range(repetitions):
        seconds, operations = ours.train()
        rate, peak = operations / seconds, matrix_throughput(torch.device("cpu"), "auto")
        turns.append((100 * rate / peak, rate, peak))
    middle, rate, peak = sorted(turns)[len(turns) // 2]
    return Row(
        "training step, of the matrix throughput measured here",
        setting(ours.case),
        "%",
        middle,
        lowest=min(turns)[0],
        highest=max(turns)[0],
        target=TARGETS.get(ours.case.shape, ""),
        repetitions=repetitions,
        note=f"{rate / 1e9:.0f} of {peak / 1e9:.0f} GFLOP/s in the median turn",
    )


def operators(ours: Counting) -> list[Row]:
    """The time by operator, the largest first; together with Python between them 100 percent."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as watched:
        seconds, _ = ours.train()
    times: Counter = Counter()
    for event in watched.key_averages():
        times[group_of(event.key)] += event.self_cpu_time_total / 1e6
    times[PYTHON] = max(0.0, seconds - times.total())
    whole = times.total()
    what, where = "training step, time by operator", setting(ours.case)
    return [
        Row(what, f"{where}: {group}", "%", 100 * took / whole, repetitions=1) for group, took in times.most_common()
    ]


def group_of(operator: str) -> str:
    """The group that an operator's time is counted in."""
    return next((group for group, names in GROUPS.items() if any(name in operator for name in names)), OTHERS)


def setting(case: Case) -> str:
    import torch

    from kit.training.device import has_fast_bf16

    return f"{case.name}, {'bf16' if has_fast_bf16(torch.device('cpu')) else 'fp32'}, {torch.get_num_threads()} threads"


if __name__ == "__main__":
    main()
