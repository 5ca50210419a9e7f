"""Which column says how alike the two texts of a row are: by its name, else by what stands in it."""

from __future__ import annotations

from collections.abc import Mapping

from kit.data.table import letters
from kit.owndata.column_names import (
    COLUMN_NAMES,
    COMPUTED,
    NAMES,
    ONE_THING,
    ends_with,
    is_about_a_row,
    is_nameless,
    says_how_alike,
    says_how_unlike,
    words_of,
)
from kit.owndata.column_values import (
    FEW,
    RELATIONS,
    are_classes,
    are_degrees,
    are_numbers,
    are_plain_relations,
    are_relations,
    as_label_or_score,
    few_words,
    is_a_value,
    may_be_grades,
    on_a_scale,
    values_say_how_alike,
    words_in,
)

LIKENESS = ("label", "score")
USUAL = {name for role in LIKENESS for name in NAMES[role]}  # names of which `of_the_pair` decides
# Kinds beside which a column may say how alike two texts are: kind that is asked for → the roles it may have.
ALIKE = {None: LIKENESS, "labelled": ("label",), "scored": ("score",)}

Roles = Mapping[str, str | list[str]]


def of_the_pair(named: dict, columns: Mapping[str, list], known: Roles, kind: str | None) -> dict:
    """The roles by name, with label and score as their values allow: they must say how the two texts relate.

    A label of degrees is a score. Beside title and body of one thing, or a negative, both are about the row. Beside a
    question and its answer, words none of which means the same are topics, and numbers off every scale are counts.
    """
    sides, found = known | named, dict(named)
    if "label" in found and "score" not in sides:
        values = columns[found["label"]]
        if (are_degrees(values) and kind is None) or (kind == "scored" and are_numbers(values)):
            found["score"] = found.pop("label")
    if kind is not None or not {"anchor", "positive"} <= sides.keys():
        return found
    if "negative" in sides or all(
        isinstance(side, str) and letters(side) in names
        for side, names in zip((sides["anchor"], sides["positive"]), ONE_THING)
    ):
        return {role: column for role, column in found.items() if role not in LIKENESS}
    label, score = (columns.get(found.get(role), []) for role in LIKENESS)
    if label and not are_numbers(label) and not are_relations(words_in(label)):
        del found["label"]
    if are_numbers(score) and not on_a_scale(score):
        del found["score"]
    return found


def by_less_usual_name(columns: Mapping[str, list], roles: Roles, kind: str | None) -> dict[str, str]:
    """{role: column} of a column whose name says, less usually, how alike two texts are; {} where there is none."""
    less_usual = [c for c in columns if says_how_alike(c) and letters(c) not in USUAL and c not in in_use(roles)]
    for column in sorted(less_usual, key=lambda c: not COMPUTED.isdisjoint(words_of(c))):
        if (role := _as_wanted(columns[column], kind, named=True)) in ALIKE[kind]:
            return {role: column}
    return {}


def guessed(columns: Mapping[str, list], roles: Roles, kind: str | None) -> dict[str, str]:
    """{role: column} of the one column that by its values alone says how alike two texts are; {} for none or several.

    A column without a name may hold any classes and scores, as may any where labels or scores are asked for. Else one
    with a name that says nothing of likeness must hold what is hardly anything else: 0 and 1, decimals up to 10,
    or words such as "duplicate".
    """
    found = []
    for column, values in columns.items():
        if column in in_use(roles) or is_about_a_row(column) or says_how_unlike(column):
            continue
        if kind is None and letters(column) in USUAL:
            continue
        if is_nameless(column) and not _stands_behind(column, columns, roles) and not are_degrees(values):
            continue  # the number of a row, or of a part
        anything = is_nameless(column) or kind is not None
        role = _as_wanted(values, kind) if anything or values_say_how_alike(values) else None
        if anything and _are_few_classes(values):
            role = "label"
        if role in ALIKE[kind]:
            found.append((role, column))
    return dict(found) if len(found) == 1 else {}


def _stands_behind(column: str, columns: Mapping[str, list], roles: Roles) -> bool:
    """Whether a column comes after those that have a role."""
    names = list(columns)
    return all(names.index(column) > names.index(one) for one in in_use(roles))


def _are_few_classes(values: list) -> bool:
    return are_classes(values) and 2 <= len(words_in(values)) <= RELATIONS


def _as_wanted(values: list, kind: str | None, named: bool = False) -> str | None:
    """What a column may be: whole numbers that could be classes are scores where scores are asked for."""
    role = as_label_or_score(values, named)
    return "score" if role and kind == "scored" and are_numbers(values) else role


def guess_to_tell(columns: Mapping[str, list], roles: Roles) -> tuple[str, str] | None:
    """(column, role) of a label or score whose name says nothing of likeness; None where there is none."""
    for role in LIKENESS:
        column = roles.get(role)
        named = isinstance(column, str) and (says_how_alike(column) or ends_with(column, role))
        if not column or named or is_a_value(column):
            continue
        if not (is_nameless(column) and values_say_how_alike(columns[column])):  # beside no names, values are enough
            return column, role
    return None


def unused(columns: Mapping[str, list], roles: Roles) -> tuple[str, str] | None:
    """(column, "label" or "score") of a column that may say how alike two texts are, and has no role; None for none.

    First those whose names say so, then those whose values may.
    """
    free = {column: values for column, values in columns.items() if column not in in_use(roles)}
    for role in LIKENESS:
        for column, values in free.items():
            if (letters(column) in NAMES[role] or ends_with(column, role)) and words_in(values):
                return column, role
    ways = [_by_its_name, _by_its_values]
    if not any(letters(side) in COLUMN_NAMES for side in in_use(roles)):  # in a language that the kit does not know
        behind = [column for column in free if is_nameless(column) and _stands_behind(column, columns, roles)]
        ways += [_by_its_classes, lambda column, values: _of_grades(values) if column in behind else None]
    for told in ways:
        for column, values in free.items():
            if role := told(column, values):
                return column, role
    return None


def _by_its_name(column: str, values: list) -> str | None:
    words = words_in(values) if says_how_alike(column) or says_how_unlike(column) else set()
    if len(words) > 2 and (are_numbers(values) or all(word.endswith("%") for word in words)):
        return "score"
    return "label" if 1 <= len(words) <= FEW else None


def _by_its_values(column: str, values: list) -> str | None:
    about, words = is_about_a_row(column), few_words(values)
    if are_plain_relations(words) and (about or len(words) == 1):
        return "label"
    return None if about else as_label_or_score(values) or ("score" if may_be_grades(values) else None)


def _of_grades(values: list) -> str | None:
    if not are_numbers(values) or not on_a_scale(values):
        return None
    return "label" if len(words_in(values)) <= 2 else "score"


def _by_its_classes(column: str, values: list) -> str | None:
    return "label" if _are_few_classes(values) and not is_about_a_row(column) else None


def in_use(roles: Roles) -> set[str]:
    """The columns that have a role."""
    return {one for column in roles.values() for one in ([column] if isinstance(column, str) else column)}
