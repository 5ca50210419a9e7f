"""Data of one's own, once they are read: a kind, columns by their roles, and where each row stood in its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from kit.checks.argument_checks import check_kind, checked
from kit.errors import KitError, check_name, printable, shown
from kit.number_checks import is_whole

# kind → the roles of its columns. What else a data set may have: "group", rows of which no split may tear apart; "" for
# a row in none.
KINDS = {
    "pairs": ("anchor", "positive"),
    "triplets": ("anchor", "positive", "negative"),
    "multiples": ("anchor", "positives", "negatives"),  # tuples of texts, the negatives possibly empty
    "labelled": ("sentence1", "sentence2", "label"),  # label: a whole number from 0; −1 has none
    "scored": ("sentence1", "sentence2", "score"),  # score: from 0 to 1, 1 for the same meaning
    "classes": ("text", "label"),  # label: a whole number from 0
    "sentences": ("text",),
    "documents": ("text",),
}


def so_many(kind: str, rows: int) -> str:
    """So many rows of a kind: "3 pairs", "1 pair"."""
    if kind == "classes":
        return f"{rows:,} text{'s' * (rows != 1)} with a class"
    return f"{rows:,} {kind.removesuffix('s') if rows == 1 else kind}"


def text_roles(kind: str) -> list[str]:
    """The roles of a kind that are texts: all but what says how alike two texts are."""
    return [role for role in KINDS[kind] if role not in ("label", "score")]


@dataclass(frozen=True, repr=False)
class OwnData:
    """Rows of one's own, all of one kind; `read` makes it. Lesson 13.

    name: of the file, or what it was called. kind: one of `KINDS`. columns: role → values, equally long.
    numbers: where each row stands in its source, as an error names it. read_as: one line that says how it was read.
    notes: further remarks, one sentence each (an encoding that was guessed, rows that were left out).
    label_names: of the labels 0, 1, … of kinds "labelled" and "classes"; positive_label: the one that means "the same".
    score_range: what became the scores 0 and 1 of kind "scored". roles: role → column of the source (several columns
    for several positives or negatives), with which another file of the same form is read alike.
    Raises KitError where the columns are not those of the kind, or differ in length.
    """

    name: str
    kind: str
    columns: dict[str, list]
    numbers: list[int]
    read_as: str = ""
    notes: tuple[str, ...] = ()
    label_names: tuple[str, ...] = ()
    positive_label: int | None = None
    score_range: tuple[float, float] | None = None
    roles: dict[str, str | list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_kind("name", self.name, "str")
        check_name("kind of data", self.kind, KINDS)
        check_kind("columns", self.columns, "dict")
        check_kind("numbers", self.numbers, "list")
        for role, values in self.columns.items():
            check_kind(f"the column {shown(role)}", values, "list")
        expected = KINDS[self.kind]
        if set(self.columns) - {"group"} != set(expected):
            raise KitError(
                f"expected the columns {', '.join(expected)} for {self.kind}, got "
                f"{', '.join(map(str, self.columns)) or 'none'}."
            )
        lengths = {"numbers": len(self.numbers), **{role: len(values) for role, values in self.columns.items()}}
        if len(set(lengths.values())) > 1:
            raise KitError(f"expected columns of one length, got {lengths}.")

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, role: str) -> list:
        check_name("column", role, self.columns)
        return self.columns[role]

    def __repr__(self) -> str:
        return f"OwnData({self.name}: {so_many(self.kind, len(self))})"

    @property
    def rows(self) -> Iterator[tuple]:
        """Each row as a tuple in the order of the kind's roles, such as (anchor, positive): an iterator, made anew each
        time; `list(data.rows)` has a length and places."""
        return zip(*(self.columns[role] for role in KINDS[self.kind]), strict=True)

    def texts(self, without: str = "") -> list[str]:
        """Every distinct text, in order of first occurrence; without: a role whose column is left out."""
        return list(self.first_rows(without))

    def first_rows(self, without: str = "") -> dict[str, int]:
        """Every distinct text → the number of the row in which it stands first, column after column."""
        found: dict[str, int] = {}
        for role in text_roles(self.kind):
            if role == without:
                continue
            for number, value in zip(self.numbers, self.columns[role], strict=True):
                for text in value if role in ("positives", "negatives") else (value,):
                    found.setdefault(text, number)
        return found

    @checked
    def take(self, indices: Iterable[int]) -> OwnData:
        """The rows at these places (from 0), in that order. Errors: `KitError` for a place that is not there."""
        indices = list(indices)
        if strange := [one for one in indices if not is_whole(one, 0) or one >= len(self)]:
            raise KitError(f"expected indices as places from 0 to {len(self) - 1:,}, got {shown(strange[0])}.")
        columns = {role: [values[i] for i in indices] for role, values in self.columns.items()}
        fewer = self.read_as and len(indices) != len(self)
        read_as = f"{len(indices):,} row{'s' * (len(indices) != 1)} of {self.read_as}" if fewer else self.read_as
        return replace(self, columns=columns, numbers=[self.numbers[i] for i in indices], read_as=read_as)

    def summary(self) -> str:
        """How it was read, and every remark, in one line."""
        return printable(" ".join((self.read_as or f"{self.name}: {so_many(self.kind, len(self))}.", *self.notes)))
