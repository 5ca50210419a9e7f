"""Training, sentences a second: the kit beside the trainer of sentence-transformers.

    KIT_DATA=<mirror folder> python benchmarks/training_speed.py [--quick] [--device cuda] [--out FILE]

Same weights, text, batch size, dropout (0.1 unless said) and machine, in one process, taken in turn. Each
sentence of the data counts once: three in a triplet (SimCSE), two in a pair (SCL). Tokenising is counted
on both sides. The peer runs twice: with its defaults, and with the fastest of `SETTINGS`, tried out
before. SCL is no loss of the peer's; there it is ours, so that only the training around it differs, and its
data stand in the order of the premises. "mini" has random weights: speed does not ask for their values.
Ours runs as `fit` runs it: bf16 where the processor has it, else fp32.

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

from rows import BENCH, Row, compared, interleaved, save

SHAPES = {"tiny": (2, 128, 2), "mini": (4, 256, 4), "8 layers, 512 wide": (8, 512, 8)}  # layers, width, heads
TARGET_DEFAULTS, TARGET_BEST, TARGET_GPU = "≥ 4", "≥ 2.5", "≥ 1.5"
# What else the peer can be told: bf16; the other attention; a process that tokenises ahead.
SETTINGS = {"bf16": {"bf16": True}, "bf16, eager attention": {"bf16": True, "attention": "eager"},
            "bf16, a worker": {"bf16": True, "dataloader_num_workers": 1}}
EPOCH = 550_000  # pairs of SNLI


@dataclass(frozen=True)
class Case:
    """One row's circumstances. steps: timed in each repetition."""

    shape: str
    recipe: str
    batch: int
    dropout: float = 0.1
    device: str = "cpu"

    @property
    def name(self) -> str:
        dropout = "" if self.dropout == 0.1 else f", dropout {self.dropout:g} on both sides"
        return f"{self.shape}, {'SCL' if self.recipe == 'scl' else 'SimCSE'}, batch {self.batch}{dropout}"

    @property
    def columns(self) -> int:
        return 2 if self.recipe == "scl" else 3

    def steps(self, quick: bool) -> int:
        """Enough for some seconds of the slower side."""
        sentences = {"tiny": 6000, "mini": 1600}.get(self.shape, 60_000)
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
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(args.device, args.quick):
            found += rows(case, Path(folder), 1 if args.quick else args.repetitions, args.quick)
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
        return [Case("8 layers, 512 wide", name, batch, device=device)
                for name in ("simcse", "scl") for batch in (64, 512)]
    plain = [Case(shape, name, batch) for shape in ("tiny", "mini") for name in ("simcse", "scl")
             for batch in (64, 256)]
    return [*plain, *(Case(shape, "simcse", 64, dropout=0.0) for shape in ("tiny", "mini"))]


def rows(case: Case, folder: Path, repetitions: int, quick: bool) -> list[Row]:
    """Ours against the peer's defaults and against its best."""
    groups = training_data(2000 if quick else 45_000)
    model = new_encoder(case, folder / case.name.replace(" ", "-"))
    steps = case.steps(quick)
    peer = partial(theirs, case, model, peer_data(case, groups), steps)
    tried = {name: min(peer(settings), peer(settings)) for name, settings in SETTINGS.items() if not quick}
    best = min(tried, key=tried.get, default="bf16")
    taken = interleaved({"ours": Ours(case, model, groups, steps), "defaults": partial(peer, {}),
                         "best": partial(peer, SETTINGS[best])}, repetitions)
    rates = {"unit": "sentences/s", "amount": 1}
    goals = {"defaults": TARGET_DEFAULTS, "best": TARGET_BEST} if case.dropout == 0.1 else {}
    if case.device == "cuda":
        goals = {"best": TARGET_GPU}
    return [compared("training", case.name, taken["ours"], taken[way], f"sentence-transformers, {told}", **rates,
                     target=goals.get(way, ""))
            for way, told in (("defaults", "its defaults"), ("best", best))] + gpu_rows(case, taken["ours"])


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
    bert = BertModel(BertConfig(
        vocab_size=len(tokenizer), hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=4 * width, hidden_dropout_prob=case.dropout, attention_probs_dropout_prob=case.dropout),
        add_pooling_layer=False)
    return Encoder(bert, tokenizer, "mean").save(folder)


class Ours:
    """`Trainer.step`, as `fit` calls it; one call times some steps and gives seconds for a sentence."""

    def __init__(self, case: Case, model: Path, groups: list, steps: int):
        from kit.encoder import load_encoder
        from kit.training import recipe
        from kit.training.systems import system_class
        from kit.training.trainer import Trainer

        self.case, self.steps = case, steps
        self.encoder = load_encoder(str(model)).to(case.device)
        made = recipe(case.recipe, "gpu", batch_size=case.batch, dropout=case.dropout, pooling="mean", lr=2e-5)
        items = system_class(made.system).items(self.encoder, groups, made, 0)
        self.texts = [text for group in groups for text in (group.anchor, *group.hypotheses)]
        self.trainer = Trainer(self.encoder, made, items, steps=1_000_000, seed=0)

    def __call__(self) -> float:
        pairs, began = 0, time.perf_counter()
        for _ in range(self.steps):
            told = self.trainer.step()
            pairs += self.case.batch
            wait(self.case.device)
        rows = told["rows"] * self.steps
        self.encoder.tokenize(self.texts[:rows])  # once in the first epoch; counted as if there were no second
        return (time.perf_counter() - began) / (pairs * self.case.columns)


