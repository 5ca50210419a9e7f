"""Lesson 10 as a reader meets it: a scale is bent, pairs are taken away, a ranking is turned round."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "10_measure.ipynb"
PAIRS = ".kit-board:has(input[data-label='power'])"
RANKING = ".kit-board:has(select[data-label='aggregation'])"


def correlations(reader: Reader) -> dict[str, list[float]]:
    """Spearman and Pearson with the ends of their intervals, as the sentence has them."""
    said = reader.page.locator(f"{PAIRS} .kit-caption").inner_text().replace("−", "-")
    found = re.findall(r"(Spearman|Pearson) (\S+) \((\S+) to (\S+)\)", said)
    assert len(found) == 2, said
    return {name: [float(number) for number in numbers] for name, *numbers in found}


def choose(reader: Reader, label: str, option: str) -> None:
    reader.page.locator(f"{RANKING} select[data-label='{label}']").select_option(option)


def test_a_bent_scale_and_a_turned_ranking(reader: Reader, lab: Lab) -> None:
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    try_every_slider(reader, "10_measure", {"pairs": "browser", "power": "browser"})
    pairs, power = (reader.page.locator(f"{PAIRS} input[data-label='{label}']") for label in ("pairs", "power"))
    pairs.scroll_into_view_if_needed()
    assert reader.page.locator(f"{PAIRS} svg").count() == 2
    assert reader.screenshot("lesson_10_pairs").stat().st_size > 10_000

    reader.press(pairs, "End")
    reader.press(power, "Home")
    reader.wait_for_words(f"{PAIRS} .kit-caption", "to the power 0.1:")
    low = correlations(reader)
    reader.press(power, "End")
    reader.wait_for_words(f"{PAIRS} .kit-caption", "to the power 10:")
    high = correlations(reader)
    assert low["Spearman"] == high["Spearman"], "ranks know nothing of the scale"
    assert low["Pearson"][0] != high["Pearson"][0]
    reader.press(pairs, "Home")
    reader.wait_for_words(f"{PAIRS} .kit-caption", "20 pairs of")
    few = correlations(reader)
    assert few["Spearman"][2] - few["Spearman"][1] > 2 * (high["Spearman"][2] - high["Spearman"][1])
    reader.page.locator(f"{PAIRS} select").select_option("yes or no")
    reader.wait_for_words(f"{PAIRS} .kit-caption", "gold yes or no")

    caption = f"{RANKING} .kit-caption"
    reader.page.locator(f"{RANKING} select[data-label='task']").scroll_into_view_if_needed()
    reader.wait_for_words(caption, "STS15, Spearman × 100, all:", "sbert is ahead by", "the other way round")
    assert reader.screenshot("lesson_10_ranking").stat().st_size > 10_000
    choose(reader, "aggregation", "mean")
    reader.wait_for_words(caption, "STS15, Spearman × 100, mean:", "raw is ahead by", "By “all” the ranking is")
    choose(reader, "task", "mean of STS12–16")
    choose(reader, "correlation", "Pearson")
    reader.wait_for_words(caption, "Mean of STS12–16, Pearson × 100, mean:", "raw is ahead by")
    choose(reader, "first system", "scl")
    reader.wait_for_words(caption, "scl is ahead by", "rank them the same way")
    choose(reader, "second system", "scl")  # nobody is compared with itself
    reader.wait_for_words(caption, "mean: raw ", "scl is ahead by")
    assert reader.errors_shown() == []
