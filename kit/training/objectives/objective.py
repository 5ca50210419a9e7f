"""What every system has in common, and what a step of training gives it to work with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from kit.training.settings import Recipe


@dataclass(frozen=True)
class Moment:
    """One step as a system sees it.

    embed: token ids of some rows → vectors [rows, dim], float32 with a graph, in the run's
    precision and in passes that fit the machine. A system that needs more than sentence vectors
    calls the `encoder` itself, inside `with moment.autocast():`. step counts from 0 over the whole
    run of `steps`; epoch_step and epoch_steps likewise within the epoch. generator: seeded by
    the run's seed and the step, on the encoder's device.
    """

    encoder: Any
    embed: Callable[[list[list[int]]], Tensor]
    autocast: Callable[[], AbstractContextManager]
    recipe: Recipe
    step: int
    steps: int
    epoch_step: int
    epoch_steps: int
    generator: torch.Generator


class System(nn.Module, ABC):
    """A way to train; its parameters are what is trained beside the encoder (a classifier, a decoder …).

    A subclass gives three things, or cannot be made: `items`, `batch` and `loss`. The encoder is handed in with every
    step and is not a part of it.
    """

    def __init__(self, encoder, recipe: Recipe):
        super().__init__()

    @staticmethod
    @abstractmethod
    def items(encoder, data: Sequence, recipe: Recipe, seed: int) -> list:
        """The data as tokenised items; each has `size` (what it adds to a batch) and `longest`.

        Items are dataclasses of numbers and lists. Errors: `KitError` for data of the wrong kind.
        """

    @abstractmethod
    def batch(self, items: list, recipe: Recipe, generator: torch.Generator | None = None) -> Any:
        """The items of one step as a batch: has `token_ids`, the rows, and `to(device)`.

        generator: on the CPU, seeded by the run's seed and the step.
        """

    @abstractmethod
    def loss(self, batch: Any, moment: Moment) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, a scalar with a graph, and its parts before weighting, detached."""
