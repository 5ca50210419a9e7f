"""The tour as a reader meets it: run in JupyterLab, its two sliders moved by keyboard."""

from __future__ import annotations

from pathlib import Path

from tests.browser.harness import Lab, Reader, try_every_slider

ROOT = Path(__file__).resolve().parents[2]
TOUR = ROOT / "notebooks" / "00_tour.ipynb"
TWO_SLIDERS = ".kit-board:has(input[data-label='τ'])"
SPHERE = ".kit-board:has(.kit-sphere)"
# Prose, then the letters of plots; what runs out of a cell, of its own or of a folded one; bars left behind; broken
# pictures.
LOOK = """() => {
    const all = (where) => [...document.querySelectorAll(`.jp-Notebook ${where}`)];
    const ink = (element, property) => [getComputedStyle(element)[property], getComputedStyle(element).fontFamily];
    const right = (element) => element.getBoundingClientRect().right;
    return {
        prose: ink(all(".jp-RenderedMarkdown p")[0], "color"),
        plots: all(".js-plotly-plot :is(.xtitle, .xtick text)").map((letters) => ink(letters, "fill")),
        cut: [
            ...all(".cm-scroller").filter((code) => code.scrollWidth > code.clientWidth + 1),
            ...all(".jp-Placeholder-content").filter((fold) => right(fold) > right(fold.closest(".jp-Cell"))),
        ].map((element) => element.innerText),
        bars: all("[role=progressbar], progress, .progress").map((bar) => bar.className),
        broken: all("img[src]").filter((image) => !image.naturalWidth).map((image) => image.src),
    };
}"""


def test_sliders_answer_and_nothing_leaves_the_machine(reader: Reader, lab: Lab) -> None:
    """Each slider moves a number on the page; no error box, no console error (the reader checks)."""
    reader.open(lab.copy(TOUR, preset="smoke"))
    reader.run_all()
    try_every_slider(reader, "00_tour", dict.fromkeys(("place in the run", "sentence", "τ", "λ"), "browser"))
    for label in ("τ", "λ"):
        reader.press(reader.slider(label), "End")
    reader.page.wait_for_function(
        "where => document.querySelector(where).innerText.startsWith('τ 10, λ 1.00')", arg=f"{TWO_SLIDERS} .kit-caption"
    )
    watch_it_heal(reader)
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        look_at_the_page(reader, theme)
    assert reader.errors_shown() == []
    # Another theme makes the page narrow for a moment: what is drawn on the canvas must lie on the sphere afterwards.
    reader.page.wait_for_function(
        "() => { const [globe, ink] = ['svg', 'canvas'].map((kind) => document.querySelector(`.kit-globe ${kind}`)"
        ".getBoundingClientRect().width); return Math.abs(globe - ink) < 2; }"
    )
    assert reader.screenshot("00_tour").stat().st_size > 10_000


def look_at_the_page(reader: Reader, theme: str) -> None:
    """Plots have the letters of the text round them, whatever the theme; nothing is cut off or left behind."""
    reader.page.evaluate(
        "async theme => { await window.jupyterapp.commands.execute('apputils:change-theme', {theme}); }", theme
    )
    reader.page.wait_for_function(
        "theme => document.body.dataset.jpThemeName === theme && document.querySelector('.xtitle')", arg=theme
    )
    # JupyterLab's own splash: where two changes of theme meet within its fade, it is removed twice, which is an error.
    reader.page.wait_for_function("() => document.querySelector('#jupyterlab-splash') === null")
    seen = reader.page.evaluate(LOOK)
    assert len(seen["plots"]) > 20 and {*map(tuple, seen["plots"])} == {tuple(seen["prose"])}, theme
    assert seen["cut"] == seen["bars"] == seen["broken"] == [], theme


def watch_it_heal(reader: Reader) -> None:
    """The sphere plays when asked (these readers ask for less motion), turns under the pointer, and reads a point."""
    board = reader.page.locator(SPHERE)
    board.scroll_into_view_if_needed()
    caption, place = board.locator(".kit-caption"), board.locator("input[data-label='place in the run']")
    reader.press(place, "Home")
    assert "step 0 of 400" in caption.inner_text(), "it does not play by itself"
    for key, is_first in (("ArrowRight", False), ("ArrowLeft", True), ("ArrowLeft", True)):
        reader.press(place, key)  # once: on to the next step that it tells, not to a place between two
        assert (place.get_attribute("aria-valuetext") == "step 0") is is_first, key
    board.locator(".kit-buttons .kit-button").press("Enter")
    reader.page.wait_for_function("input => Number(input.value) > 20", arg=place.element_handle())
    board.locator(".kit-buttons .kit-button").press("Enter")
    reader.page.wait_for_timeout(100)  # what was to be painted when the key came is painted
    still = place.input_value()
    reader.page.wait_for_timeout(300)
    assert place.input_value() == still, "a pause that does not stop"

    points, sphere = board.locator(".kit-globe canvas"), board.locator(".kit-sphere [data-drag]")
    painted = "canvas => canvas.toDataURL()"
    before, centre = points.evaluate(painted), sphere.bounding_box()
    x, y = centre["x"] + centre["width"] / 2, centre["y"] + centre["height"] * 0.6
    reader.page.mouse.move(x, y)
    reader.page.mouse.down()
    reader.page.mouse.move(x + 60, y + 10, steps=4)
    reader.page.mouse.up()
    turned = "([canvas, before]) => canvas.toDataURL() !== before"  # at the next repaint
    reader.page.wait_for_function(turned, arg=[points.element_handle(), before])
    reader.press(place, "Home")  # a step whose neighbours are recorded
    sentence = board.locator("input[data-label='sentence']")
    reader.press(sentence, "Home")
    sphere.scroll_into_view_if_needed()
    now = sphere.bounding_box()  # the page may have been scrolled meanwhile
    for step in range(60):  # across the sphere, until a point is under the pointer
        if sentence.input_value() != "0":
            break
        reader.page.mouse.move(
            now["x"] + now["width"] * step / 60, now["y"] + now["height"] * (0.3 + 0.01 * (step % 40))
        )
    assert sentence.input_value() != "0" and board.locator("ol li").count() == 3, "no point answers the pointer"
    reader.press(board.locator("input[data-label='sentence']"), "End")
    assert "Its nearest of" in board.inner_text() and board.locator("ol li").count() == 3
