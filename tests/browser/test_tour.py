"""The tour as a reader meets it: run in JupyterLab, its two sliders moved by keyboard."""

from __future__ import annotations

from pathlib import Path

from tests.browser.harness import CAPTION, Lab, Reader, try_every_slider

ROOT = Path(__file__).resolve().parents[2]
TOUR = ROOT / "notebooks" / "00_tour.ipynb"


def test_sliders_answer_and_nothing_leaves_the_machine(reader: Reader, lab: Lab) -> None:
    """Each slider moves a number on the page; no error box, no console error (the reader checks)."""
    reader.open(lab.copy(TOUR, preset="smoke"))
    reader.run_all()
    try_every_slider(reader, "00_tour", {"τ": "browser", "λ": "browser"})
    for label in ("τ", "λ"):
        reader.press(reader.slider(label), "End")
    reader.page.wait_for_function(
        "where => document.querySelector(where).innerText.startsWith('τ 10, λ 1.00')", arg=CAPTION
    )
    assert reader.errors_shown() == []
    assert reader.screenshot("00_tour").stat().st_size > 10_000
