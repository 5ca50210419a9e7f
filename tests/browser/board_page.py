"""Many boards on one page of Chromium: how `test_board_looks.py` and `test_boards_on_a_phone.py` see them."""

from __future__ import annotations

import json

from kit.boards.board import modules, script, style
from tests.browser.board_cases import CASES

PAGE = """<!doctype html><html lang="en"><head><title>All boards</title>
<meta name="viewport" content="width=device-width"><style>
:root { color-scheme: light; --paper: #fdfcfa; --ink: #22252a; }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark; --paper: #16181b; --ink: #dcdcd8; } }
body { margin: 0; padding: 12px 16px; background: var(--paper); color: var(--ink); }
.board { --kit-paper: var(--paper); margin-bottom: 30px; }
STYLE</style></head><body><main><h1>All boards</h1><div id="all"></div></main></body></html>"""
MOUNT = """async ([name, text, state, controls]) => {
    const board = await import(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    const el = Object.assign(document.createElement("section"), {className: "board", id: name});
    document.getElementById("all").append(el);
    const values = {state, controls, error: "", kernel: true, theme: "auto"};
    const heard = {}, bytes = (one) => new DataView(Uint8Array.from(atob(one), (c) => c.charCodeAt(0)).buffer);
    const model = {
        get: (key) => values[key],
        set() {},
        save_changes() {},
        send: ({kit}) => setTimeout(() => heard["msg:custom"]({kit}, state.buffers.map(bytes))),
        on: (event, call) => { heard[event] = call; },
        off() {},
    };
    board.default.render({el, model});
}"""
# The spacing that a reader may need (WCAG 2.2, 1.4.12), as a style of their own.
SPACED = """* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important; }
p { margin-bottom: 2em !important; }"""
# Lettering that leaves its picture: what it says, and by how many pixels on the left and on the right.
CUT = """() => [...document.querySelectorAll(".kit-board svg text, .js-plotly-plot text")].flatMap((one) => {
    const words = one.getBoundingClientRect(), picture = one.closest(".js-plotly-plot, .kit-board svg");
    const {left, right} = picture.getBoundingClientRect(), out = [left - words.left, words.right - right];
    return one.textContent.trim() && words.width && out.some((by) => by > 1) ? [[one.textContent, ...out]] : [];
})"""
# Lettering that lies on other lettering of the same picture.
HEAPS = """() => [...document.querySelectorAll(".kit-panels svg")].flatMap((svg) => {
    const all = [...svg.querySelectorAll("text")].filter((one) => one.textContent.trim());
    const boxes = all.map((one) => one.getBoundingClientRect()), heaps = [];
    const common = (a, b, low, high) => Math.min(a[high], b[high]) - Math.max(a[low], b[low]);
    boxes.forEach((a, i) => boxes.slice(0, i).forEach((b, j) => {
        if (common(a, b, "left", "right") > 0.5 && common(a, b, "top", "bottom") > 2.5)
            heaps.push(`${all[j].textContent} on ${all[i].textContent}`);
    }));
    return heaps;
})"""


def put(page, code: str, *arguments):
    """What the function `code` gives on the page for a list of arguments.

    They cross as one text: Playwright would look at every number of a board's state, for longer than the page draws.
    """
    return page.evaluate(f"text => ({code})(JSON.parse(text))", json.dumps(arguments))


def page_of_boards(context, names: list[str] | None = None):
    """A page of the context with these boards (None: all) drawn on it, with what their cases hold, and no error."""
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.set_content(PAGE.replace("STYLE", style()))
    for name in names or modules():
        state, chosen = CASES[name]()
        put(page, MOUNT, name, script(name), state, chosen[len(chosen) // 2])
    resized(page)
    assert wrong == [] and page.locator(".kit-error").all_inner_texts() == []
    return page


def resized(page) -> None:
    """Wait until the boards have been drawn at the width they have now."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_function(
        """() => [...document.querySelectorAll(".kit-panels")].every((place) => {
            const svg = place.querySelector("svg");
            return !svg || Number(svg.getAttribute("width")) <= place.clientWidth;
        })"""
    )
