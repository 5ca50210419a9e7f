"""Data of one's own in parts without a leak: rows with a text in common, or nearly, stay in one part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name, shown
from kit.number_checks import is_finite
from kit.owndata.as_typed import options
from kit.owndata.column_likeness import in_use
from kit.owndata.column_names import is_nameless
from kit.owndata.minhash import LEAST, clusters, near_texts
from kit.owndata.own_data import OwnData, text_roles

BY_COMMAND = "kit split my.csv --out parts"
NOT_TOLD = ("multiples", "classes", "documents")  # kinds that the names of the columns do not tell
PARTS = {"train": 0.8, "validation": 0.1, "test": 0.1}
DRAWS = 5  # random splits that are looked at for the report
TOO_LARGE = 0.5  # of the rows in one cluster: then there is nothing to split
AT_MOST = 0.05  # of a part's rows in one cluster: a larger one would be what that part tests
IN_PYTHON = 'from kit.owndata import read, split; parts = split(read("my.csv"))'
ROUNDING = 1e-6  # of a row: a part that lacks less is full


def by_command(data: OwnData) -> str:
    """`BY_COMMAND` with what reads such a file as what this one was read as."""
    return BY_COMMAND.replace(" --out", f"{options(_said(data))} --out")


def in_python(data: OwnData) -> str:
    """`IN_PYTHON`, likewise."""
    said = "".join(f", {name}={value!r}" for name, value in _said(data).items())
    return IN_PYTHON.replace('"my.csv"', f'"my.csv"{said}')


def _said(data: OwnData) -> dict[str, str | list[str]]:
    """Kind and columns, where their names alone do not tell the kind."""
    if data.kind not in NOT_TOLD:
        return {}
    named = {role: column for role, column in data.roles.items() if not any(map(is_nameless, in_use({role: column})))}
    return {"kind": data.kind, **named}


@dataclass(frozen=True)
class Split:
    """Parts without a leak. `split["train"]` is an `OwnData`; `leaked_by_chance`: part → rows, mean of random splits.

    clusters: how many there are, of rows that hang together; largest: rows of the largest one. by: the roles whose
    texts counted, () for all.
    """

    parts: dict[str, OwnData]
    clusters: int
    largest: int
    leaked_by_chance: dict[str, float]
    by: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> OwnData:
        check_name("part", name, self.parts)
        return self.parts[name]

    def summary(self) -> str:
        """What was split, and what a random split of the same sizes would have leaked."""
        sizes = ", ".join(f"{name} {len(part):,}" for name, part in self.parts.items())
        leaks = "; ".join(
            f"{count:,.1f} of {len(self.parts[name]):,} rows of {name} ({count / max(1, len(self.parts[name])):.1%})"
            for name, count in self.leaked_by_chance.items()
        )
        group = "a group, or " if any("group" in part.columns for part in self.parts.values()) else ""
        shared = (
            " or ".join("an anchor" if role == "anchor" else f"a {role.removesuffix('s')}" for role in self.by)
            or "a text"
        )
        return (
            f"{sizes}, by {self.clusters:,} clusters of rows that share {group}{shared}, nearly or wholly (the largest "
            f"has {self.largest:,}), none in two parts. A random split would have leaked, on average, {leaks}."
        )


@checked
def split(
    data: OwnData,
    parts: Mapping[str, float] = PARTS,
    seed: int = 0,
    by: tuple[str, ...] = (),
    least: float = LEAST,
    progress: bool = False,
) -> Split:
    """Parts of about these shares, with rows that hang together in one part. Lesson 13.

    Rows hang together where they share a group, or a text, or have near-duplicates (a Jaccard similarity of `least`).
    The largest clusters are dealt out first, each to the part that lacks the largest share of its rows, so that those
    of several rows come to all parts; one that would be more than a twentieth of a part goes to a larger part, as long
    as that lacks rows.
    parts: name → share, the first for training; by: roles whose texts count, () for all (with `by=("anchor",)` two
    questions may have the same answer in two parts). progress: with bars. Errors: `KitError` for shares that do not sum
    to 1, where more than half of the rows hang together, with what does it, and where a part would be empty.
    """
    if len(parts) < 2 or not all(is_finite(s) and s > 0 for s in parts.values()) or abs(sum(parts.values()) - 1) > 1e-6:
        raise KitError(f"expected two parts or more with shares that sum to 1, got {dict(parts)}.")
    if len(data) < len(parts):
        raise KitError(f"expected as many rows as parts, {len(parts)}, got {len(data)}: give more data.")
    own = row_clusters(data, by, least, progress)
    sizes = np.bincount(own)
    if sizes.max() > TOO_LARGE * len(data):
        raise _hanging_together(data, by, least, int(sizes.max()))
    rng, names = np.random.default_rng(seed), list(parts)
    where = _dealt(sizes, parts, rng)[own]
    made = {name: data.take(np.flatnonzero(where == i).tolist()) for i, name in enumerate(names)}
    if empty := [name for name, part in made.items() if not len(part)]:
        raise KitError(
            f"expected a row or more in every part, but {' and '.join(empty)} got none of {len(data):,} (in "
            f"{len(sizes):,} clusters, the largest of {sizes.max():,}): give more data, larger shares, or fewer parts."
        )
    by_chance = dict.fromkeys(names[1:], 0.0)
    for _ in range(DRAWS):
        mixed = rng.permutation(where)
        for i, name in enumerate(names[1:], start=1):
            by_chance[name] += float(np.isin(own[mixed == i], own[mixed == 0]).sum()) / DRAWS
    return Split(made, len(sizes), int(sizes.max()), by_chance, by)


def _hanging_together(data: OwnData, by: tuple[str, ...], least: float, largest: int) -> KitError:
    """What holds a cluster of `largest` rows together, and how to part it."""
    text, count = _most_shared(data, by)
    groups = Counter(one for one in data.columns.get("group", []) if one not in (None, ""))
    group, of_it = max(groups.items(), key=lambda found: found[1], default=("", 0))
    many = f"{largest:,} of {len(data):,} hang together"
    if of_it > count:
        return KitError(
            f"expected rows that can be parted, but {many} ({of_it:,} of them in the group {shown(group)}): "
            "read them with another column as group, or with none."
        )
    if count == 1:
        joined = "are near-duplicates" + (" or share a group" if "group" in data.columns else "")
        return KitError(
            f"expected rows that can be parted, but {many} although no text stands in two rows: they {joined}, "
            f"such as {text[:50]!r}: link them by fewer columns (--by), by a least above {least:g} (--least), or "
            "keep fewer of them."
        )
    return KitError(
        f"expected rows that can be parted, but {many} (the most frequent text is {text[:50]!r}): link them by "
        "fewer columns, such as by=('anchor',) (--by anchor), or leave it out."
    )


def _dealt(sizes: np.ndarray, parts: Mapping[str, float], rng: np.random.Generator) -> np.ndarray:
    """The place of the part of each cluster, int64 [clusters]; sizes: the rows of each, int64 [clusters]."""
    rows, names = int(sizes.sum()), list(parts)
    wanted = {name: share * rows for name, share in parts.items()}
    place_of = np.empty(len(sizes), dtype=np.int64)
    shuffled = rng.permutation(len(sizes))
    for cluster in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:  # the large ones first
        lacking = [one for one in names if wanted[one] > ROUNDING] or names
        roomy = [one for one in lacking if sizes[cluster] <= AT_MOST * parts[one] * rows]
        name = max(roomy, key=lambda one: wanted[one] / parts[one]) if roomy else max(lacking, key=wanted.__getitem__)
        wanted[name] -= sizes[cluster]
        place_of[cluster] = names.index(name)
    return place_of


@checked
def leaks(
    train: OwnData, test: OwnData, by: tuple[str, ...] = (), least: float = LEAST, progress: bool = False
) -> list[int]:
    """The places (from 0) of the rows of `test` that hang together with a row of `train`. Lesson 13.

    progress: with bars. Errors: `KitError` where the two are not of one kind.
    """
    if train.kind != test.kind:
        raise KitError(f"expected two parts of one kind, got {train.kind} and {test.kind}.")
    columns = {role: [*train.columns[role], *test.columns[role]] for role in train.columns if role in test.columns}
    both = OwnData(train.name, train.kind, columns, list(range(len(train) + len(test))))
    own = row_clusters(both, by, least, progress)
    return np.flatnonzero(np.isin(own[len(train) :], own[: len(train)])).tolist()


def row_clusters(data: OwnData, by: tuple[str, ...] = (), least: float = LEAST, progress: bool = False) -> np.ndarray:
    """The number of the cluster of each row, int64 [rows]."""
    texts = _texts_by_row(data, by)
    number = {text: i for i, text in enumerate(dict.fromkeys(text for row in texts for text in row))}
    of_text = near_texts(list(number), least, progress=progress).clusters
    keys = [{("text", int(of_text[number[text]])) for text in row} for row in texts]
    for row, group in zip(keys, data.columns.get("group", [])):
        if group not in (None, ""):  # a row without a group hangs together with no other
            row.add(("group", group))
    first: dict[tuple, int] = {}
    pairs = [(first.setdefault(key, row), row) for row, own in enumerate(keys) for key in own]
    return clusters(len(data), pairs)


def _texts_by_row(data: OwnData, by: Sequence[str]) -> list[tuple[str, ...]]:
    by = tuple(by)
    roles = text_roles(data.kind)
    for role in by:
        if role not in roles:
            raise KitError(f"expected by as roles of {data.kind}, {', '.join(roles)}, got {shown(role)}.")
    chosen = zip(*(data.columns[role] for role in (by or roles)))
    return [tuple(t for cell in row for t in ((cell,) if isinstance(cell, str) else cell)) for row in chosen]


def _most_shared(data: OwnData, by: tuple[str, ...]) -> tuple[str, int]:
    """The text that stands in most rows, and in how many."""
    counts: dict[str, int] = {}
    for row in _texts_by_row(data, by):
        for text in set(row):
            counts[text] = counts.get(text, 0) + 1
    return max(counts.items(), key=lambda one: one[1])
