"""CSV, TSV, JSON and JSON Lines as raw rows: Python's own readers, told to be strict, and the encoding said.

A row is numbered by the line of the file on which it begins, as an editor shows it.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kit.checks.swallowed_rows import SWALLOWING, with_rows_inside
from kit.data.table import check_names
from kit.errors import KitError
from kit.owndata.raw_rows import RawRows, of_columns, of_records, these

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
BYTE_ORDER_MARKS = {  # the longer ones first: that of UTF-16 begins that of UTF-32
    codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
NO_TEXT = {  # how a file of another kind begins, a word in lower case: what it is, and what to do
    b"\x1f\x8b": ("compressed (gzip)", "unpack it first"),
    b"PK\x03\x04": ("a zip file or of Excel", "unpack it, or name it .xlsx"),
    b"PAR1\x15": ("a Parquet file", "name it .parquet"),
    b"<!doctype html": ("a web page", "download the file itself"),
    b"<html": ("a web page", "download the file itself"),
    b"version https://git-lfs": ("a pointer of Git LFS to the file", "fetch the file with git lfs pull"),
}
LOOKED_AT = 50  # rows from which the separator is told
MOST_LOOKED_AT = 200_000  # characters of them
MOST_DEEP = 100  # lists and objects of JSON in one another


def read_text(file: Path, encoding: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and what is to be said of its encoding: a byte order mark, else UTF-8, else Windows-1252.

    Errors: `KitError` where it is not text in the encoding, with the line.
    """
    raw = file.read_bytes()
    begins = (raw[:40], raw[:40].lower())
    for what, remedy in (told for start, told in NO_TEXT.items() if any(one.startswith(start) for one in begins)):
        raise KitError(f"expected {file} as text, but it is {what}: {remedy}.")
    found = encoding or next((name for mark, name in BYTE_ORDER_MARKS.items() if raw.startswith(mark)), "utf-8")
    try:
        text, notes = raw.decode(found).removeprefix("\ufeff"), ()
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        if not encoding and (bad := _lines_off(raw)):
            raise KitError(
                f"expected {file} as text in UTF-8, as its other lines are, but {these('line', bad)} "
                f"{'is' if len(bad) == 1 else 'are'} not: correct {'it' if len(bad) == 1 else 'them'}."
            ) from error
        try:
            text = raw.removeprefix(codecs.BOM_UTF8).decode("utf-8" if encoding else "cp1252")
        except UnicodeDecodeError:
            text = ""
        if encoding or not text:
            remedy = "leave encoding out, it is UTF-8" if text else "save it as UTF-8, or name its encoding"
            raise KitError(f"expected {file} as text in {found}, but line {line} is not: {remedy}.") from error
        notes = (
            f"{file.name} is not UTF-8 (line {line}), so it was read as Windows-1252, as Excel writes it: if letters "
            "look wrong, name its encoding.",
        )
    except (LookupError, ValueError) as error:  # some codecs, as "undefined", have no error with a place
        raise KitError(f"expected the name of an encoding, got {encoding!r}: try utf-8 or cp1252.") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise KitError(
            f"expected {file} as text, but line {line} holds NUL characters: it is another kind of file, or in UTF-16 "
            "without a mark; name its encoding, or save it as UTF-8."
        )
    if not text.strip():
        raise KitError(f"expected rows in {file}, but it is empty: is it the right file?")
    return text, notes


