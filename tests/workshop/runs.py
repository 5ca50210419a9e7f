"""A short run on the tiny BERT, and the scored pairs it is validated on; also for the processes that tests kill."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from kit.data.sts_tasks import StsTask
from kit.data.table import Source
from kit.training import recipe
from kit.workshop import Run
from tests.tiny import tiny_encoder, tiny_groups

CHANGES = {"dropout": 0.3, "batch_size": 9, "lr": 1e-3, "epochs": 3}


def pairs() -> StsTask:
    groups = tiny_groups(8)
    firsts, seconds = [g.anchor for g in groups], [g.hypotheses[i % 3] for i, g in enumerate(groups)]
    source = Source("pairs", "validation", "path", "pairs.parquet", "none", len(groups))
    return StsTask("STS-B", firsts, seconds, [0.5 * i for i in range(8)], ["STS-B"] * 8, source)


def a_run(tiny: Path, folder: Path, name: str = "a-run", steps: int | None = 12, **changes) -> Run:
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    return Run(
        name,
        encoder,
        recipe("scl", **CHANGES),
        tiny_groups(),
        steps=steps,
        validation=pairs(),
        every=4,
        checkpoint_every=5,
        folder=folder,
        **changes,
    )


def killed_run(tiny: Path, folder: Path, step: int, in_its_thread: bool = False, **changes) -> None:
    """Train as `a_run` does until SIGKILL ends this process at `step`."""
    run = a_run(tiny, folder, **changes)
    run.add_callback(lambda frame: os.kill(os.getpid(), signal.SIGKILL) if frame["step"] == step else None)
    if in_its_thread:
        run.start()
        run.wait()
    else:
        run.train(progress=False)


def losses(history: list[dict]) -> list[float]:
    return [step["loss"] for step in history]
