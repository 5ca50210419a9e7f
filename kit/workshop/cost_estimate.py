"""Estimate what a training run costs before it starts: time a few real steps and extrapolate.

The trial trains a copy of the encoder on a sample of the data and discards both; the encoder's weights
and the random state are left as they were.
"""

from __future__ import annotations

import copy
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from kit.captions import duration
from kit.checks.argument_checks import checked
from kit.checks.failed_load import lacks_memory
from kit.encoder import Encoder
from kit.errors import KitError, shown
from kit.figures.caption_numbers import counted
from kit.number_checks import is_finite, whole_number
from kit.training.batches import POOL, epoch_of_batches
from kit.training.device import describe_hardware
from kit.training.settings import Recipe
from kit.training.trainer import Trainer

MIB = 2**20
SAMPLE = 2000  # data elements of the trial, or a pool of batches where that is more
DOCUMENTS = 60  # documents of the trial, besides a few batches of them: each is long


@dataclass(frozen=True)
class Cost:
    """The estimated cost of a run. Lesson 09.

    preparing: seconds to tokenise; step_seconds: of one step, the mean over `tried` steps. per_epoch: steps
    of one epoch, not whole where extrapolated; rows: sentences of a step; memory_mb: peak memory of the
    process in the trial (on a GPU: what torch allocated there), MiB; None where the system does not say (Windows).
    """

    steps: int
    preparing: float
    step_seconds: float
    per_epoch: float
    rows: float
    memory_mb: float | None
    tried: int
    hardware: str

    @property
    def seconds(self) -> float:
        """The whole run."""
        return self.preparing + self.steps * self.step_seconds

    @property
    def sentences(self) -> int:
        """Sentences of all steps."""
        return round(self.steps * self.rows)

    def for_steps(self, steps: int) -> Cost:
        """The same estimate for a run of another length."""
        return replace(self, steps=steps)

    def summary(self) -> str:
        """The estimate in words."""
        held = "" if self.memory_mb is None else f"; this process then holds up to {self.memory_mb:,.0f} MiB"
        return (
            f"About {duration(self.seconds)} for {counted(self.steps, 'step')} and "
            f"{counted(self.sentences, 'sentence')}{held}. An "
            f"estimate from {self.tried} real steps on {self.hardware}; other work on this machine makes it wrong."
        )


@checked
def estimate_cost(
    encoder: Encoder,
    recipe: Recipe,
    data: Sequence,
    *,
    seed: int = 0,
    steps: int | None = None,
    precision: str = "auto",
    patience: float = 1.0,
) -> Cost:
    """Estimate what `fit` with the same arguments would cost on this machine. Lesson 09.

    After two warm-up steps, time steps for about `patience` seconds, three at least; then try the most
    expensive batch once, for its memory. Validation and checkpoints are not included. Errors: `KitError`
    for data that do not fit the recipe, or a batch that does not fit into memory.
    """
    if steps is not None:
        whole_number("steps", steps, 1, "leave it out for an epoch")
    if not is_finite(patience) or not 0 < patience <= 600:
        raise KitError(f"expected patience as seconds above 0 and up to 600, got {shown(patience)}: 1 is usual.")
    if not len(data):
        raise KitError("expected data to train on, got none: load some first.")
    sample = _sample(data, recipe, seed)
    part = len(sample) / len(data)
    devices = [encoder.device] if encoder.device.type == "cuda" else []
    trial = copy.deepcopy(encoder, {id(encoder.tokenizer): encoder.tokenizer})
    with torch.random.fork_rng(devices), _Memory(encoder.device) as memory:
        began = time.perf_counter()
        items = recipe.objective.examples(trial, sample, recipe, seed)
        preparing = (time.perf_counter() - began) / part
        batches = epoch_of_batches(items, recipe.batch_size, seed, 0, recipe.batch_order)
        trainer = Trainer(trial, recipe, items, None, seed, precision)
        times, rows = _timed(trainer, patience)
        heaviest = max(batches, key=lambda batch: len(batch) * max(item.longest for item in batch))
        _try_heaviest(trainer, heaviest)
    per_epoch = len(batches) / part
    return Cost(
        steps or max(1, round(recipe.epochs * per_epoch)),
        preparing,
        sum(times) / len(times),
        per_epoch,
        sum(rows) / len(rows),
        memory.peak_mb,
        len(times),
        describe_hardware(encoder.device),
    )


def _sample(data: Sequence, recipe: Recipe, seed: int) -> Sequence:
    """Enough of the data to show what batches are like."""
    wanted = max(SAMPLE, POOL * recipe.batch_size)
    if recipe.data_format == "documents":
        wanted = DOCUMENTS + 4 * recipe.batch_size
    return data if len(data) <= wanted else random.Random(seed).sample(list(data), wanted)


def _timed(trainer: Trainer, patience: float) -> tuple[list[float], list[int]]:
    """Seconds and rows of some steps, after two warm-up steps."""
    times, rows = [], []
    for number in range(1000):
        began = time.perf_counter()
        step = _or_too_large(trainer.step, trainer.recipe)
        if trainer.device.type == "cuda":
            torch.cuda.synchronize(trainer.device)
        if number >= 2:
            times.append(time.perf_counter() - began)
            rows.append(step["rows"])
        if len(times) >= 3 and sum(times) >= patience:
            break
    return times, rows


def _try_heaviest(trainer: Trainer, items: list) -> None:
    batch = trainer.objective.batch(items, trainer.recipe, torch.Generator().manual_seed(0)).to(trainer.device)
    _or_too_large(lambda: trainer.backward(batch), trainer.recipe)


def _or_too_large(work, recipe: Recipe):
    """Return what `work` returns; report a batch too large for the memory in one sentence."""
    try:
        return work()
    except (MemoryError, RuntimeError) as problem:
        if not lacks_memory(problem):
            raise
        raise KitError(
            f"expected a batch of {recipe.batch_size} to fit into memory, but it does not: give a smaller "
            "batch_size, or a chunk, which takes a batch in parts and gives the same gradient."
        ) from problem


class _Memory:
    """Peak memory between entering and leaving, in MiB: `peak_mb`, None where the system does not say.

    On a GPU what torch had allocated there, on a CPU what the process held in all.
    """

    def __init__(self, device: torch.device):
        self.device, self.peak_mb, self._stop = device, None, threading.Event()

    def __enter__(self) -> _Memory:
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)
        else:
            self._thread = threading.Thread(target=self._sample, name="memory of the trial", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        if self.device.type == "cuda":
            self.peak_mb = torch.cuda.max_memory_allocated(self.device) / MIB
        else:
            self._stop.set()
            self._thread.join()

    def _sample(self) -> None:
        while True:
            if (held := held_mb()) is not None:
                self.peak_mb = max(self.peak_mb or 0.0, held)
            if self._stop.wait(0.005):
                return


def held_mb() -> float | None:
    """Memory the process holds now, MiB; where the system does not say, the most it ever held."""
    try:
        import resource
    except ImportError:  # Windows has neither
        return None
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text("utf-8").split()[1]) * resource.getpagesize() / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB  # macOS counts bytes
