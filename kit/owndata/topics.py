"""The classes of single texts, such as the topics of tickets, as numbers, and a phrase that counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kit.errors import KitError, shown
from kit.owndata.column_values import in_order
from kit.owndata.labels_and_scores import UNLABELLED, class_name

SHOWN = 5  # classes of which a line tells how many texts they have


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
    spelt: dict[str, str] = {}
    words = [spelt.setdefault(word.lower(), word) for word in map(class_name, values)]  # "Yes" and "yes" are one class
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
