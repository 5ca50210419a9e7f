"""A stream beside the same data in memory: pairs a second, peak memory, and how long training waits for data.

    KIT_DATA=<mirror folder> python benchmarks/streaming.py [--quick] [--device cuda] [--out FILE]

Pairs of SNLI (from KIT_DATA or the Hub, else made-up ones) are read from a Parquet file, grouped by premise and
tokenised, by one core: the tokenizer's own threads are off, as a rate per core is what one can multiply.
Training is SCL with the bundled encoder, batch 64, in the precision that `fit` takes, a pool of 4,096 rows in
each repetition. Memory is the peak of a process of its own beyond what it held after its imports, over an
epoch of batches without training; twice as many pairs are the same ones with their premises marked.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rows import BENCH, REPETITIONS, Row, compared, interleaved, save

BATCH, LIST = 64, "a list in memory"
ENVIRONMENT = {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "PASSIVE"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="few rows, once, to see that it runs")
    options.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="what trains")
    options.add_argument("--out", type=Path, default=BENCH / "streaming.json")
    options.add_argument("--way", choices=("stream", "list"), help="measure one way's memory here and print it")
    options.add_argument("--copies", type=int, default=1)
    options.add_argument("--file", type=Path, help="what --way reads")
    args = options.parse_args()
    os.environ |= ENVIRONMENT
    if args.way:
        print(json.dumps(peak(args.way, args.file, args.copies)))
        return
    repetitions, copies = (1, (1,)) if args.quick else (REPETITIONS, (1, 2))
    with tempfile.TemporaryDirectory() as folder:
        file = write_pairs(Path(folder) / "train.parquet", 2000 if args.quick else None)
        found = reading(file, repetitions) + training(file, repetitions, args.device) + memory(file, copies)
    save(args.out, found)


def write_pairs(file: Path, rows: int | None) -> Path:
    """The pairs that both ways read, wherever they came from."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from kit.data import load

    table = load("stanfordnlp/snli", rows=rows)
    print(table.source.summary(), flush=True)
    pq.write_table(pa.table(table.columns), file)
    return file


def reading(file: Path, repetitions: int) -> list[Row]:
    """A whole file as groups, and as tokenised items; and how fast a resumed run passes over rows."""
    from kit.data import group_by_premise, load
    from kit.encoder import load_encoder
    from kit.scaling import load_stream
    from kit.training.batches import tokenize_groups

    stream, encoder = load_stream("pairs", path=file), load_encoder("kit-bert-tiny")
    pairs = stream.shards.rows

    def streamed(use: Callable) -> None:
        for chunk in stream.chunks():
            use(chunk.elements)

    def listed(use: Callable) -> None:
        use(group_by_premise(load("pairs", path=file)))

    def tokenise(groups: list) -> None:
        tokenize_groups(encoder, groups, "groups")

    def pass_over() -> None:
        next(stream.shards.read(0, pairs - 1))

    taken = interleaved(
        {
            "stream, groups": partial(streamed, len),
            "list, groups": partial(listed, len),
            "stream, items": partial(streamed, tokenise),
            "list, items": partial(listed, tokenise),
            "passing": pass_over,
        },
        repetitions,
    )
    setting, rate = f"{pairs:,} NLI pairs from a file, one core", {"unit": "pairs/s", "amount": pairs}
    rows = [
        compared(what, setting, taken[f"stream, {kind}"], taken[f"list, {kind}"], LIST, **rate)
        for what, kind in (("reading and grouping", "groups"), ("reading, grouping and tokenising", "items"))
    ]
    passed = pairs / statistics.median(taken["passing"])
    return [*rows, Row("passing over rows to resume", setting, "pairs/s", passed, repetitions=repetitions)]


