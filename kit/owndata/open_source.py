"""Raw rows of what a reader gives: a file, a frame, a `datasets` data set, a list, or the name of a Hub data set."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from kit.checks.argument_checks import KINDS as KINDS_OF_ARGUMENTS
from kit.checks.argument_checks import closed_place, is_list
from kit.data import LABEL_NAMES, Table, load
from kit.data.catalogue import CATALOGUE, NLI_COLUMNS
from kit.data.hub import first_line
from kit.data.sources import NAME
from kit.data.table import check_names, letters
from kit.errors import KitError, shown
from kit.number_checks import is_whole
from kit.owndata.column_names import COLUMN_NAMES, MOST_TOLD_APART, is_nameless
from kit.owndata.column_values import are_numbers, number_of, words_in
from kit.owndata.excel_file import excel_rows
from kit.owndata.own_data import KINDS
from kit.owndata.parquet_file import parquet_columns
from kit.owndata.raw_rows import RawRows, of_columns, of_records
from kit.owndata.text_files import from_csv, from_json, from_json_lines, from_txt
from kit.retrieval import MinedNegatives

FILES = ".csv, .tsv, .tab, .txt, .json, .jsonl, .ndjson, .parquet or .xlsx"
ENDINGS = tuple(".csv .tsv .tab .txt .json .jsonl .ndjson .xlsx .xls .ods .parquet .gz .zip".split())  # of files
OF_A_SENTENCE = 5  # words of a column's name from which it reads like a text
ENDS = (".", "?", "!", "。", "？")  # of such a name


def open_source(
    source: Any, split: str, encoding: str | None, separator: str | None, header: bool, sheet: str | int
) -> RawRows:
    """The raw rows of a source, see `kit.owndata.read`. Errors: `KitError` where there are none."""
    try:
        if isinstance(source, str | Path):
            raw = _of_a_name(source, split, encoding, separator, header, sheet)
        else:
            raw = _of_an_object(source, split)
    except RecursionError as error:
        raise KitError("expected rows of text and numbers, but a value is nested too deeply: leave it out.") from error
    if not raw.numbers and not raw.broken:
        raise KitError(f"expected rows in {raw.name}, got {'a header alone' if raw.columns else 'none'}: fill it.")
    if not raw.numbers:
        line, wrong = next(iter(raw.broken.items()))
        raise KitError(
            f"expected rows that can be used in {raw.name}, but none of {len(raw.broken):,} can: {raw.unit} {line} "
            f"{wrong}."
        )
    return _noting_names_as_data(raw) if all(map(is_nameless, raw.columns)) else raw


def _of_a_name(source: str | Path, split: str, encoding, separator, header: bool, sheet) -> RawRows:
    if KINDS_OF_ARGUMENTS["Path"].holds(source) and (closed := closed_place([source])):  # a longer one may be a text
        raise closed
    try:
        path = Path(source).expanduser()
        is_file, is_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError, RuntimeError) as error:
        raise KitError(f"expected a file or the name of a data set, got {shown(str(source))}.") from error
    if is_folder:
        inside = sorted(child.name for child in path.iterdir() if child.is_file())[:5]
        held = f"the folder {path} with {', '.join(inside)}" if inside else f"the folder {path}, which holds no file"
        texts = any(name.endswith(".txt") for name in inside)
        listed = " or give read() the list of their texts, [file.read_text() for file in folder.glob('*.txt')]"
        raise KitError(f"expected one file ({FILES}), got {held}: name one file{',' + listed if texts else ''}.")
    if not is_file:
        if isinstance(source, str) and _may_be_of_the_hub(source, path):
            return _of_the_hub(source, split)
        near = difflib.get_close_matches(path.name, _names_in(path.parent), n=2)
        hint = f"did you mean {' or '.join(near)}" if near else "check the path"
        raise KitError(f"expected a file at {path}, but there is none: {hint}.")
    try:
        return _of_a_file(path, encoding, separator, header, sheet)
    except OSError as error:
        raise KitError(f"expected to read {path}, but it was refused ({error.strerror or error}).") from error


def _may_be_of_the_hub(source: str, path: Path) -> bool:
    """Whether a name is owner/name: it may hold a dot, as in OpenHermes-2.5, if it does not end like a file's and no
    folder here is called like the owner."""
    if not NAME.fullmatch(source) or "/" not in source:
        return False
    return not path.suffix or (path.suffix.lower() not in ENDINGS and not path.parent.is_dir())


def _of_a_file(path: Path, encoding, separator, header: bool, sheet) -> RawRows:
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv", ".tab"):
        return _with_doubt(from_csv(path, encoding, separator, header), header)
    if kind == ".txt":
        return _with_doubt(from_txt(path, encoding, separator, header), header)
    if kind == ".json":
        return from_json(path, encoding)
    if kind in (".jsonl", ".ndjson"):
        return from_json_lines(path, encoding)
    if kind == ".parquet":
        return _of_parquet(path)
    if kind == ".xlsx":
        return _with_doubt(_of_excel(path, sheet, header), header)
    remedies = {".xls": "save it as .xlsx or .csv", ".ods": "save it as .xlsx or .csv", ".gz": "unpack it first"}
    remedy = remedies.get(kind, "unpack it first" if kind == ".zip" else "save it as one of them")
    raise KitError(f"expected a file {FILES}, got {path.name}: {remedy}.")


def _with_doubt(raw: RawRows, header: bool) -> RawRows:
    """With a note where the first row was read as names and may be a row of data, or a title."""
    note = _of_the_header(raw) if header and len(raw.columns) <= MOST_TOLD_APART else ""
    return replace(raw, notes=(*raw.notes, note)) if note else raw


def _of_the_header(raw: RawRows) -> str:
    """Where a name in it reads like a text, is a number or label beside others, or stands as a text among its own."""
    nameless = [c for c in list(raw.columns)[1:] if is_nameless(c)]
    blank = [c for c in nameless if any(value not in (None, "") for value in raw.columns[c])]
    if blank:
        named = sum(not is_nameless(c) for c in raw.columns)
        what = "blank or a title above the table" if not named else "a title above the table"
        return (
            f"The first row of {raw.name} names {named or 'none'} of {len(raw.columns)} columns: if it is {what}, "
            "delete it."
        )
    odd = [c for c, values in raw.columns.items() if _reads_like_data(c, values)]
    if not odd:
        return ""
    return (
        f"The first row of {raw.name} was read as the names of the columns, one of them {odd[0][:60]!r}: if it is a "
        "row of data, say header=False (--no-header)."
    )


def _reads_like_data(name: str, values: list) -> bool:
    words = len(name.split())
    as_text = words >= OF_A_SENTENCE or (words > 1 and (name.rstrip().endswith(ENDS) or name in values))
    as_number = number_of(name) is not None and are_numbers(values)
    return as_text or as_number or name.lower() in words_in(values) & {*LABEL_NAMES}


def _noting_names_as_data(raw: RawRows) -> RawRows:
    """With a note where columns have no names and all of the first row are names that columns have."""
    first = [str(values[0]) for values in raw.columns.values() if values]
    if not first or not all(letters(cell) in COLUMN_NAMES for cell in first):
        return raw
    note = (
        f"The first row of {raw.name} ({', '.join(first)}) reads like the names of its columns and was read as data: "
        "leave it out, or read a file without header=False (--no-header), which holds for every file."
    )
    return replace(raw, notes=(*raw.notes, note))


def _of_parquet(path: Path) -> RawRows:
    columns, named = parquet_columns(path)
    return of_columns(path.name, {c: _named(v, named[c]) if c in named else v for c, v in columns.items()})


def _of_excel(path: Path, sheet: str | int, header: bool) -> RawRows:
    rows, sheets = excel_rows(path, sheet)
    names = [f"column {i + 1}" for i in range(max(map(len, rows), default=0))]
    if header and rows:
        top = ["" if cell is None else str(cell).strip() for cell in rows[0]]
        names = [written or nameless for written, nameless in zip_longest(top, names)]
        check_names(names, path.name)
    columns = {c: [row[i] if i < len(row) else None for row in rows[int(header) :]] for i, c in enumerate(names)}
    return of_columns(path.name, columns, _other_sheets(sheets, sheet), 1 + header)


def _other_sheets(sheets: list[str], sheet: str | int) -> tuple[str, ...]:
    """A note where a book has more sheets than the one that is read, nothing where it was named or is alone."""
    if isinstance(sheet, str) or len(sheets) == 1:
        return ()
    others = ", ".join(name for name in sheets if name != sheets[sheet])
    return (f"Of {len(sheets)} sheets {sheets[sheet]} was read, not {others}: name one by sheet (--sheet).",)


def _of_the_hub(name: str, split: str) -> RawRows:
    try:
        table = load(name, split)
    except KitError as error:
        reason, unknown, _ = str(error).partition("unknown data set")
        if not unknown:
            raise
        why = reason.rstrip("; ") or "the Hub does not know it"
        raise KitError(
            f"expected the data set {name}, but nothing has it ({why}): check its name and the network, or give a file "
            f"({FILES})."
        ) from error
    if table.source.is_fallback:
        raise KitError(f"expected the data set {name}, but neither the mirror KIT_DATA nor the Hub gave it.")
    return _of_a_table(table, name)


def _of_a_table(table: Table, name: str) -> RawRows:
    """Rows that `kit.data` read. The labels of NLI it numbers as `LABEL_NAMES`; those of other data nobody told it."""
    columns, source = table.columns, table.source
    known = source.is_fallback or (source.name in CATALOGUE and CATALOGUE[source.name].kind == "nli")
    if known and set(NLI_COLUMNS) <= columns.keys():
        columns = {**columns, "label": _named(columns["label"], LABEL_NAMES)}
    return of_columns(name, columns, (source.summary(),))


def _named(labels: list, names: Sequence[str]) -> list:
    """The name of each whole number that has one; −1 and the like stay."""
    known = dict(enumerate(names))
    return [known.get(label, label) if is_whole(label) else label for label in labels]


def _of_an_object(source: Any, split: str) -> RawRows:
    name = f"the {type(source).__name__}"
    if isinstance(source, Table):
        return _of_a_table(source, source.source.name)
    if isinstance(source, MinedNegatives):
        return _of_mined(source)
    if isinstance(source, Mapping):  # a dict of lists, or of data sets
        return _of_a_dict(source, name, split)
    if hasattr(source, "column_names"):  # a Dataset of datasets, a table of pyarrow
        check_names(source.column_names, name)
        try:
            columns = source.to_dict() if hasattr(source, "to_dict") else source.to_pydict()
        except OverflowError as error:  # a date beyond Python's
            raise KitError(
                f"expected values that Python has in {name}, but {first_line(error)}: leave their column out."
            ) from error
        for column, feature in (getattr(source, "features", None) or {}).items():
            if type(feature).__name__ == "ClassLabel":  # whole numbers whose names the data set knows
                columns[column] = _named(columns[column], feature.names)
        return of_columns(name, columns)
    if hasattr(source, "columns") and hasattr(source, "shape"):  # a frame of pandas or polars
        check_names(map(str, source.columns), name)
        return of_columns(name, {column: source[column].to_list() for column in source.columns})
    if not is_list(source):  # a set has no order, so that rows would have other numbers every time
        raise KitError(
            f"expected a file, a frame, a data set, or a list of tuples or dicts, got {shown(source)}: give one."
        )
    return of_records(name, list(source))


def _of_mined(mined: MinedNegatives) -> RawRows:
    """Its triplets by name, those that are not suspected."""
    rows = [dict(zip(KINDS["triplets"], row)) for row in mined.triplets()]
    note = (
        f"{len(mined.suspected):,} rows with a suspected negative left out: .triplets(with_suspected=True) has them, "
        "to be read with kind='triplets'."
    )
    return replace(of_records("the mined negatives", rows), notes=(note,) if mined.suspected else ())


def _of_a_dict(source: Mapping, name: str, split: str) -> RawRows:
    if any(hasattr(value, "column_names") for value in source.values()):
        if split not in source:
            raise KitError(f"expected a split {split!r}, got {', '.join(map(str, source))}: say split=….")
        return _of_an_object(source[split], split)
    if not source or not all(isinstance(value, list | tuple) for value in source.values()):
        raise KitError("expected a dict as columns, {name: [values]}, got another one: give lists of one length.")
    if len({len(values) for values in source.values()}) > 1:
        raise KitError(f"expected columns of one length, got { {str(k): len(v) for k, v in source.items()} }.")
    return of_columns(name, source)


def _names_in(folder: Path) -> list[str]:
    try:
        return [child.name for child in folder.iterdir()]
    except OSError:
        return []
