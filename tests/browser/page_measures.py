"""What a page looks like in numbers: what is wider than it may be, which plots are blank, how small its text is."""

from __future__ import annotations

from pathlib import Path

from tests.browser.harness import WAIT_MS

WIDTHS = (390, 768, 1024, 1280, 1920)
SMALLEST = 8.5  # pixels of lettering in a plot or a board, as it is seen
# Every plot is drawn by scrolling past it, and anew where its place has another width; a board by being there.
SCROLL = """async (printed) => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += window.innerHeight * 0.8) {
        window.scrollTo(0, y);
        await new Promise((done) => setTimeout(done, 30));
    }
    const due = (one) => one.clientWidth && ![String(one.clientWidth), printed].includes(one.dataset.wide);
    for (let tries = 0; tries < 2000 && [...document.querySelectorAll(".figure")].some(due); tries++)
        await new Promise((done) => setTimeout(done, 50));
    window.scrollTo(0, 0);
}"""
MEASURE = """() => {
    const seen = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";
    const name = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""}`.slice(0, 60);
    const found = [];
    const over = document.documentElement.scrollWidth - window.innerWidth;
    if (over > 0) found.push(`the page is ${over} px too wide`);
    for (const node of document.querySelectorAll(".figure, .figure *, .board, .kit-panel, .output_subarea > div")) {
        if (node.namespaceURI.includes("svg") || !seen(node) || node.closest(".table, .kit-agree, pre")) continue;
        const wide = node.scrollWidth - node.clientWidth;
        if (wide > 1 && node.clientWidth > 0) found.push(`${name(node)} is cut or scrolls by ${wide} px`);
    }
    for (const plot of document.querySelectorAll(".figure .js-plotly-plot")) {
        const frame = plot.querySelector(".main-svg").getBoundingClientRect();
        const marks = plot.querySelectorAll(
            ".point path, .bars path, .js-line, .hm image, image, .points path, .fills path, .sankey, .errorbar");
        if (![...marks].some((mark) => mark.getBoundingClientRect().width + mark.getBoundingClientRect().height > 1))
            found.push("a plot is blank");
        if (frame.width > plot.parentElement.clientWidth + 1) found.push("a plot is wider than its place");
        for (const panel of plot.querySelectorAll(".bglayer .bg, .cartesianlayer .subplot .plot"))
            if (panel.getBoundingClientRect().width < 60) found.push("a panel of a plot is narrower than 60 px");
        for (const label of plot.querySelectorAll("text")) {
            const box = label.getBoundingClientRect();
            if (label.textContent.trim() && box.width && (box.left < frame.left - 1 || box.right > frame.right + 1))
                found.push(`"${label.textContent.slice(0, 20)}" sticks out of its plot`);
        }
    }
    for (const text of document.querySelectorAll(".board svg text, .figure svg text")) {
        if (!text.textContent.trim() || !seen(text)) continue;
        const scale = text.getScreenCTM(), size = parseFloat(getComputedStyle(text).fontSize);
        const pixels = size * Math.hypot(scale.a, scale.b);
        if (pixels < SMALLEST) found.push(`"${text.textContent.slice(0, 20)}" has ${pixels.toFixed(1)} px`);
    }
    return [...new Set(found)];
}""".replace("SMALLEST", str(SMALLEST))


def troubles(page, file: Path, widths=WIDTHS, schemes=("light", "dark"), zoomed: bool = True) -> list[str]:
    """What is wrong on the page at each width and colour scheme, at 150 % and printed on A4, in sentences.

    page: of Playwright. The page is loaded once; the window changes.
    """
    page.set_default_timeout(WAIT_MS)
    page.set_viewport_size({"width": max(widths), "height": 900})
    page.goto(file.as_uri())
    found = []

    def look(where: str, printed: str = "") -> None:
        page.wait_for_timeout(200)  # a resize is seen a frame later
        page.evaluate(SCROLL, printed)
        found.extend(f"{file.stem}, {where}: {trouble}" for trouble in page.evaluate(MEASURE))

    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            look(f"{width} px, {scheme}")
    if zoomed:  # a window of 1280 px at 150 % has 853 of the page's pixels
        page.set_viewport_size({"width": 853, "height": 600})
        look("150 %")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 at 96 dots an inch, less its margins
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    look("A4", printed="640")
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    return found
