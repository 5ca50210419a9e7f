"""What a reader should look at twice: readings that may be wrong, each told in one sentence beside the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kit.data.table import letters
from kit.errors import printable
from kit.owndata.as_typed import option
from kit.owndata.column_likeness import guess_to_tell, in_use, unused
from kit.owndata.column_names import CLASS_NAMES, is_about_a_row, says_how_unlike
from kit.owndata.column_roles import OTHER_NAME, other_text
from kit.owndata.column_values import (
    NEVER_A_WORD,
    are_classes,
    are_counts,
    are_flags,
    are_numbers,
    are_relations,
    come_again,
    in_order,
    is_prose,
    on_a_scale,
    words_in,
)

PLACEHOLDERS = (*NEVER_A_WORD, "null", "none", "na", "nil", "undefined", "-")
MANY = 3  # cells from which also a word that is one says that there is nothing
ENTAILING = (("premise", "hypothesis"), ("context", "hypothesis"), ("question", "sentence"))  # columns of NLI
ASKING = {"question": 0, "query": 0, "title": 1, "headline": 1}  # columns of which the other text is the answer
SHOWN, WIDEST = 4, 30  # values of a column that a note shows, and letters of each


def doubts(columns: Mapping[str, list], roles: Mapping, texts: Mapping[str, list]) -> tuple[str, ...]:
    """The notes on a reading; none where nothing is odd.

    columns: name → values, as they stand. roles: role → column. texts: role → the texts that were read.
    """
    notes = (
        _of_classes(columns, roles),
        _beside_a_text(columns, roles),
        _of_few(columns, roles),
        _of_placeholders(texts),
        _of_nought(columns, roles),
    )
    return tuple(filter(None, notes))


def doubts_of_likeness(columns: Mapping[str, list], roles: Mapping, said: Mapping, kind: str) -> tuple[str, ...]:
    """The notes on what else says how alike texts are, where nobody said of what kind the data are.

    said: the roles that the reader named. kind: what the data were taken for.
    """
    notes = []
    if kind == "pairs":
        notes = [_of_none(columns, roles), _of_a_third(columns, roles)]
    elif kind in ("labelled", "scored") and not {"label", "score"} & said.keys():
        notes = [_of_a_guess(columns, roles)]
    return tuple(filter(None, notes))


def _beside_a_text(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of single texts: another column holds texts too, and not what is about the row, as who wrote it."""
    told = {*in_use(roles), _of_a_class(columns, roles)}
    free = {c: v for c, v in columns.items() if c not in told and (not is_about_a_row(c) or is_prose(v))}
    if "text" not in roles or not (other := other_text(free, roles)):
        return ""
    if any(isinstance(value, Mapping) for value in columns[other]):
        return (
            f"{other} holds objects: where their texts belong to {roles['text']}, write them in a column of their own."
        )
    first, second = sorted((other, roles["text"]), key=lambda name: ASKING.get(name.lower(), len(ASKING)))
    return (
        f"{other} holds texts too: where it and {roles['text']} belong together, name them as pairs "
        f"(--kind pairs {option('anchor', first)} {option('positive', second)})."
    )