def peer_data(case: Case, groups: list):
    """The same text as the peer wants it: triplets, or pairs of one premise after another."""
    from datasets import Dataset

    from kit.data import triplets

    if case.recipe == "simcse":
        columns = zip(*triplets(groups, seed=0))
        return Dataset.from_dict(dict(zip(("anchor", "positive", "negative"), columns)))
    pairs = [(g.anchor, h, 3 * i + label) for i, g in enumerate(groups) for h, label in zip(g.hypotheses, g.labels)]
    return Dataset.from_dict(dict(zip(("premise", "hypothesis", "label"), zip(*pairs))))


def theirs(case: Case, model: Path, data, steps: int, settings: dict) -> float:
    """Seconds for a sentence of some steps of the peer's trainer, after two that warm up."""
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
        losses,
    )

    settings = dict(settings)
    attention = {"attn_implementation": settings.pop("attention")} if "attention" in settings else {}
    network = SentenceTransformer(str(model), model_kwargs=attention, device=case.device)
    clock = clock_of(steps, case.device)
    with tempfile.TemporaryDirectory() as out:
        arguments = SentenceTransformerTrainingArguments(
            output_dir=out, per_device_train_batch_size=case.batch, max_steps=steps + 2, save_strategy="no",
            report_to="none", disable_tqdm=True, logging_strategy="no", use_cpu=case.device == "cpu",
            **({"batch_sampler": in_order} if case.recipe == "scl" else {}), **settings)
        loss = scl_loss(network) if case.recipe == "scl" else losses.MultipleNegativesRankingLoss(network)
        SentenceTransformerTrainer(network, arguments, train_dataset=data, loss=loss, callbacks=[clock]).train()
    return clock.seconds / (steps * case.batch * case.columns)


def in_order(dataset, batch_size: int, drop_last: bool, **_):
    """Rows as they stand: a shuffle would part the hypotheses of a premise."""
    from sentence_transformers.base.sampler import DefaultBatchSampler

    return DefaultBatchSampler(range(len(dataset)), batch_size=batch_size, drop_last=drop_last)


def scl_loss(network):
    """The kit's SCL with cross-entropy, λ 0.3, as a loss of the peer's kind; labels hold premise and class."""
    import torch

    from kit.losses import PairClassifier, cross_entropy, masked_softmax, scl_relations

    class Scl(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network, self.head = network, PairClassifier(network.get_embedding_dimension())

        def forward(self, sentence_features, labels):
            u, v = (self.network(features)["sentence_embedding"] for features in sentence_features)
            premises, premise = torch.unique(labels // 3, return_inverse=True)
            first = torch.zeros(len(premises), dtype=torch.long, device=u.device).scatter_(
                0, premise, torch.arange(len(premise), device=u.device))
            z = torch.cat([u[first], v]).float()
            contrast = masked_softmax(z, scl_relations(premise, labels % 3), 1.0, "dot")
            return 0.7 * cross_entropy(self.head(u.float(), v.float()), labels % 3) + 0.3 * contrast

    return Scl()


def clock_of(steps: int, device: str):
    """A callback that times the last `steps` steps."""
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        seconds = 0.0

        def on_step_end(self, args, state, control, **_):
            wait(device)
            if state.global_step == 2:
                self.began = time.perf_counter()
            self.seconds = time.perf_counter() - self.began if state.global_step > 2 else 0.0

    return Clock()


def wait(device: str) -> None:
    if device == "cuda":
        import torch

        torch.cuda.synchronize()


def gpu_rows(case: Case, seconds: list[float]) -> list[Row]:
    """What only a GPU is asked for: an epoch, and the share of the matrix throughput."""
    if case.device != "cuda":
        return []
    import statistics

    import torch

    from kit.training.device import matrix_throughput

    middle = statistics.median(seconds)
    layers, width, _ = SHAPES[case.shape]
    tokens = 14  # of a sentence of SNLI, on average
    operations = 6 * 12 * layers * width**2 * tokens  # forward and backward, a multiplication and an addition
    peak = matrix_throughput(torch.device("cuda"), "bf16")
    return [Row("an epoch of 550,000 pairs", case.name, "s", middle * EPOCH * case.columns, target="≤ 90"),
            Row("share of the matrix throughput", case.name, "%", 100 * operations / middle / peak, target="≥ 35")]


if __name__ == "__main__":
    main()
