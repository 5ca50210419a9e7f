"""Which column is what: as the reader says, else by its name, else by what stands in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kit.data.table import letters
from kit.errors import KitError, check_name, unknown_name
from kit.owndata.column_values import (
    LOOKED_AT,
    RELATIONS,
    are_classes,
    are_degrees,
    are_numbers,
    are_relations,
    as_label_or_score,
    is_text,
    may_be_likeness,
    on_a_scale,
    words_in,
)
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
        "relevant", "body", "content", "duplicate", "paraphrase", "reply", "a", "abstract", "output", "answers",
    ),
    "negative": ("negative", "neg", "negatives", "hardnegative", "hardnegatives", "wrong", "irrelevant", "distractor"),
    "label": ("label", "class", "goldlabel", "isduplicate", "labels", "relation", "entailmentlabel"),
    "score": ("score", "similarity", "similarityscore", "rating", "relatedness", "relatednessscore", "sim", "gold"),
    "text": ("text", "sentence", "sentences", "document", "documents", "content", "body", "title", "question"),
    "group": ("group", "groupid", "cluster", "clusterid"),
}  # fmt: skip
# Names of a label or a score, beside two texts and where the values may be one: "duplicate" may also be a text.
SAYS_HOW_ALIKE = (
    "duplicate", "paraphrase", "isparaphrase", "same", "issame", "match", "ismatch", "relevant", "relevance",
    "judgment", "judgement", "entailmentjudgment", "goldscore", "humanscore", "averagescore", "meanscore",
    "cosine",
)  # fmt: skip
# Columns about a row, which are no text to train on unless somebody says so.
ABOUT = (
    "id", "key", "category", "topic", "tag", "tags", "language", "lang", "origin", "date", "year", "url", "author",
    "price", "amount", "quantity", "count", "views", "votes", "clicks", "age", "index", "idx", "no", "nr", "rowid",
    "unnamed0", "indexlevel0", "page", "length", "level", "priority", "status", "split", "verified", "stars",
)  # fmt: skip
COLUMN_NAMES = {  # all names by which a column is known
    *(one for names in (*SIDES, *NAMES.values(), SAYS_HOW_ALIKE, ABOUT) for one in names)
}
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
    if kind is None:
        named = _of_the_pair(named, columns, roles)
    if complete is not None and kind in (None, complete):
        more = FURTHER.get(kind or ("text" if "text" in roles else ""), ("group",))
        named = {role: column for role, column in named.items() if role in more}
    roles |= named
    if _kind_of(roles, columns) is None:
        guessed = _by_content({c: v for c, v in columns.items() if c not in _used(roles)}, roles)
        if {"label", "score"} & roles.keys():  # what is said or named is not replaced by a guess
            guessed = {role: column for role, column in guessed.items() if role not in ("label", "score")}
        roles |= guessed
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
    two = _are_two(roles)
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


def _are_two(roles: Mapping) -> bool:
    """Whether both texts of a pair are known."""
    return {"sentence1", "sentence2"} <= roles.keys() or {"anchor", "positive"} <= roles.keys()


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
        called_so = [by_letters[one] for one in names if one in by_letters]
        if role in LISTS:  # "duplicate" may be a text, and may say whether two texts are
            called_so = [c for c in called_so if letters(c) not in SAYS_HOW_ALIKE or not as_label_or_score(columns[c])]
            # a dictionary's "pos", the part of speech, is no positive where a definition is there too
            called_so = [c for c in called_so if not are_classes(columns[c])] or called_so
        column = next(iter(called_so), None)
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
    if _are_two(found | known):
        found.pop("text", None)
    elif "text" in (found | known):
        found = {role: column for role, column in found.items() if role in ("text", "group")}
    if kind in ("pairs", "triplets", "multiples"):
        unwanted = ("label", "score", *(["negative"] if kind == "pairs" else []))
        found = {role: column for role, column in found.items() if role not in unwanted}
    return {role: c for role, c in found.items() if role not in known and not _used({role: c}) & _used(known)}


def _of_the_pair(named: dict, columns: Mapping[str, list], known: Mapping) -> dict:
    """The roles by name, with label and score as their values allow: they must say how the two texts relate.

    A label of degrees is a score. Beside a question and its answer, words none of which means the same are topics, and
    numbers off every usual scale are counts. A column of a less usual name that may be one is taken where none is.
    """
    sides = known | named
    if not _are_two(sides):
        return named
    found = dict(named)
    if "label" in found and "score" not in sides and are_degrees(columns[found["label"]]):
        found["score"] = found.pop("label")
    if {"anchor", "positive"} <= sides.keys():
        label = columns[found["label"]] if "label" in found else []
        if label and not are_numbers(label) and not are_relations(words_in(label)):
            del found["label"]
        if "score" in found and are_numbers(columns[found["score"]]) and not on_a_scale(columns[found["score"]]):
            del found["score"]
    if not {"label", "score", "negative"} & (found | known).keys():
        free = {letters(c): c for c in reversed(columns) if c not in _used(found) | _used(known)}
        for column in (free[name] for name in SAYS_HOW_ALIKE if name in free):
            if role := as_label_or_score(columns[column]):
                return found | {role: column}
    return found


def unused_by_name(columns: Mapping[str, list], roles: Mapping[str, str | list[str]]) -> tuple[str, str] | None:
    """(column, "label" or "score") of a column that is called so, also in part, and was not taken; None without one."""
    for role in ("label", "score"):
        for column, values in columns.items():
            called_so = letters(column) in NAMES[role] or role in letters(column)
            if column not in _used(roles) and called_so and words_in(values):
                return column, role
    return None


def unused_likeness(columns: Mapping[str, list], roles: Mapping[str, str | list[str]]) -> tuple[str, str] | None:
    """(column, "label" or "score") of a column without a role that may say how two texts relate; None without one."""
    for column, values in columns.items():
        if column not in _used(roles) and letters(column) not in ABOUT and (role := as_label_or_score(values)):
            return column, role
    return None


def _by_content(columns: Mapping[str, list], known: Mapping) -> dict[str, str]:
    """One column of text, or two with or without a number or a class, whatever they are called."""
    columns = {name: values for name, values in columns.items() if letters(name) not in ABOUT}
    texts = [name for name, values in columns.items() if is_text(values)]
    classes = [name for name in texts if are_classes(columns[name])]
    texts = [name for name in texts if name not in classes] if len(texts) > len(classes) else texts
    numbers = [c for c, v in columns.items() if c not in texts and are_numbers(v) and may_be_likeness(v)]
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
        related = len(words_in(columns[classes[0]])) <= RELATIONS
        return {**roles, "label": classes[0]} if related else roles
    return {**roles, as_label_or_score(columns[numbers[0]]) or "score": numbers[0]} if numbers else roles


def other_text(columns: Mapping[str, list], roles: Mapping[str, str | list[str]]) -> str | None:
    """A column of texts beside the one that is read as single texts: the two may be pairs. None where there is none."""
    others = (c for c in columns if c not in _used(roles) and letters(c) not in ABOUT)
    return next((c for c in others if _holds_texts(columns[c])), None)


def _holds_texts(values: list) -> bool:
    """Whether texts stand there, also within lists or objects."""
    nested = any(isinstance(value, list | tuple | Mapping) and value for value in values[:LOOKED_AT])
    return nested or (is_text(values) and not are_classes(values))


def _used(roles: Mapping) -> set[str]:
    return {one for column in roles.values() for one in ([column] if isinstance(column, str) else column)}


def used_columns(roles: Mapping) -> set[str]:
    """The columns that have a role."""
    return _used(roles)


def shown_roles(roles: Mapping, order: Iterable[str]) -> str:
    """ "anchor = question, positive = answer"."""
    parts = [(role, roles[role]) for role in order if role in roles]
    return ", ".join(f"{role} = {column if isinstance(column, str) else ' + '.join(column)}" for role, column in parts)