def _of_classes(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of single texts without a class: a column that was left out may hold one."""
    if (column := _of_a_class(columns, roles)) is None:
        return ""
    return (
        f"{column} ({_listed(columns[column])}) is not used: if it is a class of each text, train on it "
        f"(--kind classes {option('text', roles['text'])} {option('label', column)})."
    )


def _of_a_class(columns: Mapping[str, list], roles: Mapping) -> str | None:
    """The column beside single texts that may be their class, where none has been read."""
    if "text" not in roles or "label" in roles:
        return None
    free = {c: v for c, v in columns.items() if c not in in_use(roles) and come_again(v)}
    named = {letters(c): c for c, v in free.items() if not any(isinstance(value, list | Mapping) for value in v)}
    return next((named[one] for one in CLASS_NAMES if one in named), None)


def _of_few(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of pairs: a positive that is one of few words is a choice or a class, of which most rows share theirs."""
    column = roles.get("positive")
    if not isinstance(column, str) or {"label", "score"} & roles.keys() or not are_classes(columns[column]):
        return ""
    return (
        f"{column} holds few words again and again ({_listed(columns[column])}): if they are choices or classes of "
        "rows, name the texts that belong to the others (--positive NAME)."
    )


def _of_placeholders(texts: Mapping[str, list]) -> str:
    """Cells that say in a word that there is nothing are trained as texts; a few of them may be the word itself."""
    found = Counter(
        text.strip()
        for values in texts.values()
        for cell in values
        for text in (cell if isinstance(cell, tuple) else (cell,))
        if isinstance(text, str) and len(text) < 12 and text.strip().lower() in PLACEHOLDERS
    )
    if found.total() < MANY and not any(word.lower() in NEVER_A_WORD for word in found):
        return ""
    (word, _), several = found.most_common(1)[0], found.total() > 1
    alike = " and the like" if len(found) > 1 else ""
    holds = f"{found.total():,} cells hold" if several else "1 cell holds"
    return f"{holds} {word!r}{alike}, and count{'s' * (not several)} as a text: leave a cell empty that has none."


def _of_nought(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of NLI with two classes in numbers: QNLI writes 0 for entailment, and others 1."""
    names = {letters(column) for column in in_use(roles)}
    if "label" not in roles or not any(names.issuperset(pair) for pair in ENTAILING):
        return ""
    if not are_flags(columns[roles["label"]]):
        return ""
    return (
        "1 was taken to mean the same, but some such data write 0 where one text follows from the other, as QNLI: "
        f"if yours do, write words in {roles['label']}, such as entailment."
    )


def _of_none(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of pairs: a column that was left out may say which of them mean the same."""
    if not (found := unused(columns, roles)):
        return ""
    column, role = found
    if says_how_unlike(column):
        return (
            f"All pairs count as alike, and {column} ({_listed(columns[column])}) is not used, as its name says how "
            f"unlike two texts are: write how alike they are into a column, and name it (--{role} NAME)."
        )
    why = ""
    if role == "label" and not are_numbers(columns[column]) and not are_relations(words_in(columns[column])):
        why = ", as none of its words means the same"
    if role == "score" and are_numbers(columns[column]) and not on_a_scale(columns[column]):
        why = ", as it is off every usual scale"
    return (
        f"All pairs count as alike, and {column} ({_listed(columns[column])}) is not used{why}: if it says how alike "
        f"the two texts of a row are, name it ({option(role, column)})."
    )


def _of_a_third(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of pairs: a column of texts that was left out may hold hard negatives, which no name says."""
    first, second = (roles.get(side, roles.get(OTHER_NAME[side])) for side in ("anchor", "positive"))
    other = other_text({c: v for c, v in columns.items() if c in in_use(roles) or not is_about_a_row(c)}, roles)
    if other is None or any(isinstance(value, Mapping) for value in columns[other]) or are_classes(columns[second]):
        return ""
    return (
        f"{other} holds texts too, and is not used: if they look right for {first} and are wrong, name them "
        f"({option('negative', other)})."
    )


def _of_a_guess(columns: Mapping[str, list], roles: Mapping) -> str:
    """Of labels and scores: the name of their column does not say that they are some, or votes may be called so."""
    if found := guess_to_tell(columns, roles):
        column, role = found
        return (
            f"Nothing but its values ({_listed(columns[column])}) says that {column} is a {role}: if it does not say "
            "how alike the two texts of a row are, read them as pairs (--kind pairs)."
        )
    if {"anchor", "score"} <= roles.keys() and are_counts(columns[roles["score"]]):
        return (
            f"{roles['score']} ({_listed(columns[roles['score']])}) holds whole numbers on no usual scale: if they are "
            "votes, or count something else, read the rows as pairs (--kind pairs)."
        )
    return ""


def _listed(values: list) -> str:
    distinct = sorted({str(value)[:WIDEST] for value in values if value not in (None, "")}, key=in_order)
    return printable(", ".join(distinct[:SHOWN]) + (" …" if len(distinct) > SHOWN else ""))
