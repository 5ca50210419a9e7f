"""What each means of speed is worth: a training step with all of them against one that lacks one.

    KIT_DATA=<mirror folder> python benchmarks/means.py [--quick] [--shape mini] [--out FILE]

Supervised SimCSE, batch 64, dropout 0.1, the same weights and batches. A ratio of 1.3 says that without this
means alone a step takes 1.3 times as long; they overlap, so the ratios do not multiply.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from rows import BENCH, Row, compared, interleaved, save
from training_speed import Case, Ours, new_encoder, quiet, training_data


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="one step each, to see that it runs")
    options.add_argument("--shape", choices=("tiny", "mini"), default="tiny")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=7)
    options.add_argument("--out", type=Path, default=BENCH / "means.json")
    args = options.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(args.threads), "TOKENIZERS_PARALLELISM": "true"}
    quiet()
    save(args.out, rows(args.shape, 1 if args.quick else 8, 1 if args.quick else args.repetitions))


def rows(shape: str, steps: int, repetitions: int) -> list[Row]:
    """One row for each means."""
    from kit.training.device import has_fast_bf16

    case = Case(shape, "simcse", 64)
    groups = training_data(20_000)
    with tempfile.TemporaryDirectory() as folder:
        model = new_encoder(case, Path(folder))
        trained = {name: Ours(case, model, groups, steps) for name in ("all of them", *WITHOUT)}
    for name, (_, prepare) in WITHOUT.items():
        prepare(trained[name].trainer)
    ways = {
        name: timed(ours, WITHOUT[name][0] if name in WITHOUT else contextlib.nullcontext)
        for name, ours in trained.items()
    }
    seconds = interleaved(ways, repetitions)
    in_bfloat16 = has_fast_bf16(trained["all of them"].trainer.device)  # else the row compares fp32 with itself
    return [
        compared(
            "a training step",
            f"{case.name}: {name}",
            seconds[AGAINST.get(name, "all of them")],
            seconds[name],
            "without it",
            unit="sentences/s",
            amount=1,
        )
        for name in WITHOUT
        if name != "bfloat16" or in_bfloat16
    ]


def timed(ours: Ours, without):
    """Seconds for a sentence of some steps, with something taken away; tokenising is not in it."""

    def way() -> float:
        ours.sentences = 0
        with without():
            began = time.perf_counter()
            for _ in range(ours.steps):
                ours.trainer.step()
            return (time.perf_counter() - began) / ours.sentences

    return way


@contextlib.contextmanager
def padded() -> Iterator[None]:
    """The model of transformers over passes of like length, each padded to its longest."""
    with patch("kit.fast.microbatches.can_pack", lambda bert: False):
        yield


@contextlib.contextmanager
def slow_dropout() -> Iterator[None]:
    """torch's dropout, one random number for each unit."""
    from torch.nn.functional import dropout

    with patch("kit.fast.packed.fast_dropout", dropout):
        yield


def nothing(trainer) -> None:
    """Nothing to prepare."""


def one_pass(trainer) -> None:
    """All rows padded to the longest of the batch: the plain way of the lessons."""
    trainer.microbatch_tokens = None


def small_passes(trainer) -> None:
    trainer.microbatch_tokens = 1024


def full_precision(trainer) -> None:
    trainer.precision = "fp32"


@contextlib.contextmanager
def other_products() -> Iterator[None]:
    """torch's own products."""
    from torch.nn.functional import linear

    with patch("kit.fast.packed.linear", linear):
        yield


def plain_adamw(trainer) -> None:
    """AdamW parameter by parameter."""
    for group in trainer.optimizer.param_groups:
        group |= {"fused": False, "foreach": False}


WITHOUT = {
    "no padding (packed)": (padded, small_passes),
    "no padding, and passes of like length": (contextlib.nullcontext, one_pass),
    "passes of up to 4,096 tokens, not 1,024": (contextlib.nullcontext, small_passes),
    "dropout drawn in words": (slow_dropout, nothing),
    "bfloat16": (contextlib.nullcontext, full_precision),
    "in fp32: products by oneDNN": (other_products, full_precision),
    "fused AdamW": (contextlib.nullcontext, plain_adamw),
}
AGAINST = {"in fp32: products by oneDNN": "bfloat16"}  # and not against all of them


if __name__ == "__main__":
    main()
