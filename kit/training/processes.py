"""One process, or the several that a launcher started: what `fit` asks of either."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch

from kit import extensions
from kit.training.settings import Recipe
from kit.training.trainer import Trainer


@dataclass(frozen=True)
class SingleProcess:
    """Training in this process alone. `kit.scaling.ranks.Ranks` has the same methods for one of several."""

    device: torch.device
    size = 1
    is_main = True  # the one that writes files and shows a bar

    def trainer(self, *arguments) -> Trainer:
        return Trainer(*arguments)

    def tokenizer(self, encoder):
        """What tokenises the data: the encoder."""
        return encoder

    def any(self, answer: bool) -> bool:
        """Whether one of the processes says yes."""
        return bool(answer)

    def check_equal(self, what: str, value: str) -> None:
        """Raise `KitError` where a process has another `value`."""

    def barrier(self) -> None:
        """Wait until all processes have come here."""


def processes_for(recipe: Recipe, device: torch.device):
    """The processes to train `recipe` on: this one, or those of torchrun and `accelerate launch`.

    Errors: `KitError` for several processes and a recipe that needs one, or a launch that does not work.
    """
    initialized = torch.distributed.is_available() and torch.distributed.is_initialized()
    if os.environ.get("WORLD_SIZE", "1") == "1" and not initialized:
        return SingleProcess(device)
    return extensions.several_processes().ranks_for(recipe, device)
