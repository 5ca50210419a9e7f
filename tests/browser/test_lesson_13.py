"""Lesson 13 as a reader meets it: a file looked at under sliders, and a search that answers what is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "13_own_data.ipynb"
SEARCH = ".kit-board:has(input[data-label='hits'])"


def test_a_file_is_looked_at_and_searched(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    labels = ("limit", "nearly the same", "batch", "hits")
    try_every_slider(reader, "13_own_data", dict.fromkeys(labels, "browser"))
    reader.wait_for_words(f"{SEARCH} .kit-caption", "right text is number")
    assert reader.page.locator(f"{SEARCH} .kit-right", has_text="✓").count() >= 1
    box = reader.page.locator(f"{SEARCH} input[type=text]")
    box.scroll_into_view_if_needed()
    box.fill("a cold place")
    box.press("Enter")
    reader.wait_for_words(f"{SEARCH} .kit-caption", "For “a cold place” raw finds")
    assert "right text is" not in reader.page.locator(f"{SEARCH} .kit-caption").inner_text()
    assert reader.screenshot("lesson_13").stat().st_size > 10_000
    assert reader.errors_shown() == []
