"""What every objective implements, and what a step of training hands to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from kit.training.settings import Recipe


@dataclass(frozen=True)
class StepContext:
    """One step as an objective sees it.

    embed: token ids of some rows → vectors [rows, dim], float32 with a graph, in the run's precision and in passes that
    fit the machine; under gradient caching and on several processes they are computed already: it then takes
    `batch.token_ids`, whole and once. An objective that needs more than sentence vectors calls the `encoder` itself,
    inside `with context.autocast():`. step counts from 0 over the whole run of `steps`, epoch_step within the epoch.
    generator: seeded by the run's seed and the step, on the encoder's device. fast: for the losses, see `kit.fast`.
    """

    encoder: Any
    embed: Callable[[list[list[int]]], Tensor]
    autocast: Callable[[], AbstractContextManager]
    recipe: Recipe
    step: int
    steps: int
    epoch_step: int
    generator: torch.Generator
    fast: bool | None = None


class Objective(nn.Module, ABC):
    """A training objective; its parameters are trained beside the encoder (a classifier, a decoder …).

    A subclass implements `examples`, `batch` and `loss`; its `Options` return it as their `objective`. The encoder
    comes with every step and is no part of the module.
    """

    name: ClassVar[str]  # in tables, results and checkpoints, which know a class that is not the kit's by its code too
    # How several processes divide the loss, "replicated" or, the kit's own softmax, "by_anchors" (see
    # `kit.scaling.distributed`); None where it needs more of the encoder than the vectors of the rows.
    division: ClassVar[str | None] = None

    def __init__(self, encoder, recipe: Recipe):
        super().__init__()
        self.project = projection_head(encoder, getattr(recipe.options, "projection", None))

    @staticmethod
    @abstractmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list:
        """Tokenise the data: examples with `size` (what each adds to a batch) and `longest` (its longest row).

        Examples are dataclasses of numbers and lists. Errors: `KitError` for data of the wrong kind.
        """

    @abstractmethod
    def batch(self, examples: list, recipe: Recipe, generator: torch.Generator | None = None) -> Any:
        """Collate the examples of one step: a batch with `token_ids`, its rows, and `to(device)`.

        generator: on the CPU, seeded by the run's seed and the step.
        """

    @abstractmethod
    def loss(self, batch: Any, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, a scalar with a graph, and its parts before weighting, detached."""


def projection_head(encoder, kind: str | None) -> nn.Module:
    """What a softmax sees the vectors [rows, dim] through, trained with the encoder and thrown away after it.

    "tanh": a linear map and a tanh (SimCSE: Gao et al. 2021, section 6.3); "relu": two linear maps and a ReLU between
    (SimCLR: Chen et al. 2020, section 4.2; SupCon), both as wide as the vectors. None: the vectors as they are.
    """
    if kind is None:
        return nn.Identity()
    layers = [nn.Linear(encoder.dim, encoder.dim), nn.Tanh() if kind == "tanh" else nn.ReLU()]
    return nn.Sequential(*layers, *([nn.Linear(encoder.dim, encoder.dim)] if kind == "relu" else []))
