"""Rows as a file, a frame or a list has them: columns by name, before anybody says what they mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from kit.data.table import check_names
from kit.errors import KitError, shown

MOST_SHOWN = 6  # row numbers in one sentence


@dataclass(frozen=True)
class RawRows:
    """columns: name → values, None where there is none. numbers: where each row stands; unit: what they count.

    broken: number → what is wrong with a row that could not be read, which is then not among the columns.
    """

    name: str
    columns: dict[str, list]
    numbers: list[int]
    unit: str = "row"
    notes: tuple[str, ...] = ()
    broken: dict[int, str] | None = None


def these(unit: str, numbers: Iterable[int]) -> str:
    """ "line 5", "lines 5, 7 and 9", "lines 2, 3, 4, 5, 6, 7 and 94 more"."""
    numbers = list(numbers)
    shown_ones = [f"{n:,}" for n in numbers[:MOST_SHOWN]]
    if len(numbers) > MOST_SHOWN:
        shown_ones.append(f"{len(numbers) - MOST_SHOWN:,} more")
    listed = " and ".join((", ".join(shown_ones[:-1]), shown_ones[-1])) if len(shown_ones) > 1 else shown_ones[0]
    return f"{unit}{'s' if len(numbers) > 1 else ''} {listed}"


def of_columns(name: str, columns: Mapping, notes: tuple[str, ...] = (), first: int = 1) -> RawRows:
    """Columns of a frame, a Parquet file or a data set; NaN counts as nothing, as it does there.

    first: the number of the first row (2 in a sheet, under its header).
    """
    check_names(map(str, columns), name)
    plain = _unnested({str(key): [plain_value(value) for value in values] for key, values in columns.items()})
    rows = len(next(iter(plain.values()), ()))
    return RawRows(name, plain, list(range(first, first + rows)), "row", notes)


def of_records(name: str, records: list, numbers: list[int] | None = None, unit: str = "row") -> RawRows:
    """Dicts, tuples or texts as columns: a key that a dict lacks is None there, tuples have columns 1, 2, …"""
    if not records:
        return RawRows(name, {}, [], unit)
    numbers = numbers or list(range(1, len(records) + 1))
    kinds = {_kind_of(record) for record in records}
    if len(kinds) > 1 or None in kinds:
        odd = next(
            i for i, record in enumerate(records) if _kind_of(record) in (None, *(kinds - {_kind_of(records[0])}))
        )
        raise KitError(
            f"expected dicts alone, tuples alone or texts alone in {name}, but {unit} {numbers[odd]} is "
            f"{shown(records[odd])}: make all rows alike."
        )
    if kinds == {"dict"}:
        keys = dict.fromkeys(key for record in records for key in record)
        check_names(map(str, keys), name)
        columns = {str(key): [record.get(key) for record in records] for key in keys}
    elif kinds == {"row"}:
        width = max(map(len, records))
        short = [numbers[i] for i, record in enumerate(records) if len(record) != width]
        if short:
            raise KitError(f"expected {width} values in every row of {name}, but {these(unit, short)} differ.")
        columns = {f"column {i + 1}": [record[i] for record in records] for i in range(width)}
    else:
        columns = {"text": list(records)}
    columns = _unnested({key: [plain_value(value) for value in values] for key, values in columns.items()})
    return RawRows(name, columns, numbers, unit)


def _unnested(columns: dict[str, list]) -> dict[str, list]:
    """A table of objects alone, as {"translation": {"en": …, "de": …}}, has the columns that stand in them."""
    tables = [name for name, values in columns.items() if values and all(isinstance(v, Mapping) for v in values)]
    if len(tables) != 1 or any(name != tables[0] and name != "id" for name in columns):
        return columns
    keys = dict.fromkeys(key for record in columns[tables[0]] for key in record)
    inner = {str(key): [plain_value(record.get(key)) for record in columns[tables[0]]] for key in keys}
    return {name: values for name, values in columns.items() if name != tables[0]} | inner


def plain_value(value: Any) -> Any:
    """A value of NumPy as Python's, a decimal as a float; None for the many ways in which frames say there is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        value = float(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [plain_value(one) for one in value]
    missing = (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")
    return None if missing else value


def _kind_of(record: object) -> str | None:
    if isinstance(record, Mapping):
        return "dict"
    if isinstance(record, list | tuple) or getattr(record, "ndim", 0) == 1:  # a row of an array
        return "row"
    return "text" if isinstance(record, str) else None
