"""Peak memory and time of one gradient: the whole batch at once against gradient caching.

    python benchmarks/grad_cache.py [--quick] [--out FILE] [--rows 256 512 1024 2048 4096] [--chunk 128]

One thread, the bundled encoder, pairs of made-up sentences under MNRL, dropout 0.1, precision fp32,
passes of the size that the Trainer uses on a CPU. Two things are written: the points of the lessons,
one gradient at each number of rows, its memory beyond what a small batch took before; and the rows of
the benchmarks' table, where a batch of 8,192 rows is compared with batches of 1,024:

    memory   the peak beyond the loaded encoder and the token ids, at 8,192 rows over that at 1,024
    time     8,192 rows in one batch by caching, over the same rows in eight plain batches
    numbers  the gradient without dropout, against that of one pass over all rows

Memory is measured in a process of its own whose allocators give freed memory back at once; time is that
of the processor. Writes data/results/grad_cache.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "benchmarks")]
from memory import in_a_process, peak_megabytes  # noqa: E402
from rows import REPETITIONS, Row, compared, interleaved, line  # noqa: E402

ENCODER, TEMPERATURE, DROPOUT = "kit-bert-tiny", 0.05, 0.1
WAYS = ("whole", "cached", "accumulated")
LARGE, PLAIN, CACHED = 8192, 1024, 512  # rows of the large batch and of the plain one; chunk of the large one


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, nargs="+", default=[256, 512, 1024, 2048, 4096])
    options.add_argument("--chunk", type=int, default=128)
    options.add_argument("--quick", action="store_true", help="small and once: shows that it runs")
    options.add_argument("--out", type=Path, default=ROOT / "data" / "results" / "grad_cache.json")
    options.add_argument("--memory", type=json.loads, help="points to measure here (used by the program itself)")
    args = options.parse_args()
    import torch
    from measuring import provenance

    from kit.storage.atomic import write_atomically

    torch.set_num_threads(1)
    if args.memory:
        print(json.dumps([memory(*asked) for asked in args.memory]))
        return
    large, plain, chunk = (128, 64, 32) if args.quick else (LARGE, PLAIN, CACHED)
    rows = table(large, plain, chunk, 1 if args.quick else REPETITIONS)
    for row in rows:
        print(line(row), flush=True)
    points = points_of([256] if args.quick else args.rows, args.chunk)
    result = {
        "encoder": ENCODER,
        "loss": "mnrl",
        "temperature": TEMPERATURE,
        "dropout": DROPOUT,
        "chunk": args.chunk,
        "threads": 1,
        "points": points,
        "rows": [asdict(row) | {"met": row.met} for row in rows],
        **provenance(),
    }
    write_atomically(args.out, json.dumps(result, indent=1, ensure_ascii=False) + "\n")


class Measured:
    """The encoder, and the batches of `rows` rows: the whole, and the small ones of `part` rows."""

    def __init__(self, rows: int, part: int, dropout: float = DROPOUT):
        from kit.encoder import load_encoder
        from kit.training import recipe
        from kit.training.batches import make_batch, tokenize_groups
        from kit.training.trainer import set_dropout
        from kit.world import World

        self.encoder, made = load_encoder(ENCODER), recipe("mnrl")
        groups = World(0).groups(rows // 2, positives=1, negatives=0, neutrals=0)
        items = tokenize_groups(self.encoder, groups, "pairs")
        self.small = [make_batch(items[i : i + part // 2], made) for i in range(0, len(items), part // 2)]
        self.whole = make_batch(items, made)
        self.encoder.train()
        set_dropout(self.encoder, dropout)

    def embed(self, token_ids: list):
        from kit.fast import MICROBATCH_TOKENS

        return self.encoder.embed(token_ids, MICROBATCH_TOKENS)

    def gradient(self, way: str, chunk: int) -> float:
        """One gradient of all rows, put down and forgotten; the loss."""
        loss = self._add(way, chunk)
        self.encoder.zero_grad(set_to_none=True)
        return loss.item()

    def gradient_vector(self, way: str, chunk: int):
        """The gradient of all rows as one vector."""
        from kit.training.grad_cache import take_gradient

        self._add(way, chunk)
        return take_gradient(self.encoder)

    def gradient_of_small(self) -> None:
        """The gradient of the first small batch alone."""
        from kit.training.grad_cache import full_gradient

        full_gradient(self.embed, self.small[0], loss_of)
        self.encoder.zero_grad(set_to_none=True)

    def _add(self, way: str, chunk: int):
        from kit.training.grad_cache import accumulated_gradient, cached_gradient, full_gradient

        if way == "whole":
            return full_gradient(self.embed, self.whole, loss_of)
        if way == "cached":
            return cached_gradient(self.embed, self.whole, loss_of, chunk)
        return accumulated_gradient(self.embed, self.small, loss_of)


def loss_of(z, batch):
    from kit.fast.chunked import chunked_softmax

    return chunked_softmax(z, batch.relations, TEMPERATURE)


def memory(way: str, rows: int, chunk: int, from_start: bool) -> dict:
    """Peak (MB) of one gradient beyond the start, or beyond that of a small batch of `chunk` rows; the loss."""
    measured, found = Measured(rows, chunk), {}
    Measured(16, 16).gradient("whole", 16)  # what is loaded once is there before
    small = 0.0 if from_start else peak_megabytes(measured.gradient_of_small)
    peak = peak_megabytes(lambda: found.update(loss=round(measured.gradient(way, chunk), 4)))
    return {"megabytes": round(peak - small, 1), **found}


def peaks(asked: list[tuple]) -> list[dict]:
    """`memory` of each, in a process whose allocator is tidy."""
    return in_a_process(__file__, "--memory", json.dumps(asked))


def points_of(sizes: list[int], chunk: int) -> list[dict]:
    """The points of the lessons' tables."""
    asked = [(way, rows, chunk, False) for rows in sizes for way in WAYS]
    points = []
    for (way, rows, *_), held in zip(asked, peaks(asked)):
        measured = Measured(rows, chunk)
        measured.gradient_of_small()
        began = time.process_time()
        measured.gradient(way, chunk)
        points.append(
            {
                "way": way,
                "rows": rows,
                "megabytes": held["megabytes"],
                "seconds": round(time.process_time() - began, 3),
                "loss": held["loss"],
            }
        )
        print("{way:>12} {rows:>6} rows: {megabytes:8.1f} MB, {seconds:6.2f} s".format(**points[-1]), flush=True)
    return points


