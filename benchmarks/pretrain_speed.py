"""Pretraining speed: the plain loop against the kit's step, interleaved in one run.

    python benchmarks/pretrain_speed.py [--model kit-bert-tiny] [--threads 2] [--quick] [--out FILE]

Plain: BertForMaskedLM of transformers as it comes, every position through the vocabulary
projection, AdamW as it comes. Kit: the step of kit/pretraining. Each is compared on batches of the same
size: 32 rows of 128 (as kit-bert-tiny was trained) and 64 (kit-bert-mini). All under the same autocast;
freed memory is kept, and large pages are used, for all alike.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rows import BENCH, Row, compared, interleaved, save

VOCABULARY, LENGTH = 8192, 128
ROWS = 32  # as kit-bert-tiny was trained; kit-bert-mini had twice as many
TARGETS = {"kit-bert-mini": "≥ 2"}


def steps(model_name: str, sizes: tuple[int, ...]) -> dict:
    """(whose, rows) → a function that does one step on so many rows, "ours" and "plain" for each of the sizes."""
    import torch
    from transformers import BertForMaskedLM

    from kit.pretraining.compact_bert import SIZES, masked_lm_loss, new_masked_lm
    from kit.training.device import autocast
    from kit.training.masking import Pieces, mask_whole_words
    from kit.training.optim import adamw

    device = torch.device("cpu")
    words = torch.zeros(VOCABULARY, dtype=torch.bool)
    special = words.clone()
    special[:5] = True
    pieces = Pieces(words, special, 4, 5)

    def make(rows: int, loss_of, of_kit: bool):
        model = new_masked_lm(SIZES[model_name], VOCABULARY, attention="eager")
        model = model if of_kit else BertForMaskedLM(model.config)
        optimizer = adamw(model, 1e-4) if of_kit else torch.optim.AdamW(model.parameters(), lr=1e-4)
        ids = torch.randint(5, VOCABULARY, (rows, LENGTH))

        def step():
            inputs, positions, targets = mask_whole_words(ids, pieces)
            with autocast(device):
                loss = loss_of(model, ids, inputs, positions, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True if of_kit else None)
            optimizer.step()
            optimizer.zero_grad()

        return step

    def plain(model, ids, inputs, positions, targets):
        labels = torch.full_like(ids, -100).scatter(1, positions, targets)
        return model(input_ids=inputs, labels=labels).loss

    def ours(model, ids, inputs, positions, targets):
        return masked_lm_loss(model, inputs, positions, targets)

    kinds = {"plain": partial(make, loss_of=plain, of_kit=False), "ours": partial(make, loss_of=ours, of_kit=True)}
    return {(whose, rows): kind(rows) for rows in sizes for whose, kind in kinds.items()}


def repeat(step: Callable[[], None], times: int) -> None:
    for _ in range(times):
        step()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--model", default="kit-bert-tiny")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=15)
    options.add_argument("--quick", action="store_true", help="one small step each")
    options.add_argument("--out", type=Path, default=BENCH / "pretrain_speed.json")
    args = options.parse_args()
    import torch

    from kit.pretraining.compact_bert import SIZES, flops_per_token
    from kit.pretraining.hardware import matrix_throughput, tune_malloc

    torch.set_num_threads(args.threads)
    tune_malloc()  # for all alike, as are the large pages that kit.fast asks for
    few, repetitions, warmup = (2, 1, 0) if args.quick else (ROWS, args.repetitions, 3)
    sizes = (few, 2 * few)
    # Every turn takes the same number of tokens: two steps of the smaller batch, one of the larger.
    tokens = sizes[-1] * LENGTH
    tried = steps(args.model, sizes)
    turns = {(whose, rows): partial(repeat, step, sizes[-1] // rows) for (whose, rows), step in tried.items()}
    seconds = interleaved(turns, repetitions, warmup)
    a_token = {name: [second / tokens for second in taken] for name, taken in seconds.items()}
    setting = f"{args.model}, {args.threads} threads"
    rows = [
        compared(
            "pretraining step",
            f"{setting}, {count} rows",
            a_token["ours", count],
            a_token["plain", count],
            f"plain loop, {count} rows",
            unit="tokens/s",
            amount=1.0,
            target=TARGETS.get(args.model, ""),
        )
        for count in sizes
    ]
    peak = matrix_throughput(torch.device("cpu"))
    needed = flops_per_token(SIZES[args.model], VOCABULARY, LENGTH, last_layer_whole=False)
    share = 100 * needed / statistics.median(a_token["ours", few]) / peak
    rows.append(
        Row(
            "pretraining step, of the matrix throughput measured here",
            f"{setting}, {few} rows",
            "%",
            share,
            repetitions=repetitions,
        )
    )
    save(args.out, rows)


if __name__ == "__main__":
    main()
