"""Lesson 07 as a reader meets it: sliders and choices move the spans of documents, the button draws others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "07_spans.ipynb"
BOARD = ".kit-board:has(select[data-label='anchors start'])"
SENTENCE = f"{BOARD} .kit-caption"
ANCHOR, POSITIVE = "anchor ", "positive "


def numbers(reader: Reader) -> dict[str, float]:
    """What the sentence says of the settings, the overlaps, the negatives and the drawing."""
    said = reader.page.locator(SENTENCE).inner_text()
    found = re.search(
        r"ℓmax (\d+), ℓmin (\d+), A (\d), P (\d): a document needs (\d+) tokens, (\d) of 4 (?:has|have) them. "
        r"Positives: ([\d.]+) % inside their anchor, ([\d.]+) % overlapping, ([\d.]+) % adjacent; ([\d.]+) % of their "
        r"tokens.* meets (\d+) negatives of its own document, (\d+) of others. Drawing (\d+): first "
        r"anchor (\d+) to (\d+)",
        said,
        re.DOTALL,
    )
    assert found, said
    names = (
        "longest",
        "shortest",
        "anchors",
        "positives",
        "needed",
        "usable",
        "inside",
        "overlapping",
        "adjacent",
        "shared",
        "own",
        "others",
        "drawing",
        "first",
        "last",
    )
    return dict(zip(names, map(float, found.groups())))


def bars(reader: Reader, kind: str) -> int:
    """Spans of a kind on the ribbons."""
    ribbons = reader.page.locator(f"{BOARD} svg[aria-label='documents as ribbons']")
    return sum(title.startswith(kind) for title in ribbons.locator("rect > title").all_text_contents())


def test_spans_follow_sliders_choices_and_the_button(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    try_every_slider(reader, "07_spans", {"ℓmax": "browser", "A": "browser", "P": "browser"})
    longest, anchors, positives = (
        reader.page.locator(f"{BOARD} input[data-label='{label}']") for label in ("ℓmax", "A", "P")
    )
    longest.scroll_into_view_if_needed()
    for slider in (anchors, positives):
        reader.press(slider, "End")
    reader.press(longest, "Home")
    reader.wait_for_words(SENTENCE, "ℓmax 16, ℓmin 1, A 3, P 4: a document needs 96 tokens")
    assert (bars(reader, ANCHOR), bars(reader, POSITIVE)) == (4 * 3, 4 * 3 * 4)
    found = numbers(reader)
    assert (found["own"], found["others"]) == (4, 18) and found["last"] - found["first"] <= 16
    assert 99 <= found["inside"] + found["overlapping"] + found["adjacent"] <= 101

    reader.press(anchors, "Home")
    reader.wait_for_words(SENTENCE, "A 1, P 4: a document needs 32 tokens")
    assert (numbers(reader)["own"], bars(reader, ANCHOR)) == (0, 4)
    reader.press(longest, "End")
    reader.press(anchors, "End")
    reader.wait_for_words(SENTENCE, "ℓmax 512, ℓmin 32, A 3, P 4: a document needs 3072 tokens, 0 of 4 have them")
    reader.wait_for_words(SENTENCE, "No spans are drawn")
    assert bars(reader, ANCHOR) == 0

    reader.press(longest, "Home")
    reader.press(longest, "ArrowRight", 24)
    positive_kind, starts = (
        reader.page.locator(f"{BOARD} select[data-label='{label}']") for label in ("positives", "anchors start")
    )
    for kind, inside, adjacent, shared in (("adjacent", 0, 100, 0), ("subsuming", 100, 0, 100)):
        positive_kind.select_option(kind)
        reader.wait_for_words(SENTENCE, f"{inside} % inside their anchor", f"{adjacent} % adjacent; {shared} % of")
    positive_kind.select_option("any")

    starts.select_option("code")
    reader.wait_for_words(SENTENCE, "ℓmax 64")
    for again in range(2, 6):
        reader.page.locator(f"{BOARD} .kit-buttons .kit-button").click()
        reader.wait_for_words(SENTENCE, f"Drawing {again}:")
        found = numbers(reader)
        assert found["first"] // 64 == (found["last"] - 1) // 64, "an anchor inside one cell"
    assert reader.page.locator(f"{BOARD} svg line.kit-axis").count() > 8, "the cells are drawn"
    assert reader.screenshot("lesson_07").stat().st_size > 10_000
    assert reader.errors_shown() == []
