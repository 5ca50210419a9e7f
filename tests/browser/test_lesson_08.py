"""Lesson 08 as a reader meets it: the naive risk falls below zero, the switch turns, the annealing is reset."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "08_few_labels.ipynb"
RISKS, WEIGHT = (f".kit-board:has(input[data-label='{label}'])" for label in ("memory", "epochs"))
SENTENCE, WEIGHED = f"{RISKS} .kit-caption", f"{WEIGHT} .kit-caption"


def numbers(reader: Reader) -> dict[str, float]:
    """The risks as the sentence has them."""
    said = reader.page.locator(SENTENCE).inner_text().replace("−", "-")
    found = re.search(r"R⁺ (\S+), R⁻ (\S+), the naive risk is (\S+); .*: (\S+)\. On new .* is (\S+)\.$", said)
    assert found, said
    return dict(zip(("positive", "negative", "naive", "nnpu", "new"), map(float, found.groups())))


def test_the_risk_and_the_weight_answer_at_both_ends(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    labels = ("memory", "prior π", "labels kept", "boundary", "steepness", "α", "epochs", "steps done")
    try_every_slider(reader, "08_few_labels", dict.fromkeys(labels, "browser"))
    memory, prior = (reader.page.locator(f"{RISKS} input[data-label='{label}']") for label in ("memory", "prior π"))
    memory.scroll_into_view_if_needed()
    assert reader.page.locator(f"{RISKS} svg").count() == 3

    for label, key in (("prior π", "Home"), ("labels kept", "Home"), ("boundary", "Home"), ("steepness", "Home")):
        reader.press(reader.page.locator(f"{RISKS} input[data-label='{label}']"), key)
    reader.press(prior, "ArrowRight", 7)
    reader.press(reader.page.locator(f"{RISKS} input[data-label='boundary']"), "ArrowRight", 16)
    reader.press(reader.page.locator(f"{RISKS} input[data-label='steepness']"), "ArrowRight", 20)
    reader.press(memory, "Home")
    reader.wait_for_words(SENTENCE, "π 0.40", "memory 0.0", "R⁻ is not below zero")
    start = numbers(reader)
    assert start["naive"] == start["nnpu"] > 0
    reader.press(memory, "End")
    reader.wait_for_words(SENTENCE, "memory 8.0", "drops R⁺")
    end = numbers(reader)
    assert end["naive"] < -0.3 and end["nnpu"] == -end["negative"] > 0.3 and end["new"] > start["new"]
    assert reader.screenshot("lesson_08").stat().st_size > 10_000

    reader.press(memory, "Home")
    reader.press(prior, "End")
    reader.wait_for_words(SENTENCE, "π 0.95", "memory 0.0", "drops R⁺")
    assert numbers(reader)["negative"] < 0, "a prior that is too high, and nothing learnt by heart"

    epochs, done = (reader.page.locator(f"{WEIGHT} input[data-label='{label}']") for label in ("epochs", "steps done"))
    epochs.scroll_into_view_if_needed()
    reader.press(reader.page.locator(f"{WEIGHT} input[data-label='α']"), "Home")
    reader.press(reader.page.locator(f"{WEIGHT} input[data-label='α']"), "ArrowRight", 6)
    reader.press(epochs, "Home")
    reader.press(epochs, "ArrowRight")
    reader.press(done, "End")
    reader.wait_for_words(WEIGHED, "α 3.0, 2 epochs, 100% of the steps", "weighs 1.000", "never more than 0.125")
    assert reader.errors_shown() == []
