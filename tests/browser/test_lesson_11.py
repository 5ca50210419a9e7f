"""Lesson 11 as a reader meets it: seeds and verdicts by keyboard, and the scoreboard on the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "11_published_and_measured.ipynb"
BOARD = ".kit-board:has(select[data-label='promise'])"
SENTENCE = f"{BOARD} .kit-caption"


def test_seeds_settle_a_verdict(reader: Reader, lab: Lab) -> None:
    """More seeds turn "undecided" into "replicates"; the other promise asks for more of them."""
    reader.open(lab.copy(LESSON, only=f"{BOARDS}|scoreboard_(figure|table)", preset="smoke"))
    reader.run_all()
    assert reader.page.locator("table", has_text="run it again").count() == 2
    assert reader.page.locator(".js-plotly-plot").count() == 1
    try_every_slider(
        reader,
        "11_published_and_measured",
        dict.fromkeys(("effect, points", "spread", "seeds", "chance wanted, %"), "browser"),
    )
    effect, spread, seeds, wanted = (
        reader.page.locator(f"{BOARD} input[data-label='{label}']")
        for label in ("effect, points", "spread", "seeds", "chance wanted, %")
    )
    effect.scroll_into_view_if_needed()
    assert reader.page.locator(f"{BOARD} svg").count() == 3

    places = ((effect, 38), (spread, 8), (seeds, 1), (wanted, 6))  # from the left: 0.8, 0.8, three seeds and 80 %
    for slider, presses in places:
        reader.press(slider, "Home")
        reader.press(slider, "ArrowRight", presses)
    reader.wait_for_words(
        SENTENCE, "True effect +0.80, spread 0.80", "3 seeds", "undecided", "For 80 % it takes 10 seeds"
    )
    reader.press(seeds, "ArrowRight", 4)
    reader.wait_for_words(SENTENCE, "7 seeds", "with a chance of 60 %", "replicates.")
    reader.page.locator(f"{BOARD} select[data-label='promise']").select_option("within ±1")
    reader.wait_for_words(SENTENCE, "within ±1", "undecided", "not even 20 seeds")
    reader.press(effect, "Home")
    reader.wait_for_words(SENTENCE, "True effect −3.00", "contradicted")
    assert reader.screenshot("lesson_11").stat().st_size > 10_000
    assert reader.errors_shown() == []
