"""A file of one's own becomes rows of one kind, with one line that says how it was read."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kit.checks.argument_checks import check_kind, checked
from kit.checks.sentences import is_blank
from kit.data.table import squeeze
from kit.errors import KitError, shown
from kit.fast import without_collection
from kit.number_checks import is_finite
from kit.owndata.column_likeness import in_use
from kit.owndata.column_roles import LISTS, OTHER_NAME, kind_and_roles, of_its_kind, shown_roles
from kit.owndata.column_values import is_ambiguous, number_of
from kit.owndata.doubts import doubts, doubts_of_likeness
from kit.owndata.labels_and_scores import as_classes, as_scores, checked_range, remedy_of_words
from kit.owndata.open_source import open_source
from kit.owndata.own_data import KINDS, OwnData, so_many, text_roles
from kit.owndata.raw_rows import MOST_SHOWN, RawRows, these
from kit.owndata.topics import MINUS_ONE, as_topics, without_class

PAIR = ("anchor", "positive", "sentence1", "sentence2")
TAKEN = {  # kind → the roles that it has a place for, beside the group; a column of another role is not used
    "pairs": PAIR,
    "triplets": (*PAIR, "negative"),
    "multiples": (*PAIR, "negative"),
    "labelled": (*PAIR, "label"),
    "scored": (*PAIR, "score"),
    "classes": ("text", "label"),
    "sentences": ("text",),
    "documents": ("text",),
}
# Of one text: more than the longest novels have. Cut into word pieces and compared, each takes about 100 bytes.
MOST_CHARACTERS = 10_000_000


@checked
@without_collection()
def read(
    source: Any,
    kind: str | None = None,
    *,
    split: str = "train",
    score_range: Sequence[float] | None = None,
    leave_out: bool = False,
    encoding: str | None = None,
    separator: str | None = None,
    header: bool = True,
    sheet: str | int = 0,
    **columns: str | list[str],
) -> OwnData:
    """Data of one's own from a file, a frame, a list or the Hub; the line `.summary()` says how they were read.

    source: a file .csv, .tsv, .json, .jsonl, .parquet, .xlsx or .txt (one text a line); a frame of pandas or polars; a
    `datasets` Dataset; a list of tuples, dicts or texts; what `mine_hard_negatives` found; a Hub id such as
    "owner/name". kind: one of `KINDS`, None to tell it by the columns; with it tuples are read in its order. columns:
    role="name of a column", the roles being anchor, positive, negative, sentence1, sentence2, label, score, text and
    group; positive and negative also take a list of columns. What is not said is told by the names of the columns, then
    by what stands in them. score_range: (lowest, highest) possible score, None to tell it. split: of a Hub id or a
    DatasetDict. encoding, separator, header, sheet: of a file, where they cannot be told.

    leave_out: rows that cannot be used (a cell that is empty or no text, a broken line) are an error that counts and
    names them; with True they are left out, which a note says. Nothing is left out without a word.
    Errors: `KitError` in one sentence, with the rows. Lesson 13.
    """
    check_kind("split", split, "str")
    for name, value in {"encoding": encoding, "separator": separator}.items():
        check_kind(name, value, "None", "str")
    check_kind("sheet", sheet, "str", "int")
    if score_range is not None:
        score_range = checked_range(score_range)
    raw = open_source(source, split, encoding, separator, header, sheet)
    for role, column in columns.items():
        names = column if role in LISTS and isinstance(column, list | tuple) else [column]
        if not names or not all(isinstance(one, str) for one in names):
            raise KitError(f"expected {role} as the name of a column, got {shown(column)}.")
    try:
        found, roles = kind_and_roles(raw.columns, columns, kind, raw.name)
        roles = {role: column for role, column in roles.items() if role in (*TAKEN[found], "group")}
        _check_place(raw.name, found, columns.keys() - roles.keys(), roles)
        raw, texts, left_out = _usable(raw, found, roles, leave_out)
    except KitError as error:  # what was odd about the file is often why
        raise type(error)(" ".join((str(error), *raw.notes))) from error
    notes = (*raw.notes, *filter(None, [left_out]), *doubts(raw.columns, roles, texts))
    if kind is None:
        notes += doubts_of_likeness(raw.columns, roles, columns, found)
    return _made(replace(raw, notes=notes), found, roles, texts, score_range)


def _check_place(name: str, kind: str, without: set[str], roles: Mapping) -> None:
    """Errors: `KitError` for a role that the reader named and that data of this kind have no place for."""
    if not without:
        return
    role = min(without)
    if kind in ("sentences", "documents", "classes") and role in ("label", "score"):
        remedy = "read them as kind='classes' (--kind classes)" if role == "label" else "leave it out"
        raise KitError(
            f"expected two texts in every row of {name} beside a {role}, got one ({roles['text']}): {remedy}."
        )
    raise KitError(
        f"expected {', '.join(KINDS[kind])} for {kind} in {name}, got {role} too, which has no place there: leave it "
        "out, or name another kind (--kind)."
    )


def _usable(raw: RawRows, kind: str, roles: Mapping, leave_out: bool) -> tuple[RawRows, dict[str, list], str]:
    """The rows that can be used, role → their texts, and what was left out in words."""
    texts = {role: _texts_of(raw, kind, role, roles) for role in text_roles(kind)}
    wrong = dict(raw.broken or {})
    for role, found in texts.items():
        for index, text in enumerate(found):
            if isinstance(text, _Unusable):
                wrong.setdefault(raw.numbers[index], f"{text.reason} as {role}")
    if kind == "scored":
        for index, value in enumerate(raw.columns[roles["score"]]):
            if value is None or value == "":
                wrong.setdefault(raw.numbers[index], "has no score")
            elif leave_out and not is_ambiguous(value) and not is_finite(number_of(value)):
                wrong.setdefault(raw.numbers[index], f"has {shown(value)} as score")
    if kind == "classes":
        for index, reason in without_class(raw.columns[roles["label"]]):
            wrong.setdefault(raw.numbers[index], reason)
    if not wrong:
        return raw, texts, ""
    numbers = sorted(wrong)
    first = "; ".join(f"{raw.unit} {n} {wrong[n]}" for n in numbers[:2])
    which = f"{these(raw.unit, numbers)}: {first}" if len(numbers) > 1 else first
    may_be_one = "; if −1 is a class, write a word for it" if MINUS_ONE in wrong.values() else ""
    if not leave_out:
        raise KitError(
            f"expected text in every row of {raw.name}, but {len(numbers):,} of "
            f"{len(raw.numbers) + len(raw.broken or ()):,} cannot be used ({which}): "
            f"{_remedy(raw, wrong)}{may_be_one}."
        )
    keep = [index for index, number in enumerate(raw.numbers) if number not in wrong]
    if not keep:
        words = remedy_of_words(raw.columns[roles["score"]]) if kind == "scored" else ""
        raise KitError(
            f"expected rows that can be used in {raw.name}, but none can ({first}): {words or 'check the columns'}."
        )
    kept = RawRows(
        raw.name, {c: [v[i] for i in keep] for c, v in raw.columns.items()}, [raw.numbers[i] for i in keep], raw.unit,
        raw.notes,
    )  # fmt: skip
    said = f"{len(numbers):,} row{'s' * (len(numbers) > 1)} left out ({which}{may_be_one})."
    return kept, {role: [found[i] for i in keep] for role, found in texts.items()}, said


def _remedy(raw: RawRows, wrong: Mapping[int, str]) -> str:
    """What to do about rows that cannot be used."""
    reasons, leaving = " ".join(wrong.values()), "leave them out with leave_out=True (--leave-out)"
    if " as label" in reasons:
        remedy = "write one class in each cell, as a word or a number"
        return f"{remedy}, or {leaving}" if len(wrong) < len(raw.numbers) else remedy
    if "has a dict" in reasons:
        return "write the texts in a column of their own, or name another column"
    if "has a list" in reasons:
        return "read several texts in a cell as kind='multiples' (--kind multiples)"
    remedy = f"correct them, or {leaving}"
    if raw.broken and len(raw.columns) == 1:
        return f"{remedy}; if each line is one text, name the file .txt"
    if "has nothing" in reasons and raw.name.lower().endswith(".xlsx"):
        return f"{remedy}; a formula that was never computed counts as nothing: open the file in Excel and save it"
    return remedy


class _Unusable(str):
    """In place of a text: why there is none."""

    reason = ""

    def __new__(cls, reason: str) -> _Unusable:
        made = super().__new__(cls, "")
        made.reason = reason
        return made


def _texts_of(raw: RawRows, kind: str, role: str, roles: Mapping) -> list:
    """The texts of a role: strings, or tuples of them for several positives or negatives."""
    if kind == "multiples" and role in ("positives", "negatives"):
        column = roles.get(role[:-1], roles.get("sentence2", []) if role == "positives" else [])
        names = [column] if isinstance(column, str) else list(column)
        cells = zip(*(raw.columns[name] for name in names)) if names else [()] * len(raw.numbers)
        return [_several(row, role) for row in cells]
    column = roles[role] if role in roles else roles[OTHER_NAME[role]]
    return [_text(value) for value in raw.columns[column]]


def _several(cells: Sequence, role: str) -> tuple[str, ...] | _Unusable:
    """The texts of a few cells, each a text, nothing, or a list of texts."""
    values = [v for cell in cells for v in (cell if isinstance(cell, list | tuple) else [cell])]
    texts = [_text(value) for value in values if value is not None and value != ""]
    wrong = next((text for text in texts if isinstance(text, _Unusable)), None)
    if wrong is not None:
        return wrong
    return tuple(texts) if texts or role == "negatives" else _Unusable("has nothing")


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return _Unusable("has nothing" if value is None else f"has {shown(value)}")
    text = value if isinstance(value, str) else str(value)
    if len(text) > MOST_CHARACTERS:
        return _Unusable(f"has {len(text):,} characters, more than {MOST_CHARACTERS:,},")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        return _Unusable("has half of a character")
    if is_blank(text):
        return _Unusable("has a blank" if text else "has nothing")
    return unicodedata.normalize("NFC", text.strip())  # é is one text, in one sign or two


def _made(raw: RawRows, kind: str, roles: Mapping, texts: dict, score_range) -> OwnData:
    """The data with labels and scores as numbers, and the line that says how they were read."""
    columns, more, said, roles = dict(texts), {}, [], of_its_kind(roles, kind)
    if kind == "labelled":
        columns["label"], names, same, mapping = as_classes(raw.columns[roles["label"]])
        more = {"label_names": names, "positive_label": same}
        said.append(f"classes {mapping}")
    if kind == "classes":
        columns["label"], names, counted = as_topics(raw.columns[roles["label"]])
        more = {"label_names": names}
        said.append(counted)
    if kind == "scored":
        columns["score"], ends, scale = as_scores(raw.columns[roles["score"]], score_range, raw.numbers, raw.unit)
        more = {"score_range": ends}
        said.append(scale)
    if "group" in roles:
        columns["group"] = [
            "" if group is None else unicodedata.normalize("NFC", str(group).strip())
            for group in raw.columns[roles["group"]]
        ]
    _check_sides(raw, kind, columns)
    order = ("anchor", "sentence1", "positive", "sentence2", "negative", "text", "label", "score", "group")
    line = f"{raw.name}: {so_many(kind, len(raw.numbers))}: {shown_roles(roles, order)}"
    unused = [name for name in raw.columns if name not in in_use(roles)]
    if unused:
        shown_names = ", ".join(unused[:MOST_SHOWN]) + (" …" if len(unused) > MOST_SHOWN else "")
        said.append(f"not used: {shown_names}")
    read_as = squeeze("; ".join([line, *said])) + "."
    return OwnData(raw.name, kind, columns, list(raw.numbers), read_as, raw.notes, **more, roles=roles)


def _check_sides(raw: RawRows, kind: str, columns: dict[str, list]) -> None:
    """Raises KitError where no row can teach anything: all alike, or each anchor its own positive."""
    first, *others = (columns[role] for role in text_roles(kind))
    if len(first) > 1 and len(set(zip(first, *others))) == 1:
        raise KitError(f"expected rows that differ in {raw.name}, but all {len(first):,} are {first[0][:60]!r}.")
    if kind in ("pairs", "triplets") and all(a == b for a, b in zip(first, others[0])):
        raise KitError(
            f"expected another text as the positive in {raw.name}, but in all {len(first):,} rows it is the anchor's "
            "own: name another column, or read the texts as kind='sentences'."
        )
