"""A table of text held as plain lists, and the note on where it came from."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name
from kit.number_checks import whole_number

TIERS = {
    "path": "the path {}",
    "mirror": "the mirror folder KIT_DATA, {}",
    "hub": "the Hugging Face Hub, {}",
    "world": "the bundled world of made-up scenes, which say nothing about English ({})",
}


@dataclass(frozen=True)
class Source:
    """Where a table came from; recorded with every result.

    `tier` is "path", "mirror", "hub" or "world". `location` is relative to the mirror folder in the mirror tier, so
    that it names no folder of one machine. `revision` is the Hub commit, or the first digits of the sha256 of the
    Parquet file, or the seed of the world. `notes` are further honest remarks: dropped rows, a sample, a split that
    is part of a larger one.
    """

    name: str
    split: str
    tier: str
    location: str
    revision: str
    rows: int
    notes: tuple[str, ...] = ()

    @property
    def is_fallback(self) -> bool:
        """True where the world stands in for data that could not be had."""
        return self.tier == "world"

    def summary(self) -> str:
        """One line for the screen.

        >>> Source("stanfordnlp/snli", "test", "mirror", "stanfordnlp__snli/test.parquet",
        ...        "sha256:0f1e2d3c4b5a", 9824).summary()
        'stanfordnlp/snli (test): 9,824 rows from the mirror folder KIT_DATA, \
stanfordnlp__snli/test.parquet [sha256:0f1e2d3c4b5a].'
        """
        where = TIERS[self.tier].format(self.location)
        stand_in = "stand-in of " if self.is_fallback else ""
        line = f"{self.name} ({self.split}): {stand_in}{self.rows:,} rows from {where}"
        line += f" [{self.revision}]"
        return "; ".join((line, *self.notes)) + "."

    def noting(self, *notes: str) -> Source:
        """The same source with more notes."""
        return replace(self, notes=self.notes + notes)


@dataclass(frozen=True, repr=False)
class Table:
    """Columns of equal length, each a plain list: `table["premise"][0]`.

    Raises KitError where the columns differ in length or a column is unknown.
    """

    columns: dict[str, list]
    source: Source
    place: Callable[[int], str] = field(default="row {}".format, compare=False)  # of a row, for an error's sentence

    def __post_init__(self) -> None:
        lengths = {name: len(values) for name, values in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise KitError(f"the columns of a table must be equally long, but came as {lengths}.")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> list:
        check_name("column", name, self.columns)
        return self.columns[name]

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows: {', '.join(self.columns)})"

    def rows(self) -> Iterator[dict]:
        """Each row as a dict of column name to value."""
        for values in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, values, strict=True))

    def head(self, n: int = 5) -> Table:
        """The first `n` rows (all of them where there are fewer)."""
        return self.take(range(min(n, len(self))))

    def take(self, indices: Iterable[int]) -> Table:
        """The rows at `indices`, in that order."""
        indices, place = list(indices), self.place
        columns = {name: [values[i] for i in indices] for name, values in self.columns.items()}
        return Table(columns, replace(self.source, rows=len(indices)), lambda row: place(indices[row]))


def squeeze(text: str) -> str:
    """The text with every run of white space as one space, and none at the ends.

    >>> squeeze(" Two  boats\\trest. ")
    'Two boats rest.'
    """
    return " ".join(text.split())


def check_names(names: Iterable[str], where: object) -> None:
    """Raises KitError where a file has a column twice: which of them is meant, nobody can know."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise KitError(f"expected every column of {where} once, but {twice[0]!r} occurs again: rename or drop one.")


def check_columns(table: Table, expected: Iterable[str]) -> None:
    """Raise KitError naming the columns that `table` lacks and those it has."""
    expected = list(expected)
    missing = [name for name in expected if name not in table.columns]
    if missing:
        raise KitError(
            f"{table.source.name} should have the columns {', '.join(expected)}, but came "
            f"with {', '.join(table.columns) or 'none'}: rename or add {', '.join(missing)}."
        )


def check_rows(rows: int | None) -> int | None:
    """`rows` as an int of at least 1, or None for all; raises KitError otherwise."""
    return None if rows is None else whole_number("rows", rows, 1, "leave it out for all rows")


@checked
def sample(table: Table, rows: int | None, seed: int = 0) -> Table:
    """About `rows` rows drawn by `seed` without replacement, kept in file order.

    A table with a `premise` column is drawn by whole premises, so that no group
    is torn apart: premises in random order until at least `rows` rows are together, hence slightly more than asked
    for. Other tables (sentence pairs, or one row for each anchor) give exactly `rows`. Files are often sorted by
    source, which is why this is not simply the head of the file.

    Raises KitError for `rows` below 1.
    """
    rows = check_rows(rows)
    if rows is None or rows >= len(table):
        return table
    rng = random.Random(seed)
    if "premise" in table.columns:
        chosen, unit = _whole_premises(table["premise"], rows, rng), "whole premises"
    else:
        chosen, unit = rng.sample(range(len(table)), rows), "rows"
    part = table.take(sorted(chosen))
    note = f"a sample of {unit}, {len(part):,} of {len(table):,} rows, seed {seed}"
    return Table(part.columns, part.source.noting(note))


def _whole_premises(premises: list[str], rows: int, rng: random.Random) -> list[int]:
    """Row indices of randomly ordered premises, until at least `rows` are together."""
    rows_of: dict[str, list[int]] = {}
    for index, premise in enumerate(premises):
        key = squeeze(premise) if isinstance(premise, str) else premise
        rows_of.setdefault(key, []).append(index)
    order = list(rows_of.values())
    rng.shuffle(order)
    chosen: list[int] = []
    for indices in order:
        if len(chosen) >= rows:
            break
        chosen += indices
    return chosen


def letters(name: str) -> str:
    """The letters and digits of a name in lower case, by which spellings of a task are compared.

    >>> letters("STS-B"), letters("sts 12")
    ('stsb', 'sts12')
    """
    return "".join(letter for letter in name.lower() if letter.isalnum())
