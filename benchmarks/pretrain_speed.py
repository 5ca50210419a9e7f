"""Pretraining speed: the plain loop against the kit's step, taking turns in one run.

    python benchmarks/pretrain_speed.py [--model kit-bert-tiny] [--threads 2] [--quick] [--out FILE]

Plain: plain_pretraining.py, the loop as anyone writes it around BertForMaskedLM of transformers, in a process of its
own, which waits while the other works. It runs twice: as it is started, and with what the kit asks of the machine
(large pages, freed memory kept). Kit: the step of kit/pretraining. Each on batches of the same size: 32 rows of 128 (as
kit-bert-tiny was trained) and 64 (kit-bert-mini), all in bf16 where the processor is fast in it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from plain_pretraining import LENGTH
from rows import BENCH, Peer, Row, compared, interleaved, save

VOCABULARY = 8192
ROWS = 32  # as kit-bert-tiny was trained; kit-bert-mini had twice as many
TARGETS = {"kit-bert-mini": "≥ 2"}
# What the plain loop's process is told, by what its rows say: THP_… is torch's, MALLOC_… are glibc's own, and 1024 is
# oneDNN's own, where `import kit` asks for more.
PLAIN = {
    "plain loop": {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "1024", "THP_MEM_ALLOC_ENABLE": "0"},
    "plain loop, large pages and kept memory": {
        "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "1024",
        "THP_MEM_ALLOC_ENABLE": "1",
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": str(2**31 - 1),
    },
}


def our_step(model_name: str, rows: int) -> Callable[[], None]:
    """A function that does one step of kit/pretraining on so many rows."""
    import torch

    from kit.pretraining.compact_bert import SIZES, masked_lm_loss, new_masked_lm
    from kit.training.device import autocast
    from kit.training.masking import Pieces, mask_whole_words
    from kit.training.optim import adamw

    words = torch.zeros(VOCABULARY, dtype=torch.bool)
    special = words.clone()
    special[:5] = True
    pieces = Pieces(words, special, 4, 5)
    model = new_masked_lm(SIZES[model_name], VOCABULARY, attention="eager")
    optimizer = adamw(model, 1e-4)
    ids = torch.randint(5, VOCABULARY, (rows, LENGTH))

    def step() -> None:
        inputs, positions, targets = mask_whole_words(ids, pieces)
        with autocast(torch.device("cpu")):
            loss = masked_lm_loss(model, inputs, positions, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()

    return step


def repeat(step: Callable[[], None], times: int) -> None:
    for _ in range(times):
        step()


def taken(model_name: str, sizes: tuple[int, int], threads: int, repetitions: int, warmup: int) -> dict:
    """(whose, rows) → the seconds of every turn: two steps of the smaller batch, one of the larger."""
    import torch

    from kit.pretraining.compact_bert import SIZES, new_masked_lm
    from kit.training.device import has_fast_bf16

    bf16 = has_fast_bf16(torch.device("cpu"))
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.json"
        settings = new_masked_lm(SIZES[model_name], VOCABULARY, attention="eager").config.to_dict()
        config.write_text(json.dumps(settings), "utf-8")
        command = [sys.executable, str(Path(__file__).with_name("plain_pretraining.py")), str(config), str(threads)]
        plain = {name: Peer(command, told) for name, told in PLAIN.items()}
        turns = {}
        for rows in sizes:
            steps = sizes[-1] // rows
            turns["ours", rows] = partial(repeat, our_step(model_name, rows), steps)
            for name, peer in plain.items():
                turns[name, rows] = partial(peer.seconds, rows=rows, steps=steps, bf16=bf16)
        try:
            return interleaved(turns, repetitions, warmup)
        finally:
            for peer in plain.values():
                peer.end()


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
    tune_malloc()
    few, repetitions, warmup = (2, 1, 0) if args.quick else (ROWS, args.repetitions, 3)
    sizes = (few, 2 * few)
    seconds = taken(args.model, sizes, args.threads, repetitions, warmup)
    a_token = {name: [second / (sizes[-1] * LENGTH) for second in turns] for name, turns in seconds.items()}
    setting = f"{args.model}, {args.threads} threads"
    rows = [
        compared(
            "pretraining step",
            f"{setting}, {count} rows",
            a_token["ours", count],
            a_token[name, count],
            f"{name}, {count} rows",
            unit="tokens/s",
            amount=1.0,
            target=TARGETS.get(args.model, "") if name == "plain loop" else "",
        )
        for name in PLAIN
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
