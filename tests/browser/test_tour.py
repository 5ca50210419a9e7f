"""The tour as a reader meets it: run in JupyterLab, its two sliders moved by keyboard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.harness import Lab, Reader, describe

ROOT = Path(__file__).resolve().parents[2]
TOUR = ROOT / "notebooks" / "00_tour.ipynb"
BOX = ".jp-OutputArea .widget-vbox .widget-html-content"  # stays while the sentence in it changes
PICTURE = ".jp-OutputArea .widget-vbox .js-plotly-plot .cartesianlayer"
SENTENCE = f"{BOX} .kit-caption"


@pytest.mark.timeout(600)
def test_sliders_answer_and_nothing_leaves_the_machine(reader: Reader, lab: Lab) -> None:
    """Each slider moves a number on the page; no error box, no console error (the reader checks)."""
    reader.open(lab.copy(TOUR, preset="smoke"))
    reader.run_all()
    assert reader.sliders().count() == 2
    caption = reader.page.locator(SENTENCE)
    latencies = {}
    for label, keys in (("τ", ["ArrowRight", "ArrowLeft"]), ("λ", ["ArrowRight", "ArrowLeft"])):
        slider, before = reader.slider(label), caption.inner_text()
        reader.press(slider, "ArrowRight")
        reader.page.wait_for_function("([where, old]) => document.querySelector(where).innerText !== old",
                                      arg=[SENTENCE, before])
        latencies[f"{label}, number"] = describe(reader.latencies(slider, BOX, keys * 8))
        latencies[f"{label}, picture"] = describe(reader.latencies(slider, PICTURE, keys * 8))
    print("key press to changed page:", json.dumps(latencies, ensure_ascii=False))
    for end in ("Home", "End"):
        for label in ("τ", "λ"):
            reader.press(reader.slider(label), end)
    reader.page.wait_for_function("where => document.querySelector(where).innerText.startsWith('τ 10, λ 1.00')",
                                  arg=SENTENCE)
    assert reader.errors_shown() == []
    assert reader.screenshot("tour").stat().st_size > 10_000
