"""Lesson 04 as a reader meets it: the board is moved by keyboard, numbers and pictures follow."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    reader.wait_for_words(SENTENCE, "τ 0.001", "watches 1.00 of 11", "takes 100 % of the push")
    reader.press(tau, "End")
    reader.wait_for_words(SENTENCE, "τ 100", "watches 11.00 of 11", "takes 10 % of the push")
    anchor.select_option("food")
    reader.wait_for_words(SENTENCE, "anchor “food”", "τ 100")
    assert reader.page.locator(f"{BOARD} svg").count() == 2
    assert reader.errors_shown() == []
    tau.scroll_into_view_if_needed()
    assert reader.screenshot("lesson_04").stat().st_size > 10_000


@pytest.mark.nightly
def test_a_saved_lesson_shows_its_boards_without_the_kernel_that_made_them(reader: Reader, lab: Lab) -> None:
    """What Python answers says to run its cell again; the rest is alive. JupyterLab saves the state (overrides.json).

    Where restoring takes it more than two seconds it may show that it found no model, and has to open the file again.
    """
    path = lab.copy(LESSON, only=BOARDS, preset="smoke")
    reader.open(path)
    reader.run_all()
    reader.page.evaluate("async () => { await window.jupyterapp.commands.execute('docmanager:save'); }")
    board = reader.page.locator(BOARD)
    for _ in range(5):
        lab.stop_kernels()
        reader.page.reload()
        reader.page.wait_for_function("() => window.jupyterapp?.restored.then(() => true)")
        reader.open(path)
        reader.problems.clear()  # of a page whose kernel is taken away, and of a model that is not found
        found = board.or_(reader.page.get_by_text("model not found"))
        found.first.wait_for()
        if board.count():
            break
    assert board.count(), "no board, but: Error displaying widget"
    gone = reader.page.locator(".kit-board .kit-error")
    gone.wait_for()
    assert gone.all_inner_texts() == ["The kernel that made this board is gone: run its cell again."]
    reader.press(reader.page.locator(f"{BOARD} input[type=range]"), "Home")
    reader.wait_for_words(SENTENCE, "τ 0.001")
