"""A run of `fit` as it stands: its steps so far, its seconds, and its checkpoints where it has a folder."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

from kit.errors import KitWarning
from kit.storage.checkpoint import load_checkpoint, pack_optimizer, save_checkpoint, unpack_optimizer
from kit.storage.history import HistoryFile
from kit.storage.run_identity import arithmetic, check_identity, check_tensors, warn_of_other_arithmetic


class Run:
    """What a trainer has done so far, in earlier calls too: `fit` adds each step to `history`.

    trainer: a `kit.training.trainer.Trainer`. meta: that of the checkpoint it goes on from, see `resume`, {} for none.
    writes: False in all processes but one.
    """

    def __init__(self, trainer: Any, folder: Path | None, identity: dict, meta: dict, writes: bool):
        self.trainer, self.folder, self.identity = trainer, folder, identity
        self.history: list[dict] = meta.get("history", [])
        self._files = HistoryFile(folder, self.history) if folder and writes else None
        self._kept = trainer.step_number  # the step of the newest checkpoint
        self._seconds_before, self._began = meta.get("seconds", 0.0), time.perf_counter()

    def seconds(self) -> float:
        """Of all calls."""
        return self._seconds_before + time.perf_counter() - self._began

    def checkpoint(self) -> None:
        """Write one, where there is a folder; the weights are checked in any case. Errors: see `fit`."""
        trainer = self.trainer
        trainer.check_finite()
        if self._files:
            meta = {"identity": self.identity, "arithmetic": arithmetic(trainer), "seconds": self.seconds()}
            state = {**trainer.state(), **pack_optimizer(trainer.optimizer)}
            save_checkpoint(self.folder, trainer.step_number, state, meta, self._files)
        self._kept = trainer.step_number

    def say_where_it_stopped(self) -> None:
        """A warning to whoever interrupted `fit`: after which step, and where the same call goes on."""
        goes_on = f"goes on from the checkpoint of step {self._kept:,}" if self.folder and self._kept else None
        at_first = "begins at step 1 (`fit` from these weights, a `Run` from the untrained ones)"
        warnings.warn(
            KitWarning(
                f"interrupted after step {self.trainer.step_number:,} of {self.trainer.steps:,}, as far as the encoder "
                f"has learnt; the same call {goes_on or at_first}."
            ),
            stacklevel=4,
        )


def resume(trainer: Any, folder: Path, identity: dict) -> dict:
    """Continue from the folder's newest checkpoint; returns its metadata, {} where there is none. Errors: see `fit`."""
    checkpoint = load_checkpoint(folder)
    if checkpoint is None:
        return {}
    tensors, meta = checkpoint
    check_identity(folder, meta.get("identity", {}), identity)
    check_tensors(folder, trainer, tensors)
    warn_of_other_arithmetic(meta.get("arithmetic"), trainer, meta["step"])
    trainer.load_state(tensors, meta["step"])
    unpack_optimizer(trainer.optimizer, tensors)
    return meta


def recent_loss(history: list[dict], steps: int = 20) -> float:
    """The mean of the last steps."""
    tail = [metrics["loss"] for metrics in history[-steps:]]
    return sum(tail) / len(tail)
