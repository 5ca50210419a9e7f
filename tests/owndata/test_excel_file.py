"""Excel files: cells of every kind, and books made to take more than a reader has."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.owndata import excel_file as module
from kit.owndata import read
from kit.owndata.excel_file import excel_rows

openpyxl = pytest.importorskip("openpyxl")
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = "</sheetData></worksheet>"


def book(file: Path, *rows: list) -> Path:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    made.save(file)
    return file


def with_sheet(file: Path, xml: str) -> Path:
    """A book whose only sheet is this XML."""
    whole = book(file.with_name("whole.xlsx"), ["a"])
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, xml if name.endswith("sheet1.xml") else old.read(name))
    return file


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def test_cells_are_read_as_they_are_written(tmp_path: Path) -> None:
    day = datetime.datetime(2024, 2, 29)
    file = book(
        tmp_path / "a.xlsx", ["text", 1, 2.5, 3.0, True, day, "NA"], [], ["", None, " b "], ["=1/0", "#N/A"], ["", ""]
    )
    rows, sheets = excel_rows(file, 0)
    assert rows == [["text", 1, 2.5, 3, True, day, "NA"], [], [None, None, " b "]] and sheets == ["Sheet"]
    assert [type(value) for value in rows[0][1:4]] == [int, float, int]


def test_a_sheet_is_told_by_name_or_number(tmp_path: Path) -> None:
    file = book(tmp_path / "a.xlsx", ["a"])
    assert excel_rows(file, 0) == excel_rows(file, -1) == excel_rows(file, "Sheet")
    for other in (1, "Final"):
        with pytest.raises(KitError, match=f"expected a sheet {other!r} in .*a.xlsx, but it has Sheet: name one"):
            excel_rows(file, other)


@pytest.mark.parametrize("far", ["XFD1048576", "XFD99999999"])
def test_cells_far_apart_are_told_before_the_memory_between_them_is_filled(tmp_path: Path, far: str) -> None:
    number = far.removeprefix("XFD")
    xml = f'{HEAD}<row r="1">{cell("A1", "a")}</row><row r="{number}">{cell(far, "b")}</row>{TAIL}'
    with pytest.raises(KitError, match=r"at most 30,000,000 cells in .*far.xlsx.* rows and .* columns or more: delete"):
        read(with_sheet(tmp_path / "far.xlsx", xml))


def test_a_table_beyond_the_limit_is_told_and_one_below_it_is_read(tmp_path: Path, monkeypatch) -> None:
    file = book(tmp_path / "a.xlsx", *([f"a {i}", f"b {i}"] for i in range(20)))
    monkeypatch.setattr(module, "MOST_CELLS", 40)
    assert len(excel_rows(file, 0)[0]) == 20
    monkeypatch.setattr(module, "MOST_CELLS", 39)
    with pytest.raises(KitError, match="at most 39 cells .* over 20 rows and 2 columns"):
        excel_rows(file, 0)


def test_xml_that_is_refused_is_none_of_a_missing_sheet(tmp_path: Path) -> None:
    names = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 11))
    for xml in (
        f'<!DOCTYPE x [<!ENTITY a0 "lol">{names}]>{HEAD}<row r="1">{cell("A1", "&a10;")}</row>{TAIL}',
        f"{HEAD}<row>",
    ):
        with pytest.raises(KitError, match=r"as an Excel file, but it cannot be read \((?!Unable).*save it as"):
            read(with_sheet(tmp_path / "laugh.xlsx", xml))
