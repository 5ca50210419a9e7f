"""What stands in a column: texts, numbers, classes, or the index that a frame writes beside its columns."""

from __future__ import annotations

import math
import random
import re
from functools import cache

from kit.data import LABEL_NAMES
from kit.retrieval.words_of_texts import UNSPACED

FEW = 12  # distinct words of a column that are no texts, but classes
RELATIONS = 3  # classes that two texts may stand in, where no name says so: of more, they are topics of a row
SAME = (  # words for a class of pairs that mean the same
    "entailment", "entails", "1", "yes", "true", "duplicate", "paraphrase", "same", "similar", "equivalent", "match",
    "exact", "highly relevant", "relevant", "supports", "supported", "correct", "good", "y", "t", "oui", "ja",
    "positive", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "sí", "sì", "sim", "да", "evet", "はい", "是",
    "相同",
)  # fmt: skip
DIFFERENT = (  # words for a class of pairs that do not
    "different", "unrelated", "irrelevant", "not relevant", "dissimilar", "disagree", "refutes", "refuted",
)  # fmt: skip
PLAIN = {  # words of both kinds, and of NLI, that are said of two texts and hardly of anything else
    "entailment", "contradiction", "entails", "duplicate", "paraphrase", "equivalent", "supports", "refutes",
    "supported", "refuted", "highly relevant", "not relevant", "irrelevant", "dissimilar",
}  # fmt: skip
NEVER_A_WORD = ("n/a", "#n/a", "<na>", "nan", "tbd")  # where nothing else stands in a cell: it holds none
AMBIGUOUS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
DATE = re.compile(  # with the year first or last, the month also as a word, and a time of day or none behind it
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4}"
    r"|\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]"
    r"|\d{1,2}(\.|st|nd|rd|th)? (de )?[^\W\d_]{3,}\.?,? (de )?\d{4}|[^\W\d_]{3,}\.? \d{1,2}(st|nd|rd|th)?, \d{4})"
    r"([,T ] ?\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AP]M)?( ?Z| ?UTC| ?[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE,
)
LOOKED_AT = 1000  # rows, from all over, by which the content of a column is told
PROSE = 6  # words that half of the cells of a column have, where it holds texts whatever it is called
CHARACTERS_A_WORD = 2  # in a word of Chinese or Japanese
_NO_SPACES = re.compile(rf"(?![\uac00-\ud7af]){UNSPACED}")  # Korean has spaces
TICK = 5  # letters of a word with which people tick a box
MANY = 8  # rows from which whole numbers that are all different number the rows
LEAST, MOST = -1.0, 100.0  # ends of the scales on which people say how alike two texts are
MOST_CLASS, MOST_DEGREE = 5.0, 10.0  # to which whole numbers may be classes, decimals are hardly anything but degrees


def is_text(values: list) -> bool:
    """Whether all that stands there are words, and not numbers or dates written as words."""
    there = _there(values)
    words = bool(there) and all(isinstance(value, str) for value in there)
    return words and not are_numbers(values) and not are_dates(values)


def are_numbers(values: list) -> bool:
    """Whether all that stands there are numbers, also written as text."""
    there = _there(values)
    return bool(there) and all(number_of(value) is not None or is_ambiguous(value) for value in there)


def are_dates(values: list) -> bool:
    """Whether all that stands there are dates, with a time or without, such as 2026-03-01 or 1. März 2026."""
    there = _there(values)
    return bool(there) and all(isinstance(value, str) and DATE.fullmatch(value.strip()) for value in there)


def are_classes(values: list) -> bool:
    """Whether few short words stand there again and again."""
    distinct = {value for value in values if isinstance(value, str)}
    return (
        0 < len(distinct) <= FEW
        and len(values) >= max(10, 3 * len(distinct))
        and max(map(len, distinct), default=0) <= 30
    )


def come_again(values: list) -> bool:
    """Whether there are two values or more, each of them twice on average: they may be classes, however many."""
    return 2 <= len({str(value) for value in values}) <= len(values) / 2


def are_flags(values: list) -> bool:
    """Whether nothing but 0 and 1, or True and False, stands there."""
    there = _there(values)
    return bool(there) and are_numbers(values) and {number_of(value) for value in there} <= {0.0, 1.0}


def are_ticks(values: list) -> bool:
    """Whether one short word stands in some rows and nothing in the others: a box that somebody ticked."""
    there = [str(value).strip().lower() for value in values if value not in (None, "")]
    return 1 < len(there) < len(values) and len(there[0]) <= TICK and len(set(there)) == 1


