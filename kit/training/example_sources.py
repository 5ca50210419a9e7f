"""Where the Trainer's batches come from: a list of examples, or an object that makes batches while it reads.

Anything with the methods of `ListSource` is a source of batches. Data that do not fit memory have a method
`open_source(encoder, recipe, seed)` that returns one, see `kit.scaling.shuffle_buffer`.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from kit.fast import without_collection
from kit.training.batches import epoch_of_batches
from kit.training.settings import Recipe


class ListSource:
    """Batches of a list of examples, shuffled anew for every epoch."""

    def __init__(self, examples: list, recipe: Recipe, seed: int):
        self.examples, self._size, self._seed, self._order = examples, recipe.batch_size, seed, recipe.batch_order

    def batches(self, epoch: int) -> list[list]:
        return epoch_of_batches(self.examples, self._size, self._seed, epoch, self._order)

    def batches_per_epoch(self, first: list[list]) -> int:
        """How many batches an epoch has; first: those of the first one."""
        return len(first)

    def identity(self) -> tuple[dict | None, list]:
        """What tells this data from other data: a description, and examples that stand for it."""
        return None, self.examples

    def state(self, first_step: int) -> dict[str, Tensor]:
        """Where the source is, for a checkpoint; first_step: that of the current epoch."""
        return {}

    def load_state(self, tensors: dict[str, Tensor]) -> tuple[int, int]:
        """Go back to a saved state; returns the epoch and its first step."""
        return 0, 0


@without_collection()
def open_data(encoder, data: Any, recipe: Recipe, seed: int) -> Any:
    """Tokenise a list of data as examples, or open data that is read while training."""
    if hasattr(data, "open_source"):
        return data.open_source(encoder, recipe, seed)
    return recipe.objective.examples(encoder, data, recipe, seed)


def source_of(examples: list | Any, recipe: Recipe, seed: int) -> Any:
    """A source of batches: `examples` itself where it is one, else a `ListSource`."""
    return examples if hasattr(examples, "batches") else ListSource(examples, recipe, seed)
