"""One step of training, whatever the objective; `fit` and the live widgets both call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from kit.errors import KitError, unknown_name
from kit.fast import MICROBATCH_TOKENS
from kit.scaling.shuffle_buffer import Pools, batches_of, batches_per_epoch
from kit.training.device import autocast
from kit.training.grad_cache import cached_gradient
from kit.training.objectives import Moment, system_class
from kit.training.optim import SCHEDULES, adamw, clip_gradient, set_lr
from kit.training.settings import Recipe

# Read afresh at each step; the others are built into the optimizer, the encoder or the batches.
CHANGEABLE = (
    "lam",
    "temperature",
    "similarity",
    "anchors",
    "max_positives",
    "max_negatives",
    "other_positives",
    "mask_duplicates",
    "lr",
    "schedule",
    "warmup",
    "clip",
)


class Trainer:
    """An encoder, a recipe and tokenised items (a list, or the `Pools` of a stream); `step()` does one update.

    `recipe` may be exchanged between steps with `change(temperature=…, lam=…)`: the new
    numbers hold from the next step on. Batches, dropout and sampling depend on the seed.
    """

    def __init__(
        self,
        encoder,
        recipe: Recipe,
        items: list | Pools,
        steps: int | None = None,
        seed: int = 0,
        precision: str = "auto",
    ):
        if steps is not None and (not isinstance(steps, int) or steps < 1):
            raise KitError(f"expected 1 step or more, got {steps!r}: leave it out for the recipe's epochs.")
        torch.manual_seed(seed)
        self.encoder, self.recipe, self.items = encoder, recipe, items
        self.seed, self.precision, self.device = seed, precision, encoder.device
        set_dropout(encoder, recipe.dropout)
        self.system = system_class(recipe.system)(encoder, recipe).to(self.device)
        self.module = nn.ModuleDict({"encoder": encoder, "system": self.system})
        self.optimizer = adamw(self.module, recipe.lr, recipe.weight_decay)
        self.microbatch_tokens = MICROBATCH_TOKENS if self.device.type == "cpu" else None
        self._start_epoch(0, first_step=0)
        self.steps = steps or max(1, round(recipe.epochs * batches_per_epoch(items, self._batches)))
        self.step_number = 0

    def change(self, **changes) -> None:
        """Other numbers from the next step on, checked as in `recipe`; e.g. change(temperature=0.1).

        Errors: `KitError` for a setting not in `CHANGEABLE`, and for a number that makes no sense.
        """
        for name in changes:
            if name not in CHANGEABLE:
                raise unknown_name("setting that a running training can change", name, CHANGEABLE)
        self.recipe = self.recipe.changed(**changes)

    def next_batch(self) -> Any:
        """The batch of the current step."""
        while self.step_number >= self._first_step + len(self._batches):  # epochs may differ by a batch
            self._start_epoch(self._epoch + 1, self._first_step + len(self._batches))
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.step_number)
        items = self._batches[self.step_number - self._first_step]
        return self.system.batch(items, self.recipe, generator).to(self.device)

    def _start_epoch(self, epoch: int, first_step: int) -> None:
        """The batches of an epoch; of a stream those of its next pool, and pools are counted."""
        self._epoch, self._first_step = epoch, first_step
        self._batches = batches_of(self.items, self.recipe, self.seed, epoch)

    def step(self) -> dict[str, float]:
        """One update; returns step, loss, the parts of the loss before weighting, lr and rows."""
        batch = self.next_batch()
        self.module.train()
        factor = SCHEDULES[self.recipe.schedule](
            self.step_number, self.steps, max(1, int(self.recipe.warmup * self.steps))
        )
        set_lr(self.optimizer, self.recipe.lr * factor)
        loss, parts = self.backward(batch)
        clip_gradient(self.module, self.recipe.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step_number += 1
        return {
            "step": self.step_number,
            "loss": loss.item(),
            "lr": self.recipe.lr * factor,
            "rows": len(batch.token_ids),
            **{k: v.item() for k, v in parts.items()},
        }

    def backward(self, batch: Any) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Add the gradient of a batch to the parameters' `.grad`; its loss and the parts of it.

        With a `chunk` in the recipe by gradient caching: the same gradient in less memory.
        """
        if self.recipe.chunk is None:
            loss, parts = self.system.loss(batch, self.moment(self._embed))
            loss.backward()
            return loss.detach(), parts
        parts = {}

        def loss_of(embeddings: torch.Tensor, batch: Any) -> torch.Tensor:
            loss, found = self.system.loss(batch, self.moment(lambda token_ids: embeddings))
            parts.update(found)
            return loss

        return cached_gradient(self._embed, batch, loss_of, self.recipe.chunk), parts

    def _embed(self, token_ids: list[list[int]]) -> torch.Tensor:
        with autocast(self.device, self.precision):
            return self.encoder.embed(token_ids, self.microbatch_tokens).float()  # [rows, dim]

    def moment(self, embed: Callable[[list[list[int]]], torch.Tensor]) -> Moment:
        """Where the training stands now, for the system's loss."""
        generator = torch.Generator(self.device).manual_seed(self.seed * 1_000_003 + self.step_number)
        return Moment(
            self.encoder,
            embed,
            lambda: autocast(self.device, self.precision),
            self.recipe,
            self.step_number,
            self.steps,
            self.step_number - self._first_step,
            len(self._batches),
            generator,
        )

    def state(self) -> dict[str, torch.Tensor]:
        """Weights and random state, as flat tensors (the optimizer's are packed by `fit`)."""
        tensors = {f"module.{k}": v for k, v in self.module.state_dict().items()}
        tensors["rng.cpu"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["rng.cuda"] = torch.cuda.get_rng_state(self.device)
        if isinstance(self.items, Pools):
            tensors["stream"] = self.items.position(self._first_step)
        return tensors

    def load_state(self, tensors: dict[str, torch.Tensor], step: int) -> None:
        weights = {k.removeprefix("module."): v for k, v in tensors.items() if k.startswith("module.")}
        self.module.load_state_dict(weights)
        torch.set_rng_state(tensors["rng.cpu"])
        if "rng.cuda" in tensors and self.device.type == "cuda":
            torch.cuda.set_rng_state(tensors["rng.cuda"], self.device)
        self.step_number = step
        number, first = self.items.go_to(tensors["stream"]) if isinstance(self.items, Pools) else (0, 0)
        self._start_epoch(number, first)  # `next_batch` goes on to the epoch of this step


def set_dropout(encoder, share: float) -> None:
    """Set every dropout of the transformer to `share` (attention weights included)."""
    for module in encoder.bert.modules():
        if isinstance(module, nn.Dropout):
            module.p = share
