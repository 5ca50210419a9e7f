"""The classes of single texts, such as the topics of tickets: their column, and them as numbers that are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from kit.errors import KitError, shown
from kit.owndata.column_likeness import in_use
from kit.owndata.column_names import CLASS_NAMES, NAMES, is_about_a_row
from kit.owndata.column_values import are_dates, come_again, in_order, is_prose, is_text
from kit.owndata.labels_and_scores import UNLABELLED, class_name, nearly_alike, one_spelling

SHOWN = 5  # classes of which a line tells how many texts they have
MINUS_ONE = "has −1, which counts as no class"
COMPARED = 300  # classes of which two are compared by their spelling
SEVERAL = re.compile(r"\s*[;|]\s*")  # between classes in one cell


def text_and_class(by_letters: Mapping[str, str], columns: Mapping[str, list], known: Mapping) -> dict[str, str]:
    """Role → column, by the names of columns, else the only texts, and the only words that come again.

    by_letters: the letters of a name → column. known: the roles that somebody said, which are left out.
    """
    roles = dict(known)
    for role, names in (("text", NAMES["text"]), ("label", CLASS_NAMES), ("group", NAMES["group"])):
        column = next((by_letters[one] for one in names if one in by_letters), None)
        # A "cluster" beside a text may be its class: without a class it is no group, whose rows no split parts.
        if column and role not in roles and column not in in_use(roles) and (role != "group" or "label" in roles):
            roles[role] = column
    for role, candidates in zip(("text", "label"), _candidates(columns, roles)):
        if role not in roles and len(candidates) == 1:
            roles[role] = candidates[0]
    return {role: column for role, column in roles.items() if role not in known}


def such_as(columns: Mapping[str, list], known: Mapping) -> str:
    """What to say for texts with a class, with columns that are there; "" where none can be the one or the other."""
    known = {role: column for role, column in known.items() if role in ("text", "label", "group")}
    texts, again = _candidates(columns, known)
    texts = texts or [c for c, v in columns.items() if c not in in_use(known) and is_prose(v)]
    text, label = (known.get(role) or next(iter(found), None) for role, found in (("text", texts), ("label", again)))
    return f"text={text!r}, label={label!r}" if text and label else ""


def _candidates(columns: Mapping[str, list], roles: Mapping) -> tuple[list[str], list[str]]:
    """Of the columns without a role those that may be the texts, and those that may be their classes."""
    free = {c: v for c, v in columns.items() if c not in in_use(roles)}
    again = [c for c, v in free.items() if come_again(v) and not are_dates(v)]
    texts = [c for c, v in free.items() if is_text(v) and c not in again and (is_prose(v) or not is_about_a_row(c))]
    return texts if len(texts) < 2 else [c for c in texts if is_prose(free[c])], again


def without_class(values: list) -> Iterator[tuple[int, str]]:
    """(place, why) of every row that has no class: nothing stands there, or more than one word or number."""
    for place, value in enumerate(values):
        if isinstance(value, list | tuple | dict | set):
            yield place, f"has {shown(value)} as label"
        elif class_name(value) in UNLABELLED:
            yield place, MINUS_ONE if class_name(value) == "-1" else "has no class"


def as_topics(values: list) -> tuple[list[int], tuple[str, ...], str]:
    """(whole numbers from 0, names of the classes, the largest of them in words); the numbers go by the alphabet.

    Errors: `KitError` for fewer than two classes, and where every text has a class of its own.
    """
    words = one_spelling([class_name(value) for value in values])
    counts = Counter(words)
    if len(counts) < 2:
        raise KitError(
            f"expected two classes or more, got {next(iter(counts))!r} alone: with one there is nothing to tell apart; "
            "without classes, read the texts as kind='sentences' (--kind sentences)."
        )
    if len(counts) == len(words):
        raise KitError(
            f"expected two texts of one class, but all {len(words):,} texts have different ones: is the column an id? "
            "Name that of the class by label (--label)."
        )
    names = tuple(sorted(counts, key=in_order))
    number = {name: i for i, name in enumerate(names)}
    most = ", ".join(f"{name} {count:,}" for name, count in counts.most_common(SHOWN))
    said = f"{len(names):,} classes ({most}{' …' if len(names) > SHOWN else ''})"
    if alone := sum(count == 1 for count in counts.values()):
        said += f"; {alone:,} of them ha{'s' if alone == 1 else 've'} one text, which is a negative and has no positive"
    said += nearly_alike(counts, "") if len(counts) <= COMPARED else ""
    said += _of_several_in_one(counts)
    return [number[word] for word in words], names, said


def _of_several_in_one(counts: Counter) -> str:
    """What to say of names that hold several classes: such a text is taken for a negative of those in its own name."""
    inner = {name: [part for part in SEVERAL.split(name) if part in counts and part != name] for name in counts}
    several = [name for name, parts in inner.items() if parts]
    if not several:
        return ""
    more = f" (and {len(several) - 1:,} more such)" if len(several) > 1 else ""
    return f"; careful: {several[0]} and {inner[several[0]][0]} are two classes{more}: write one class in each cell"
