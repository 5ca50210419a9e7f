"""What two ranks do for tests/scaling/test_distributed.py, each in a process of its own, and one process as well."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import torch
import torch.distributed as dist
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor

from kit.commands import main
from kit.errors import KitError
from kit.fast.shared_tokens import SharedTokens
from kit.scaling import distributed
from kit.scaling.distributed import TrainingRanks
from kit.scaling.ranks import connect
from kit.scaling.row_stream import stream_of
from kit.training import Trainer, fit, recipe
from kit.training.grad_cache import take_gradient
from tests.forks import say_into
from tests.tiny import WORDS, tiny_encoder, tiny_groups
from tests.training.shared import Stopped

STEPS = 4
SENTENCES = [" ".join(WORDS[:count]) for count in (3, 1, 7, 2, 5)]
SETTINGS = {"dropout": 0.0, "batch_size": 9, "lr": 1e-3, "warmup": 0.0, "clip": 0.05}
# what is trained → (recipe, other settings); an odd number of rows wherever that can be had
CASES: dict[str, tuple[str, dict]] = {
    "sbert": ("sbert", {}),
    "scl": ("scl", {}),
    "scl, chunk": ("scl", {"chunk": 4}),
    "scl, sampled": ("scl", {"max_positives": 1, "max_negatives": 3, "anchors": "row"}),
    "scl, half": ("scl", {"lam": 0.5, "head": "two linear", "weight_decay": 0.1, "temperature": 0.1}),
    "scl, head": ("scl", {"projection": "tanh"}),
    "simcse": ("simcse", {"batch_size": 5}),
    "simcse, head, chunk": ("simcse", {"batch_size": 5, "projection": "relu", "chunk": 4}),
    "mnrl": ("mnrl", {}),
    "mnrl, chunk": ("mnrl", {"chunk": 3}),
    "mnrl, masked": ("mnrl", {"mask_duplicates": True}),
    "simcse_unsup": ("simcse_unsup", {"dropout": 1e-12}),  # twins are refused without any
    "supmpn": ("supmpn", {"batch_size": 3, "positives": 2, "negatives": 1}),
    "cosent": ("cosent", {}),
    "cosine_regression": ("cosine_regression", {}),
    "supcon": ("supcon", {}),
    "consert": ("consert", {}),
    "mirror": ("mirror", {}),
    "augment_3p3n": ("augment_3p3n", {}),
    "augment_all": ("augment_all", {}),
    "pause": ("pause", {"label_fraction": 0.5}),
}
REFUSED = {"simcse_mlm", "declutr", "ct", "tsdae", "isbert"}


def parts_of(tiny: Path, case: str) -> tuple:
    """The arguments of a `Trainer`."""
    name, changes = CASES[case]
    made = recipe(name, **{**SETTINGS, **changes})
    encoder = tiny_encoder(tiny, pooling=made.pooling, first_layer=made.first_layer)
    examples = made.objective.examples(encoder, tiny_groups(), made, seed=0)
    return encoder, made, examples, STEPS, 0, "fp32"


def outcome(trainer: Trainer, precise: bool) -> dict[str, Tensor]:
    """The loss and the gradient of the first batch, then the losses of some steps and the weights after them."""
    if precise:  # in float64, where rounding is 1e-16
        trainer.module.double()
        trainer._embed = lambda token_ids: trainer.encoder.embed(token_ids, trainer.microbatch_tokens)
    trainer.module.train()
    batch = trainer.next_batch()
    loss, parts = trainer.backward(batch)
    missing = torch.tensor([p.grad is None for p in trainer.module.parameters()])
    found = {
        "loss": loss,
        "parts": torch.stack(list(parts.values())),
        "missing": missing,
        "rows": torch.tensor(len(batch.token_ids)),
        "gradient": take_gradient(trainer.module),
        "encoder": torch.tensor(sum(p.numel() for p in trainer.encoder.parameters())),
    }
    found["steps"] = torch.tensor([trainer.step()["loss"] for _ in range(STEPS)], dtype=torch.float64)
    return {**found, "weights": torch.cat([p.detach().flatten() for p in trainer.module.parameters()])}


def naive_gather(mine: Tensor, shards: list[list[int]]) -> Tensor:
    """What is often written: copies of all vectors, and one's own put back with their graph."""
    most = max(map(len, shards))
    copies = [torch.empty(most, mine.shape[1], dtype=mine.dtype) for _ in shards]
    dist.all_gather(copies, F.pad(mine.detach(), (0, 0, 0, most - len(mine))))
    copies = [
        mine if rank == dist.get_rank() else copy[: len(rows)] for rank, (copy, rows) in enumerate(zip(copies, shards))
    ]
    order = torch.tensor([row for rows in shards for row in rows])
    return torch.cat(copies)[order.argsort()]


