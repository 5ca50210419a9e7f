"""What a page looks like in numbers: what is too wide, which plots are blank or cut, how small its text is."""

from __future__ import annotations

from pathlib import Path

from tests.browser.harness import WAIT_MS

WIDTHS = (390, 768, 1024, 1280, 1920)
SMALLEST = 11  # pixels of lettering in a plot or a board, as it is seen
READABLE = 4.5  # : 1, of words in a plot or a drawing against the page
EMPTY = 0.2  # of the height of a plot, without panel or word
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
MEASURE = (
    r"""() => {
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
        const kinds = ".point path, .bars path, .js-line, image, .points path, .fills path, .sankey, .errorbar";
        const inked = (within) => [...within.querySelectorAll(kinds)].some((mark) => {
            const {width, height} = mark.getBoundingClientRect();
            return width + height > 1;
        });
        if (!inked(plot)) found.push("a plot is blank");
        if (frame.width > plot.parentElement.clientWidth + 1) found.push("a plot is wider than its place");
        const filled = []; // from top to bottom, in pixels below the plot's edge
        for (const {plot: panel, xaxis, yaxis} of Object.values(plot._fullLayout._plots)) {
            if (xaxis._length < 60) found.push("a panel of a plot is narrower than 60 px");
            for (const bar of panel.node().querySelectorAll(".errorbar path")) {
                const {left, right} = bar.getBoundingClientRect(), from = frame.left + xaxis._offset;
                if (left < from - 2 || right > from + xaxis._length + 2) found.push("an interval leaves its panel");
            }
            if (!inked(panel.node())) found.push("a panel of a plot is blank");
            else filled.push([yaxis._offset, yaxis._offset + yaxis._length]);
        }
        for (const label of plot.querySelectorAll("text")) {
            const box = label.getBoundingClientRect(), said = label.textContent;
            if (!said.trim() || !box.width || !seen(label)) continue;
            filled.push([box.top - frame.top, box.bottom - frame.top]);
            const out = box.left < frame.left - 1 || box.right > frame.right + 1;
            if (out || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
                found.push(`"${said.slice(0, 20)}" sticks out of its plot`);
        }
        let reached = 0, gap = 0;
        for (const [top, bottom] of [...filled, [frame.height, frame.height]].sort((one, other) => one[0] - other[0])) {
            gap = Math.max(gap, top - reached);
            reached = Math.max(reached, bottom);
        }
        if (gap > EMPTY * frame.height) found.push(`${Math.round(gap)} of a plot's ${frame.height} px are empty`);
    }
    for (const text of document.querySelectorAll(".board svg text, .figure svg text")) {
        if (!text.textContent.trim() || !seen(text)) continue;
        const scale = text.getScreenCTM(), size = parseFloat(getComputedStyle(text).fontSize);
        const pixels = size * Math.hypot(scale.a, scale.b);
        if (pixels < SMALLEST - 0.05) found.push(`"${text.textContent.slice(0, 20)}" has ${pixels.toFixed(1)} px`);
    }
    const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = (colour) => parts(colour).slice(0, 3).reduce((sum, part, k) => {
        const share = part / 255, linear = share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        return sum + [0.2126, 0.7152, 0.0722][k] * linear;
    }, 0);
    const paper = light(getComputedStyle(document.body).backgroundColor);
    for (const text of document.querySelectorAll(".figure svg text, .output_html [role=img] > svg text")) {
        if (!text.textContent.trim() || !seen(text) || text.closest(".board, .hm")) continue;
        const {fill, textShadow} = getComputedStyle(text); // a halo is what its letters stand on
        const behind = textShadow === "none" ? paper : light(textShadow.match(/rgba?\([^)]*\)/)[0]);
        const [low, high] = [behind, light(fill)].sort((one, other) => one - other);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < READABLE)
            found.push(`"${text.textContent.slice(0, 20)}" has a contrast of ${contrast.toFixed(2)} : 1`);
    }
    return [...new Set(found)];
}""".replace("SMALLEST", str(SMALLEST))
    .replace("EMPTY", str(EMPTY))
    .replace("READABLE", str(READABLE))
)


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