def is_prose(values: list) -> bool:
    """Whether half of the cells or more are texts of several words."""
    counts = sorted(map(words_about, filter(lambda value: isinstance(value, str), _there(values))))
    return bool(counts) and counts[len(counts) // 2] >= PROSE


def words_about(text: str) -> int:
    """About how many words a text has: of a script without spaces between them a word has two characters or so."""
    return max(len(text.split()), 0 if text.isascii() else len(_NO_SPACES.findall(text)) // CHARACTERS_A_WORD)


def is_a_value(name: str) -> bool:
    """Whether what stands as the name of a column is a number or a label of NLI: the first row may be data."""
    return number_of(name) is not None or name.lower() in LABEL_NAMES


def number_the_rows(values: list) -> bool:
    """Whether they are whole numbers that number the rows: all that follow one another, in any order, or all different.

    A frame writes such a column beside its own, also where its rows were shuffled or are some of many.
    """
    numbers = [number_of(value) for value in values]
    if len(numbers) < 3 or not all(number is not None and number.is_integer() for number in numbers):
        return False
    if len(set(numbers)) < len(numbers):
        return False
    return max(numbers) - min(numbers) == len(numbers) - 1 or len(numbers) >= MANY


def are_counts(values: list) -> bool:
    """Whether they are whole numbers up to more than 10 and far from 100: hardly on a scale that people rate on."""
    numbers = _numbers_in(values)
    return bool(numbers) and all(map(float.is_integer, numbers)) and 10 < max(numbers) < 60 and min(numbers) >= 0


def may_be_grades(values: list) -> bool:
    """Whether whole numbers that are all different lie on a scale and do not ascend: grades, or drawn from an index."""
    if not number_the_rows(values) or not on_a_scale(values):
        return False
    numbers = [number_of(value) for value in values]
    shuffled = len(numbers) >= MANY and max(numbers) - min(numbers) == len(numbers) - 1
    return not shuffled and numbers != sorted(numbers)


def on_a_scale(values: list) -> bool:
    """Whether numbers lie within the scales on which people say how alike two texts are."""
    numbers = _numbers_in(values)
    return bool(numbers) and min(numbers) >= LEAST and max(numbers) <= MOST


def as_label_or_score(values: list, named: bool = False) -> str | None:
    """ "label" or "score" where a column may say how the two texts of a row relate; None where it says other things.

    A label: the words of NLI, words one of which says whether both mean the same, or two or three whole numbers to 5. A
    score: other numbers `on_a_scale`, and none that number the rows. Of a column that is named after likeness also
    these are scores, and so are three whole numbers: grades.
    """
    if are_numbers(values):
        distinct = set(_numbers_in(values))
        if len(distinct) < 2 or not on_a_scale(values) or (number_the_rows(values) and not named):
            return None
        whole = all(number.is_integer() and abs(number) <= MOST_CLASS for number in distinct)
        return "label" if whole and len(distinct) <= (2 if named else RELATIONS) else "score"
    words = few_words(values)
    few = 2 <= len(words) <= FEW and (are_classes(values) or len(words) <= RELATIONS)
    return "label" if few and are_relations(words) else None


def values_say_how_alike(values: list) -> bool:
    """Whether they are hardly anything but a label or score, whatever their column is called."""
    if not are_numbers(values):
        return are_relations(words_in(_there(values)))
    numbers = _numbers_in(values)
    return set(numbers) <= {0.0, 1.0} or (are_degrees(values) and max(numbers) <= MOST_DEGREE)


def words_in(values: list) -> set[str]:
    """The distinct values that stand there, as words in lower case."""
    return {str(value).strip().lower() for value in values if value not in (None, "")}


def few_words(values: list) -> set[str]:
    """The distinct words of a column that has few, in lower case; none where it has many: not all are looked at."""
    return words_in(values) if len(words_in(_there(values))) <= FEW else set()


def are_relations(words: set[str]) -> bool:
    """Whether one of the words says that two texts mean the same or do not, or is one of NLI's."""
    return not words.isdisjoint((*SAME, *DIFFERENT, *LABEL_NAMES))


def are_plain_relations(words: set[str]) -> bool:
    """Whether one of the words is said of two texts and hardly of anything else."""
    return not words.isdisjoint(PLAIN)


def are_degrees(values: list) -> bool:
    """Whether numbers have decimals: no classes, but degrees."""
    return are_numbers(values) and any(math.isfinite(number) and number % 1 for number in _numbers_in(values))


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


def in_order(value: str) -> tuple:
    """A key that sorts numbers by what they are worth, and words after them."""
    number = number_of(value)
    return (False, number, value) if number is not None and math.isfinite(number) else (True, 0.0, value)


def _numbers_in(values: list) -> list[float]:
    """The numbers that stand there; an infinite one stays, as it is on no scale, and "nan" is none."""
    return [n for value in _there(values) if (n := number_of(value)) is not None and not math.isnan(n)]


def _there(values: list) -> list:
    """What stands in rows from all over, without what is empty: a file may be sorted by its labels."""
    looked_at = values if len(values) <= LOOKED_AT else [values[i] for i in _places(len(values))]
    return [value for value in looked_at if value not in (None, "")] or [v for v in values if v not in (None, "")][:1]


@cache
def _places(rows: int) -> list[int]:
    """`LOOKED_AT` of so many rows, drawn at random, the same every time: what comes in turns is met as it comes."""
    return sorted(random.Random(0).sample(range(rows), LOOKED_AT))
