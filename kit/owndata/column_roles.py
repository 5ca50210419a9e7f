"""Which column is what: as the reader says, else by its name, else by what stands in it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from kit.data.table import letters
from kit.errors import KitError, check_name, unknown_name
from kit.owndata.own_data import KINDS

ROLES = ("anchor", "positive", "negative", "sentence1", "sentence2", "label", "score", "text", "group")
LISTS = ("positive", "negative")  # roles that several columns may have

# The names by which data sets call them, letters and digits alone; pairs of names belong together.
SIDES = [  # → sentence1, sentence2
    ("sentence1", "sentence2"), ("premise", "hypothesis"), ("question1", "question2"), ("text1", "text2"),
    ("sentencea", "sentenceb"), ("texta", "textb"), ("sent1", "sent2"), ("s1", "s2"), ("first", "second"),
    ("source", "target"), ("title1", "title2"), ("left", "right"),
]  # fmt: skip
NAMES = {
    "anchor": ("anchor", "query", "question", "q", "term", "word", "title", "headline", "input"),
    "positive": (
        "positive", "pos", "positives", "answer", "passage", "response", "definition", "gloss", "document", "context",
        "relevant", "body", "content", "duplicate", "paraphrase", "reply", "a", "abstract", "output",
    ),
    "negative": ("negative", "neg", "negatives", "hardnegative", "hardnegatives", "wrong", "irrelevant", "distractor"),
    "label": ("label", "class", "goldlabel", "isduplicate", "labels", "relation", "entailmentlabel"),
    "score": ("score", "similarity", "similarityscore", "rating", "relatedness", "relatednessscore", "sim", "gold"),
    "text": ("text", "sentence", "sentences", "document", "documents", "content", "body", "title", "question"),
    "group": ("group", "groupid", "cluster", "clusterid"),
}  # fmt: skip
# Columns about a row, which are no text to train on unless somebody says so.
ABOUT = (
    "id", "key", "category", "topic", "tag", "tags", "language", "lang", "origin", "date", "year", "url", "author",
    "price", "amount", "quantity", "count", "views", "votes", "clicks", "age",
)  # fmt: skip
FEW = 12  # distinct words of a column that are no texts, but classes
RELATIONS = 3  # classes that two texts may stand in, where no name says so: of more, they are topics of a row
AMBIGUOUS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
# Roles that are still looked for by name where those that were said make a kind: kind that is asked for, "" for none.
FURTHER = {"": ("label", "score", "negative", "group"), "multiples": ("negative", "group")}


def kind_and_roles(
    columns: Mapping[str, list], given: Mapping[str, str | list[str]], kind: str | None, name: str
) -> tuple[str, dict[str, str | list[str]]]:
    """The kind of the data, and role → column (several columns for several positives or negatives).

    Errors: `KitError` for a column or role that does not exist, and where it cannot be told what is what.
    """
    for role, column in given.items():
        check_name("role of a column", role, ROLES)
        for one in [column] if isinstance(column, str) else column:
            if one not in columns:
                raise unknown_name(f"column of {name}", one, columns)
    if kind is not None:
        check_name("kind of data", kind, KINDS)
    roles = dict(given)
    complete, named = _kind_of(roles, columns, kind), _by_name(columns, roles, kind)
    if complete is not None and kind in (None, complete):
        more = FURTHER.get(kind or ("text" if "text" in roles else ""), ("group",))
        named = {role: column for role, column in named.items() if role in more}
    roles |= named
    if _kind_of(roles, columns) is None:
        roles |= _by_content({c: v for c, v in columns.items() if c not in _used(roles)}, roles)
    found = _kind_of(roles, columns, kind)
    if found is None or (kind and found != kind):
        wanted = f"{', '.join(KINDS[kind])} for {kind}" if kind else "two columns of text, or one"
        such_as = "text='comment'" if kind in ("sentences", "documents") else "anchor='question', positive='answer'"
        raise KitError(
            f"expected {wanted} in {name}, and cannot tell which of its columns ({', '.join(columns) or 'none'}) they "
            f"are: name them, such as {such_as}."
        )
    return found, roles


def _kind_of(roles: Mapping, columns: Mapping[str, list], wanted: str | None = None) -> str | None:
    """The kind that these roles make, None where something is missing."""
    has = set(roles)
    two = {"sentence1", "sentence2"} <= has or {"anchor", "positive"} <= has
    one_positive = "positive" not in has or not _is_several(roles["positive"], columns)
    if two and one_positive and "score" in has and wanted in (None, "scored"):
        return "scored"
    if two and one_positive and "label" in has and wanted in (None, "labelled"):
        return "labelled"
    if two:
        several = any(_is_several(roles[role], columns) for role in LISTS if role in has)
        return "multiples" if several or wanted == "multiples" else "triplets" if "negative" in has else "pairs"
    if "text" in has:
        return wanted if wanted in ("documents", "sentences") else _of_length(columns[roles["text"]])
    return None


def _of_length(texts: list) -> str:
    """Documents where half of the texts have 150 words or more."""
    counts = sorted(len(text.split()) for text in texts[:1000] if isinstance(text, str))
    return "documents" if counts and counts[len(counts) // 2] >= 150 else "sentences"


def _is_several(column: str | list[str], columns: Mapping[str, list]) -> bool:
    return not isinstance(column, str) or any(isinstance(value, list | tuple) for value in columns[column][:100])


def _by_name(columns: Mapping[str, list], known: Mapping, kind: str | None) -> dict[str, str | list[str]]:
    """Roles by the names of columns, those that are known already aside."""
    by_letters = {letters(column): column for column in reversed(columns)}
    found: dict[str, str | list[str]] = {}
    pair = next((sides for sides in SIDES if set(sides) <= by_letters.keys()), None)
    for role, names in NAMES.items():
        column = next((by_letters[one] for one in names if one in by_letters), None)
        several = [
            c for one, c in sorted(by_letters.items()) if one.rstrip("0123456789") in names[:3] and one[-1].isdigit()
        ]
        if role in LISTS and column is None and several:
            column = sorted(several) if len(several) > 1 else several[0]
        if column is not None:
            found[role] = column
    if not {"anchor", "positive"} <= (found | known).keys() and pair:
        found |= dict(zip(("sentence1", "sentence2"), (by_letters[one] for one in pair)))
        found = {role: column for role, column in found.items() if role not in ("anchor", "positive", "text")}
    if {"anchor", "positive"} <= (found | known).keys() or {"sentence1", "sentence2"} <= (found | known).keys():
        found.pop("text", None)
    elif "text" in (found | known):
        found = {role: column for role, column in found.items() if role in ("text", "group")}
    if kind in ("pairs", "triplets", "multiples"):
        found = {role: column for role, column in found.items() if role not in ("label", "score")}
    return {role: c for role, c in found.items() if role not in known and not _used({role: c}) & _used(known)}


def _by_content(columns: Mapping[str, list], known: Mapping) -> dict[str, str]:
    """One column of text, or two with or without a number or a class, whatever they are called."""
    columns = {name: values for name, values in columns.items() if letters(name) not in ABOUT}
    texts = [name for name, values in columns.items() if _is_text(values)]
    classes = [name for name in texts if _are_classes(columns[name])]
    texts = [name for name in texts if name not in classes] if len(texts) > len(classes) else texts
    numbers = [c for c, v in columns.items() if c not in texts and _are_numbers(v) and not _counts_rows(v)]
    if {"sentence1", "sentence2", "text"} & set(known):
        return {}
    if len(one_side := {"anchor", "positive"} & set(known)) == 1:  # the other text is its other side
        other = ({"anchor", "positive"} - one_side).pop()
        return {other: texts[0]} if len(texts) == 1 and texts != classes else {}
    if len(texts) == 1 and len(classes) == 0:
        return {"text": texts[0]}
    if len(texts) != 2 or len(classes) > 1 or len(numbers) > 1:
        return {}
    roles = {"anchor": texts[0], "positive": texts[1]}
    if classes:
        related = len({value for value in columns[classes[0]] if value not in (None, "")}) <= RELATIONS
        return {**roles, "label": classes[0]} if related else roles
    if numbers:
        there = {number_of(value) for value in columns[numbers[0]] if value not in (None, "")}
        whole, few = all(one is not None and one.is_integer() for one in there), len(there) <= RELATIONS
        return {**roles, ("label" if whole and few else "score"): numbers[0]}
    return roles


def other_text(columns: Mapping[str, list], roles: Mapping[str, str | list[str]]) -> str | None:
    """A column of texts beside the one that is read as single texts: the two may be pairs. None where there is none."""
    others = (c for c in columns if c not in _used(roles) and letters(c) not in ABOUT)
    return next((c for c in others if _is_text(columns[c]) and not _are_classes(columns[c])), None)


def _is_text(values: list) -> bool:
    there = [value for value in values[:1000] if value not in (None, "")]
    return bool(there) and all(isinstance(value, str) for value in there) and not _are_numbers(values)


def _are_numbers(values: list) -> bool:
    there = [value for value in values[:1000] if value not in (None, "")]
    return bool(there) and all(number_of(value) is not None or is_ambiguous(value) for value in there)


def _counts_rows(values: list) -> bool:
    """Whether each is a whole number, and the one before plus 1: the index that a frame writes beside its columns."""
    numbers = [number_of(value) for value in values]
    if len(numbers) < 3 or not all(number is not None and number.is_integer() for number in numbers):
        return False
    return all(after == before + 1 for before, after in pairwise(numbers))


def _are_classes(values: list) -> bool:
    distinct = {value for value in values if isinstance(value, str)}
    return (
        len(distinct) <= FEW and len(values) >= max(10, 3 * len(distinct)) and max(map(len, distinct), default=0) <= 30
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


def _used(roles: Mapping) -> set[str]:
    return {one for column in roles.values() for one in ([column] if isinstance(column, str) else column)}


def used_columns(roles: Mapping) -> set[str]:
    """The columns that have a role."""
    return _used(roles)


def shown_roles(roles: Mapping, order: Iterable[str]) -> str:
    """ "anchor = question, positive = answer"."""
    parts = [(role, roles[role]) for role in order if role in roles]
    return ", ".join(f"{role} = {column if isinstance(column, str) else ' + '.join(column)}" for role, column in parts)
