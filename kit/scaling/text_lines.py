"""Where a row of a stream stands, for messages: in which file, on which line, and which line cannot be read."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, AnyStr, TextIO

from kit.errors import KitError

LONGEST_LINE = 100_000_000  # characters: a hundred texts of a million each may stand in one row
LOOKED_THROUGH = 1 << 26  # bytes of a compressed file that is looked through before it is read
FORMATS = {".parquet": "parquet", ".jsonl": "json", ".json": "json", ".csv": "csv"}  # also with .gz


def format_of(file: Path) -> str | None:
    return FORMATS.get(Path(file.name.removesuffix(".gz")).suffix)


@dataclass(frozen=True)
class Parts:
    """The shards of a stream, numbered from 0, and what they are called. files: of each its own, or none at all."""

    count: int
    location: str
    files: tuple[Path, ...] = ()

    def name(self, shard: int) -> str:
        """The name of a file, with its folders where another is called so, too."""
        if not self.files:
            return (f"shard {shard} (from 0) of " if self.count > 1 else "") + self.location
        file = self.files[shard]
        return file.name if [one.name for one in self.files].count(file.name) == 1 else str(file)

    def place(self, shard: int, row: int) -> str:
        """Where a row stands: on the line of a text file, where that can be told, else as row of its shard, from 0."""
        if self.files and (line := line_of(self.files[shard], row)):
            return f"line {line:,} of {self.name(shard)}"
        if self.files or self.count > 1:
            return f"row {row:,} (from 0) of {self.name(shard)}"
        return f"row {row:,}"


def open_text(file: Path) -> TextIO:
    """A text file, also with .gz; bytes that are no UTF-8 come as lone surrogates."""
    opener = gzip.open if file.suffix == ".gz" else open
    return opener(file, "rt", encoding="utf-8-sig", errors="surrogateescape", newline="")


def lines_in(opened: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines of a file. Errors: `KitError` for one that is too long to be held, before it is held."""
    number = 0
    while line := opened.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise _too_long(number, getattr(opened, "name", "it"))
        yield line


def check_packed_lines(file: Path) -> None:
    """Errors: `KitError` for a small compressed file with a line too long to be held, which its size does not tell.

    Of JSON as one list, all of which is one line, nothing is said. A file that is larger than `LOOKED_THROUGH` is not
    looked through: what it unpacks to is no surprise any more.
    """
    is_of_lines = file.name.endswith((".csv.gz", ".jsonl.gz"))
    if not is_of_lines or file.stat().st_size > LOOKED_THROUGH:
        return
    try:
        with gzip.open(file) as opened:
            for _ in lines_in(opened):
                pass
    except (OSError, EOFError, zlib.error):
        return  # a damaged file has a sentence of its own


def _too_long(number: int, file: object) -> KitError:
    return KitError(
        f"expected lines of at most {LONGEST_LINE:,} characters in {file}, but line {number:,} is longer: write each "
        "row on a line of its own, and cut what is longer into several texts."
    )


def csv_rows(opened: TextIO) -> Iterator[tuple[int, list[str]]]:
    """(line on which it begins, cells) of the header and of every row, counted from 1; blank lines are none."""
    reader, line = csv.reader(lines_in(opened)), 1
    for cells in reader:
        if cells and not (len(cells) == 1 and cells[0].isspace()):
            yield line, cells
        line = reader.line_num + 1


def line_of(file: Path, row: int) -> int | None:
    """The line of the file, from 1, on which a row begins, from 0; None where rows are no lines. It reads so far."""
    kind = format_of(file)
    try:
        if kind == "csv":
            with open_text(file) as opened:
                return next((line for line, _ in islice(csv_rows(opened), row + 1, None)), None)
        if kind == "json":
            with open_text(file) as opened:
                filled = ((number, line.strip()) for number, line in enumerate(lines_in(opened), 1) if line.strip())
                number, line = next(islice(filled, row, None), (None, ""))
                return number if line.startswith("{") and line.endswith("}") else None
    except (OSError, EOFError, csv.Error):
        pass
    return None


def unreadable_line(file: Path, reason: str) -> str | None:
    """The first line that is not as the others, and why; None where none is. reason: what the reader said."""
    find = {"csv": _unreadable_in_csv, "json": _unreadable_in_json}.get(format_of(file) or "")
    try:
        return find(file, reason) if find else None
    except (OSError, EOFError):
        return None


def _unreadable_in_csv(file: Path, reason: str) -> str | None:
    line, header = 1, None
    try:
        with open_text(file) as opened:
            for line, cells in csv_rows(opened):
                header = header or cells
                if not all(map(is_utf8, cells)):
                    return f"the row on line {line:,} is not UTF-8"
                if len(cells) > len(header):
                    return f"the row on line {line:,} has {len(cells)} cells, not {len(header)}"
    except csv.Error:  # a cell without end is longer than the reader allows
        return None
    return f"a quotation mark opens a cell on line {line:,} and none closes it" if "EOF inside" in reason else None


def _unreadable_in_json(file: Path, reason: str) -> str | None:
    with open_text(file) as opened:
        for number, line in enumerate(lines_in(opened), 1):
            if number == 1 and not line.rstrip().endswith("}"):  # a list, or objects over several lines
                return None
            if not is_utf8(line):
                return f"line {number:,} is not UTF-8"
            try:
                json.loads(line.strip() or "0")
            except (ValueError, RecursionError):
                return f"line {number:,} is not JSON"
    return None


def is_utf8(text: str) -> bool:
    """Whether a text of `open_text` was UTF-8 in its file."""
    return text.isascii() or not any("\udc80" <= letter <= "\udcff" for letter in text)
