"""Training on data that do not fit memory: a stream becomes batches, buffer after buffer.

A buffer is a chunk of the stream (see `kit.scaling.row_stream`), of at least POOL batches' worth of rows. It is
tokenised and cut into batches by `epoch_of_batches`, as a list is for a whole epoch; a stream that is one chunk gives
the very batches of the list. Held are the buffer that is trained on and the rows of the next; on a GPU a thread
tokenises the next meanwhile.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import astuple, dataclass
from typing import Any

import torch

from kit.errors import KitError, KitWarning, NothingToTrainOn
from kit.scaling.row_files import Cursor
from kit.training.batches import POOL, epoch_of_batches
from kit.training.settings import Recipe
from kit.training.validate_data import ELEMENTS

APART = 1_000_003  # between the seeds of two buffers


@dataclass(frozen=True)
class Buffer:
    """Tokenised examples of one chunk. number: of the buffer, counted over all epochs."""

    number: int
    epoch: int
    start: Cursor
    last: bool  # of its epoch
    examples: list


class ShuffleBuffer:
    """A source of batches that reads a `Stream`, with the methods of `kit.training.example_sources.ListSource`.

    Choices that look at other rows (borrowed negatives of "multi_positive", distinct sentences of "self_pairs") look
    at those of the buffer. ahead: tokenise the next buffer in a thread (None: on a GPU). waited: seconds that the
    training waited for buffers. Errors: `KitError` for a data format that needs all data at once.
    """

    def __init__(self, encoder, data: Any, recipe: Recipe, seed: int, ahead: bool | None = None):
        if recipe.data_format not in ELEMENTS:
            raise KitError(
                f"recipe {recipe.name!r} needs all its data at once (format {recipe.data_format!r}) and cannot "
                f"train on a stream: give a list, or a recipe with {' or '.join(map(repr, ELEMENTS))}."
            )
        self._encoder, self._data, self._recipe, self._seed = encoder, data, recipe, seed
        self._ahead = encoder.device.type != "cpu" if ahead is None else ahead
        self._worker = ThreadPoolExecutor(1, "next buffer")  # starts a thread when it is given work
        self.waited = 0.0
        self._begin(0, 0, Cursor())

    def batches(self, number: int) -> list[list]:
        """The batches of a buffer. Reads on buffer by buffer; an earlier number means from the beginning."""
        if self.buffer is not None and number < self.buffer.number:
            self._begin(0, 0, Cursor())
        while self.buffer is None or self.buffer.number < number:
            self._take()
        buffer = self.buffer
        seed = self._seed + APART * buffer.start.chunk
        return epoch_of_batches(buffer.examples, self._recipe.batch_size, seed, buffer.epoch, self._recipe.batch_order)

    def batches_per_epoch(self, first: list[list]) -> int:
        """Known where the first buffer is all of the epoch, else a `KitError` asks for steps."""
        if self.buffer.number == 0 and self.buffer.last:
            return len(first)
        rows = self._data.shards.rows
        raise KitError(
            "expected a number of steps, as a stream is not counted before it is read: give steps=…"
            + (f" (its epoch has {rows:,} rows, a batch {self._recipe.batch_size})." if rows else ".")
        )

    def state(self, first_step: int) -> dict[str, torch.Tensor]:
        """Where the buffer in use begins, for a checkpoint; first_step: the step of its first batch."""
        buffer = self.buffer
        return {"stream": torch.tensor([buffer.number, first_step, buffer.epoch, *astuple(buffer.start)])}

    def load_state(self, tensors: dict[str, torch.Tensor]) -> tuple[int, int]:
        """Go on at a saved state, without tokenising what lies before: its buffer's number and first step."""
        number, first_step, epoch, *start = tensors["stream"].tolist()
        self._begin(number, epoch, Cursor(*start))
        return number, first_step

    def identity(self) -> tuple[dict, list]:
        """What tells one stream from another without reading all of it: its description and its first buffer."""
        at_first = self.buffer is not None and self.buffer.number == 0
        buffer = self.buffer if at_first else next(self._read(0, 0, Cursor()))
        return self._data.description(), buffer.examples

    def _begin(self, number: int, epoch: int, start: Cursor) -> None:
        self.buffer: Buffer | None = None
        self._buffers = self._read(number, epoch, start)
        self._coming: Future | None = None

    def _take(self) -> None:
        began = time.perf_counter()
        if self._ahead:
            self.buffer = (self._coming or self._worker.submit(next, self._buffers)).result()
            self._coming = self._worker.submit(next, self._buffers)
        else:
            self.buffer = next(self._buffers)
        self.waited += time.perf_counter() - began

    def _read(self, number: int, epoch: int, start: Cursor) -> Iterator[Buffer]:
        """Buffers without end, epoch after epoch. A later chunk with nothing to train on is skipped, with a warning."""
        rows = max(self._data.buffer, POOL * self._recipe.batch_size)
        while True:
            for chunk in self._data.chunks(epoch, start, rows):
                try:
                    examples = self._tokenize(chunk.elements)
                except NothingToTrainOn as problem:
                    if number == 0:
                        raise
                    warnings.warn(
                        KitWarning(f"chunk {chunk.start.chunk} of epoch {epoch} is skipped: {problem}"), stacklevel=2
                    )
                    continue
                yield Buffer(number, epoch, chunk.start, chunk.last, examples)
                number += 1
            epoch, start = epoch + 1, Cursor()

    def _tokenize(self, elements: list) -> list:
        return self._recipe.objective.examples(self._encoder, elements, self._recipe, self._seed)
