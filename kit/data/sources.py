"""One call for every data set, wherever it is: a path, the mirror folder, the Hub, or the made-up world.

    load("stanfordnlp/snli")            the first tier that has it
    load("mine", path="my.parquet")     a file of one's own

The tiers are asked in this order: an explicit `path`; the mirror folder named by the environment variable KIT_DATA (one
folder per Hub id, `/` written `__` or as a folder in a folder, one Parquet file per split); the Hugging Face Hub; the
made-up world (`kit.extensions.made_up_data`). The table that comes back says which it was: `table.source.summary()`.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from dataclasses import replace
from pathlib import Path

from kit import extensions
from kit.checks.argument_checks import checked
from kit.data.catalogue import CATALOGUE, MIRROR_OWNERS, remarks
from kit.data.hub import UnavailableError, first_line, from_hub
from kit.data.table import Source, Table, check_names, check_rows, sample
from kit.errors import KitError, KitWarning, unknown_name

NOT_IN_MIRROR = "the mirror folder KIT_DATA does not have it"
NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*")


def load(
    name: str, split: str = "train", *, path: str | Path | None = None, rows: int | None = None, seed: int = 0
) -> Table:
    """A split of a data set from the first tier that has it.

    name   a Hub id ("stanfordnlp/snli"), a folder of the mirror ("nli/ling_in_loop"),
           or with `path` any label
    split  "train", "validation", "test", or the stem of a file in the mirror
    path   a Parquet file (the split is then its stem), or a folder with one per split
    rows   about so many rows, drawn by `seed`: whole premises for NLI (see `sample`)

    Where only the world is left, a KitWarning says so in one sentence. Raises KitError for an unknown data set or
    split, `rows` below 1, a path or mirror folder that is missing or empty, and a file that is no Parquet.
    """
    table = find(name, split, path=path, rows=rows, seed=seed)
    if table.source.is_fallback:
        warnings.warn(table.source.summary(), KitWarning, stacklevel=2)
    return table


@checked
def find(
    name: str, split: str = "train", *, path: str | Path | None = None, rows: int | None = None, seed: int = 0
) -> Table:
    """`load` without the warning, for callers that ask for several data sets."""
    rows = check_rows(rows)
    if not isinstance(name, str) or (path is None and not NAME.fullmatch(name)):
        raise unknown_name("data set", name, CATALOGUE)
    if path is not None:
        return sample(_from_path(name, split, Path(path).expanduser()), rows, seed)
    reasons: list[str] = []
    for tier in (_from_mirror, _from_hub):
        try:
            table = tier(name, split)
        except UnavailableError as reason:
            reasons.append(str(reason))
        else:
            passed_over = [reason for reason in reasons if reason == NOT_IN_MIRROR]
            return sample(Table(table.columns, table.source.noting(*passed_over)), rows, seed)
    return extensions.made_up_data().table(name, split, rows, seed, tuple(reasons))


def mirror_root() -> Path | None:
    """The mirror folder KIT_DATA, or None where it is not set.

    Raises KitError where it is set but missing, no folder, or empty.
    """
    value = os.environ.get("KIT_DATA")
    if not value:
        return None
    root = Path(value).expanduser()
    if not root.is_dir():
        raise KitError(f"KIT_DATA names {root.resolve()}, which is not a folder: correct it or unset it.")
    if not any(root.iterdir()):
        raise KitError(f"KIT_DATA names {root.resolve()}, which is empty: fill it or unset it.")
    return root


def _from_path(name: str, split: str, path: Path) -> Table:
    if path.is_dir():
        return _read_split(name, split, path, tier="path", shown=path)
    if not path.is_file():
        raise KitError(f"{path} should be a Parquet file or a folder of them for {name}, but is not there.")
    return _read_file(name, path.stem, path, tier="path", shown=path)


def _from_mirror(name: str, split: str) -> Table:
    root = mirror_root()
    if root is None:
        raise UnavailableError("KIT_DATA is not set")
    for folder in (root / name.replace("/", "__"), root / name):
        if is_data_set(folder):
            return _read_split(name, split, folder, tier="mirror", shown=folder.relative_to(root))
    if name not in CATALOGUE and not may_be_hub_id(name):
        raise unknown_name("data set", name, dict.fromkeys((*mirror_names(root), *CATALOGUE)))
    raise UnavailableError(NOT_IN_MIRROR)


def _from_hub(name: str, split: str) -> Table:
    known = CATALOGUE.get(name)
    if known is None and not may_be_hub_id(name):
        raise unknown_name("data set", name, CATALOGUE)
    if known and not known.on_hub:
        raise UnavailableError("the Hub does not carry it under this name")
    columns, revision, notes = from_hub(name, split)
    return _table(columns, Source(name, split, "hub", f"datasets/{name}", revision, 0, notes))


def is_data_set(folder: Path) -> bool:
    """Whether a folder is a data set (possibly an empty one), not a folder of data sets."""
    if not folder.is_dir():
        return False
    return any(folder.glob("*.parquet")) or not any(child.is_dir() for child in folder.iterdir())


def _read_split(name: str, split: str, folder: Path, tier: str, shown: Path) -> Table:
    """`<split>.parquet` of a folder; raises KitError where it is not there."""
    there = sorted(file.stem for file in folder.glob("*.parquet"))
    if not there:
        raise KitError(f"{folder} should hold a Parquet file for each split of {name}, but has none.")
    if split not in there:
        raise KitError(f"{name} has no split {split!r} in {shown}: it has {', '.join(there)}.")
    file = f"{split}.parquet"
    return _read_file(name, split, folder / file, tier, shown / file)


def _read_file(name: str, split: str, file: Path, tier: str, shown: Path) -> Table:
    """A Parquet file with its fingerprint; raises KitError where it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.ParquetFile(file).read()
        check_names(found.column_names, file)
        columns = found.to_pydict()
        fingerprint = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        remedy = "copy it again or remove it" if file.suffix == ".parquet" else "load_stream reads CSV and JSON lines"
        raise KitError(
            f"{file} should be a Parquet file, but cannot be read ({first_line(error)}): {remedy}."
        ) from error
    return _table(columns, Source(name, split, tier, shown.as_posix(), f"sha256:{fingerprint}", 0))


def _table(columns: dict[str, list], source: Source) -> Table:
    """The table with its number of rows and the catalogue's remarks; raises KitError where it has no rows."""
    rows = len(next(iter(columns.values()), ()))
    if not rows:
        raise KitError(f"{source.name} should hold rows, but {source.location} has none: choose another.")
    return Table(columns, replace(source, rows=rows).noting(*remarks(source.name, source.split, rows)))


def may_be_hub_id(name: str) -> bool:
    """Whether the name has the shape owner/name and the owner is no folder of a mirror."""
    owner, slash, rest = name.partition("/")
    return bool(slash) and "/" not in rest and owner not in MIRROR_OWNERS


def mirror_names(root: Path) -> list[str]:
    """The data sets of a mirror folder, by the names `load` takes."""
    files = [*root.glob("*/*.parquet"), *root.glob("*/*/*.parquet")]
    return sorted({file.parent.relative_to(root).as_posix().replace("__", "/") for file in files})