def table(large: int, plain: int, chunk: int, repetitions: int) -> list[Row]:
    """Memory, time and numbers of a batch of `large` rows by caching, beside batches of `plain` rows."""
    setting = f"{large:,} rows by gradient caching, {chunk} at a time"
    few, many, whole = (
        held["megabytes"]
        for held in peaks(
            [("cached", plain, chunk, True), ("cached", large, chunk, True), ("whole", plain, chunk, True)]
        )
    )
    measured = Measured(large, plain)

    def clocked(way: str) -> float:
        began = time.process_time()
        measured.gradient(way, chunk)
        return time.process_time() - began

    seconds = interleaved({way: (lambda way=way: clocked(way)) for way in ("cached", "accumulated")}, repetitions)
    slower = compared("", "", seconds["accumulated"], seconds["cached"], "")  # how many times the plain time
    return [
        Row(
            "memory of a large batch",
            setting,
            f"times that of {plain:,} rows",
            many / few,
            target="≤ 1.1",
            repetitions=1,
            note=f"peak {many:.1f} MB against {few:.1f} MB by caching; {plain:,} rows at once take {whole:.1f} MB",
        ),
        Row(
            "time of a large batch, a sentence",
            setting,
            f"times that of plain batches of {plain:,}",
            slower.ratio,
            target="≤ 1.5",
            repetitions=repetitions,
            note=f"{slower.lowest:.2f} to {slower.highest:.2f}",
        ),
        Row(
            "gradient of a large batch",
            setting,
            "relative distance from that of one pass",
            distance(large, chunk),
            target="≤ 0.00001",
            repetitions=1,
            note="without dropout, in fp32",
        ),
    ]


def distance(rows: int, chunk: int) -> float:
    """‖cached − whole‖ / ‖whole‖ of the gradient of all weights, without dropout."""
    measured = Measured(rows, chunk, dropout=0.0)
    cached, whole = (measured.gradient_vector(way, chunk) for way in ("cached", "whole"))
    return float((cached - whole).norm() / whole.norm())


if __name__ == "__main__":
    main()
