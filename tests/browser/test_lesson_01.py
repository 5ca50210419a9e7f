"""Lesson 01 as a reader meets it: sliders by keyboard, sentences typed, a blank refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "01_vectors.ipynb"
MATRIX = ".kit-board .kit-panel"  # the first panel of the first board


def test_sliders_answer_and_what_is_typed_is_read(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    try_every_slider(reader, "01_vectors", {"layer": "browser", "padding": "browser"})
    boards = reader.page.locator(".kit-board")
    assert boards.count() == 2
    explorer = boards.first
    check_choices(reader, explorer)
    check_typing(reader, explorer)
    assert reader.screenshot("01_vectors").stat().st_size > 10_000


def said(board) -> str:
    return board.locator(".kit-caption").inner_text()


def shown(board) -> list[str]:
    """The panels of a board: the matrix, and the tiles."""
    return [panel.inner_text() for panel in board.locator(".kit-panel").all()]


def check_choices(reader: Reader, board) -> None:
    """Every pooling gives another matrix and other tiles; every sentence can be explained against every other."""
    board.get_by_label("layer").press("End")
    seen = set()
    for pooling in ("mean", "mean_without_cls", "cls", "max", "first_last"):
        board.get_by_label("pooling").select_option(pooling)
        assert f"Pooling {pooling} of layer 2" in said(board)
        seen.add(tuple(shown(board)))
    assert len(seen) == 5
    for explained, against in (("2", "1"), ("3", "1"), ("1", "3")):
        board.get_by_label("explain sentence").select_option(explained)
        board.get_by_label("against sentence").select_option(against)
        assert f"The tokens of sentence {explained} add up to its cosine with sentence {against}" in said(board)
    assert reader.errors_shown() == []


def check_typing(reader: Reader, board) -> None:
    """A new sentence changes the matrix; a blank shows its message and keeps the picture; the next one clears it."""
    board.get_by_text("type sentences of your own").click()
    field, before = board.get_by_label("sentence 2", exact=True), shown(board)[0]
    field.fill("The battery of this camera is empty.")
    matrix = another_matrix(reader, before)
    assert "The battery of" in matrix and "Still shown" not in said(board)

    field.fill("   ")
    board.locator(".kit-error").wait_for()
    assert reader.errors_shown() == ["expected words in sentence 2, got a blank: type some."]
    assert shown(board)[0] == matrix
    assert "Still shown as sentence 2: “The battery of this camera is empty.”" in said(board)

    field.fill("She sings.")
    matrix = another_matrix(reader, matrix)
    assert reader.errors_shown() == [] and "She sings." in matrix

    board.get_by_label("against sentence").select_option("2")
    board.get_by_label("sentence 3", exact=True).fill("")
    matrix = another_matrix(reader, matrix)
    assert "1 and 3" not in said(board) and "She sings." in matrix
    board.get_by_label("against sentence").select_option("3")
    assert reader.errors_shown() == ["there is no sentence 3 here: choose another, or type one."]
    board.get_by_label("against sentence").select_option("2")
    assert reader.errors_shown() == []


def another_matrix(reader: Reader, before: str) -> str:
    """The first panel of the explorer, as soon as it is not what it was before."""
    reader.page.wait_for_function(
        "([place, old]) => document.querySelector(place).innerText !== old", arg=[MATRIX, before]
    )
    return reader.page.locator(MATRIX).first.inner_text()
