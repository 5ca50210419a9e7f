"""Data of one's own: from a CSV file to the first step of training, beside sentence-transformers; `look` at it; memory.

    KIT_DATA=<mirror folder> python benchmarks/own_data_speed.py [--threads 2] [--quick] [--out FILE]

100,000 different pairs of SNLI and MultiNLI (made-up ones where there is no mirror) lie in a CSV file. Each way starts
a process of its own, so that its imports count, reads the file, loads the same encoder and takes one step with the same
loss and batch size in float32. Before that step ours has tokenised all of the data, the peer one batch. `look` counts
in the same way: a process from its start to the printed table. Memory is the largest resident size of such a process.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memory import in_a_process
from rows import BENCH, Row, compared, interleaved, save

PEER = "sentence-transformers"
BATCH = 128
REPETITIONS = 3


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=REPETITIONS)
    options.add_argument("--quick", action="store_true", help="few rows and once: shows that it runs")
    options.add_argument("--out", type=Path, default=BENCH / "own_data_speed.json")
    options.add_argument("--one", nargs=3, metavar=("WAY", "CSV", "ENCODER"), help="one way, in this process")
    args = options.parse_args()
    if args.one:
        way, file, encoder = args.one
        WAYS[way](file, encoder)
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps(kilobytes / 1024))
        return
    os.environ |= {"HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1", "TOKENIZERS_PARALLELISM": "true"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.csv"
        count = write_pairs(file, 2000 if args.quick else 100_000)
        encoder = str(saved_encoder(Path(folder) / "encoder"))
        save(args.out, rows(count, file, encoder, args.threads, 1 if args.quick else args.repetitions, args.quick))


def rows(count: int, file: Path, encoder: str, threads: int, repetitions: int, quick: bool) -> list[Row]:
    peaks: dict[str, list[float]] = {way: [] for way in WAYS}

    def run(way: str) -> float:
        began = time.perf_counter()
        peaks[way].append(in_a_process(__file__, "--one", way, file, encoder, threads=threads, tidy=False))
        return time.perf_counter() - began

    seconds = interleaved({way: partial(run, way) for way in WAYS}, repetitions, warmup=0 if quick else 1)
    setting = f"{count:,} pairs, kit-bert-tiny, {threads} threads, imports included"
    first, loss = f"from CSV to the first step, {setting}", "MultipleNegativesRankingLoss"
    limit = "" if quick else "≤ 1500"
    return [
        Row(
            first, "our own", "s", middle(seconds["ours"]), target="" if quick else "≤ 10", repetitions=repetitions
        ),
        compared(
            first, f"batch {BATCH}", seconds["ours"], seconds["theirs"], f"{PEER} trainer, {loss}",
            note="Ours tokenises all pairs before the first step, the peer each batch before its own.",
        ),
        Row("kit look", setting, "s", middle(seconds["look"]), target="" if quick else "≤ 15", repetitions=repetitions),
        Row("peak memory", first, "MB", max(peaks["ours"]), PEER, max(peaks["theirs"]), target=limit,
            repetitions=repetitions),
        Row("peak memory", f"kit look, {setting}", "MB", max(peaks["look"]), target=limit, repetitions=repetitions),
    ]  # fmt: skip


def middle(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) // 2]


def write_pairs(file: Path, wanted: int) -> int:
    """Write so many different pairs, questions first; returns how many there were."""
    from kit.data import load

    pairs: dict[tuple[str, str], None] = {}
    for name in ("stanfordnlp/snli", "nyu-mll/multi_nli"):
        table = load(name, rows=2 * wanted)
        pairs |= dict.fromkeys(zip(table["premise"], table["hypothesis"]))
    kept = [(a, b) for a, b in pairs if a.strip() and b.strip() and a.strip() != b.strip()][:wanted]
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([("question", "answer"), *kept])
    return len(kept)


def saved_encoder(folder: Path) -> Path:
    from kit.encoder import load_encoder

    return load_encoder("kit-bert-tiny").save(folder)


def ours(file: str, encoder: str) -> None:
    from kit.encoder import load_encoder
    from kit.owndata import fitted, read, training_data
    from kit.training import fit, recipe

    data = read(file, anchor="question", positive="answer")
    settings, _ = fitted(recipe("mnrl", "laptop", batch_size=BATCH), data)
    fit(load_encoder(encoder), settings, training_data(data, settings), steps=1, precision="fp32", progress=False)


def theirs(file: str, encoder: str) -> None:
    from datasets import Dataset, disable_progress_bars
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
        losses,
    )

    disable_progress_bars()
    model = SentenceTransformer(encoder, device="cpu", trust_remote_code=False)
    with tempfile.TemporaryDirectory() as out:
        data = Dataset.from_csv(file, cache_dir=out)
        arguments = SentenceTransformerTrainingArguments(
            output_dir=out, per_device_train_batch_size=BATCH, max_steps=1, save_strategy="no", report_to="none",
            logging_strategy="no", disable_tqdm=True, use_cpu=True,
        )  # fmt: skip
        loss = losses.MultipleNegativesRankingLoss(model)
        SentenceTransformerTrainer(model, arguments, train_dataset=data, loss=loss).train()


def looked(file: str, encoder: str) -> None:
    from kit.encoder import load_encoder
    from kit.owndata import look, read

    print(look(read(file, anchor="question", positive="answer"), load_encoder(encoder)))


WAYS: dict[str, Callable[[str, str], None]] = {"ours": ours, "theirs": theirs, "look": looked}


if __name__ == "__main__":
    main()
