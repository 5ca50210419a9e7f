"""What rows of a stream become: groups or sentences, and what of them is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from kit.checks.sentences import is_blank
from kit.data.catalogue import NLI_COLUMNS
from kit.data.nli import GROUP_COLUMNS, group_by_premise
from kit.data.table import Source, Table, squeeze
from kit.errors import KitError, NothingToTrainOn, shown
from kit.scaling.row_files import Columns

TEXT_COLUMNS = ("sentence", "text")


@dataclass(frozen=True)
class Made:
    """Elements of some rows. dropped: as of `Groups`; empty: the first row that lacks a text."""

    elements: list
    dropped: dict[str, int]
    empty: int | None = None


def border(columns: Columns, least: int) -> int | None:
    """The first row from `least` on with another anchor than the row before it; None where there is none."""
    keys = columns.get("premise") or columns.get("anchor")
    if keys is None:
        return least
    return next((row for row in range(least, len(keys)) if _spaced(keys[row]) != _spaced(keys[row - 1])), None)


def _spaced(key: object) -> object:
    """An anchor as the groups compare it, white space apart; what is no text is told when its chunk is made."""
    return squeeze(key) if isinstance(key, str) else key


def elements_of(columns: Columns, source: Source, place: Callable[[int], str], before: int) -> Made:
    """Groups of pairs, of groups, or of anchors with a positive; or sentences. before: groups of earlier rows."""
    if "anchor" in columns and "positive" in columns:  # pairs or triplets, a row each
        nothing = [[] for _ in columns["anchor"]]
        columns = {
            "anchor": columns["anchor"],
            "positives": [[given] for given in columns["positive"]],
            "neutrals": nothing,
            "negatives": [[given] for given in columns.get("negative", [])] or nothing,
        }
    if columns.keys() >= set(NLI_COLUMNS) or columns.keys() >= set(GROUP_COLUMNS):
        return _groups(Table(columns, source, place), before)
    name = next((name for name in TEXT_COLUMNS if name in columns), None)
    if name is None:
        raise KitError(
            f"{source.name}: expected the columns premise, hypothesis, label; anchor, positive; anchor, "
            f"positives, neutrals, negatives; or sentence; but got {', '.join(map(repr, columns))}: rename them."
        )
    for row, sentence in enumerate(columns[name]):
        if not isinstance(sentence, str):
            dates = " (JSON whose texts all look like dates is read as dates: give CSV)" * isinstance(sentence, date)
            raise KitError(f"{source.name}: a sentence must be text, but {place(row)} has {shown(sentence)}{dates}.")
    squeezed = list(map(squeeze, columns[name]))
    empty = [row for row, sentence in enumerate(squeezed) if is_blank(sentence)]
    kept = [sentence for sentence in squeezed if not is_blank(sentence)] if empty else squeezed
    return Made(kept, {"empty": len(empty)}, empty[0] if empty else None)


def _groups(table: Table, before: int) -> Made:
    try:
        groups = group_by_premise(table)
        found, dropped = [replace(group, premise_id=before + i) for i, group in enumerate(groups)], groups.dropped
    except NothingToTrainOn:  # in this chunk; others may have what it lacks
        lacking = [lacks for _, lacks in _pairs(table)]
        found, dropped = [], {"empty": sum(lacking), "conflicting": len(lacking) - sum(lacking)}
    empty = next((row for row, lacks in _pairs(table) if lacks), None) if dropped["empty"] else None
    return Made(found, dropped, empty)


def _pairs(table: Table) -> Iterator[tuple[int, bool]]:
    """(row, whether a text is missing) of every pair of an anchor and another text."""
    ready = "anchor" in table.columns and "premise" not in table.columns
    rows = zip(*(table[name] for name in (GROUP_COLUMNS if ready else NLI_COLUMNS[:2])))
    for row, (anchor, *others) in enumerate(rows):
        for other in (text for texts in others for text in texts) if ready else others:
            yield row, is_blank(squeeze(anchor)) or is_blank(squeeze(other))
