"""Lesson 03 as a reader meets it: run in JupyterLab, its sliders by keyboard, its points by mouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.harness import BOARDS, CAPTION, Lab, Reader, try_every_slider

pytestmark = pytest.mark.nightly  # the tour and lesson 04 stand for all in `make test`

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "03_margins.ipynb"
SLIDERS = ["margin", *(f"{axis} of the {point}" for point in ("anchor", "positive", "negative") for axis in "xy")]


def test_sliders_answer_and_points_can_be_dragged(reader: Reader, lab: Lab) -> None:
    """Each slider moves a number on the page; a dragged point moves its sliders with it."""
    reader.open(lab.copy(LESSON, only=BOARDS, preset="smoke"))
    reader.run_all()
    try_every_slider(reader, "03_margins", dict.fromkeys(SLIDERS, "browser"))
    for point, (right, up) in {"anchor": (30, 20), "positive": (-40, 30), "negative": (50, -25)}.items():
        drag(reader, point, right, up)
    reader.page.locator(".kit-board select").first.select_option("cosine")
    reader.page.wait_for_function(
        "where => document.querySelector(where).innerText.includes('cosine distance')", arg=CAPTION
    )
    assert reader.errors_shown() == []
    assert reader.screenshot("03_margins").stat().st_size > 10_000


def drag(reader: Reader, point: str, right: int, up: int) -> None:
    """Take a point with the mouse and let it go elsewhere: it is where the pointer was."""
    page = reader.page
    for axis in "xy":  # to the middle of the plane, from where it can go anywhere
        reader.press(reader.slider(f"{axis} of the {point}"), "Home")
        reader.press(reader.slider(f"{axis} of the {point}"), "ArrowRight", 15 if axis == "x" else 12)
    before = values(reader, point)
    dot = page.locator(f"[data-drag={point}] circle").nth(1)
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y - up, steps=4)
    page.mouse.up()
    after = values(reader, point)
    assert (after[0] - before[0]) * right > 0 and (after[1] - before[1]) * up > 0, (before, after)
    landed = page.locator(f"[data-drag={point}] circle").nth(1).bounding_box()
    assert abs(landed["x"] - box["x"] - right) < 6 and abs(landed["y"] - box["y"] + up) < 6


def values(reader: Reader, point: str) -> list[float]:
    """Where the two sliders of a point stand, in the plane's units."""
    shown = [reader.slider(f"{axis} of the {point}").get_attribute("aria-valuetext") for axis in "xy"]
    return [float(text.replace("−", "-")) for text in shown]
