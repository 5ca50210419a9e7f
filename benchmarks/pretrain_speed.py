"""Pretraining speed: the plain loop against the kit's step, interleaved in one run.

    python benchmarks/pretrain_speed.py [--model kit-bert-tiny] [--threads 2]

Plain: every position through the vocabulary projection, the loss as transformers computes it,
64 rows of 128, AdamW as it comes. Kit: the step of kit/training/pretrain, with 32 rows (as the
bundled encoder was trained) and with 64. Freed memory is kept for all alike. Medians of
interleaved repetitions; writes data/results/pretrain_speed.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]


def steps(model_name: str, vocabulary: int = 8192) -> dict:
    """Name → (function that does one step, tokens a step)."""
    import torch

    from kit.training.device import autocast
    from kit.training.optim import adamw
    from kit.training.pretrain.masking import Pieces, mask_whole_words
    from kit.training.pretrain.mlm import SIZES, masked_lm_loss, new_masked_lm

    device = torch.device("cpu")
    words = torch.zeros(vocabulary, dtype=torch.bool)
    special = words.clone()
    special[:5] = True
    pieces = Pieces(words, special, 4, 5)

    def make(rows: int, loss_of, fused: bool):
        model = new_masked_lm(SIZES[model_name], vocabulary, attention="eager")
        optimizer = adamw(model, 1e-4) if fused else torch.optim.AdamW(model.parameters(), lr=1e-4)
        ids = torch.randint(5, vocabulary, (rows, 128))

        def step():
            inputs, positions, targets = mask_whole_words(ids, pieces)
            with autocast(device):
                loss = loss_of(model, ids, inputs, positions, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()

        return step, rows * 128

    def plain(model, ids, inputs, positions, targets):
        labels = torch.full_like(ids, -100).scatter(1, positions, targets)
        return model(input_ids=inputs, labels=labels).loss

    def ours(model, ids, inputs, positions, targets):
        return masked_lm_loss(model, inputs, positions, targets)

    return {"plain": make(64, plain, False), "kit": make(32, ours, True), "kit, 64 rows": make(64, ours, True)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--model", default="kit-bert-tiny")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=15)
    args = options.parse_args()
    import torch
    from measuring import provenance

    from kit.training.checkpoint import write_atomically
    from kit.training.device import keep_freed_memory, matrix_throughput
    from kit.training.pretrain.mlm import SIZES, flops_per_token

    torch.set_num_threads(args.threads)
    keep_freed_memory()  # for all three alike
    tried = steps(args.model)
    seconds: dict[str, list[float]] = {name: [] for name in tried}
    for _ in range(args.repetitions + 3):
        for name, (step, _) in tried.items():
            began = time.perf_counter()
            step()
            seconds[name].append(time.perf_counter() - began)
    speed = {name: tokens / statistics.median(seconds[name][3:]) for name, (_, tokens) in tried.items()}
    peak = matrix_throughput(torch.device("cpu"))
    per_token = flops_per_token(SIZES[args.model], 8192, 128)
    result = {"model": args.model, "threads": args.threads,
              "tokens_per_second": {name: round(value) for name, value in speed.items()},
              "kit_over_plain": speed["kit"] / speed["plain"],
              "share_of_matrix_throughput": speed["kit"] * per_token / peak, "repetitions": args.repetitions,
              **provenance()}
    path = ROOT / "data" / "results" / "pretrain_speed.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    write_atomically(path, json.dumps({**kept, f"{args.model}, {args.threads} threads": result}, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
