"""Two processes with a thread each beside one with two threads: the same steps, on the same batches.

    python benchmarks/ranks.py [--quick] [--out FILE]

The kit's bundled encoder and a wider one with random weights, made-up sentences, SCL and MNRL, bf16
where the processor has it. The processes are connected by gloo over loopback; while one way computes, the
other waits. Then the two messages by themselves: the gather of the vectors with its way back, and the sum
of the gradients; what one step sends, `kit.scaling.traffic.traffic` says.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rows import BENCH, Row, compared, interleaved, save

RANKS = 2
WIDTHS = {"tiny": None, "4 layers, 256 wide": (4, 256, 4)}  # layers, width, heads; None: the bundled encoder
MEGABYTE = 1e6


@dataclass(frozen=True)
class Case:
    shape: str
    recipe: str
    batch: int
    steps: int

    @property
    def name(self) -> str:
        return f"{self.shape}, {self.recipe.upper()}, batch {self.batch}"


CASES = (
    Case("tiny", "scl", 64, 12),
    Case("tiny", "scl", 256, 4),
    Case("tiny", "mnrl", 1024, 2),
    Case("4 layers, 256 wide", "scl", 256, 2),
)
QUICK = (Case("tiny", "scl", 64, 1),)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="one small case, to see that it runs")
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--out", type=Path, default=BENCH / "ranks.json")
    args = options.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    import torch

    torch.set_num_threads(RANKS)
    repetitions = 1 if args.quick else args.repetitions
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(Path(folder))
        for case in QUICK if args.quick else CASES:
            found += of_a_case(case, pair, repetitions)
        pair.end()
    save(args.out, found)


def of_a_case(case: Case, pair: Pair, repetitions: int) -> list[Row]:
    """The step on two ranks and in one process, and the two messages of that step by themselves."""
    from kit.scaling.distributed import TrainingRanks
    from kit.scaling.traffic import traffic

    trainer = trainer_of(case, TrainingRanks())
    pair.tell(("trainer", case))
    _, sentences = steps(trainer, 0)
    rows, parameters = len(trainer.next_batch().token_ids), sum(p.numel() for p in trainer.module.parameters())
    dim = trainer.encoder.dim
    taken = interleaved(
        {
            "ranks": lambda: pair.tell(("steps", case.steps)),
            "one": lambda: steps(trainer, case.steps)[0],
            "gather": lambda: pair.tell(("gather", rows, dim)),
            "sum": lambda: pair.tell(("sum", parameters)),
        },
        repetitions,
    )
    _, sentences = steps(trainer, case.steps)
    sent = traffic(rows, dim, parameters, RANKS)
    step = statistics.median(taken["ranks"]) / case.steps
    found = [
        compared(
            "training on two ranks",
            case.name,
            taken["ranks"],
            taken["one"],
            "one process, two threads",
            unit="sentences/s",
            amount=sentences,
        )
    ]
    for name, what, sends in (
        ("gather", f"gather of {rows:,} × {dim} and its way back", sent.vectors + sent.vector_gradients),
        ("sum", f"sum of {parameters:,} gradients", sent.weight_gradients),
    ):
        seconds = statistics.median(taken[name])
        note = f"{sends / MEGABYTE:.2f} MB sent by each rank, {100 * seconds / step:.1f} % of the step"
        found.append(Row(what, case.name, "ms", 1000 * seconds, repetitions=repetitions, note=note))
    return found


class Pair:
    """The two ranks: processes that wait for work."""

    def __init__(self, folder: Path):
        from torch import multiprocessing

        context = multiprocessing.get_context("spawn")
        ends = [context.Pipe() for _ in range(RANKS)]
        self.pipes = [mine for mine, _ in ends]
        self.processes = [
            context.Process(target=work, args=(rank, folder, theirs), daemon=True)
            for rank, (_, theirs) in enumerate(ends)
        ]
        for process in self.processes:
            process.start()

    def tell(self, order: tuple) -> float:
        """Give both the same work; the seconds of the slower one."""
        for pipe in self.pipes:
            pipe.send(order)
        return max(pipe.recv() for pipe in self.pipes)

    def end(self) -> None:
        for pipe, process in zip(self.pipes, self.processes):
            pipe.send(("end",))
            process.join()


def work(rank: int, folder: Path, pipe: Any) -> None:
    """A rank: does what it is told and answers with the seconds it took."""
    import torch
    import torch.distributed as dist

    from kit.scaling.distributed import TrainingRanks
    from kit.scaling.ranks import connect

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=RANKS)
    ranks, trainer = TrainingRanks(**vars(connect())), None
    while (order := pipe.recv())[0] != "end":
        ranks.barrier()
        began = time.perf_counter()
        if order[0] == "trainer":
            trainer = trainer_of(order[1], ranks)
        elif order[0] == "steps":
            steps(trainer, order[1])
        elif order[0] == "gather":
            began = gather_once(*order[1:], ranks)
        else:
            numbers = torch.zeros(order[1])
            began = time.perf_counter()
            ranks.sum(numbers)
        pipe.send(time.perf_counter() - began)
    dist.destroy_process_group()


def gather_once(rows: int, dim: int, ranks: Any) -> float:
    """Gather [rows, dim] and send a gradient back; when it began."""
    import torch

    from kit.scaling.distributed import gather, partition

    shards = partition([1] * rows, ranks.size)
    mine = torch.zeros(len(shards[ranks.rank]), dim, requires_grad=True)
    gradient = torch.zeros(rows, dim)
    began = time.perf_counter()
    gather(mine, shards).backward(gradient)
    return began


def steps(trainer: Any, count: int) -> tuple[float, int]:
    """The first steps of the epoch, whatever went before: seconds and sentences."""
    trainer.step_number = 0
    began = time.perf_counter()
    sentences = sum(trainer.step()["rows"] for _ in range(count))
    seconds = time.perf_counter() - began
    trainer.step_number = 0
    return seconds, sentences


def trainer_of(case: Case, ranks: Any) -> Any:
    from kit.encoder import load_encoder
    from kit.training import recipe
    from kit.training.batches import tokenize_groups
    from kit.world import World

    made = recipe(case.recipe, "gpu", batch_size=case.batch, pooling="mean")
    encoder = load_encoder()
    if WIDTHS[case.shape]:
        encoder.bert = random_bert(encoder, *WIDTHS[case.shape])
    groups = World(0).groups(max(400, 3 * case.batch))
    items = tokenize_groups(encoder, groups, made.data_format)
    return ranks.trainer(encoder, made, items, 10_000)


def random_bert(encoder: Any, layers: int, width: int, heads: int) -> Any:
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=len(encoder.tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
    )
    return BertModel(config, add_pooling_layer=False)


if __name__ == "__main__":
    main()
