"""Lesson 06 as a reader meets it: two pulls on one sentence, moved by keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider, try_live_training

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "06_lambda.ipynb"
BOARD = ".kit-board:has(select[data-label='similarity'])"
SENTENCE = f"{BOARD} .kit-caption"


def numbers(reader: Reader) -> dict[str, float]:
    """Gradient lengths, share and step as the sentence has them."""
    said = reader.page.locator(SENTENCE).inner_text()
    found = re.search(
        r"length (\S+) \(CE\) and (\S+) \(SCL\).*SCL has (\S+) % of the pull, and the step is (\S+) long",
        said,
        re.DOTALL,
    )
    assert found, said
    return dict(zip(("ce", "scl", "share", "step"), map(float, found.groups())))


def test_the_pulls_answer_at_both_ends(reader: Reader, lab: Lab) -> None:
    """λ gives the step to one term or the other; τ and the similarity decide how hard the contrast pulls."""
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    try_live_training(reader, "06_lambda")
    try_every_slider(reader, "06_lambda", {"λ": "browser", "τ": "browser", "sentence": "browser"})
    lam, tau = (reader.page.locator(f"{BOARD} input[data-label='{label}']") for label in ("λ", "τ"))
    lam.scroll_into_view_if_needed()
    assert reader.page.locator(f"{BOARD} svg").count() == 3
    assert reader.screenshot("lesson_06").stat().st_size > 10_000

    for end, share, term in (("Home", 0, "ce"), ("End", 100, "scl")):
        reader.press(lam, end)
        reader.wait_for_words(SENTENCE, f"λ {share / 100:.2f}", f"SCL has {share} % of the pull")
        assert numbers(reader)["step"] == numbers(reader)[term]
    table = reader.page.locator(f"{BOARD} .kit-table")
    assert "1.00" in table.inner_text()

    reader.press(lam, "ArrowLeft", 14)
    reader.press(tau, "End")
    reader.press(tau, "ArrowLeft", 20)
    reader.wait_for_words(SENTENCE, "τ 1,", "λ 0.30")
    at_one = numbers(reader)
    reader.press(tau, "Home")
    reader.wait_for_words(SENTENCE, "τ 0.01,")
    sharp = numbers(reader)
    assert sharp["ce"] == at_one["ce"] and sharp["scl"] > 20 * at_one["scl"]
    reader.press(tau, "End")
    reader.wait_for_words(SENTENCE, "τ 10,")
    assert numbers(reader)["scl"] < at_one["scl"]

    anchor = reader.page.locator(f"{BOARD} select[data-label='anchor']")
    reader.page.locator(f"{BOARD} select[data-label='similarity']").select_option("cosine")
    reader.wait_for_words(SENTENCE, "cosine, τ 10,")
    anchor.select_option("premise 5")
    reader.wait_for_words(
        SENTENCE, "Premise 5,", "as premise 5 entails nothing and is no anchor", "SCL has 0 % of the pull"
    )
    assert numbers(reader)["scl"] == 0
    anchor.select_option("premise 1")
    reader.wait_for_words(SENTENCE, "Premise 1,")
    assert reader.errors_shown() == []