def _lines_off(raw: bytes) -> list[int]:
    """The lines that are not UTF-8; none where they are half of those beyond ASCII: the file is in another encoding."""
    beyond = [(number, line) for number, line in enumerate(raw.split(b"\n"), start=1) if not line.isascii()]
    bad = [number for number, line in beyond if not _is_utf8(line)]
    return bad if 2 * len(bad) < len(beyond) else []


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def from_csv(file: Path, encoding: str | None, separator: str | None, header: bool) -> RawRows:
    """A file of cells; the separator is told from its first rows. Rows of another width come back as broken."""
    text, notes = read_text(file, encoding)
    if hint := re.match(r"sep=(.)\r?\n", text):  # Excel's own first line; its end stays, for the numbers of lines
        separator, text = separator or hint[1], "\n" + text[hint.end() :]
    with _cells_of_any_size():
        separator = separator or ("\t" if file.suffix.lower() in (".tsv", ".tab") else _separator(text))
        if len(separator) != 1 or separator in '"\r\n':
            raise KitError(
                f"expected a separator of one character, no quotation mark and no line end, got {separator!r}: a tab "
                "is '\\t'."
            )
        rows, literally = _cells(file, text, separator)
    if not rows:  # Excel's first line may be all
        raise KitError(f"expected rows in {file}, but it names a separator and has none: is it the right file?")
    names = [cell.strip() or f"column {i + 1}" for i, cell in enumerate(rows[0][1])]
    if not header:
        names = [f"column {i + 1}" for i in range(len(names))]
    check_names(names, file)
    body = rows[1:] if header else rows
    broken = {
        line: f"has {len(cells)} cell{'s' * (len(cells) != 1)}, not {len(names)}"
        for line, cells in body
        if len(cells) != len(names)
    }
    whole = [(line, cells) for line, cells in body if len(cells) == len(names)]
    columns = {name: [cells[i] for _, cells in whole] for i, name in enumerate(names)}
    if separator != ("\t" if file.suffix.lower() in (".tsv", ".tab") else ","):
        notes += (f"Cells are separated by {SEPARATORS.get(separator, repr(separator))}.",)
    notes += literally + _rows_inside_cells(rows, separator, len(names))
    return RawRows(file.name, columns, [line for line, _ in whole], "line", notes, broken)


@contextmanager
def _cells_of_any_size() -> Iterator[None]:
    """Lift the limit of `csv`, 131,072 characters a cell, to the most that a C long holds everywhere."""
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _cells(file: Path, text: str, separator: str) -> tuple[list[tuple[int, list[str]]], tuple[str, ...]]:
    """(line, cells) of every row that is not blank, and a note where quotation marks were taken as they stand."""
    by_hand = re.search(rf'{re.escape(separator)} +"[^"\n]*" *({re.escape(separator)}|\r?$)', text, re.MULTILINE)
    for spaced in (True, False) if by_hand and separator != " " else (False,):  # "a", "b" with a space before the cell
        how = {"delimiter": separator, "strict": True, "skipinitialspace": spaced}
        reader, rows, line = csv.reader(io.StringIO(text, newline=""), **how), [], 1
        try:
            for cells in reader:
                if cells:
                    rows.append((line, cells))
                line = reader.line_num + 1
            return rows, ()
        except csv.Error as raised:
            error = raised
    if separator == "\t" and (as_they_stand := _cells_between_tabs(text)):
        said = f"The quotation marks of {file.name} enclose no cells (line {line}), and were read as they stand."
        return as_they_stand, (said,)
    problem = "a quotation mark opens a cell and none closes it" if "end of data" in str(error) else str(error)
    raise KitError(
        f"expected {file} as cells between separators, but the row on line {line} cannot be read ({problem}): a "
        'cell that holds quotation marks is put in them, and its own are doubled ("").'
    ) from error


def _cells_between_tabs(text: str) -> list[tuple[int, list[str]]]:
    """(line, cells) where every line is a row and tabs alone part cells; none where the widths differ."""
    rows = [(number, line.rstrip("\r").split("\t")) for number, line in enumerate(lines_of(text), 1) if line.strip()]
    return rows if len({len(cells) for _, cells in rows}) == 1 else []


def _rows_inside_cells(rows: list[tuple[int, list[str]]], separator: str, width: int) -> tuple[str, ...]:
    """What to say of cells over several lines of which each could be a row."""
    found = [rows[i][0] for i in with_rows_inside([cells for _, cells in rows], separator, width)]
    if not found:
        return ()
    cells = f"Cells on {these('line', found)} go" if len(found) > 1 else f"A cell on {these('line', found)} goes"
    return (f"{cells} {SWALLOWING}",)


def _separator(text: str) -> str:
    """The separator that gives most of the first rows one width, the widest in doubt; a comma where none does."""
    best, chosen = (0, 1), ","
    for separator in SEPARATORS:
        widths = [len(cells) for cells in _first_rows(text, separator)]
        width, rows = Counter(widths).most_common(1)[0] if widths else (0, 0)
        if width > 1 and widths[0] == width and (rows, width) > best:
            best, chosen = (rows, width), separator
    return chosen


def from_txt(file: Path, encoding: str | None, separator: str | None, header: bool) -> RawRows:
    """Cells where a separator is said, or makes cells of the first rows; else one text a line, the first too."""
    text, notes = read_text(file, encoding)
    if separator or _has_cells(text):
        return from_csv(file, encoding, separator, header)
    lines = {number: line for number, line in enumerate(lines_of(text), start=1) if line.strip()}
    said = (*notes, f"{file.name} has no separator that parts all lines alike: read as one text a line, the first too.")
    return _noting(of_records(file.name, list(lines.values()), list(lines), "line"), said)


