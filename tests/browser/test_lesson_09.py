"""Lesson 09 as a reader meets it: the bench, where a training is chosen, started, paused and resumed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, stands_still, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "09_train.ipynb"
BOARD = ".kit-board:has(select[data-label='recipe'])"
SENTENCE = f"{BOARD} .kit-caption"


def press(reader: Reader, button: str) -> None:
    """Focus the button and press Enter, as somebody without a mouse would."""
    reader.page.locator(f"{BOARD} .kit-button", has_text=button).focus()
    reader.page.keyboard.press("Enter")


def step(reader: Reader) -> tuple[int, int]:
    """(step, of how many) as the sentence has them."""
    return tuple(map(int, re.search(r"step (\d+) of (\d+)", reader.page.locator(SENTENCE).inner_text()).groups()))


def wait_for(reader: Reader, words: str) -> None:
    reader.page.wait_for_function(
        "([place, words]) => document.querySelector(place).innerText.includes(words)", arg=[SENTENCE, words]
    )


def wait_for_step(reader: Reader, least: int) -> None:
    reader.page.wait_for_function(
        "([place, least]) => Number(/step (\\d+) of/.exec(document.querySelector(place).innerText)[1]) >= least",
        arg=[SENTENCE, least],
    )


def test_a_training_is_chosen_started_paused_and_resumed(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=f"{BOARDS}|linear\\.reset", preset="smoke"))
    reader.run_all()
    board = reader.page.locator(BOARD)
    board.scroll_into_view_if_needed()
    wait_for(reader, "ready: scl-smoke-NLI")
    assert "About" in board.inner_text() and "estimate" in board.inner_text(), "no cost before the start"
    assert board.locator("svg").count() == 4
    try_every_slider(reader, "09_train", {"epochs ×": "kernel", "learning rate ×": "kernel", "smooth over": "kernel"})

    rate, length = (board.locator(f"input[data-label='{label}']") for label in ("learning rate ×", "epochs ×"))
    reader.press(length, "End")
    wait_for(reader, "epochs-x16")
    reader.press(rate, "Home")
    wait_for(reader, "lr-x0-01")
    reader.press(rate, "ArrowRight", 4)  # to 1: the recipe's own
    reader.page.wait_for_function("place => !document.querySelector(place).innerText.includes('lr-x')", arg=SENTENCE)
    planned = step(reader)[1]
    assert planned > 300 and step(reader)[0] == 0

    press(reader, "start")
    wait_for(reader, "Training, ")
    wait_for_step(reader, 4)
    table = board.locator(".kit-table").inner_text()
    wait_for_step(reader, step(reader)[0] + 2)
    assert board.locator(".kit-table").inner_text() != table, "no number moves"
    reader.screenshot("09_train_live")
    press(reader, "pause")
    wait_for(reader, "paused: ")
    assert stands_still(reader, lambda: step(reader)), "a pause that does not stop"
    paused = step(reader)[0]
    assert step(reader) == (paused, planned)

    press(reader, "start")
    wait_for(reader, "Training, ")
    wait_for_step(reader, paused + 1)
    press(reader, "pause")
    wait_for(reader, "paused: ")
    assert paused < step(reader)[0] < planned
    assert reader.errors_shown() == []

    board.locator("select[data-label='recipe']").select_option("declutr")
    reader.page.locator(f"{BOARD} .kit-error").wait_for()
    assert "recipe 'declutr' takes long documents" in board.locator(".kit-error").inner_text()
    board.locator("select[data-label='recipe']").select_option("sbert")
    wait_for(reader, "ready: sbert-smoke-NLI")
    assert reader.errors_shown() == []

    board.locator("select[data-label='recipe']").select_option("scl")
    wait_for(reader, "paused: scl-smoke-NLI")
    assert step(reader)[0] > paused, "what was paused waits where it was"
    press(reader, "reset")
    wait_for(reader, "ready: scl-smoke-NLI")
    assert step(reader) == (0, planned) and reader.errors_shown() == []
    assert reader.screenshot("lesson_09").stat().st_size > 10_000
