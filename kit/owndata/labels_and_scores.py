"""Classes and scores of pairs as numbers, and one phrase that says how."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from kit.checks.argument_checks import is_list
from kit.data import HIDDEN, LABEL_NAMES
from kit.errors import KitError, shown
from kit.number_checks import is_finite
from kit.owndata.column_values import NEVER_A_WORD, RELATIONS, SAME, few_words, in_order, is_ambiguous, number_of
from kit.owndata.raw_rows import these
from kit.retrieval.words_of_texts import folded

UNLABELLED = ("-1", "-", "", "nan")
INITIALS = {name[0]: name for name in LABEL_NAMES}  # e, n and c, as some write the words of NLI
RANGES = ((0.0, 1.0), (-1.0, 1.0), (0.0, 5.0), (0.0, 10.0), (0.0, 100.0))  # of scores, the narrowest that holds all
HIGHEST_OF_STS = 5.0  # of ratings with decimals; whole grades below it have a scale of their own
MOST_CLASSES = 100
NEAR, RARE = 0.85, 10  # likeness of two names from which, and times as rare as which, one may be a typing error
WHOLE = re.compile(r"[-+]?\d{1,15}\.0+")  # as a column of whole numbers with gaps is written: "1.0"


def as_classes(values: list) -> tuple[list[int], tuple[str, ...], int | None, str]:
    """(whole numbers from 0, names of the classes, the one that means "the same", the mapping in words).

    −1, "-", "nan", "N/A" and nothing are no label (`HIDDEN`). Words of NLI, also their initials, get the kit's numbers,
    other words theirs by the alphabet.
    Errors: `KitError` for fewer than two classes, or so many that they are none.
    """
    words = [class_name(value) for value in values]
    if {word.lower() for word in words} <= {*LABEL_NAMES, *UNLABELLED}:
        words = [word.lower() for word in words]
    elif {word.lower() for word in words} - set(UNLABELLED) == set(INITIALS):
        words = [INITIALS.get(word.lower(), word) for word in words]
    words = one_spelling(words)
    names = sorted(set(words) - set(UNLABELLED), key=in_order)
    if len(names) < 2:
        raise KitError(
            f"expected two classes or more, got {f'{names[0]!r} alone' if names else 'none'}: without a second one "
            "there is nothing to tell apart; where all pairs mean the same, read them as kind='pairs'."
            + (" (−1 counts as no label: write 0 for the other class.)" if "-1" in words else "")
        )
    if len(names) > MOST_CLASSES:
        raise KitError(f"expected {MOST_CLASSES} classes at most, got {len(names):,}: is the column a label? "
                       "If it holds scores, name it by score (--score); else read them as kind='pairs'.")  # fmt: skip
    if set(names) <= set(LABEL_NAMES):
        names = list(LABEL_NAMES)
    number = {name: i for i, name in enumerate(names)} | dict.fromkeys(UNLABELLED, HIDDEN)
    same = next((number[name] for name in names if name.lower() in SAME), None)
    if all(number_of(name) is not None for name in names) and names != ["0", "1"]:
        same = None  # 0, 1, 2, or 1 and 2: which of them means the same, the file does not say
    said = ", ".join(f"{name} → {number[name]}" for name in names[:8]) + (" …" if len(names) > 8 else "")
    said += f"; {names[same]} means the same" if same is not None else ""
    said += nearly_alike(Counter(words), "" if same is None else names[same])
    said += _of_more_that_mean_it(names, number, same)
    if hidden := sum(word in UNLABELLED for word in words):
        said += f"; {hidden:,} row{'s' * (hidden > 1)} (−1) ha{'ve' if hidden > 1 else 's'} no label"
    return [number[word] for word in words], tuple(names), same, said


def _of_more_that_mean_it(names: list[str], number: dict[str, int], same: int | None) -> str:
    """What to say of further classes whose word means the same too, and of classes that may be degrees."""
    if same is not None and (more := [one for one in names if one.lower() in SAME and number[one] != same]):
        each = ", ".join(more)
        return f"; careful: {each} counts as not the same as {names[same]}: if it means the same, write {names[same]}"
    numbers = [value for one in names if (value := number_of(one)) is not None]
    degrees = any(not value.is_integer() for value in numbers) or max(numbers, default=0) > RELATIONS
    if numbers and len(numbers) == len(names) and degrees:
        return (
            "; if these are degrees of likeness and no classes, name the column by score (--score); if they say "
            "nothing of likeness, read pairs (--kind pairs)"
        )
    return ""


def nearly_alike(counts: Counter, same: str) -> str:
    """What to say of two classes that may be one: a typing error makes a class of its own."""
    names = [name for name, _ in counts.most_common() if name not in UNLABELLED]
    plain = {name: re.sub(r"[\s_-]", "", folded(name)) for name in names}
    digits = {name: re.sub(r"\D", "", name) for name in names}
    found = [
        (rare, name)
        for name, rare in combinations(names, 2)
        if digits[name] == digits[rare] and _may_be(plain[rare], plain[name], counts[name] / counts[rare])
    ]
    if not found:
        return ""
    rare, name = found[-1]
    more = f" (and {len(found) - 1} more such)" if len(found) > 1 else ""
    follows = f", and of the two {same} alone means the same" if same in (rare, name) else ""
    rows = f"{counts[rare]:,} row{'s' * (counts[rare] > 1)}"
    return (
        f"; careful: {rare} ({rows}) and {name} are two classes{follows}{more}: if they are one, correct the spelling"
    )


def _may_be(plain: str, other: str, times: float) -> bool:
    """Whether a class is another one misspelt: of which there are so many times as many rows."""
    if not any(map(str.isalpha, plain)):
        return False  # of numbers each is its own
    opposite = plain.endswith(other) or other.endswith(plain)  # related, unrelated
    if opposite or times < RARE:
        return plain == other
    found = difflib.SequenceMatcher(None, plain, other)
    return all(ratio() >= NEAR for ratio in (found.real_quick_ratio, found.quick_ratio, found.ratio))  # bounds first


def one_spelling(words: list[str]) -> list[str]:
    """The words with "Yes" and "yes" as one class, as are "İyi" and "iyi", spelt as the first of them."""
    spelt: dict[str, str] = {}
    return [spelt.setdefault(folded(word), word) for word in words]


def class_name(value: object) -> str:
    """What a cell calls a class: 1, 1.0, True and "1.0" are one; one of `UNLABELLED` where it names none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = " ".join(unicodedata.normalize("NFC", str(value)).split())  # a blank more makes no other class
    return str(int(float(text))) if WHOLE.fullmatch(text) else "nan" if text.lower() in NEVER_A_WORD else text


