"""Peak memory and time of one gradient: the whole batch at once against gradient caching.

    python benchmarks/grad_cache.py [--rows 256 512 1024 2048 4096] [--chunk 128]

Each point is measured in processes of its own, with one thread: the bundled encoder, pairs of
made-up sentences under MNRL, dropout 0.1, precision fp32, passes of the size that the Trainer
uses on a CPU. Memory is the process's peak beyond what it held before, in a process whose
allocator gives freed memory back at once (glibc; it takes time), time that of the processor
in another. What still grows under caching are the similarities, one per anchor and candidate.
Writes data/results/grad_cache.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
ENCODER, TEMPERATURE = "kit-bert-tiny", 0.05
WAYS = ("whole", "cached", "accumulated")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, nargs="+", default=[256, 512, 1024, 2048, 4096])
    options.add_argument("--chunk", type=int, default=128)
    options.add_argument("--out", type=Path, default=ROOT / "data" / "results" / "grad_cache.json")
    options.add_argument("--way", choices=WAYS, help="measure one point here and print it (used by the program itself)")
    args = options.parse_args()
    if args.way:
        print(json.dumps(measure(args.way, args.rows[0], args.chunk)))
        return
    from measuring import provenance

    from kit.training.checkpoint import write_atomically

    points = []
    for rows in args.rows:
        for way in WAYS:
            points.append(in_a_process(way, rows, args.chunk))
            print("{way:>12} {rows:>6} rows: {megabytes:8.1f} MB, {seconds:6.2f} s".format(**points[-1]), flush=True)
    result = {"encoder": ENCODER, "loss": "mnrl", "temperature": TEMPERATURE, "dropout": 0.1, "chunk": args.chunk,
              "threads": 1, "points": points, **provenance()}
    write_atomically(args.out, json.dumps(result, indent=1) + "\n")


def in_a_process(way: str, rows: int, chunk: int) -> dict:
    """One point, measured where nothing else has touched the memory: once for time, once for memory."""
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    command = [sys.executable, __file__, "--way", way, "--rows", str(rows), "--chunk", str(chunk)]
    quick, tidy = (
        json.loads(subprocess.run(command, env=one_thread | more, capture_output=True, text=True, check=True).stdout)
        for more in ({}, {"MALLOC_MMAP_THRESHOLD_": "65536"}))
    return {**quick, "megabytes": tidy["megabytes"]}


def measure(way: str, rows: int, chunk: int) -> dict:
    """Peak memory (MB, beyond the start), seconds, and the loss of one gradient over `rows` rows."""
    import torch

    from kit.data.world import World
    from kit.encoder import load_encoder
    from kit.lesson import peak_memory_mb
    from kit.losses import masked_softmax
    from kit.training import recipe
    from kit.training.batches import make_batch, tokenize_groups
    from kit.training.grad_cache import accumulated_gradient, cached_gradient, full_gradient, take_gradient
    from kit.training.trainer import PASS_TOKENS, set_dropout

    encoder, made = load_encoder(ENCODER), recipe("mnrl")
    items = tokenize_groups(encoder, World(0).groups(rows // 2, positives=1, negatives=0, neutrals=0), "pairs")
    small = [make_batch(items[i:i + chunk // 2], made) for i in range(0, len(items), chunk // 2)]
    encoder.train()
    set_dropout(encoder, 0.1)

    def embed(token_ids: list) -> torch.Tensor:
        return encoder.embed(token_ids, PASS_TOKENS)

    def loss_of(z: torch.Tensor, batch) -> torch.Tensor:
        return masked_softmax(z, batch.relations, TEMPERATURE)

    full_gradient(embed, small[0], loss_of)  # what one small batch takes is there before
    take_gradient(encoder)
    whole, before, began = make_batch(items, made), peak_memory_mb(), time.process_time()
    if way == "whole":
        loss = full_gradient(embed, whole, loss_of)
    elif way == "cached":
        loss = cached_gradient(embed, whole, loss_of, chunk)
    else:
        loss = accumulated_gradient(embed, small, loss_of)
    return {"way": way, "rows": len(whole.token_ids), "megabytes": round(peak_memory_mb() - before, 1),
            "seconds": round(time.process_time() - began, 3), "loss": round(loss.item(), 4)}


if __name__ == "__main__":
    main()