def lines_of(text: str) -> list[str]:
    """The lines, which end in carriage returns alone where there is no other end; texts may hold U+2028."""
    return text.split("\n" if "\n" in text else "\r")


def _has_cells(text: str) -> bool:
    """Whether a separator stands in each of the first rows as it does in cells, not in sentences."""
    with _cells_of_any_size():
        return any(_are_cells(_first_rows(text, separator), separator) for separator in SEPARATORS)


def _are_cells(rows: list[list[str]], separator: str) -> bool:
    """Whether rows have two cells or more, equally many; of a comma without the space that follows it in a sentence."""
    widths = set(map(len, rows))
    if separator == "\t":  # no sentence has one: a row of another width is a broken one
        return bool(widths) and min(widths) > 1
    in_sentences = separator in ",;" and any(cell.startswith(" ") for cells in rows for cell in cells[1:])
    return len(rows) > 1 and len(widths) == 1 and min(widths) > 1 and not in_sentences


def _first_rows(text: str, separator: str) -> list[list[str]]:
    """The cells of each of the first rows, none where they cannot be read so."""
    looked_at = text[:MOST_LOOKED_AT]
    reader = csv.reader(io.StringIO(looked_at, newline=""), delimiter=separator)
    try:
        rows = [cells for cells, _ in zip(reader, range(LOOKED_AT)) if cells]
    except csv.Error:
        return []
    cut = len(looked_at) < len(text) and 1 < len(rows) < LOOKED_AT
    return rows[:-1] if cut else rows


def from_json(file: Path, encoding: str | None) -> RawRows:
    """A list of objects (or of lists, or of texts), an object of lists, or one that holds such a list."""
    text, notes = read_text(file, encoding)
    try:
        found = _shallow(json.loads(text))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":  # one object a line, under the wrong name
            return from_json_lines(file, encoding)
        raise KitError(f"expected {file} as JSON, but line {error.lineno} is not ({error.msg}): correct it.") from error
    except (ValueError, RecursionError) as error:
        raise KitError(f"expected {file} as a list of rows, but it {_too_much(error)}.") from error
    if isinstance(found, dict):
        lists = {key: value for key, value in found.items() if isinstance(value, list)}
        if len(lists) == len(found) and len(set(map(len, lists.values()))) == 1:
            same_width = of_columns(file.name, lists, notes)
            if len(lists) > 1 or not any(isinstance(value, dict) for value in next(iter(lists.values()), ())):
                return same_width
        if len(lists) == 1:
            found = next(iter(lists.values()))
    if not isinstance(found, list) or not found:
        raise KitError(
            f"expected {file} as a list of rows, [{{…}}, {{…}}], or columns, {{name: [values]}}, got "
            f"{'an empty list' if found == [] else f'a {type(found).__name__}'}: put the rows in a list."
        )
    return _noting(of_records(file.name, found), notes)


def from_json_lines(file: Path, encoding: str | None) -> RawRows:
    """One JSON object (or list, or text) a line; lines that are not JSON come back as broken."""
    text, notes = read_text(file, encoding)
    records, numbers, broken = [], [], {}
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        try:
            records.append(_shallow(json.loads(line)))
            numbers.append(number)
        except (ValueError, RecursionError) as error:
            broken[number] = f"is not JSON ({getattr(error, 'msg', _too_much(error))})"
    if not records:
        line, wrong = next(iter(broken.items()))
        raise KitError(f"expected one JSON object a line in {file}, but line {line} {wrong}: correct it.")
    return _noting(of_records(file.name, records, numbers, "line"), notes, broken)


def _shallow(found: Any) -> Any:
    """`found` itself. Raises RecursionError where it is nested deeper than what walks through it can go.

    JSON is read to nearly as many levels as Python has, and what looks at a value stands on some of them already.
    """
    inside = [found]
    for _ in range(MOST_DEEP):
        holders = [one for one in inside if isinstance(one, list | dict)]
        if not holders:
            return found
        inside = [value for one in holders for value in (one.values() if isinstance(one, dict) else one)]
    raise RecursionError


def _too_much(error: Exception) -> str:
    return "is nested too deeply" if isinstance(error, RecursionError) else "holds a number of too many digits"


def _noting(raw: RawRows, notes: tuple[str, ...], broken: dict[int, str] | None = None) -> RawRows:
    return RawRows(raw.name, raw.columns, raw.numbers, raw.unit, (*raw.notes, *notes), broken)
