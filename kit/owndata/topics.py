"""The classes of single texts, such as the topics of tickets: their column, and them as numbers that are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from kit.errors import KitError, shown
from kit.owndata.column_likeness import in_use
from kit.owndata.column_names import CLASS_NAMES, NAMES, is_about_a_row
from kit.owndata.column_values import come_again, in_order, is_prose, is_text
from kit.owndata.labels_and_scores import UNLABELLED, class_name, one_spelling

SHOWN = 5  # classes of which a line tells how many texts they have


def text_and_class(by_letters: Mapping[str, str], columns: Mapping[str, list], known: Mapping) -> dict[str, str]:
    """Role → column, by the names of columns, else the only texts, and the only words that come again.

    by_letters: the letters of a name → column. known: the roles that somebody said, which are left out.
    """
    names = {"text": NAMES["text"], "label": CLASS_NAMES, "group": NAMES["group"]}
    found = {role: next((by_letters[one] for one in its if one in by_letters), None) for role, its in names.items()}
    found = {role: column for role, column in found.items() if column and role not in known}
    free = {c: v for c, v in columns.items() if c not in in_use(found | known)}
    again = [c for c, v in free.items() if come_again(v)]
    texts = [c for c, v in free.items() if is_text(v) and c not in again and (is_prose(v) or not is_about_a_row(c))]
    texts = texts if len(texts) < 2 else [c for c in texts if is_prose(free[c])]
    for role, candidates in (("text", texts), ("label", again)):
        if role not in found | known and len(candidates) == 1:
            found[role] = candidates[0]
    return found


def without_class(values: list) -> Iterator[tuple[int, str]]:
    """(place, why) of every row that has no class: nothing stands there, or more than one word or number."""
    for place, value in enumerate(values):
        if isinstance(value, list | tuple | dict | set):
            yield place, f"has {shown(value)} as label"
        elif class_name(value) in UNLABELLED:
            yield place, "has no class"


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
    return [number[word] for word in words], names, said