def to_the_last(lengths: list[int], size: int) -> list[list[int]]:
    """A partition as uneven as can be: nothing for rank 0."""
    return [[]] * (size - 1) + [list(range(len(lengths)))[::-1]]


REPLICATED = dict.fromkeys(distributed.RANK_LOSSES, distributed.replicated)
# ways to do it → what is put in the place of what; the float64 one takes all cases, the others some
WAYS = {
    "float64": {},
    "as it is": {},
    "replicated": {"RANK_LOSSES": REPLICATED},
    "uneven": {"partition": to_the_last},
    "naive": {"gather": naive_gather},
    "naive, replicated": {
        "gather": naive_gather,
        "RANK_LOSSES": dict.fromkeys(distributed.RANK_LOSSES, distributed.replicated),
    },
}
SOME = ("scl", "scl, chunk", "mnrl")
RUNS = [(case, way) for way in WAYS for case in (CASES if way == "float64" else SOME)]


def file_of(folder: Path, case: str, way: str, rank: int | str) -> Path:
    return folder / f"{case}-{way}-{rank}.safetensors"


def work(rank: int, size: int, tiny: Path, out: Path) -> None:
    """Everything that rank `rank` of `size` does; what it found is written to `out`."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{out}/meet", rank=rank, world_size=size)
    ranks = TrainingRanks(**vars(connect()))
    for case, way in RUNS:
        with mock.patch.multiple(distributed, **WAYS[way]) if WAYS[way] else contextlib.nullcontext():
            trainer = ranks.trainer(*parts_of(tiny, case))
            save_file(outcome(trainer, way == "float64"), file_of(out, case, way, rank))
    told = {
        "type": type(trainer).__name__,
        **masks(ranks, tiny),
        **resumed(ranks, tiny, out),
        **stopped(ranks, tiny),
        **tokenised(ranks, tiny),
        **refused(ranks, tiny),
        **sent(tiny, ranks),
        "stream": streamed(tiny),
    }
    (out / f"told-{rank}.json").write_text(json.dumps(told))
    dist.destroy_process_group()


def launched(rank: int, variables: dict[str, str], arguments: list[str], folder: Path) -> None:
    """The kit's command line as a launcher starts it on rank `rank`; what it says is in `folder`."""
    say_into(folder / f"said-{rank}")
    os.environ.update({**variables, "RANK": str(rank), "LOCAL_RANK": str(rank)})
    os.chdir(folder)
    assert main(arguments) == 0


def masks(ranks: TrainingRanks, tiny: Path) -> dict:
    """Self pairs under dropout, each of another length: each rank gets one of the two, in the same place."""
    made = recipe("simcse_unsup", **{**SETTINGS, "dropout": 0.4, "batch_size": 6})
    encoder = tiny_encoder(tiny)
    sentences = [" ".join(WORDS[:words]) for words in range(2, 8)]
    examples = made.objective.examples(encoder, sentences, made, seed=0)
    trainer = ranks.trainer(encoder, made, examples, STEPS, 0, "fp32")
    seen = []
    embed = trainer._embed
    trainer._embed = lambda token_ids: seen.append((token_ids, embed(token_ids))) or seen[-1][1]
    losses = [trainer.step()["loss"] for _ in range(STEPS)]
    return {
        "masks": {
            "rows": seen[0][0],
            "vectors": seen[0][1].tolist(),
            "losses": losses,
            "weights": [p.sum().item() for p in trainer.module.parameters()],
        }
    }


def resumed(ranks: TrainingRanks, tiny: Path, out: Path) -> dict:
    """A run that dies in step 5 on all ranks, resumed from the checkpoint of step 4; and one that does not."""
    made = recipe("scl", **{**SETTINGS, "dropout": 0.3, "epochs": 2})

    def run(folder: Path | None, dies: bool) -> dict:
        first = []

        def callback(told: dict) -> None:
            first.append(told["step"])
            if dies and told["step"] == 5:
                raise Stopped

        encoder = tiny_encoder(tiny, pooling=made.pooling)
        try:
            result = fit(
                encoder, made, tiny_groups(), folder=folder, checkpoint_every=2, callback=callback, progress=False
            )
        except Stopped:
            return {}
        return {
            "history": result.history,
            "began": first[0],
            "hardware": result.hardware,
            "weights": [p.double().sum().item() for p in encoder.parameters()],
        }

    with counted_writes() as writes:
        run(out / "run", dies=True)
        ranks.barrier()
        again = run(out / "run", dies=False)
    return {"whole": run(None, dies=False), "resumed": again, "writes": len(writes)}


