"""Training, sentences a second: the kit beside the trainer of sentence-transformers.

    KIT_DATA=<mirror folder> python benchmarks/training_speed.py [--quick] [--device cuda] [--out FILE]

Same weights, text, batch size, dropout (0.1 unless said) and machine, in one process, taken in turn. Each
sentence of the data counts once: three in a triplet (SimCSE), two in a pair (SCL). Tokenising is counted
on both sides (the peer does it in every epoch, ours in the first). The peer runs twice: with its defaults
(fp32), and with the fastest of those of `SETTINGS` that the processor is made for, tried out before. Ours runs
as `fit` does: bf16 where the processor has it; one row has fp32 on both sides. SCL is no loss of the peer's:
there it is ours, so that only the training around it differs, and its data stand in the order of the premises.
The weights are random: speed does not ask for their values. The large pages that kit.fast asks for serve the
peer as well.

On a GPU (--device cuda): the 8-layer, 512-wide encoder in bf16, the share of the matrix throughput measured
there, and an epoch of 550,000 pairs.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import tempfile
import time
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from peer_trainer import peer_seconds, wait
from rows import BENCH, Row, compared, interleaved, save

SHAPES = {"tiny": (2, 128, 2), "mini": (4, 256, 4), "8 layers, 512 wide": (8, 512, 8)}  # layers, width, heads
TARGET_DEFAULTS, TARGET_BEST, TARGET_GPU = "≥ 4", "≥ 2.5", "≥ 1.5"
# What else the peer can be told. (A process that tokenises ahead was slower on two cores.)
SETTINGS = {
    "bf16": {"bf16": True},
    "bf16, eager attention": {"bf16": True, "attention": "eager"},
    "fp32, eager attention": {"attention": "eager"},
}
EPOCH = 550_000  # pairs of SNLI


@dataclass(frozen=True)
class Case:
    """The circumstances of a row."""

    shape: str
    recipe: str
    batch: int
    dropout: float = 0.1
    precision: str = "auto"  # of ours
    device: str = "cpu"

    @property
    def name(self) -> str:
        dropout = "" if self.dropout == 0.1 else f", dropout {self.dropout:g} on both sides"
        precision = "" if self.precision == "auto" else f", {self.precision} on both sides"
        return f"{self.shape}, {'SCL' if self.recipe == 'scl' else 'SimCSE'}, batch {self.batch}{dropout}{precision}"

    @property
    def columns(self) -> int:
        return 2 if self.recipe == "scl" else 3

    def steps(self, quick: bool) -> int:
        """Enough for some seconds of the slower side."""
        sentences = {"tiny": 3000, "mini": 1000}.get(self.shape, 20_000)
        return 1 if quick else max(2, round(sentences / self.columns / self.batch))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="one small case, to see that it runs")
    options.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--out", type=Path, default=BENCH / "training_speed.json")
    args = options.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(args.threads), "TOKENIZERS_PARALLELISM": "true"}
    quiet()
    found, best_of = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(args.device, args.quick):
            found += rows(case, Path(folder), 1 if args.quick else args.repetitions, args.quick, best_of)
    save(args.out, found)


def quiet() -> None:
    """Two libraries that both like to talk."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    os.environ["TQDM_DISABLE"] = "1"


def cases(device: str, quick: bool) -> list[Case]:
    if quick:
        return [Case("tiny", "scl", 64)]
    if device == "cuda":
        return [
            Case("8 layers, 512 wide", name, batch, device=device) for name in ("simcse", "scl") for batch in (64, 512)
        ]
    plain = [
        Case(shape, name, batch) for shape in ("tiny", "mini") for name in ("simcse", "scl") for batch in (64, 256)
    ]
    return [*plain, *(Case("tiny", "simcse", 64, **change) for change in ({"dropout": 0.0}, {"precision": "fp32"}))]


def rows(case: Case, folder: Path, repetitions: int, quick: bool, best_of: dict[str, str]) -> list[Row]:
    """Ours against the peer's defaults and against its best; `best_of` keeps which setting that is for a shape."""
    import torch

    from kit.training.device import has_fast_bf16

    groups = training_data(2000 if quick else 45_000)
    model = new_encoder(case, folder / case.name.replace(" ", "-"))
    steps = case.steps(quick)
    data = peer_data(case, groups)

    def peer(settings: dict) -> float:
        took = peer_seconds(model, data, case.recipe, case.batch, steps, case.device, settings)
        return took / (steps * case.batch * case.columns)

    has_bf16 = has_fast_bf16(torch.device(case.device))
    usable = [name for name, one in SETTINGS.items() if has_bf16 or "bf16" not in one]  # without, it takes for ever
    if case.shape not in best_of and not quick:
        best_of[case.shape] = min(usable, key=lambda name: min(peer(SETTINGS[name]), peer(SETTINGS[name])))
    best = best_of.get(case.shape, usable[0])
    # Ours takes four times the steps: batches differ in length, so a few say little.
    ours = Ours(case, model, groups, 4 * steps)
    ours()  # the peer warms up in each of its runs
    taken = interleaved(
        {"ours": ours, "defaults": partial(peer, {}), "best": partial(peer, SETTINGS[best])}, repetitions, warmup=0
    )
    rates = {"unit": "sentences/s", "amount": 1}
    goals = {"defaults": TARGET_DEFAULTS, "best": TARGET_BEST} if case.dropout and case.precision == "auto" else {}
    if case.device == "cuda":
        goals = {"best": TARGET_GPU}
    peers = {"defaults": "its defaults, fp32", "best": best}
    if case.precision == "fp32":
        del peers["best"]
    low = case.precision == "auto" and has_bf16
    setting = f"{case.name}, ours in bf16" if low else case.name
    return [
        compared(
            "training",
            setting,
            taken["ours"],
            taken[way],
            f"sentence-transformers, {told}",
            **rates,
            target=goals.get(way, ""),
        )
        for way, told in peers.items()
    ] + gpu_rows(case, taken["ours"])


