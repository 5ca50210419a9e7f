"""Where the rows of a stream lie: files, the mirror, the Hub, the world, or rows of one's own.

The tiers and their order are those of `load`. Nothing is held but the chunk at hand: `datasets` reads the files with
streaming=True, about a thousand rows at a time (of Parquet it may hold a row group, compressed). A row is held whole,
so a line longer than `LONGEST_LINE` that a small compressed file hides is refused.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit import extensions
from kit.data import hub, sources
from kit.data.catalogue import CATALOGUE, NLI_COLUMNS, remarks
from kit.data.hub import UnavailableError, first_line, offline
from kit.data.table import TIERS, Source, check_names
from kit.errors import KitError, KitWarning, shown, unknown_name
from kit.scaling.csv_header import columns_of, headers_of, teller_of_rows_inside
from kit.scaling.text_lines import FORMATS, Parts, check_packed_lines, format_of, unreadable_line

READ_ROWS = 1000  # rows read at once: enough to be quick, little enough to hold
WHOLE = 1 << 30  # bytes of all files up to which every byte is hashed (about a second)
BLOCK = 1 << 16  # bytes of a larger file that are hashed at once,
BLOCKS = 256  # and how many such blocks, evenly apart, from the first to the last: nobody hashes a terabyte
NUMERALS = {str(label): label for label in (-1, 0, 1, 2)}

Columns = dict[str, list]


@dataclass(frozen=True)
class Cursor:
    """Where a chunk begins: its number in the epoch, shard (in the epoch's order) and row there, groups before it."""

    chunk: int = 0
    shard: int = 0
    row: int = 0
    groups: int = 0


@dataclass(frozen=True)
class Shards:
    """Rows in `count` shards (files), each readable from any of its rows on.

    read(shard, row): chunks of columns, from that row of that shard on. rows: how many there are in
    all, None where nobody counted. unlabelled: rows with the label -1 are no data, as on the Hub. files: of each
    shard its own, none where a shard is no file.
    """

    source: Source
    count: int
    read: Callable[[int, int], Iterator[Columns]]
    rows: int | None = None
    unlabelled: bool = False
    files: tuple[Path, ...] = ()

    def place(self, shard: int, row: int) -> str:
        """Where a row stands, for a sentence."""
        return Parts(self.count, self.source.location, self.files).place(shard, row)

    def summary(self) -> str:
        """One line for the screen."""
        where = TIERS.get(self.source.tier, "{}").format(self.source.location)
        rows = "rows" if self.rows is None else f"{self.rows:,} rows"
        line = f"{self.source.name} ({self.source.split}): a stream of {rows} from {where} [{self.source.revision}]"
        return "; ".join((line, *self.source.notes)) + "."


def find_shards(name: str, split: str, path: str | Path | Sequence[str | Path] | None, seed: int) -> Shards:
    """The first tier that has the data set; see `load_stream`."""
    if not isinstance(name, str) or (path is None and not sources.NAME.fullmatch(name)):
        raise unknown_name("data set", name, CATALOGUE)
    if path is not None:
        return _from_path(name, split, path)
    reasons: list[str] = []
    for tier in (_from_mirror, _from_hub):
        try:
            return tier(name, split, tuple(reasons))
        except UnavailableError as reason:
            reasons.append(str(reason))
    table = extensions.made_up_data().table(name, split, None, seed, tuple(reasons))
    return Shards(table.source, 1, lambda shard, row: _cut(table.columns, row), len(table))


def _cut(columns: Columns, row: int) -> Iterator[Columns]:
    """Columns in memory, chunk by chunk."""
    for start in range(row, len(next(iter(columns.values()))), READ_ROWS):
        yield {name: values[start : start + READ_ROWS] for name, values in columns.items()}


def _from_path(name: str, split: str, path: str | Path | Sequence[str | Path]) -> Shards:
    if strange := [p for p in ([] if isinstance(path, (str, Path)) else path) if not isinstance(p, (str, Path))]:
        raise KitError(f"expected path as text, a path or several, got {shown(strange[0])} among them: name the files.")
    files = [Path(p).expanduser() for p in ([path] if isinstance(path, (str, Path)) else path)]
    for file in files:
        if not file.exists():
            raise KitError(f"{file} should be a file or a folder of them for {name}, but is not there.")
    if len(files) == 1 and files[0].is_dir():
        return _open_files(name, split, _of_split(name, split, files[0], files[0]), "path", files[0])
    if not files:
        raise KitError(f"expected a file or several for {name}, got none: name at least one.")
    return _open_files(name, files[0].name.split(".")[0], files, "path", files[0].parent)


def _from_mirror(name: str, split: str, reasons: tuple[str, ...]) -> Shards:
    root = sources.mirror_root()
    if root is None:
        raise UnavailableError("KIT_DATA is not set")
    for folder in (root / name.replace("/", "__"), root / name):
        if sources.is_data_set(folder):
            shown = folder.relative_to(root)
            return _open_files(name, split, _of_split(name, split, folder, shown), "mirror", shown)
    if name not in CATALOGUE and not sources.may_be_hub_id(name):
        raise unknown_name("data set", name, dict.fromkeys((*sources.mirror_names(root), *CATALOGUE)))
    raise UnavailableError(sources.NOT_IN_MIRROR)


def _of_split(name: str, split: str, folder: Path, shown: Path) -> list[Path]:
    """`<split>.parquet`, as `load` takes it, else the shards `<split>-….parquet`; other formats likewise."""
    there = sorted(file for file in folder.iterdir() if format_of(file))
    if not there:
        raise KitError(f"{folder} should hold a file for each split of {name} ({', '.join(FORMATS)}), but has none.")
    stems = {file: file.name.split(".")[0] for file in there}
    files = [file for file, stem in stems.items() if stem == split]
    files = files or [file for file, stem in stems.items() if stem.startswith(f"{split}-")]
    if not files:
        raise KitError(f"{name} has no split {split!r} in {shown}: it has {', '.join(dict.fromkeys(stems.values()))}.")
    return files


def _open_files(name: str, split: str, files: list[Path], tier: str, shown: Path) -> Shards:
    """A stream of files; raises KitError where one cannot be read, or they are of several formats."""
    import datasets

    formats = sorted({format_of(file) or f"{file.name!r}" for file in files})
    if len(formats) > 1 or formats[0] not in FORMATS.values():
        raise KitError(f"{name}: expected files of one format ({', '.join(FORMATS)}), got {', '.join(formats)}.")
    # In CSV the words "null", "NA" and "None" are words, and may be a hypothesis.
    settings = {"parquet": {"batch_size": READ_ROWS}, "csv": {"keep_default_na": False}}.get(formats[0], {})
    if in_text := formats[0] == "csv":
        headers = headers_of(files, name)
        files = [file for file, _ in headers]
        if columns := columns_of(headers, name):
            settings["features"] = datasets.Features({column: datasets.Value("string") for column in columns})
    try:
        check_packed_lines(files[0])  # `datasets` looks at its first rows now; the others are checked in `read`
        rows = _parquet_rows(files) if formats[0] == "parquet" else None
        with offline():
            dataset = datasets.load_dataset(
                formats[0],
                data_files={"train": [glob.escape(str(file)) for file in files]},  # names, not patterns
                split="train",
                streaming=True,
                trust_remote_code=False,
                **settings,
            )
        revision = _fingerprint(files)
    except KitError:
        raise
    except Exception as error:  # of pyarrow, of pandas, of the system: every reader has its own
        raise KitError(
            f"{files[0]} should be a {formats[0]} file with rows, but cannot be read "
            f"({first_line(error)}): copy it again or choose another."
        ) from error
    more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
    notes = remarks(name, split, 10**12 if rows is None else rows)
    source = Source(name, split, tier, (shown / files[0].name).as_posix() + more, revision, rows or 0, notes)
    parts = Parts(dataset.num_shards, source.location, tuple(files) if dataset.num_shards == len(files) else ())
    tell = teller_of_rows_inside(headers, name, parts.place) if in_text and parts.files else None
    return Shards(source, parts.count, _reader(dataset, source, parts, in_text, tell), rows, files=parts.files)


def _parquet_rows(files: list[Path]) -> int:
    import pyarrow.parquet as pq

    rows = 0
    for file in files:
        with pq.ParquetFile(file) as opened:  # one at a time: a system allows about a thousand
            check_names(opened.schema_arrow.names, file)
            rows += opened.metadata.num_rows
    return rows


def _fingerprint(files: list[Path]) -> str:
    """Of one file its sha256, as `kit.data.load` gives it; of several names, sizes and content.

    Every byte counts up to `WHOLE`; beyond that blocks of each file, both ends among them.
    """
    digest, sizes = hashlib.sha256(), [file.stat().st_size for file in files]
    whole = sum(sizes) <= WHOLE
    if whole and len(files) == 1:
        with open(files[0], "rb") as opened:
            return f"sha256:{hashlib.file_digest(opened, 'sha256').hexdigest()[:12]}"
    for file, size in zip(files, sizes):
        digest.update(f"{file.name} {size}".encode())
        with open(file, "rb") as opened:
            if whole or size <= BLOCK * BLOCKS:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
                continue
            for block in range(BLOCKS):
                opened.seek((size - BLOCK) * block // (BLOCKS - 1))
                digest.update(opened.read(BLOCK))
    return f"{'sha256' if whole else 'blocks'}:{digest.hexdigest()[:12]}"


def _from_hub(name: str, split: str, reasons: tuple[str, ...]) -> Shards:
    known = CATALOGUE.get(name)
    if known is None and not sources.may_be_hub_id(name):
        raise unknown_name("data set", name, CATALOGUE)
    if known and not known.on_hub:
        raise UnavailableError("the Hub does not carry it under this name")
    problem = "HF_DATASETS_OFFLINE is set" if hub.switched_on("HF_DATASETS_OFFLINE") else hub.hub_problem()
    if problem and not os.path.isdir(hub.cache_folder(name)):
        raise UnavailableError(f"the Hub could not be reached ({problem})")
    splits = hub.load_splits(name, problem, streaming=True)
    if split not in splits:
        raise KitError(f"{name} on the Hub has no split {split!r}: it has {', '.join(map(str, splits))}.")
    notes = tuple(reason for reason in reasons if reason == sources.NOT_IN_MIRROR)
    notes += remarks(name, split, 10**12)
    if problem:
        notes += (f"a copy cached earlier, as the Hub could not be reached ({problem})",)
    source = Source(name, split, "hub", f"datasets/{name}", hub.commit_of(splits[split]), 0, notes)
    parts = Parts(splits[split].num_shards, source.location)
    return Shards(source, parts.count, _reader(splits[split], source, parts), unlabelled=True)


def _reader(
    dataset: Any, source: Source, parts: Parts, in_text: bool = False, tell: Callable | None = None
) -> Callable[[int, int], Iterator[Columns]]:
    """What reads a shard of a `datasets.IterableDataset` from a row on; what is passed over stays in Arrow.

    in_text: labels are numbers written as text. tell: looks at each table, see `teller_of_rows_inside`.
    """

    def read(shard: int, row: int) -> Iterator[Columns]:
        part = dataset.shard(dataset.num_shards, shard) if dataset.num_shards > 1 else dataset
        done = 0
        if parts.files:
            check_packed_lines(parts.files[shard])
        try:
            for table in part.with_format("arrow").iter(READ_ROWS):
                if done + len(table) > row:
                    first = max(0, row - done)
                    if tell:
                        tell(shard, done + first, table.slice(first))
                    yield _columns(table.slice(first), in_text)
                done += len(table)
        except KitWarning:  # where a reader makes errors of warnings
            raise
        except Exception as error:  # a damaged file, or a lost connection, in the middle of it
            reason = first_line(error)
            if type(error).__name__ == "CastError":  # of `datasets`, which lists all columns on lines of their own
                reason = "its columns are not those of the other files"
            told = unreadable_line(parts.files[shard], reason) if parts.files else None
            raise KitError(
                f"{source.name}: reading stopped after {done:,} rows of {parts.name(shard)} ({told or reason}): "
                "repair it or leave it out."
            ) from error

    return read


def _columns(table: Any, in_text: bool) -> Columns:
    """An Arrow table as lists; of NLI pairs their columns alone."""
    kept = [column for column in NLI_COLUMNS if column in table.column_names]
    columns = (table.select(kept) if len(kept) == len(NLI_COLUMNS) else table).to_pydict()
    if in_text and "label" in columns:
        columns["label"] = [NUMERALS.get(label, label) for label in columns["label"]]
    return columns