def training(file: Path, repetitions: int, device: str) -> list[Row]:
    """A buffer of steps on a stream, with and without a thread that tokenises ahead, and on a list."""
    import torch

    from kit.data import group_by_premise, load
    from kit.encoder import load_encoder
    from kit.scaling import load_stream
    from kit.scaling.shuffle_buffer import ShuffleBuffer
    from kit.training import recipe
    from kit.training.example_sources import open_data
    from kit.training.trainer import Trainer

    torch.set_num_threads(2)
    made = recipe("scl", batch_size=BATCH)
    encoder = load_encoder("kit-bert-tiny", pooling=made.pooling).to(device)
    stream, groups = load_stream("pairs", path=file, buffer=4096), group_by_premise(load("pairs", path=file))
    items = {
        "stream": ShuffleBuffer(encoder, stream, made, 0, ahead=False),
        "ahead": ShuffleBuffer(encoder, stream, made, 0, ahead=True),
        "list": open_data(encoder, groups, made, 0),
    }
    trainers = {name: Trainer(encoder, made, given, 10**6, 0) for name, given in items.items()}
    steps, waits = 4096 // BATCH, {"stream": [], "ahead": []}

    def work(name: str) -> float:
        began, rows, waited = time.perf_counter(), 0, getattr(items[name], "waited", 0.0)
        for _ in range(steps):
            rows += trainers[name].step()["rows"]
        seconds = time.perf_counter() - began
        if name in waits:
            waits[name].append((items[name].waited - waited) / seconds)
        return seconds / rows

    taken = interleaved({name: partial(work, name) for name in trainers}, repetitions)
    setting = f"kit-bert-tiny, SCL, batch {BATCH}, {'two threads' if device == 'cpu' else device}"
    shares = {name: 100 * statistics.median(values[-repetitions:]) for name, values in waits.items()}
    rate = {"unit": "sentences/s", "amount": 1}
    return [
        compared(
            "training on a stream",
            setting,
            taken["stream"],
            taken["list"],
            LIST,
            **rate,
            note="Reading and tokenising are counted for the stream; the list was tokenised before.",
        ),
        compared("tokenising ahead in a thread", setting, taken["ahead"], taken["stream"], "no thread", **rate),
        Row(
            "waiting for data",
            f"{setting}: share of the training",
            "%",
            shares["ahead"],
            "no thread",
            shares["stream"],
            repetitions=repetitions,
        ),
    ]


def memory(file: Path, copies: tuple[int, ...]) -> list[Row]:
    """Peak memory of both ways, for the data and for several times as many."""
    rows = []
    for times in copies:
        ours, theirs = (in_a_process(way, file, times) for way in ("stream", "list"))
        rows.append(
            Row(
                "peak memory of an epoch of batches",
                f"{ours['pairs']:,} tokenised NLI pairs",
                "MB",
                ours["megabytes"],
                LIST,
                theirs["megabytes"],
                *[theirs["megabytes"] / ours["megabytes"]] * 3,
                repetitions=1,
            )
        )
    return rows


def in_a_process(way: str, file: Path, copies: int) -> dict:
    command = [sys.executable, __file__, "--way", way, "--file", str(file), "--copies", str(copies)]
    return json.loads(
        subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=True).stdout
    )


def peak(way: str, file: Path, copies: int) -> dict:
    """Pairs of an epoch, and the most memory this process held on the way beyond what it held before, in MB."""
    from kit.encoder import load_encoder
    from kit.scaling import load_stream, stream_of
    from kit.training import recipe
    from kit.training.example_sources import open_data
    from kit.workshop.cost_estimate import held_mb

    encoder, made = load_encoder("kit-bert-tiny"), recipe("scl", batch_size=BATCH)
    make = partial(marked, load_stream("pairs", path=file), copies)
    before = held_mb()
    items = open_data(encoder, stream_of(make, "marked", buffer=8192) if way == "stream" else list(make()), made, 0)
    pairs = sum(sum(item.size for batch in batches for item in batch) for batches in an_epoch(items, made))
    return {"pairs": pairs, "megabytes": highest_mb() - before}


def highest_mb() -> float:
    """Most memory that this process has held, MiB. Linux's ru_maxrss would count the parent's before the start."""
    status = Path("/proc/self/status")
    if not status.exists():
        from kit.lesson import peak_memory_mb

        return peak_memory_mb()
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) / 1024


def marked(stream, copies: int) -> Iterator:
    """The groups of a stream, several times; a premise of the second time is not that of the first."""
    from kit.data import Group

    for copy in range(copies):
        for chunk in stream.chunks():
            for group in chunk.elements:
                yield Group(group.premise_id, f"{group.anchor} {copy}", group.hypotheses, group.labels)


def an_epoch(examples, recipe) -> Iterator[list]:
    """The batches of an epoch: of a list all, of a stream buffer by buffer."""
    from kit.training.example_sources import source_of

    source, number = source_of(examples, recipe, 0), 0
    yield source.batches(number)
    while hasattr(source, "buffer") and not source.buffer.last:
        number += 1
        yield source.batches(number)


if __name__ == "__main__":
    main()
