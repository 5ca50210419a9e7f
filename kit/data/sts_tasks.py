"""Semantic textual similarity: pairs of sentences with a score people gave them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kit.checks.argument_checks import checked
from kit.checks.sentences import is_blank
from kit.data.catalogue import STS_COLUMNS, STS_IDS
from kit.data.sources import find
from kit.data.table import Source, Table, check_columns, letters
from kit.errors import KitError, KitWarning, unknown_name
from kit.number_checks import is_finite

STS_TASKS = tuple(STS_IDS)
STS_YEARS = ("STS12", "STS13", "STS14", "STS15", "STS16")  # each published as several subsets


@dataclass(frozen=True)
class StsTask:
    """Sentence pairs with gold scores; all lists have one entry per pair.

    `scores` run from 0 (unrelated) to 5 (equivalent), for SICK-R from 1. `subsets`
    names the part of the year's task (MSRpar, headlines ...) where the files tell
    it, as the mirror's do for STS12-16; else it is the task's name throughout.
    """

    name: str
    sentences1: list[str]
    sentences2: list[str]
    scores: list[float]
    subsets: list[str]
    source: Source

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        subsets = len(set(self.subsets))
        return f"StsTask({self.name}: {len(self):,} pairs, {subsets} subsets, {self.source.tier})"


@checked
def load_sts(
    names: str | Iterable[str] = STS_TASKS, split: str = "test", path: str | Path | None = None, rows: int | None = None
) -> dict[str, StsTask]:
    """STS tasks by name, in the order asked for, from the first tier that has each.

    names  of `STS_TASKS` (case, hyphens and Hub ids do not matter: "stsb",
           "mteb/sts12-sts"); STS12-16 have only the split "test"
    path   a folder laid out like the mirror; for a single task also its own folder
           or Parquet file
    rows   at most so many pairs per task, a sample with seed 0

    Where the world has to stand in, one KitWarning says so for all tasks. Scores come from Agirre et al. 2012-2016, Cer
    et al. 2017 and Marelli et al. 2014. Raises KitError for an unknown name, an empty list of names, wrong columns, a
    score outside 0 to 5, and whatever `load` raises.
    """
    tasks = [sts_name(name) for name in ([names] if isinstance(names, str) else names)]
    if not tasks:
        raise KitError(f"no STS task was named: choose from {', '.join(STS_TASKS)}.")
    found = {task: _load_task(task, split, _path_of(task, path, len(tasks)), rows) for task in tasks}
    stand_ins = [task for task in found.values() if task.source.is_fallback]
    if stand_ins:
        names = ", ".join(task.name for task in stand_ins)
        because = "; ".join(stand_ins[0].source.notes)
        warnings.warn(
            f"{names}: pairs of the bundled world of made-up scenes stand in, and a score on them "
            f"says nothing about English ({because}).",
            KitWarning,
            stacklevel=3,
        )
    return found


def sts_name(name: str) -> str:
    """The name in `STS_TASKS` for any common spelling; raises KitError with near matches.

    >>> sts_name("stsbenchmark"), sts_name("mteb/sickr-sts"), sts_name("sts 12")
    ('STS-B', 'SICK-R', 'STS12')
    """
    spellings = {"stsbenchmark": "STS-B"}
    for task, hub_id in STS_IDS.items():
        folder = hub_id.partition("/")[2]
        spellings |= {letters(spelling): task for spelling in (task, hub_id, folder)}
    if not isinstance(name, str) or letters(name) not in spellings:
        raise unknown_name("STS task", name, STS_TASKS)
    return spellings[letters(name)]


def _path_of(task: str, path: str | Path | None, tasks: int) -> Path | None:
    """The file or folder of one task under `path`, which may be laid out like the mirror."""
    if path is None:
        return None
    path = Path(path).expanduser()
    folder = path / STS_IDS[task].replace("/", "__")
    if folder.is_dir():
        return folder
    if tasks > 1:
        raise KitError(f"{path} should hold a folder for each task, but has no {folder.name}: add it.")
    return path


def _load_task(task: str, split: str, path: Path | None, rows: int | None) -> StsTask:
    table = find(STS_IDS[task], split, path=path, rows=rows)
    check_columns(table, STS_COLUMNS)
    _check_scores(table)
    for column in ("sentence1", "sentence2"):
        for row, text in enumerate(table[column]):
            if not isinstance(text, str) or is_blank(text):
                raise KitError(f"{table.source.name}: {column} must be text, but {table.place(row)} has {text!r}.")
    subsets = table.columns.get("subset") or [task] * len(table)
    scores = [float(score) for score in table["score"]]
    return StsTask(task, table["sentence1"], table["sentence2"], scores, subsets, table.source)


def _check_scores(table: Table) -> None:
    for row, score in enumerate(table["score"]):
        # a comparison with NaN is false, so NaN is refused here too
        if not is_finite(score) or not 0 <= score <= 5:
            raise KitError(f"{table.source.name}: a score must be from 0 to 5, but {table.place(row)} has {score!r}.")
