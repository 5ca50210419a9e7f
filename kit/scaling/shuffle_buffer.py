"""Training on data that do not fit memory: a stream becomes batches, pool after pool.

A pool is a block of the stream (see `kit.scaling.row_stream`), of at least POOL batches' worth of rows. It is
tokenised and cut into batches by `epoch_of_batches`, as a list is for a whole epoch; a stream that
is one block gives the very batches of the list. Held are the pool that is trained on and the rows of
the next; on a GPU a thread tokenises the next meanwhile. (On two cores that gains nothing: the
thread takes from the training what it saves, see benchmarks/streaming.py.)
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import astuple, dataclass

import torch

from kit.data.hub import KitWarning
from kit.errors import KitError
from kit.scaling.row_stream import Position, Stream
from kit.training.batches import POOL, epoch_of_batches
from kit.training.objectives import system_class
from kit.training.settings import Recipe
from kit.training.validate_data import KINDS

APART = 1_000_003  # between the seeds of two pools


@dataclass(frozen=True)
class Pool:
    """Tokenised items of one block. number: of the pool, counted over all epochs."""

    number: int
    epoch: int
    start: Position
    last: bool  # of its epoch
    items: list


class Pools:
    """The items of a stream for the Trainer, where a list has all of its items at once.

    Choices that look at other rows (borrowed negatives of "multiples", distinct sentences of
    "twins") look at those of the pool. ahead: tokenise the next pool in a thread (None: on a GPU).
    waited: seconds that the training waited for pools. Errors: `KitError` for a layout that needs all data at once.
    """

    def __init__(self, encoder, data: Stream, recipe: Recipe, seed: int, ahead: bool | None = None):
        if recipe.layout not in KINDS:
            raise KitError(
                f"recipe {recipe.name!r} needs all its data at once (layout {recipe.layout!r}) and cannot "
                f"train on a stream: give a list, or a recipe with {' or '.join(map(repr, KINDS))}."
            )
        self._encoder, self._data, self._recipe, self._seed = encoder, data, recipe, seed
        self._ahead = encoder.device.type != "cpu" if ahead is None else ahead
        self._worker = ThreadPoolExecutor(1, "next pool")  # starts a thread when it is given work
        self.waited = 0.0
        self._begin(0, 0, Position())

    def batches(self, number: int) -> list[list]:
        """The batches of a pool. Forwards pool by pool; back means from the beginning."""
        if self.pool is not None and number < self.pool.number:
            self._begin(0, 0, Position())
        while self.pool is None or self.pool.number < number:
            self._take()
        pool = self.pool
        return epoch_of_batches(pool.items, self._recipe.batch_size, self._seed + APART * pool.start.block, pool.epoch)

    def per_epoch(self, batches: list) -> int:
        """Batches of an epoch: known where the first pool is all of it, else a `KitError` asks for steps."""
        if self.pool.number == 0 and self.pool.last:
            return len(batches)
        rows = self._data.shards.rows
        raise KitError(
            "expected a number of steps, as a stream is not counted before it is read: give steps=…"
            + (f" (its epoch has {rows:,} rows, a batch {self._recipe.batch_size})." if rows else ".")
        )

    def position(self, first_step: int) -> torch.Tensor:
        """Where the pool in use begins, for a checkpoint; first_step: the step of its first batch."""
        return torch.tensor([self.pool.number, first_step, self.pool.epoch, *astuple(self.pool.start)])

    def go_to(self, position: torch.Tensor) -> tuple[int, int]:
        """Go on at a kept position, without tokenising what lies before: its pool's number and first step."""
        number, first_step, epoch, *start = position.tolist()
        self._begin(number, epoch, Position(*start))
        return number, first_step

    def identity(self) -> tuple[dict, list]:
        """What tells one stream from another, and does not read all of it: its description and its first pool."""
        kept = self.pool is not None and self.pool.number == 0
        pool = self.pool if kept else next(self._read(0, 0, Position()))
        return self._data.description(), pool.items

    def _begin(self, number: int, epoch: int, start: Position) -> None:
        self.pool: Pool | None = None
        self._pools = self._read(number, epoch, start)
        self._coming: Future | None = None

    def _take(self) -> None:
        began = time.perf_counter()
        if self._ahead:
            self.pool = (self._coming or self._worker.submit(next, self._pools)).result()
            self._coming = self._worker.submit(next, self._pools)
        else:
            self.pool = next(self._pools)
        self.waited += time.perf_counter() - began

    def _read(self, number: int, epoch: int, start: Position) -> Iterator[Pool]:
        """Pools without end, epoch after epoch. A later block that has nothing to train on is left out, with a word."""
        rows = max(self._data.buffer, POOL * self._recipe.batch_size)
        while True:
            for block in self._data.blocks(epoch, start, rows):
                try:
                    items = self._items(block.items)
                except KitError as problem:
                    if number == 0:
                        raise
                    warnings.warn(
                        KitWarning(f"block {block.start.block} of epoch {epoch} is left out: {problem}"), stacklevel=2
                    )
                    continue
                yield Pool(number, epoch, block.start, block.last, items)
                number += 1
            epoch, start = epoch + 1, Position()

    def _items(self, data: list) -> list:
        return system_class(self._recipe.system).items(self._encoder, data, self._recipe, self._seed)


def items_of(encoder, data: Sequence | Stream, recipe: Recipe, seed: int) -> list | Pools:
    """What a `Trainer` takes: the tokenised items of a list, or the pools of a stream."""
    if isinstance(data, Stream):
        return Pools(encoder, data, recipe, seed)
    return system_class(recipe.system).items(encoder, data, recipe, seed)


def batches_of(items: list | Pools, recipe: Recipe, seed: int, number: int) -> list[list]:
    """The batches of epoch `number` of a list, or of pool `number` of a stream."""
    if isinstance(items, Pools):
        return items.batches(number)
    return epoch_of_batches(items, recipe.batch_size, seed, number)


def batches_per_epoch(items: list | Pools, batches: list) -> int:
    """How many there are, from those of the first epoch or pool. Errors: `KitError` for a stream of unknown length."""
    return items.per_epoch(batches) if isinstance(items, Pools) else len(batches)
