"""Lesson 04 as a reader meets it: the board is moved by keyboard, numbers and pictures follow."""

from __future__ import annotations

from pathlib import Path

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider, try_live_training

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "04_temperature.ipynb"
BOARD = ".kit-board:has(select[data-label='anchor'])"
SENTENCE = f"{BOARD} .kit-caption"


def test_temperature_answers_at_both_ends(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    try_live_training(reader, "04_temperature")
    try_every_slider(reader, "04_temperature", {"τ": "browser", "sentence": "browser"})
    tau = reader.page.locator(f"{BOARD} input[type=range]")
    anchor = reader.page.locator(f"{BOARD} select")
    anchor.select_option("weather")
    reader.press(tau, "Home")
    reader.wait_for_words(SENTENCE, "τ 0.001", "watches 1.00 of 11", "takes 100% of the push")
    reader.press(tau, "End")
    reader.wait_for_words(SENTENCE, "τ 100", "watches 11.00 of 11", "takes 10% of the push")
    anchor.select_option("food")
    reader.wait_for_words(SENTENCE, "anchor “food”", "τ 100")
    assert reader.page.locator(f"{BOARD} svg").count() == 2
    assert reader.errors_shown() == []
    tau.scroll_into_view_if_needed()
    assert reader.screenshot("lesson_04").stat().st_size > 10_000
