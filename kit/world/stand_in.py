"""The made-up world as the data of last resort, in the shapes that `kit.data` loads.

The core reaches these functions through `kit.extensions.made_up_data`.
"""

from __future__ import annotations

import zlib

from kit.data.catalogue import CATALOGUE, NLI_COLUMNS, STS_COLUMNS
from kit.data.documents import Documents
from kit.data.few_labels import SIMILAR
from kit.data.table import Source, Table, check_rows
from kit.data.transfer_tasks import TransferTask
from kit.errors import KitError, unknown_name
from kit.world import QUESTION_CLASSES, World
from kit.world.recorded import recorded

ROWS = {"nli": 10_000, "sts": 1_500, "documents": 300, "transfer": 2_000}  # where no number is asked for
PAIRS_ROWS = {"train": 3_000, "validation": 500, "test": 1_000}


def table(name: str, split: str, rows: int | None, seed: int, reasons: tuple[str, ...]) -> Table:
    """NLI or graded pairs in place of a data set; another draw for every name, split and seed.

    reasons: why nothing else could be had. Raises KitError for an unknown name or split, and for a kind of data
    that the world does not make.
    """
    known, because = CATALOGUE.get(name), "; ".join(reasons)
    if known is None:
        raise KitError(f"{because}; {unknown_name('data set', name, CATALOGUE)}")
    if known.kind not in ("nli", "sts"):
        raise KitError(f"{name} cannot be had ({because}), and the world has nothing like it.")
    if split not in known.splits:
        raise KitError(f"{name} has no split {split!r}: it has {', '.join(known.splits)}.")
    count = rows or ROWS[known.kind]
    columns = recorded(name, split, count, seed) or drawn(name, split, count, seed)
    return Table(columns, _source(name, split, seed, count, *reasons))


def drawn(name: str, split: str, rows: int, seed: int) -> dict[str, list]:
    """The columns of a table of `CATALOGUE`, drawn from the world."""
    world, kind = World(seed=zlib.crc32(f"{name} {split} {seed}".encode())), CATALOGUE[name].kind
    columns = world.nli(rows) if kind == "nli" else world.pairs(rows)
    return {column: columns[column] for column in (NLI_COLUMNS if kind == "nli" else STS_COLUMNS)}


def similar_pairs(split: str, rows: int | None, seed: int) -> Table:
    """Pairs of scenes, 1 from a similarity of `SIMILAR` (of 5) on, else 0. Errors: `KitError` for another split."""
    if split not in PAIRS_ROWS:
        raise KitError(f"similar pairs have no split {split!r}: they have {', '.join(PAIRS_ROWS)}.")
    count = check_rows(rows) or PAIRS_ROWS[split]
    found = World(seed=(10 * seed + list(PAIRS_ROWS).index(split)) % 2**63).pairs(count)
    labels = [int(score >= SIMILAR) for score in found["score"]]
    columns = {"sentence1": found["sentence1"], "sentence2": found["sentence2"], "label": labels}
    return Table(columns, _source("similar pairs", split, seed, count))


def documents(rows: int | None, least_words: int, seed: int, reasons: tuple[str, ...]) -> Documents:
    """Stories of at least `least_words` words."""
    texts = World(seed=zlib.crc32(f"documents {seed}".encode())).documents(rows or ROWS["documents"], least_words)
    notes = (f"stories of at least {least_words:,} words", *reasons)
    return Documents(texts, _source("documents", "train", seed, len(texts), *notes))


def transfer_task(name: str, rows: int | None, seed: int) -> TransferTask:
    """The "opinions" (praise or blame) or "questions" (six classes) of the world, without a split."""
    world, count = World(seed), rows or ROWS["transfer"]
    found = world.opinions(count) if name == "opinions" else world.questions(count)
    names = ("blame", "praise") if name == "opinions" else QUESTION_CLASSES
    labels = found["label"]
    classes = {label: names[label] for label in sorted(set(labels))}
    source = _source(name, "all", seed, len(labels))
    return TransferTask(name, found["text"], None, labels, ["all"] * len(labels), classes, (source,))


def _source(name: str, split: str, seed: int, rows: int, *notes: str) -> Source:
    return Source(name, split, "world", "kit.world", f"seed {seed}", rows, notes)