def training_data(rows: int) -> list:
    """Premises of SNLI with their hypotheses (KIT_DATA, the Hub, or the made-up world)."""
    from kit.data import group_by_premise, load

    groups = list(group_by_premise(load("stanfordnlp/snli", rows=rows)))
    random.Random(0).shuffle(groups)
    return groups


def new_encoder(case: Case, folder: Path) -> Path:
    """A folder that both sides load: the bundled vocabulary, random weights, dropout as the case says."""
    import torch
    from transformers import BertConfig, BertModel

    from kit.encoder import Encoder, load_encoder

    layers, width, heads = SHAPES[case.shape]
    tokenizer = load_encoder("kit-bert-tiny").tokenizer
    torch.manual_seed(0)
    bert = BertModel(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * width,
            hidden_dropout_prob=case.dropout,
            attention_probs_dropout_prob=case.dropout,
        ),
        add_pooling_layer=False,
    )
    return Encoder(bert, tokenizer, "mean").save(folder)


class Ours:
    """`Trainer.step`, as `fit` calls it; one call times some steps and gives seconds for a sentence."""

    def __init__(self, case: Case, model: Path, groups: list, steps: int):
        from kit.encoder import load_encoder
        from kit.training import recipe
        from kit.training.trainer import Trainer

        self.case, self.steps, self.sentences = case, steps, 0
        self.encoder = load_encoder(str(model)).to(case.device)
        usual = {"pooling": "mean", "lr": 2e-5, "clip": 1.0}  # as the peer has them
        made = recipe(case.recipe, "gpu", batch_size=case.batch, dropout=case.dropout, **usual)
        items = made.objective.examples(self.encoder, groups, made, 0)
        self.texts = [text for group in groups for text in (group.anchor, *group.hypotheses)]
        self.trainer = Trainer(self.encoder, made, items, steps=1_000_000, seed=0, precision=case.precision)
        self.made, self.trainer.objective.batch = self.trainer.objective.batch, self._counting

    def _counting(self, items: list, *rest):
        """The system's batch; how many sentences of the data are in it is counted."""
        self.sentences += self.case.columns * sum(item.size for item in items)
        return self.made(items, *rest)

    def __call__(self) -> float:
        self.sentences, began = 0, time.perf_counter()
        for _ in range(self.steps):
            self.trainer.step()
        wait(self.case.device)
        self.encoder.tokenize(self.texts[: self.sentences])  # needed in the first epoch alone, counted in each
        return (time.perf_counter() - began) / self.sentences


def peer_data(case: Case, groups: list):
    """The same text as the peer wants it: triplets, or pairs of one premise after another."""
    from datasets import Dataset

    from kit.data import triplets

    if case.recipe == "simcse":
        columns = zip(*triplets(groups, seed=0))
        return Dataset.from_dict(dict(zip(("anchor", "positive", "negative"), columns)))
    pairs = [(g.anchor, h, 3 * i + label) for i, g in enumerate(groups) for h, label in zip(g.hypotheses, g.labels)]
    return Dataset.from_dict(dict(zip(("premise", "hypothesis", "label"), zip(*pairs))))


def gpu_rows(case: Case, seconds: list[float]) -> list[Row]:
    """What only a GPU is asked for: an epoch, and the share of the matrix throughput."""
    if case.device != "cuda":
        return []
    import statistics

    import torch

    from kit.pretraining.hardware import matrix_throughput

    middle = statistics.median(seconds)
    layers, width, _ = SHAPES[case.shape]
    tokens = 14  # of a sentence of SNLI, on average
    operations = 6 * 12 * layers * width**2 * tokens  # forward and backward, a multiplication and an addition
    peak = matrix_throughput(torch.device("cuda"), "bf16")
    return [
        Row("an epoch of 550,000 pairs", case.name, "s", middle * EPOCH * case.columns, target="≤ 90"),
        Row("share of the matrix throughput", case.name, "%", 100 * operations / middle / peak, target="≥ 35"),
    ]


if __name__ == "__main__":
    main()
