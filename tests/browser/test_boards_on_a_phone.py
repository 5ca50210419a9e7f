"""All boards on a phone of 390 × 844 pixels: what a control changes is seen with it, and a finger can press it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.board_page import CUT, HEAPS, SPACED, page_of_boards, resized

PHONE = {"width": 390, "height": 844}
FINGER = 44  # pixels
# Of these boards only so many panels: lists, and how all runs end, are read from above when one has looked.
PANELS = {"search": 1, "live": 2}

# Change every control of every board, each by itself: which panels are drawn anew, and how far do they reach? Panels
# behind a fold are left out. `reach`: from the top of the control to the lowest edge of what it changed, where controls
# are not held; where they are, the height of the controls and the tallest of what it changed.
REACH = """async (most) => {
    const found = [], frames = async () => {
        for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
    };
    for (const board of document.querySelectorAll(".kit-board")) {
        const controls = board.querySelector(":scope > .kit-controls"), held = board.hasAttribute("data-held");
        const panels = () => [...board.querySelectorAll(".kit-panels > .kit-panel")]
            .slice(0, most[board.parentElement.id]);
        const look = (one) => one.innerHTML + (one.querySelector("canvas")?.toDataURL() ?? "");
        for (const one of controls.querySelectorAll(":is(input[type=range], select, .kit-presets button)")) {
            if (!one.getClientRects().length) continue;
            const before = panels().map(look), was = one.options ? one.selectedIndex : one.value;
            const tell = () => one.dispatchEvent(new Event(one.options ? "change" : "input", {bubbles: true}));
            if (one.matches("button")) one.click();
            else {
                if (one.options) one.selectedIndex = (was + 1) % one.options.length;
                else one.value = Number(was) === Number(one.max) ? one.min : one.max;
                tell();
            }
            await frames();
            const after = panels(), moved = after.filter((panel, k) => look(panel) !== before[k]);
            if (moved.length) {
                const boxes = moved.map((panel) => panel.getBoundingClientRect());
                const row = (one.closest(".kit-control") ?? one).getBoundingClientRect();
                const reach = held
                    ? controls.offsetHeight + Math.max(...boxes.map((box) => box.height))
                    : Math.max(...boxes.map((box) => box.bottom)) - row.top;
                found.push([board.parentElement.id, one.ariaLabel ?? one.textContent, held, Math.round(reach),
                            Math.round(controls.offsetHeight), boxes.map((box) => Math.round(box.height))]);
            }
            if (!one.matches("button")) {
                one[one.options ? "selectedIndex" : "value"] = was;
                tell();
                await frames();
            }
        }
    }
    return found;
}"""
# What is pressed, and is smaller than a finger; of a drawing the nearest row is meant (NEAREST).
SMALL = """(finger) => [...document.querySelectorAll(".kit-board")].flatMap((board) => {
    const pressed = [...board.querySelectorAll("button, select, input, summary, [data-pick]:not(svg *)")];
    const high = (one) => one.getBoundingClientRect().height;
    const low = pressed.filter((one) => one.getClientRects().length && high(one) < finger - 0.5);
    return low.map((one) => [board.parentElement.id, one.tagName, one.textContent.slice(0, 30),
                             Math.round(high(one))]);
})"""

# Places all over the rows of a drawing, and a finger's half breadth round them: [x, y, the value of the nearest].
NEAREST = """async ([first, half]) => {
    const picture = document.querySelector(first).closest("svg"), found = [];
    picture.scrollIntoView({block: "center"});
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const all = [...picture.querySelectorAll("[data-pick]")].map((one) => [one.getBoundingClientRect(), one]);
    const out = (low, at, high) => Math.max(low - at, 0, at - high), edge = picture.getBoundingClientRect();
    for (let x = edge.left + 3; x < edge.right; x += edge.width / 3.3)
        for (let y = edge.top + 1; y < edge.bottom; y += 13.7) {
            const under = document.elementFromPoint(x, y);
            if (!picture.contains(under)) continue;
            const away = all.map(([box, one]) =>
                one.contains(under) ? -1 : Math.hypot(out(box.left, x, box.right), out(box.top, y, box.bottom)));
            const least = Math.min(...away), rivals = all.filter((_, k) => away[k] < least + 1);
            const meant = [...new Set(rivals.map(([, one]) => Number(one.dataset.pick.split(":")[1])))];
            if (least < half - 1) found.push([x, y, least, meant]);
        }
    return found;
}"""


@pytest.fixture(scope="module")
def phone(chromium) -> Iterator:
    context = chromium.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = page_of_boards(context)
    yield page
    context.close()


def test_what_a_control_changes_is_seen_together_with_it(phone) -> None:
    tall = [one for one in phone.evaluate(REACH, PANELS) if one[3] > PHONE["height"]]
    assert tall == []


def test_controls_with_an_open_fold_do_not_cover_the_page(phone) -> None:
    """Those of the scale stay in view while their fold is closed; opened in the bar, it is not lost from under it."""
    board, fold = phone.locator("#scale .kit-board"), phone.locator("#scale .kit-controls > .kit-more > summary")
    held = "() => document.querySelector('#scale .kit-board').hasAttribute('data-held')"
    phone.wait_for_function(held)
    board.locator(".kit-panel").last.evaluate("one => one.scrollIntoView({block: 'center'})")
    fold.evaluate("one => one.click()")
    phone.wait_for_function(f"() => !({held})()")
    assert -1 < fold.bounding_box()["y"] < PHONE["height"]
    fold.evaluate("one => one.click()")
    phone.wait_for_function(held)


def test_letters_set_wider_apart_are_neither_cut_nor_heaped(phone) -> None:
    """A reader's own style, also one that comes after the boards were drawn; names that were whole stay whole."""
    phone.evaluate("() => document.querySelectorAll('.kit-behind').forEach((one) => { one.open = true; })")
    resized(phone)
    shortened = "() => document.querySelector('#all').innerHTML.split('…</').length"
    before = phone.evaluate(shortened)
    own = phone.add_style_tag(content=SPACED)
    for _ in range(3):
        resized(phone)
    found = phone.evaluate(CUT), phone.evaluate(HEAPS), phone.evaluate(shortened)
    own.evaluate("one => one.remove()")
    resized(phone)
    assert found == ([], [], before)


def test_a_finger_that_misses_a_row_means_the_nearest(phone) -> None:
    for board, label in (("heat", "sentence"), ("masks", "anchor")):
        slider, missed = phone.locator(f"#{board} input[data-label='{label}']"), 0
        for x, y, away, meant in phone.evaluate(NEAREST, [f"#{board} svg [data-pick]", FINGER / 2]):
            phone.touchscreen.tap(x, y)
            assert int(slider.input_value()) + 1 in meant, (board, x, y, away, meant)
            missed += away > 0
        assert missed > 3, (board, missed)


def test_what_is_pressed_is_as_large_as_a_finger(phone) -> None:
    """Folds open."""
    phone.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    resized(phone)
    assert phone.evaluate(SMALL, FINGER) == []