@contextlib.contextmanager
def counted_writes() -> Iterator[list]:
    import importlib

    module = importlib.import_module("kit.storage.run")
    written, save = [], module.save_checkpoint
    with mock.patch.object(module, "save_checkpoint", lambda *a: written.append(a[1]) or save(*a)):
        yield written


def stopped(ranks: TrainingRanks, tiny: Path) -> dict:
    """Rank 1 alone asks to stop after its second step."""
    made, asked = recipe("mnrl", **SETTINGS), []

    def should_stop() -> bool:
        asked.append(1)
        return ranks.rank == 1 and len(asked) == 2

    result = fit(tiny_encoder(tiny), made, tiny_groups(), should_stop=should_stop, progress=False)
    return {"stopped": result.steps}


def streamed(tiny: Path) -> list[float]:
    """The losses of a run whose data are read buffer by buffer."""
    made = recipe("scl", **{**SETTINGS, "pooling": "mean", "batch_size": 1, "lr": 1e-4})
    result = fit(tiny_encoder(tiny), made, stream_of(tiny_groups(80), buffer=20), steps=50, progress=False)
    return [step["loss"] for step in result.history]


def tokenised(ranks: TrainingRanks, tiny: Path) -> dict:
    """The pieces of some sentences and of a single one, and how many this rank cut up itself."""
    encoder, mine = tiny_encoder(tiny), []
    shared = SharedTokens(encoder, ranks)
    plain = encoder.tokenize
    with mock.patch.object(encoder, "tokenize", lambda texts: mine.append(len(texts)) or plain(texts)):
        found = [shared.tokenize(SENTENCES), shared.tokenize(SENTENCES[:1])]
    try:
        shared.tokenize(["a dog", f"a dog {ranks.rank}"])
    except KitError as error:
        return {"tokens": found, "cut": mine, "other sentences": str(error)}
    return {}


def refused(ranks: TrainingRanks, tiny: Path) -> dict:
    """What is said where the ranks were given different things."""
    said, rank = {}, ranks.rank
    groups, fewer = tiny_groups(12), tiny_groups(12 - rank)
    turned = [replace(group, labels=group.labels[:: 1 - 2 * rank]) for group in groups]
    for what, temperature, data, seed in (
        ("recipe", 1.0 + rank, groups, 0),
        ("sentences", 1.0, fewer, 0),
        ("labels", 1.0, turned, 0),
        ("seed", 1.0, groups, rank),
    ):
        made = recipe("scl", **{**SETTINGS, "temperature": temperature, "pooling": "mean"})
        try:
            fit(tiny_encoder(tiny), made, data, seed=seed, steps=2, progress=False)
        except KitError as error:
            said[what] = str(error)
    try:
        fit(tiny_encoder(tiny), recipe("ct"), tiny_groups(), progress=False)
    except KitError as error:
        said["system"] = str(error)
    return {"refused": said}


def sent(tiny: Path, ranks: TrainingRanks) -> dict:
    """Numbers given to each collective in one step, and what `traffic` says of their bytes."""
    counted = {}

    def counting(name: str, of):
        call = getattr(dist, name)

        def counted_call(*tensors, **how):
            counted[name] = max(counted.get(name, 0), of(*tensors))
            return call(*tensors, **how)

        return mock.patch.object(dist, name, counted_call)

    trainer = ranks.trainer(*parts_of(tiny, "mnrl"))
    batch = trainer.next_batch()
    with (
        counting("all_gather", lambda out, mine: mine.numel()),
        counting("reduce_scatter", lambda mine, parts: mine.numel()),
        counting("all_reduce", lambda tensor: tensor.numel()),
    ):
        trainer.backward(batch)
    trained = sum(p.numel() for p in trainer.module.parameters() if p.grad is not None)
    return {"sent": counted, "rows": len(batch.token_ids), "dim": trainer.encoder.dim, "parameters": trained}