def as_scores(
    values: list, score_range: Sequence[float] | None, places: Sequence[int], unit: str
) -> tuple[list[float], tuple[float, float], str]:
    """(scores from 0 to 1, what became 0 and 1, the same in words).

    Without a range it is the narrowest of `RANGES` that holds all scores, else their own; whole grades up to 2, 3 or 4
    end at their own highest. Errors: `KitError` for what is no number, a score out of the range, and scores that are
    all equal, each with its rows.
    """
    numbers = [number_of(value) for value in values]
    wrong = [place for place, number in zip(places, numbers) if number is None or not is_finite(number)]
    if wrong:
        first = values[places.index(wrong[0])]
        remedy = "correct it, or leave such rows out with leave_out=True (--leave-out)"
        if isinstance(first, str) and first.strip().endswith("%"):
            remedy = "write the number alone, without the sign"
        elif is_ambiguous(first):
            remedy = "write it without the comma, which may part thousands or begin decimals"
        remedy = remedy_of_words(values) or remedy
        raise KitError(f"expected a score as a number, but {these(unit, wrong)} ha{'s' if len(wrong) == 1 else 've'} "
                       f"{shown(first)}{' and the like' if len(wrong) > 1 else ''}: {remedy}.")  # fmt: skip
    low, high = min(numbers) + 0.0, max(numbers) + 0.0  # of −0 it makes 0
    if low == high:
        raise KitError(
            f"expected scores that differ, but all {len(numbers):,} are {low:g}: they tell no pair from another."
        )
    if score_range is None:
        least, most = next(((a, b) for a, b in RANGES if a <= low and high <= b), (low, high))
        if least == 0 and high < most == HIGHEST_OF_STS and all(map(float.is_integer, numbers)):
            most = high  # whole grades from 0 to 2, 3 or 4, of which the best is the same
        said = f"scores {low:g} to {high:g} read on a scale of {least:g} to {most:g}"
        if least == 0 and low == 1 < high:  # as people rate from 1 to 5
            said += f"; if the scale begins at 1, say so: score_range=(1, {high:g}) (--score-range 1 {high:g})"
    else:
        least, most = score_range
        outside = [place for place, number in zip(places, numbers) if not least <= number <= most]
        if outside:
            raise KitError(
                f"expected scores from {least:g} to {most:g}, but {these(unit, outside)} "
                f"{'lies' if len(outside) == 1 else 'lie'} outside (all scores: {low:g} to {high:g}): correct them or "
                "the score_range."
            )
        said = f"scores on the scale of {least:g} to {most:g}"
    return [(number - least) / (most - least) for number in numbers], (least, most), said


def remedy_of_words(values: list) -> str:
    """What to do with a column of scores in which most are one of a few words, such as low and high; "" for another."""
    words = few_words([value for value in values if number_of(value) is None])
    most = 2 * sum(str(value).strip().lower() in words for value in values) > len(values)
    if not most or len(words) < 2 or not all(map(_is_word, words)):
        return ""
    return (
        f"write numbers for the words ({', '.join(sorted(words))}) in the order of likeness, 0 for the least, or name "
        "the column by label (--label) to read them as classes, whose order is lost"
    )


def _is_word(text: str) -> bool:
    return text[0].isalpha() and text not in NEVER_A_WORD


def checked_range(given: Sequence[float]) -> tuple[float, float]:
    """The range of scores as two floats. Errors: `KitError` where it is none."""
    ends = list(given) if is_list(given) else []
    if len(ends) != 2 or not all(map(is_finite, ends)) or not ends[0] < ends[1]:
        raise KitError(f"expected score_range as (lowest, highest), such as (0, 5), got {shown(given)}.")
    return float(ends[0]), float(ends[1])
