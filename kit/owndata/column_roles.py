"""Which column is what: as the reader says, else by its name, else by what stands in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kit.data.table import letters
from kit.errors import KitError, check_name, unknown_name
from kit.owndata.column_likeness import ALIKE, LIKENESS, by_less_usual_name, guessed, in_use, of_the_pair
from kit.owndata.column_names import (
    ASKED_AND_FOUND,
    MOST_TOLD_APART,
    NAMES,
    SIDES,
    few,
    is_about_a_row,
    is_nameless,
    is_never_text,
    says_how_alike,
    says_how_unlike,
)
from kit.owndata.column_values import (
    LOOKED_AT,
    are_classes,
    are_flags,
    are_ticks,
    as_label_or_score,
    is_prose,
    is_text,
    words_about,
)
from kit.owndata.own_data import KINDS, text_roles
from kit.owndata.topics import such_as, text_and_class

ROLES = ("anchor", "positive", "negative", "sentence1", "sentence2", "label", "score", "text", "group")
ASKED, SENTENCES = {"anchor", "positive"}, {"sentence1", "sentence2"}  # a pair's sides, by either family of names
OTHER_NAME = {"sentence1": "anchor", "sentence2": "positive", "anchor": "sentence1", "positive": "sentence2"}
SAID_TOGETHER = (("anchor", "positive"), ("sentence1", "sentence2"))
LISTS = ("positive", "negative")  # roles that several columns may have
USUAL_NAMES = {  # columns that an error names where those that are there do not do
    **{"anchor": "question", "positive": "answer", "negative": "wrong_answer", "text": "comment"},
    **{"sentence1": "first", "sentence2": "second", "label": "same", "score": "score"},
}
# Roles that are still looked for by name where those that were said make a kind: kind that is asked for, "" for none.
FURTHER = {"": ("label", "score", "negative", "group"), "multiples": ("negative", "group")}


def kind_and_roles(
    columns: Mapping[str, list], given: Mapping[str, str | list[str]], kind: str | None, name: str
) -> tuple[str, dict[str, str | list[str]]]:
    """The kind of the data, and role → column (several columns for several positives or negatives).

    Errors: `KitError` for a column or role that does not exist, and where it cannot be told what is what.
    """
    _check_said(columns, given, kind, name)
    if len(columns) > MOST_TOLD_APART and not given:
        raise KitError(
            f"expected to be told which columns of {name} are texts, as it has {few(columns)}: name them, such as "
            "anchor='question', positive='answer' (--anchor, --positive), or leave out the others."
        )
    roles = dict(given)
    complete, named = _kind_of(roles, columns, kind), _by_name(columns, roles, kind)
    if kind in ALIKE:
        named = of_the_pair(named, columns, roles, kind)
    if complete is not None and kind in (None, complete):
        more = FURTHER.get(kind or ("text" if "text" in roles else ""), ("group",))
        named = {role: column for role, column in named.items() if role in more}
    roles |= named
    if unknown := _kind_of(roles, columns) is None:
        roles |= _by_content({c: v for c, v in columns.items() if c not in in_use(roles)}, roles)
        if kind in ALIKE:  # the sides are known only now
            roles = given | of_the_pair({r: c for r, c in roles.items() if r not in given}, columns, given, kind)
    if kind in ALIKE and _are_two(roles) and not {*LIKENESS, "negative"} & roles.keys():
        roles |= by_less_usual_name(columns, roles, kind)
        if (unknown or kind is not None) and not set(LIKENESS) & roles.keys():
            roles |= guessed(columns, roles, kind)
    found = _kind_of(roles, columns, kind)
    if found is None or (kind and found != kind):
        if not given and (in_order := _in_order(columns, kind)):
            return kind, in_order
        raise _untold(columns, roles, kind, name)
    return found, roles


def of_its_kind(roles: Mapping, kind: str) -> dict[str, str | list[str]]:
    """The roles with the two texts of a pair called as `KINDS` calls them, whichever family of names they came by."""
    others = ASKED if kind in ("labelled", "scored") else SENTENCES
    return {OTHER_NAME[role]: roles[role] for role in roles if role in others} | {
        role: column for role, column in roles.items() if role not in others
    }


def _check_said(columns: Mapping[str, list], given: Mapping, kind: str | None, name: str) -> None:
    for role, column in given.items():
        check_name("role of a column", role, ROLES)
        for one in [column] if isinstance(column, str) else column:
            if one not in columns:
                raise unknown_name(f"column of {name}", one, columns)
    if kind is not None:
        check_name("kind of data", kind, KINDS)


def _untold(columns: Mapping[str, list], roles: Mapping, kind: str | None, name: str) -> KitError:
    """The error where it cannot be told what is what, with what to name: the side or the role that is missing."""
    wanted = f"{', '.join(KINDS[kind])} for {kind}" if kind else "two columns of text, or one"
    which = f"expected {wanted} in {name}, and cannot tell which of its columns ({few(columns) or 'none'}) they are"
    others = {c: v for c, v in columns.items() if c not in in_use(roles) and not is_about_a_row(c)}
    texts = [c for c, v in others.items() if is_text(v) and not are_classes(v) and not says_how_alike(c)]
    positives = roles.get("positive", "")
    if kind in ("pairs", "triplets", "labelled", "scored") and not isinstance(positives, str):
        return KitError(
            f"expected one positive for {kind} in {name}, got {', '.join(positives)}: name one of them, or read all "
            "as kind='multiples' (--kind multiples)."
        )
    role = KINDS[kind][2] if kind in ("labelled", "scored", "triplets") else None
    if role and role not in roles and _are_two(roles):
        free = texts if role == "negative" else [c for c in columns if c not in in_use(roles)]
        return KitError(f"{which}: name the {role}{f', such as {role}={free[-1]!r}' if free else ''}.")
    for side, other in (pair for sides in SAID_TOGETHER for pair in (sides, sides[::-1])):
        known = roles.get(side)
        if isinstance(known, str) and other not in roles and texts and kind not in ("sentences", "documents"):
            return KitError(f"{which}: {known} is the {side}, so name the {other}, such as {other}={texts[0]!r}.")
    names = _such_as(texts, [c for c in columns if c not in in_use(roles)], kind or "pairs")
    if kind == "classes" or (kind is None and len(texts) == 1 and not roles):
        names = such_as(columns, roles) or names
    names = f"name them, such as {names}"
    if kind is None and not roles and _in_order(columns, "triplets"):
        names = f"say kind='triplets' (--kind triplets) if they are {', '.join(KINDS['triplets'])}, or {names}"
    return KitError(f"{which}: {names}.")


def _such_as(texts: list[str], free: list[str], kind: str) -> str:
    """What to say for a kind, with columns that are there: its first texts, and the last that is left beside them."""
    wanted = [role.removesuffix("s") for role in KINDS[kind]]
    texts = texts[: len(text_roles(kind))]
    named = [*texts, *[c for c in free if c not in texts][::-1]]
    if len(texts) < min(2, len(text_roles(kind))) or len(named) < len(wanted):
        named = ["comment", "topic"] if kind == "classes" else [USUAL_NAMES[role] for role in wanted]
    return ", ".join(f"{role}={column!r}" for role, column in zip(wanted, named))


def _in_order(columns: Mapping[str, list], kind: str | None) -> dict[str, str]:
    """Columns without names in the order of the kind's, where they are as many, as in tuples; {} where they cannot be.

    What stands first in rows of texts and classes is a class where the last one is none: then that order is not ours.
    """
    values = list(columns.values())
    if kind is None or len(values) != len(KINDS[kind]) or not all(map(is_nameless, columns)):
        return {}
    texts = values[: len(text_roles(kind))] if kind != "multiples" else values[:1]
    if not all(map(is_text, texts)) or (kind == "labelled" and are_classes(values[0]) and not are_classes(values[2])):
        return {}
    return dict(zip((role.removesuffix("s") for role in KINDS[kind]), columns))


def _kind_of(roles: Mapping, columns: Mapping[str, list], wanted: str | None = None) -> str | None:
    """The kind that these roles make, None where something is missing."""
    has = set(roles)
    two = _are_two(roles)
    one_positive = "positive" not in has or not _is_several(roles["positive"], columns)
    if two and one_positive and "score" in has and wanted in (None, "scored"):
        return "scored"
    if two and one_positive and "label" in has and wanted in (None, "labelled"):
        return "labelled"
    if two:
        several = any(_is_several(roles[role], columns) for role in LISTS if role in has)
        return "multiples" if several or wanted == "multiples" else "triplets" if "negative" in has else "pairs"
    if "text" in has and wanted in (None, "classes") and ("label" in has or wanted):
        return "classes" if "label" in has else None  # the label was said, or asked for with the kind
    if "text" in has:
        return wanted if wanted in ("documents", "sentences") else _of_length(columns[roles["text"]])
    return None


def _are_two(roles: Mapping) -> bool:
    """Whether both texts of a pair are known."""
    return {"sentence1", "sentence2"} <= roles.keys() or {"anchor", "positive"} <= roles.keys()


def _of_length(texts: list) -> str:
    """Documents where half of the texts have 150 words or more."""
    counts = sorted(words_about(text) for text in texts[:1000] if isinstance(text, str))
    return "documents" if counts and counts[len(counts) // 2] >= 150 else "sentences"


def _is_several(column: str | list[str], columns: Mapping[str, list]) -> bool:
    return not isinstance(column, str) or any(isinstance(value, list | tuple) for value in columns[column][:100])


def _by_name(columns: Mapping[str, list], known: Mapping, kind: str | None) -> dict[str, str | list[str]]:
    """Roles by the names of columns, those that are known already aside."""
    by_letters = {letters(column): column for column in reversed(columns)}
    if kind == "classes":
        return text_and_class(by_letters, columns, known)
    found: dict[str, str | list[str]] = {}
    for role, names in NAMES.items():
        called_so = [by_letters[one] for one in names if one in by_letters]
        if role in LISTS:
            called_so = _that_are_texts(called_so, columns)
        column = next(iter(called_so), None)
        numbered = names if role == "negative" else names[:3]  # "answer1", "answer2" may be the choices of a question
        several = [
            c for one, c in sorted(by_letters.items()) if one.rstrip("0123456789") in numbered and one[-1].isdigit()
        ]
        if role in LISTS and column is None and several:
            column = sorted(several) if len(several) > 1 else several[0]
        if column is not None:
            found[role] = column
    both = {"anchor", "positive"} <= (found | known).keys()
    if not both and (sides := _that_belong_together(by_letters, columns)):
        found = {role: c for role, c in found.items() if role not in ("anchor", "positive", "text")} | sides
    if _are_two(found | known):
        found.pop("text", None)
    elif "text" in (found | known):
        found = {role: column for role, column in found.items() if role in ("text", "group")}
    if kind in ("pairs", "triplets", "multiples"):
        unwanted = (*LIKENESS, *(["negative"] if kind == "pairs" else []))
        found = {role: column for role, column in found.items() if role not in unwanted}
    if len({role in ASKED for role in known if role in OTHER_NAME}) == 1:  # the reader's word for the sides holds
        wrong = SENTENCES if ASKED & known.keys() else ASKED
        found = {OTHER_NAME[role] if role in wrong else role: column for role, column in found.items()}
    return {role: c for role, c in found.items() if role not in known and not in_use({role: c}) & in_use(known)}


def _that_belong_together(by_letters: Mapping[str, str], columns: Mapping[str, list]) -> dict[str, str]:
    """The two sides of a pair where the names of two columns belong together; {} where none do."""
    for roles, table in ((("anchor", "positive"), ASKED_AND_FOUND), (("sentence1", "sentence2"), SIDES)):
        for names in table:
            pair = {role: by_letters[one] for role, one in zip(roles, names) if one in by_letters}
            values = [columns[column] for column in pair.values()]
            if len(pair) == 2 and (all(map(is_text, values)) or (table is SIDES and not any(map(are_flags, values)))):
                return pair
    return {}


def _that_are_texts(called_so: list[str], columns: Mapping[str, list]) -> list[str]:
    """Of columns that are called a positive or negative those that hold some.

    "duplicate" may say whether two texts are; "positive" and "answer" may be yes or no. A dictionary's "pos", the part
    of speech, is no positive where a definition is there too.
    """
    texts = [c for c in called_so if not are_flags(columns[c]) and not are_ticks(columns[c])]
    texts = [c for c in texts if not _is_likeness(c, columns[c])]
    return [c for c in texts if not are_classes(columns[c])] or texts


def _by_content(columns: Mapping[str, list], known: Mapping) -> dict[str, str]:
    """One column of text, or two, whatever they are called; {} where it is open which."""
    texts = [c for c, v in columns.items() if is_text(v) and not says_how_unlike(c) and not _is_likeness(c, v)]
    texts = [c for c in texts if not _tells_of_a_row(c, columns[c])]
    if len(surely := [c for c in texts if not is_about_a_row(c) or is_prose(columns[c])]) > 1:
        texts = surely  # of "user", "comments" and the like only where nothing else is the other text
    classes = [c for c in texts if are_classes(columns[c])]
    texts = [c for c in texts if c not in classes] if len(texts) > len(classes) else texts
    for sides in (ASKED, SENTENCES):
        if sides & known.keys():  # the other text is its other side
            free = sides - known.keys()
            return {free.pop(): texts[0]} if len(free) == len(texts) == 1 and texts != classes else {}
    if len(texts) == 1 and len(classes) == 0:
        return {"text": texts[0]}
    return dict(zip(("anchor", "positive"), texts)) if len(texts) == 2 else {}


def _tells_of_a_row(column: str, values: list) -> bool:
    """Whether words that stand in a column tell of a row, and are no text of it."""
    about = is_never_text(column) or (is_about_a_row(column) and are_classes(values))
    return about and not is_prose(values)


def _is_likeness(column: str, values: list) -> bool:
    return says_how_alike(column) and (as_label_or_score(values, named=True) is not None or are_ticks(values))


def other_text(columns: Mapping[str, list], roles: Mapping[str, str | list[str]]) -> str | None:
    """A column of texts beside the one that is read as single texts: the two may be pairs. None where there is none."""
    others = (c for c in columns if c not in in_use(roles) and (not is_never_text(c) or is_prose(columns[c])))
    return next((c for c in others if _holds_texts(columns[c])), None)


def _holds_texts(values: list) -> bool:
    """Whether texts stand there, also within lists or objects."""
    inner = [one for value in values[:LOOKED_AT] if isinstance(value, list | tuple | Mapping) for one in _items(value)]
    nested = any(isinstance(one, str | Mapping) for one in inner)
    return nested or (is_text(values) and not are_classes(values))


def _items(value: list | tuple | Mapping) -> Iterable:
    return value.values() if isinstance(value, Mapping) else value


def shown_roles(roles: Mapping, order: Iterable[str]) -> str:
    """ "anchor = question, positive = answer"."""
    parts = [(role, roles[role]) for role in order if role in roles]
    return ", ".join(f"{role} = {column if isinstance(column, str) else ' + '.join(column)}" for role, column in parts)
