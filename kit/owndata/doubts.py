"""What a reader should look at twice: readings that may be wrong, each told in one sentence beside the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kit.errors import printable
from kit.owndata.column_roles import other_text, unused_by_name, unused_likeness
from kit.owndata.column_values import are_numbers, are_relations, number_of, on_a_scale, words_in

PLACEHOLDERS = ("null", "none", "nan", "na", "n/a", "#n/a", "<na>", "nil", "undefined", "tbd")
ASKING = {"question": 0, "query": 0, "title": 1, "headline": 1}  # columns of which the other text is the answer
SHOWN = 4  # values of a column that a note shows


def doubts(
    columns: Mapping[str, list], roles: Mapping, texts: Mapping[str, list], pairs_unasked: bool
) -> tuple[str, ...]:
    """The notes on a reading; none where nothing is odd.

    columns: name → values, as they stand. roles: role → column. texts: role → the texts that were read. pairs_unasked:
    whether the rows were taken for pairs, and nobody said that they are.
    """
    notes = (
        _beside_a_text(columns, roles),
        _of_placeholders(texts),
        _of_likeness(columns, roles) if pairs_unasked else "",
    )
    return tuple(filter(None, notes))


def _beside_a_text(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of single texts: another column holds texts too."""
    if "text" not in roles or not (other := other_text(columns, roles)):
        return ""
    if any(isinstance(value, Mapping) for value in columns[other]):
        return (
            f"{other} holds objects: where their texts belong to {roles['text']}, write them in a column of their own."
        )
    first, second = sorted((other, roles["text"]), key=lambda name: ASKING.get(name.lower(), len(ASKING)))
    return (
        f"{other} holds texts too: where it and {roles['text']} belong together, name them as pairs "
        f"(--anchor {first} --positive {second})."
    )


def _of_placeholders(texts: Mapping[str, list]) -> str:
    """Cells that say in a word that there is nothing are trained as texts."""
    found = Counter(
        text.strip()
        for values in texts.values()
        for text in values
        if isinstance(text, str) and len(text) < 12 and text.strip().lower() in PLACEHOLDERS
    )
    if not found:
        return ""
    (word, _), several = found.most_common(1)[0], found.total() > 1
    alike = " and the like" if len(found) > 1 else ""
    holds = f"{found.total():,} cells hold" if several else "1 cell holds"
    return f"{holds} {word!r}{alike}, and count{'s' * (not several)} as a text: leave a cell empty that has none."


def _of_likeness(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of pairs: a column that was left out may say which of them mean the same."""
    found, as_named = unused_likeness(columns, roles), unused_by_name(columns, roles)
    if found is None and as_named is None:
        return ""
    column, role = as_named or found
    values = sorted({str(value) for value in columns[column] if value not in (None, "")}, key=_in_order)
    listed = ", ".join(values[:SHOWN]) + (" …" if len(values) > SHOWN else "")
    why = ""
    if role == "label" and not are_numbers(columns[column]) and not are_relations(words_in(columns[column])):
        why = ", as none of its words means the same"
    if role == "score" and are_numbers(columns[column]) and not on_a_scale(columns[column]):
        why = ", as it is off every usual scale"
    return (
        f"All pairs count as alike, and {column} ({printable(listed)}) is not used{why}: if it says how alike the two "
        f"texts of a row are, name it (--{role} {column})."
    )


def _in_order(value: str) -> tuple:
    return (number_of(value) is None, number_of(value) or 0.0, value)
