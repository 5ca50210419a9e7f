"""One step of training, whatever the objective; `fit` and the live widgets both call it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from kit.checks.own_objective import check_batch_of, check_loss_of, check_objective, embed_once
from kit.checks.tensor_checks import check_finite_weights, check_weights_learn, diverged
from kit.encoder.pooling import PADDED_POOLINGS
from kit.errors import KitError, check_name, shown
from kit.fast import MICROBATCH_TOKENS
from kit.number_checks import is_whole
from kit.training.device import autocast
from kit.training.example_sources import source_of
from kit.training.grad_cache import cached_gradient
from kit.training.objectives import StepContext
from kit.training.optim import SCHEDULES, adamw, set_lr
from kit.training.settings import Recipe

# May be changed while it trains: read afresh at each step.
CHANGEABLE = (
    "lam temperature similarity anchors max_positives max_negatives other_positives mask_duplicates "
    "lr schedule warmup clip"
).split()


class Trainer:
    """An encoder, a recipe and tokenised examples (a list, or a source of batches); `step()` does one update.

    `recipe` may be exchanged between steps with `change(temperature=…, lam=…)`: the new numbers hold from the next
    step on. The seed sets batches, dropout and sampling. fast: see `kit.fast.enabled`. Errors: `KitError`. Lesson 07.
    """

    def __init__(
        self,
        encoder,
        recipe: Recipe,
        examples: list | Any,
        steps: int | None = None,
        seed: int = 0,
        precision: str = "auto",
        fast: bool | None = None,
    ):
        if steps is not None and not is_whole(steps, 1):
            raise KitError(f"expected 1 step or more, got {steps!r}: leave it out for the recipe's epochs.")
        if recipe.options.chunk is not None and encoder.pooling in PADDED_POOLINGS:
            raise KitError(
                f"expected no chunk with pooling {encoder.pooling!r}, which would see the padding of the chunks, got "
                f"{shown(recipe.options.chunk)}: leave it out, or load the encoder with another pooling."
            )
        check_weights_learn(encoder)
        torch.manual_seed(seed)
        self.encoder, self.recipe = encoder, recipe
        self.source = source_of(examples, recipe, seed)
        self.seed, self.precision, self.fast, self.device = seed, precision, fast, encoder.device
        set_dropout(encoder, recipe.dropout)
        self.objective = recipe.objective(encoder, recipe).to(self.device)
        check_objective(self.objective, encoder, examples, sorts=recipe.batch_order == "by_length")
        self._unchecked = True  # what it makes of its first batch
        self.module = nn.ModuleDict({"encoder": encoder, "objective": self.objective})
        self.optimizer = adamw(self.module, recipe.lr, recipe.weight_decay)
        self.microbatch_tokens = MICROBATCH_TOKENS if self.device.type == "cpu" else None
        self._start_epoch(0, first_step=0)
        self.steps = steps or max(1, round(recipe.epochs * self.source.batches_per_epoch(self._batches)))
        self.step_number = 0

    def change(self, **changes) -> None:
        """Other numbers from the next step on, checked as in `recipe`; e.g. change(temperature=0.1).

        Errors: `KitError` for a setting not in `CHANGEABLE`, and for a number that makes no sense.
        """
        for name in changes:
            check_name("setting that a running training can change", name, CHANGEABLE)
        self.recipe = self.recipe.changed(**changes)

    def next_batch(self) -> Any:
        """The batch of the current step."""
        while self.step_number >= self._first_step + len(self._batches):  # epochs may differ by a batch
            self._start_epoch(self._epoch + 1, self._first_step + len(self._batches))
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.step_number) % 2**63)
        examples = self._batches[self.step_number - self._first_step]
        batch = self.objective.batch(examples, self.recipe, generator)
        if self._unchecked:
            check_batch_of(self.objective, batch, self.device)
        return batch.to(self.device)

    def _start_epoch(self, epoch: int, first_step: int) -> None:
        """Get the batches of an epoch (of a stream: of the shuffle buffer with this number)."""
        self._epoch, self._first_step = epoch, first_step
        self._batches = self.source.batches(epoch)

    def step(self) -> dict[str, float]:
        """One update; returns step, loss, the parts of the loss before weighting, lr and rows.

        Errors: `KitError`, before the update, where the loss or the gradient is not finite.
        """
        batch = self.next_batch()
        self.module.train()
        warmup = int(self.recipe.warmup * self.steps + 1e-9)  # 0.29 of 100 steps is 28.999… in binary
        factor = SCHEDULES[self.recipe.schedule](self.step_number, self.steps, warmup)
        set_lr(self.optimizer, self.recipe.lr * factor)
        loss, parts = self.backward(batch)
        trained = list(self.module.parameters())
        if not (gradients := [p.grad for p in trained if p.grad is not None]):
            raise KitError("expected weights that learn, but the loss reaches frozen ones alone: set requires_grad_().")
        norm = nn.utils.get_total_norm(gradients)
        if not (math.isfinite(loss) and math.isfinite(norm)):
            error = diverged(self.module, self.step_number + 1, loss.item(), self.recipe.lr * factor)
            self.rest()
            raise error
        if self.recipe.clip is not None:
            nn.utils.clip_grads_with_norm_(trained, self.recipe.clip, norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step_number += 1
        told = {"step": self.step_number, "loss": loss.item(), "lr": self.recipe.lr * factor}
        told["rows"] = len(batch.token_ids)
        return told | {k: v.item() for k, v in parts.items()} | told

    def check_finite(self) -> None:
        """Raise `KitError` where a weight is not finite: an update may overflow though its gradient is finite."""
        check_finite_weights(self.module, self.step_number, self.recipe.lr)

    def rest(self) -> None:
        """Leave the encoder as between trainings: dropout off, no gradients."""
        self.module.eval()
        self.optimizer.zero_grad(set_to_none=True)

    def backward(self, batch: Any) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Add the gradient of a batch to the parameters' `.grad`; its loss and the parts of it.

        With a `chunk` in the recipe by gradient caching: the same gradient in less memory.
        """
        chunk = self.recipe.options.chunk
        if chunk is None:
            loss, parts = self._loss(batch, self._embed)
            if loss.requires_grad:  # else `step` says that nothing learns
                loss.backward()
            return loss.detach(), parts
        parts = {}

        def loss_of(embeddings: torch.Tensor, batch: Any) -> torch.Tensor:
            loss, its_parts = self._loss(batch, embed_once(self.objective, batch, embeddings))
            parts.update(its_parts)
            return loss

        return cached_gradient(self._embed, batch, loss_of, chunk), parts

    def _loss(self, batch: Any, embed: Callable) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        found = self.objective.loss(batch, self.context(embed))
        if self._unchecked:
            check_loss_of(self.objective, found)
            self._unchecked = False
        return found

    def _embed(self, token_ids: list[list[int]]) -> torch.Tensor:
        with autocast(self.device, self.precision):
            return self.encoder.embed(token_ids, self.microbatch_tokens, self.fast).float()  # [rows, dim]

    def context(self, embed: Callable[[list[list[int]]], torch.Tensor]) -> StepContext:
        """What the objective's loss gets to know of the current step."""
        generator = torch.Generator(self.device).manual_seed((self.seed * 1_000_003 + self.step_number) % 2**63)
        return StepContext(
            self.encoder,
            embed,
            lambda: autocast(self.device, self.precision),
            self.recipe,
            self.step_number,
            self.steps,
            self.step_number - self._first_step,
            generator,
            self.fast,
        )

    def state(self) -> dict[str, torch.Tensor]:
        """Weights and random state, as flat tensors (the optimizer's are packed by `kit.storage.run.Run`)."""
        tensors = {f"module.{k}": v for k, v in self.module.state_dict().items()}
        tensors["rng.cpu"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["rng.cuda"] = torch.cuda.get_rng_state(self.device)
        return tensors | self.source.state(self._first_step)

    def load_state(self, tensors: dict[str, torch.Tensor], step: int) -> None:
        weights = {k.removeprefix("module."): v for k, v in tensors.items() if k.startswith("module.")}
        self.module.load_state_dict(weights)
        torch.set_rng_state(tensors["rng.cpu"])
        if "rng.cuda" in tensors and self.device.type == "cuda":
            torch.cuda.set_rng_state(tensors["rng.cuda"], self.device)
        self.step_number = step
        self._start_epoch(*self.source.load_state(tensors))  # `next_batch` goes on to the epoch of this step


def set_dropout(encoder, p: float) -> None:
    """Set the probability of every dropout in the transformer (attention weights included). Lesson 05."""
    for module in encoder.bert.modules():
        if isinstance(module, nn.Dropout):
            module.p = p
        for name, value in vars(module).items():  # of ModernBERT and others: a number, for a function
            if "dropout" in name and type(value) in (int, float):
                setattr(module, name, p)
