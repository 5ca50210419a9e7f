"""Lesson 01 as a reader meets it: sliders by keyboard, sentences typed, a blank refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "01_vectors.ipynb"
SENTENCE = ".kit-board .kit-caption"  # of the first board


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
    """The panels of a board: the wires first, then what is folded."""
    return [panel.inner_text() for panel in board.locator(".kit-panel").all()]


def check_choices(reader: Reader, board) -> None:
    """Every pooling gives other wires; every sentence can be explained against every other."""
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
    """A new sentence changes the picture; a blank shows its message and keeps it; the next one clears the message."""
    board.get_by_label("explain sentence").select_option("1")
    board.get_by_label("against sentence").select_option("2")
    field, before = board.get_by_label("sentence 2", exact=True), said(board)
    field.fill("The battery of this camera is empty.")
    before = encoded(reader, board, before)
    picture = shown(board)[0]
    assert "The battery of" in picture

    field.fill("   ")
    board.locator(".kit-error").wait_for()
    assert reader.errors_shown() == ["expected words in sentence 2, got a blank: type some."]
    assert shown(board)[0] == picture
    assert "Still shown as sentence 2: “The battery of this camera is empty.”" in said(board)

    field.fill("She sings.")
    before = encoded(reader, board, before)
    assert reader.errors_shown() == [] and "She sings." in shown(board)[0]

    board.get_by_label("sentence 3", exact=True).fill("")
    assert "1 and 3" not in encoded(reader, board, before) and "She sings." in shown(board)[0]
    board.get_by_label("against sentence").select_option("3")
    assert reader.errors_shown() == ["there is no sentence 3 here: choose another, or type one."]
    board.get_by_label("against sentence").select_option("2")
    assert reader.errors_shown() == []


def encoded(reader: Reader, board, before: str) -> str:
    """What the explorer says, as soon as what is typed has been encoded and it is not what it said before."""
    reader.page.wait_for_function(
        """([place, old]) => {
            const said = document.querySelector(place).innerText;
            return said !== old && !said.includes("Still shown");
        }""",
        arg=[SENTENCE, before],
    )
    return said(board)
