"""Data that do not fit memory: rows are read as they are needed, a chunk at a time.

    data = load_stream("stanfordnlp/snli")          the tiers of `load`, nothing held
    data = load_stream("mine", path="mine.jsonl")   Parquet, JSON lines or CSV, one file or many
    data = stream_of(make_rows)                     a function that makes rows

A chunk is what is held and shuffled together: from `buffer` rows to twice as many, the last one fewer, and
one with a long premise more, as a premise is never cut in two. Files (shards) come in another order every epoch.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kit.checks.argument_checks import checked
from kit.errors import KitError, KitWarning
from kit.number_checks import whole_number
from kit.scaling.own_rows import own_rows
from kit.scaling.row_elements import border, elements_of
from kit.scaling.row_files import READ_ROWS, Columns, Cursor, Shards, find_shards

BUFFER = 16_384  # rows: some megabytes of text
LEFT_OUT = {"empty": "without a text", "duplicate": "that came twice", "conflicting": "under two labels"}


@dataclass(frozen=True)
class Chunk:
    """Neighbouring elements, in the order of their rows. last: whether the epoch ends with it."""

    elements: list
    start: Cursor
    last: bool


class Stream:
    """Rows that are read anew for every epoch; made by `load_stream` and `stream_of`.

    What an element is follows from the columns. premise, hypothesis, label: the Group of a premise.
    anchor, positives, neutrals, negatives: a Group ready made. anchor, positive and perhaps negative:
    a Group of them. sentence or text: a string. Rows of one's own may also be elements already.

    dropped: how much the newest reading has left out so far, counted as in `kit.data.nli.Groups`. Where a text is
    missing, a KitWarning names the first row, and another counts them when an epoch has been read whole.
    Errors: `KitError` for a buffer below 1, and for what is wrong with the columns or the file.
    """

    def __init__(self, shards: Shards, seed: int, buffer: int, repairs: str | None = None):
        self.repairs, self.dropped = repairs, {}
        self._told: set[str] = set()  # each thing once, not for every chunk
        self.shards, self.seed, self.buffer = shards, seed, whole_number("buffer", buffer, 1, "16384 rows are usual")
        self.head(1)  # what is wrong with the columns or the file is told now

    def summary(self) -> str:
        """One line for the screen: which source this is, and how many rows, where that is known."""
        return self.shards.summary()

    def description(self) -> dict:
        """What decides which elements come in which order, JSON-ready."""
        source = self.shards.source
        return {
            "name": source.name,
            "split": source.split,
            "revision": self.repairs or source.revision,
            "rows": self.shards.rows,
            "shards": self.shards.count,
            "seed": self.seed,
            "buffer": self.buffer,
        }

    def head(self, count: int) -> list:
        """The first elements, in the order of the first epoch; a list for whoever needs one, such as `estimate`.

        Errors: `KitError` where there is none, and as in reading.
        """
        chunks = self.chunks(size=READ_ROWS)
        found = list(islice((element for chunk in chunks for element in chunk.elements), count))
        if not found:
            raise KitError(
                f"{self.shards.source.name} should hold rows, but {self.shards.source.location} has none: "
                "choose another."
            )
        return found

    def open_source(self, encoder, recipe, seed: int):
        """Start reading for a training: a source of batches, see `kit.training.example_sources`."""
        from kit.scaling.shuffle_buffer import ShuffleBuffer

        return ShuffleBuffer(encoder, self, recipe, seed)

    def epoch(self, number: int = 0) -> Iterator:
        """The elements of an epoch, shuffled within each chunk by the stream's seed and the number."""
        for chunk in self.chunks(number):
            random.Random(f"{self.seed}/{number}/{chunk.start.chunk}").shuffle(chunk.elements)
            yield from chunk.elements

    def chunks(self, epoch: int = 0, start: Cursor | None = None, size: int | None = None) -> Iterator[Chunk]:
        """The chunks of an epoch from `start` on, their elements in the order of the rows.

        size: rows of a chunk at least (None: the stream's buffer). Reading from a position gives what
        reading from the beginning gives there; the shards before it are not opened, and the rows
        before it in its shard are passed over. Errors: `KitError` for rows that cannot be read.
        """
        passed = start is not None and start.chunk > 0
        try:
            for chunk in self._chunks(epoch, start or Cursor(), size or self.buffer):
                yield chunk
                passed = True
        except KitError as error:
            if not passed or self.shards.source.tier not in ("path", "mirror"):
                raise
            revision = self.description()["revision"]
            raise KitError(
                f"{str(error).removesuffix('.')}; once that is put right, load_stream(…, repairs={revision!r}) "
                "takes up a training that stopped there."
            ) from error

    def _chunks(self, epoch: int, at: Cursor, size: int) -> Iterator[Chunk]:
        self.dropped = dropped = Counter()  # this reading's own, also where another has begun since
        whole, order = at == Cursor(), self._order(epoch)
        held: Columns = {}
        places: list[tuple[int, int]] = []  # (place in the order, row) of every held row

        def chunk_of(columns: Columns, places: list[tuple[int, int]], last: bool) -> Chunk:
            return self._chunk(columns, at, lambda row: self._place(order, *places[row]), dropped, last)

        for shard, row, columns in self._read(order, at):
            if held and columns.keys() != held.keys():
                raise KitError(
                    f"{self.shards.source.name}: expected the columns {', '.join(held)} in every row, but "
                    f"{self._place(order, shard, row)} came with {', '.join(columns)}: make them alike."
                )
            for name, values in columns.items():
                held.setdefault(name, []).extend(values)
            places += [(shard, row + i) for i in range(len(next(iter(columns.values()))))]
            done = 0
            while len(places) - done >= 2 * size and (cut := border(held, done + size)):
                part = {name: values[done:cut] for name, values in held.items()}
                chunk = chunk_of(part, places[done:cut], last=False)
                at = Cursor(at.chunk + 1, *places[cut], at.groups + len(chunk.elements))
                done = cut
                yield chunk
            held, places = {name: values[done:] for name, values in held.items()}, places[done:]
        if held:
            yield chunk_of(held, places, last=True)
        if whole and dropped["empty"]:
            counts = (f"{dropped[kind]:,} {what}" for kind, what in LEFT_OUT.items() if dropped[kind])
            self._tell("whole", f"left out of epoch {epoch}: {', '.join(counts)}.")

    def _order(self, epoch: int) -> list[int]:
        """The shards in the order of an epoch."""
        order = list(range(self.shards.count))
        random.Random(f"{self.seed}/{epoch}").shuffle(order)
        return order

    def _place(self, order: list[int], at: int, row: int) -> str:
        """Where a row stands in its file, for a sentence; at: the place of its shard in the order of the epoch."""
        return self.shards.place(order[at], row)

    def _read(self, order: list[int], start: Cursor) -> Iterator[tuple[int, int, Columns]]:
        for place in range(start.shard, len(order)):
            row = start.row if place == start.shard else 0
            for columns in self.shards.read(order[place], row):
                yield place, row, columns
                row += len(next(iter(columns.values())))

    def _chunk(self, columns: Columns, at: Cursor, place: Callable[[int], str], dropped: Counter, last: bool) -> Chunk:
        if "element" in columns:
            return Chunk(columns["element"], at, last)
        kept = range(len(next(iter(columns.values()))))
        if self.shards.unlabelled and "label" in columns:
            kept = [row for row, label in enumerate(columns["label"]) if label is not None and label != -1]
            columns = {name: [values[row] for row in kept] for name, values in columns.items()}
        made = elements_of(columns, self.shards.source, lambda row: place(kept[row]), at.groups)
        dropped.update(made.dropped)
        if made.empty is not None and "first" not in self._told:  # to find its line is to read the file so far
            self._tell(
                "first",
                f"{place(kept[made.empty])} lacks a text; what lacks one is left out, here and further on: the "
                'stream\'s .dropped counts it, and warnings.simplefilter("error", KitWarning) makes an error of it.',
            )
        return Chunk(made.elements, at, last)

    def _tell(self, what: str, sentence: str) -> None:
        if what not in self._told:
            self._told.add(what)
            warnings.warn(KitWarning(f"{self.shards.source.name}: {sentence}"), stacklevel=2)


