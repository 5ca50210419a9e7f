"""Train an encoder by a recipe, with live metrics, checkpoints and resume."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from kit.checks.argument_checks import checked
from kit.encoder import Encoder
from kit.errors import KitWarning
from kit.number_checks import whole_number
from kit.storage.atomic import strict_json
from kit.storage.checkpoint import prepare
from kit.storage.run import Run, recent_loss, resume
from kit.storage.run_identity import settings_of
from kit.storage.run_lock import owner_of
from kit.training.device import describe_hardware, undisturbed
from kit.training.example_sources import open_data
from kit.training.processes import processes_for
from kit.training.settings import Recipe
from kit.training.trainer import Trainer


@dataclass(frozen=True)
class FitResult:
    """What a run did. `history` has one dict a step: step, loss, parts, lr, rows; planned: the steps of all of it."""

    history: list[dict]
    steps: int
    sentences: int
    seconds: float
    hardware: str
    planned: int

    def summary(self) -> str:
        """One sentence for the screen."""
        first, last = self.history[0]["loss"], recent_loss(self.history)
        return (
            f"Trained {self.steps:,} steps on {self.sentences:,} sentences in {self.seconds:.0f} s "
            f"({self.sentences / max(self.seconds, 1e-9):,.0f} a second); the loss went from "
            f"{first:.3f} to {last:.3f}."
        )


@checked
def fit(
    encoder: Encoder,
    recipe: Recipe,
    data: Any,
    *,
    seed: int = 0,
    steps: int | None = None,
    folder: Path | str | None = None,
    checkpoint_every: int = 200,
    callback: Callable[[dict], None] | None = None,
    precision: str = "auto",
    progress: bool = True,
    should_stop: Callable[[], bool] | None = None,
    fast: bool | None = None,
) -> FitResult:
    """Train `encoder` in place by `recipe`.

    data: NLI groups, or what else the recipe's format takes, or a stream of it (`kit.scaling.load_stream`).
    steps: None for the recipe's epochs; a stream larger than its buffer needs a number. folder: where checkpoints go,
    every `checkpoint_every` steps; a run that was killed is resumed by the same call, and on a CPU its losses
    continue bit for bit, in one precision. callback: called after each step with a copy of its metrics; what it adds
    (numbers, text, lists) stays in the history, and what it draws at random changes nothing. should_stop: asked after
    each step; True ends the run there, with a checkpoint where there is a folder. fast: False takes the plain code, to
    read and debug, see `kit.fast`. A warning is given where the encoder's pooling is not the recipe's; the encoder's is
    used. Gradients are on within, and torch's random state is left as it was.

    Under torchrun or `accelerate launch` all processes train this one encoder on the same batches, see
    `kit.scaling.distributed`: call `fit` in each with the same arguments. Rank 0 writes and shows the bar.
    Interrupted, it says after which step. Errors: `KitError` for data that do not fit the recipe; a folder that cannot
    be written, that another process uses, or that holds a run of another recipe, encoder (by name and size), data, seed
    or length; a loss, gradient or weight that is not finite: checkpoints hold finite weights. Lessons 00, 02.
    """
    whole_number("checkpoint_every", checkpoint_every, 1)
    processes = processes_for(recipe, encoder.device)
    folder = prepare(folder) if folder else None
    _warn_of_another_pooling(encoder, recipe)

    with undisturbed(encoder.device), owner_of(folder if processes.is_main else None):
        examples = open_data(processes.tokenizer(encoder), data, recipe, seed)
        trainer = processes.trainer(encoder, recipe, examples, steps, seed, precision, fast)
        identity = _identity(encoder, recipe, trainer, seed, compared=folder is not None or processes.size > 1)
        meta = resume(trainer, folder, identity) if folder else {}
        processes.check_equal("recipe, encoder, data, seed and checkpoint", json.dumps([identity, trainer.step_number]))
        run = Run(trainer, folder, identity, meta, writes=processes.is_main)
        bar = _progress_bar(trainer, disable=not (progress and processes.is_main))
        try:
            for _ in bar:
                run.history.append(trainer.step())
                if callback:
                    run.history[-1] = _with_what_it_adds(callback, run.history[-1], encoder.device)
                if trainer.step_number % 20 == 0:
                    bar.set_postfix(loss=f"{recent_loss(run.history):.3f}")
                stop = should_stop is not None and processes.any(should_stop())
                if stop or trainer.step_number % checkpoint_every == 0 or trainer.step_number == trainer.steps:
                    run.checkpoint()
                if stop:
                    bar.total = None  # a pause is no error: its bar goes away like that of a whole run
                    break
            processes.barrier()  # until the last checkpoint is written
        except KeyboardInterrupt:
            bar.close()
            run.say_where_it_stopped()
            raise
        finally:
            trainer.rest()
    hardware, sentences = describe_hardware(encoder.device, processes.size), sum(h["rows"] for h in run.history)
    return FitResult(run.history, trainer.step_number, sentences, run.seconds(), hardware, trainer.steps)


def _identity(encoder: Encoder, recipe: Recipe, trainer: Trainer, seed: int, compared: bool) -> dict:
    """What makes a run another one. The data are read for it only where somebody compares."""
    return {
        "recipe": settings_of(recipe),
        "encoder": _describe(encoder),
        "data": fingerprint(trainer.source) if compared else None,
        "seed": seed,
        "steps": trainer.steps,
    }


def fingerprint(source: Any) -> str:
    """A short hash of the tokenised data: the same text under the same vocabulary.

    Of a stream: of its source and settings, and of its first buffer.
    """
    digest = hashlib.sha256()
    description, examples = source.identity()
    if description is not None:
        digest.update(json.dumps(description).encode())
    for example in examples:
        digest.update(json.dumps([getattr(example, f.name) for f in fields(example)]).encode())
    return digest.hexdigest()[:16]


def _with_what_it_adds(callback: Callable[[dict], None], metrics: dict, device: Any) -> dict:
    """`metrics` and what `callback` adds to its copy of them. Errors: `KitError` for what no history can hold."""
    told = dict(metrics)
    with undisturbed(device):
        callback(told)
    if told.keys() - metrics.keys():
        strict_json(told)
    return metrics | told | metrics


def _progress_bar(trainer: Trainer, disable: bool):
    from tqdm.auto import tqdm

    return tqdm(
        range(trainer.step_number, trainer.steps),
        initial=trainer.step_number,
        total=trainer.steps,
        desc=f"train {trainer.recipe.name}",
        unit="step",
        leave=False,  # what is left to say, the summary says
        disable=disable,
    )


def _warn_of_another_pooling(encoder: Encoder, recipe: Recipe) -> None:
    meant, loaded = _pooling(recipe), _pooling(encoder)
    if meant != loaded:
        warnings.warn(
            KitWarning(
                f"recipe {recipe.name!r} is meant for pooling {meant}, but the encoder "
                f"was loaded with {loaded}, which is used."
            ),
            stacklevel=4,
        )


def _pooling(owner: Recipe | Encoder) -> str:
    """The pooling in words; its first layer counts where it has one."""
    return f"{owner.pooling!r}" + (f" and first_layer {owner.first_layer}" if owner.pooling == "first_last" else "")


def _describe(encoder) -> dict:
    """What makes vectors of another encoder, before any training."""
    config = encoder.bert.config
    return {
        "name": encoder.source.name if encoder.source else None,
        "pooling": encoder.pooling,
        "first_layer": encoder.first_layer,
        "max_length": encoder.max_length,
        "layers": config.num_hidden_layers,
        "hidden": config.hidden_size,
        "vocabulary": config.vocab_size,
    }
