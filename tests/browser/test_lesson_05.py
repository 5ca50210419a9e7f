"""Lesson 05 as a reader meets it: losses are chosen, rows clicked, sliders moved; matrix, forces and numbers follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "05_relations.ipynb"
GREEN = "var(--kit-positive)"


def wait_for(reader: Reader, board, *words: str) -> str:
    """Wait until the board's sentence has all of the words in it; the sentence."""
    caption = board.locator(".kit-caption")
    reader.page.wait_for_function(
        "([place, words]) => words.every((word) => place.innerText.includes(word))",
        arg=[caption.element_handle(), list(words)],
    )
    return caption.inner_text()


def batch_loss(sentence: str) -> float:
    return float(re.search(r"the loss of the batch, over \d+ anchors, is (\d+\.\d+)", sentence)[1])


def green_cells(board) -> int:
    """How many positive cells the matrix has, counted in the paths that draw them: the chosen anchor's, and others'."""
    paths = board.locator(f"svg path[fill='{GREEN}'][fill-opacity]")
    return paths.evaluate_all("all => all.reduce((sum, path) => sum + path.getAttribute('d').split('M').length - 1, 0)")


def test_masks_answer_to_choices_clicks_and_keys(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    boards = reader.page.locator(".kit-board")
    assert boards.count() == 3
    try_every_slider(reader, "05_relations", {"anchor": "browser", "τ": "browser"})
    board, twins = boards.nth(0), boards.nth(1)
    anchor, tau = board.locator("input[type=range]").nth(0), board.locator("input[type=range]").nth(1)
    board.scroll_into_view_if_needed()
    reader.press(anchor, "Home")
    reader.press(tau, "Home")
    choice, cells, losses = board.locator("select"), {}, {}
    for loss in choice.locator("option").all_inner_texts():
        choice.select_option(loss)
        losses[loss] = batch_loss(wait_for(reader, board, f"{loss}, τ 0.01"))
        cells[loss] = green_cells(board)
    assert cells == {
        "NT-Xent": 8,
        "SupCon": 24,
        "MNRL": 4,
        "MNRL, hard negatives": 4,
        "SCL": 8,
        "SupMPN": 8,
        "SupMPN, its code": 8,
    }
    assert losses["MNRL"] < losses["MNRL, hard negatives"] and losses["SupMPN"] < losses["SCL"]

    choice.select_option("SupCon")
    for mark, name in (("[data-pick='anchor:6']", "1b"), ("svg [data-pick='anchor:12']", "4b")):
        board.locator(mark).first.click()
        wait_for(reader, board, f"{name} (“", "has 2 positives and 17 negatives")
    assert anchor.input_value() == "11", "the slider follows the click (its steps count from 0)"
    assert anchor.get_attribute("max") == "11", "hard negatives have no positive in SupCon, and are no anchors"
    choice.select_option("SCL")
    wait_for(reader, board, "SCL, τ 0.01: 4 (“")
    assert anchor.get_attribute("max") == "3", "in SCL only premises are anchors"
    reader.press(anchor, "Home")
    wait_for(reader, board, "SCL", "has 2 positives and 14 negatives")
    assert board.get_by_text("1 sibling", exact=True).count() == 1
    choice.select_option("SupMPN")
    wait_for(reader, board, "SupMPN", "has 2 positives and 14 negatives")
    assert board.get_by_text("1 sibling", exact=True).count() == 0

    reader.press(twins.locator("input[type=range]").nth(0), "Home")
    twins.locator("select").nth(0).select_option("MNRL")
    before = wait_for(reader, twins, "MNRL", "has 1 positive and 3 negatives")
    twins.locator("select").nth(1).select_option("masked")
    assert batch_loss(wait_for(reader, twins, "has 1 positive and 2 negatives")) < batch_loss(before)
    assert reader.errors_shown() == []
    for _ in range(14):
        reader.press(tau, "ArrowRight")
    board.evaluate("node => node.scrollIntoView()")
    assert reader.screenshot("lesson_05").stat().st_size > 10_000