@checked
def load_stream(
    name: str,
    split: str = "train",
    *,
    path: str | Path | Sequence[str | Path] | None = None,
    seed: int = 0,
    buffer: int = BUFFER,
    repairs: str | None = None,
) -> Stream:
    """A stream of a split from the first tier that has it: path, mirror, Hub, world; as `load`, but nothing is held.

    path: a file (Parquet, JSON lines or CSV, also with .gz), several of one format, or a folder with
    `<split>.parquet` or the shards `<split>-….parquet`. seed: of the order of the shards and within a
    chunk (and of the world). buffer: rows held and shuffled together. An element moves no farther
    than its chunk, so a file that is sorted by kind needs a large buffer, or shuffling beforehand.
    repairs: the revision (the error names it) of the files as they were before a bad row was put right; a training
    that stopped at that row goes on with the files as they are now. The rows must stand where they stood.

    Rows of a premise become one Group where they follow one another or meet in one chunk, which is
    how NLI files are written. Where they lie scattered over a file, there is a Group for each place,
    and a batch may hold two of one premise that count each other's positives as negatives: sort such
    a file by premise first.

    For several machines, `datasets.distributed.split_dataset_by_node(dataset, rank, world_size)`
    would give each rank shards of its own; here every rank reads all, tokenises its part, and takes its share of
    a batch, so that the batches are those of one process.

    Where only made-up data is left, a KitWarning says so. Errors: `KitError` as `load`, for a file that cannot be
    read, for unknown columns, and later for rows that do not fit. Lesson 12.
    """
    whole_number("buffer", buffer, 1, "16384 rows are usual")
    found = Stream(find_shards(name, split, path, seed), seed, buffer, repairs)
    if found.shards.source.is_fallback:
        warnings.warn(found.shards.source.summary(), KitWarning, stacklevel=3)
    return found


@checked
def stream_of(
    rows: Iterable | Callable[[], Iterable], name: str = "own rows", *, seed: int = 0, buffer: int = BUFFER
) -> Stream:
    """A stream of rows of one's own: dicts with the columns that `Stream` lists, sentences, or elements such as Group.

    rows: what can be iterated over again, or a function that makes it; it must give the same rows
    each time, or a resumed training differs. Errors: `KitError` for what can be read only once. Lesson 12.
    """
    return Stream(own_rows(rows, name), seed, buffer)
