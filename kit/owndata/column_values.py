"""What stands in a column: texts, numbers, classes, or the index that a frame writes beside its columns."""

from __future__ import annotations

import math
import re

from kit.data import LABEL_NAMES

FEW = 12  # distinct words of a column that are no texts, but classes
RELATIONS = 3  # classes that two texts may stand in, where no name says so: of more, they are topics of a row
SAME = (  # words for a class of pairs that mean the same; "positive" the last: reviews have it too
    "entailment", "1", "yes", "true", "duplicate", "paraphrase", "same", "similar", "equivalent", "match", "relevant",
    "y", "oui", "ja", "positive",
)  # fmt: skip
AMBIGUOUS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
LOOKED_AT = 1000  # rows by which the content of a column is told
MANY = 8  # rows from which whole numbers that are all different number the rows
LEAST, MOST = -1.0, 100.0  # ends of the scales on which people say how alike two texts are


def is_text(values: list) -> bool:
    """Whether all that stands there are words, and not numbers written as words."""
    there = _there(values)
    return bool(there) and all(isinstance(value, str) for value in there) and not are_numbers(values)


def are_numbers(values: list) -> bool:
    """Whether all that stands there are numbers, also written as text."""
    there = _there(values)
    return bool(there) and all(number_of(value) is not None or is_ambiguous(value) for value in there)


def are_classes(values: list) -> bool:
    """Whether few short words stand there again and again."""
    distinct = {value for value in values if isinstance(value, str)}
    return (
        0 < len(distinct) <= FEW
        and len(values) >= max(10, 3 * len(distinct))
        and max(map(len, distinct), default=0) <= 30
    )


def count_rows(values: list) -> bool:
    """Whether they are whole numbers that number the rows: all that follow one another, in any order, or all different.

    A frame writes such a column beside its own, also where its rows were shuffled or are some of many.
    """
    numbers = [number_of(value) for value in values]
    if len(numbers) < 3 or not all(number is not None and number.is_integer() for number in numbers):
        return False
    if len(set(numbers)) < len(numbers):
        return False
    return max(numbers) - min(numbers) == len(numbers) - 1 or len(numbers) >= MANY


def on_a_scale(values: list) -> bool:
    """Whether numbers lie within the scales on which people say how alike two texts are."""
    numbers = [number for value in _there(values) if (number := number_of(value)) is not None]
    return bool(numbers) and min(numbers) >= LEAST and max(numbers) <= MOST


def may_be_likeness(values: list) -> bool:
    """Whether numbers, whatever their column is called, may say how alike two texts are: none that number the rows."""
    return on_a_scale(values) and not count_rows(values)


def as_label_or_score(values: list) -> str | None:
    """ "label" or "score" where a column may say how the two texts of a row relate; None where it says other things.

    A label: the words of NLI, words one of which means the same, or two or three whole numbers. A score: other numbers
    that `may_be_likeness`.
    """
    if are_numbers(values):
        distinct = {number_of(value) for value in _there(values)}
        if len(distinct) < 2 or not may_be_likeness(values):
            return None
        whole = all(number is not None and number.is_integer() for number in distinct)
        return "label" if whole and len(distinct) <= RELATIONS else "score"
    words = words_in(values)
    few = 2 <= len(words) <= FEW and (are_classes(values) or len(words) <= RELATIONS)
    return "label" if few and are_relations(words) else None


def words_in(values: list) -> set[str]:
    """The distinct values that stand there, as words in lower case."""
    return {str(value).strip().lower() for value in values if value not in (None, "")}


def are_relations(words: set[str]) -> bool:
    """Whether one of the words means the same, or is one of NLI's: what two texts may be to each other."""
    return not words.isdisjoint((*SAME, *LABEL_NAMES))


def are_degrees(values: list) -> bool:
    """Whether numbers have decimals: no classes, but degrees."""
    numbers = [number_of(value) for value in _there(values)]
    return are_numbers(values) and any(
        number is not None and math.isfinite(number) and number % 1 for number in numbers
    )


def number_of(value: object) -> float | None:
    """A number, also written as text ("3.5", "3,5"); None where it is none, or may be two ("1,000": 1 or 1000)."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:  # a whole number of hundreds of digits
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str) and not is_ambiguous(value):
        text = value.strip()
        for written in (text, text.replace(",", ".")):
            try:
                return float(written) if "_" not in written else None
            except ValueError:
                continue
    return None


def is_ambiguous(value: object) -> bool:
    """Whether the comma of a number in text may part its thousands or begin its decimals."""
    return isinstance(value, str) and AMBIGUOUS.fullmatch(value.strip()) is not None


def _there(values: list) -> list:
    """What stands in the first rows, without what is empty."""
    return [value for value in values[:LOOKED_AT] if value not in (None, "")]
