"""Transfer tasks: labelled sentences on which a classifier is fitted to frozen embeddings.

The eight tasks of SentEval (Conneau & Kiela 2018) that papers report. MR, CR, SUBJ and MPQA come without a split and
are cross-validated; the others keep theirs. Only a mirror folder (or a path) has them: where none of those asked for
is at hand, the world's opinions and questions stand in and say so.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kit import extensions
from kit.checks.argument_checks import checked
from kit.data.catalogue import CATALOGUE
from kit.data.sources import find, mirror_root
from kit.data.table import Source, Table, check_columns, check_rows, letters
from kit.errors import KitError, KitWarning, unknown_name
from kit.number_checks import is_whole

FOLDERS = {
    "MR": "mr",
    "CR": "cr",
    "SUBJ": "subj",
    "MPQA": "mpqa",
    "SST-2": "sst2",
    "SST-5": "sst5",
    "TREC": "trec",
    "MRPC": "mrpc",
}
TRANSFER_TASKS = tuple(FOLDERS)
MIRROR_FOLDER = "senteval-transfer"
STAND_INS = ("opinions", "questions")


@dataclass(frozen=True)
class TransferTask:
    """Labelled sentences; every list has one entry for each row.

    `seconds` holds the second sentences where a row is a pair (MRPC), else None. `labels` are
    whole numbers, `classes` their names. `splits` says "train", "validation" or "test" for each
    row, or "all" throughout where there is no split.
    """

    name: str
    texts: list[str]
    seconds: list[str] | None
    labels: list[int]
    splits: list[str]
    classes: dict[int, str]
    sources: tuple[Source, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"TransferTask({self.name}: {len(self):,} rows, {len(self.classes)} classes, {self.sources[0].tier})"

    @property
    def made_up(self) -> bool:
        """True where the world stands in: then the score says nothing about English."""
        return any(source.is_fallback for source in self.sources)


@checked
def load_transfer(
    names: str | Iterable[str] = TRANSFER_TASKS, path: str | Path | None = None, rows: int | None = None, seed: int = 0
) -> dict[str, TransferTask]:
    """Transfer tasks by name, in the order asked for: from `path`, else from the mirror KIT_DATA.

    names  of `TRANSFER_TASKS` (case and hyphens do not matter), or of `STAND_INS`
    path   a folder with one folder for each task (mr, cr, subj ...)
    rows   at most so many rows of each split, drawn by `seed`: for a quick look

    A task whose folder is missing is left out, and a KitWarning says which. Where none is there and no path was given,
    the world's opinions and questions stand in, with a KitWarning. Raises KitError for an unknown name, no name, a
    split that is missing, wrong columns, labels that are not whole numbers, and, under `path`, when no task is there.
    """
    asked = [transfer_name(name) for name in ([names] if isinstance(names, str) else names)]
    if not asked:
        raise KitError(f"no transfer task was named: choose from {', '.join(TRANSFER_TASKS)}.")
    rows = check_rows(rows)
    root = _root(path)
    real = [name for name in asked if name not in STAND_INS]
    missing = [name for name in real if root is None or not (root / FOLDERS[name]).is_dir()]
    if path is not None and real and missing == real:
        raise KitError(
            f"{path} should hold a folder for each transfer task ({', '.join(FOLDERS[n] for n in real)}), "
            "but has none of them: correct the path."
        )
    there = [name for name in asked if name not in missing]
    if missing:
        _warn_of_missing(missing, root, stand_in=not there)
    return {
        name: extensions.made_up_data().transfer_task(name, rows, seed)
        if name in STAND_INS
        else _real(name, root, path is not None, rows, seed)
        for name in there or STAND_INS
    }


def transfer_name(name: str) -> str:
    """The name in `TRANSFER_TASKS` or `STAND_INS` for any common spelling.

    Raises KitError with near matches.

    >>> transfer_name("sst2"), transfer_name("senteval-transfer/mr")
    ('SST-2', 'MR')
    """
    known = {letters(task): task for task in (*TRANSFER_TASKS, *STAND_INS)}
    key = letters(name.removeprefix(f"{MIRROR_FOLDER}/")) if isinstance(name, str) else ""
    if key not in known:
        raise unknown_name("transfer task", name, (*TRANSFER_TASKS, *STAND_INS))
    return known[key]


def _root(path: str | Path | None) -> Path | None:
    """The folder that holds the tasks' folders; None where no mirror has one."""
    if path is not None:
        folder = Path(path).expanduser()
        if not folder.is_dir():
            raise KitError(f"{path} should be a folder of transfer tasks, but is not there: correct the path.")
        return folder
    mirror = mirror_root()
    folder = mirror / MIRROR_FOLDER if mirror else None
    return folder if folder and folder.is_dir() else None


def _warn_of_missing(missing: list[str], root: Path | None, stand_in: bool) -> None:
    nowhere = f"no folder {MIRROR_FOLDER} is at hand; KIT_DATA names the mirror"
    where = f"the folder {root.name} has no such task" if root else nowhere
    what = (
        "the opinions and questions of the bundled made-up world stand in, and a score on them says nothing "
        "about English"
        if stand_in
        else "skipped, so there is no average over the usual tasks"
    )
    warnings.warn(f"{', '.join(missing)}: {what} ({where}).", KitWarning, stacklevel=4)


def _real(name: str, root: Path, own_path: bool, rows: int | None, seed: int) -> TransferTask:
    """A task from its folder, the splits one after the other."""
    hub_name = f"{MIRROR_FOLDER}/{FOLDERS[name]}"
    path = root / FOLDERS[name] if own_path else None
    splits = CATALOGUE[hub_name].splits
    return _task(name, [(split, find(hub_name, split, path=path, rows=rows, seed=seed)) for split in splits])


def _task(name: str, tables: list[tuple[str, Table]]) -> TransferTask:
    pairs = name == "MRPC"
    texts: list[str] = []
    seconds: list[str] = []
    labels: list[int] = []
    parts: list[str] = []
    classes: dict[int, str] = {}
    for split, table in tables:
        check_columns(table, ("sentence1", "sentence2", "label") if pairs else ("text", "label"))
        texts += table["sentence1" if pairs else "text"]
        seconds += table["sentence2"] if pairs else []
        labels += _whole_labels(name, table["label"])
        parts += [split] * len(table)
        classes |= dict(zip(table["label"], table.columns.get("label_text") or map(str, table["label"])))
    sources = tuple(table.source for _, table in tables)
    return TransferTask(name, texts, seconds if pairs else None, labels, parts, dict(sorted(classes.items())), sources)


def _whole_labels(name: str, labels: list) -> list[int]:
    for row, label in enumerate(labels):
        if not is_whole(label):
            raise KitError(f"{name}: a label must be a whole number, but row {row} has {label!r}.")
    return labels
