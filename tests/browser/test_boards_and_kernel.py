"""What a board does where its kernel answers or is gone: a model in its place, as anywidget hands it to the page."""

from __future__ import annotations

import pytest

from kit.boards.board import modules, script, style
from tests.browser.board_cases import CASES
from tests.browser.board_page import put

# A board on the page of Chromium with a model whose events the test fires: tell(name, changes).
SHOW = """async ([text, style, state, controls, disconnected]) => {
    const cell = `<div id="out" style="overflow: auto; position: relative"><div></div></div>`;
    document.body.innerHTML = `<style>${style}</style>${cell}`;
    const kept = {state, controls, error: "", kernel: true, theme: "auto"}, heard = {};
    const signal = () => ({calls: [], connect(call) { this.calls.push(call); }, disconnect() {}});
    window.sent = [];
    const session = {statusChanged: signal(), kernelChanged: signal()};
    const model = {
        get: (name) => kept[name],
        set: (name, value) => { kept[name] = value; },
        save_changes() {},
        send: (what) => window.sent.push(what),
        on: (name, call) => { (heard[name] ??= []).push(call); },
        off() {},
        widget_manager: {context: {sessionContext: session}},
    };
    window.tell = (name, changes = {}) => { Object.assign(kept, changes); heard[name]?.forEach((call) => call()); };
    window.jupyter = (signal, value) => session[signal].calls.forEach((call) => call(session, value));
    const module = await import(URL.createObjectURL(new Blob([text], {type: "text/javascript"}))),
        el = document.querySelector("#out > div");
    if (disconnected) el.className = "jupyter-widgets-disconnected";
    module.default.render({model, el});
}"""
LISTED = "all => all.map((one) => (one.dataset.label ?? one.textContent) + (one.disabled ? ' off' : ''))"
KERNEL_GONE = ["The kernel that made this board is gone: run its cell again."]


def shown(name: str, blank, change: dict | None = None, disconnected: bool = False) -> dict:
    """Draw the board's first case; the state that it has."""
    state, chosen = CASES[name]()
    state = {**state, **(change or {})}
    put(blank, SHOW, script(name), style(), state, chosen[0], disconnected)
    return state


def turned(blank) -> list[str]:
    """The controls on the page, in order."""
    return blank.locator(".kit-controls").locator("input, select, button").evaluate_all(LISTED)


def live_of(state: dict) -> dict:
    """The same sentences in a training that runs."""
    live = {"mode": "live", "frames": state["runs"][0]["frames"], "next": state["starts"], "running": True, "rate": 5.0}
    return {**state, **live}


def test_controls_are_those_of_the_training_that_is_shown(blank) -> None:
    """A place in the run belongs to a recording; the focus stays where it was."""
    recorded = shown("live", blank)
    assert "place in the run" in turned(blank)
    blank.locator("select[data-label=show]").focus()
    blank.evaluate("state => tell('change:state', {state})", live_of(recorded))
    assert "place in the run" not in turned(blank) and blank.locator("input[data-label=τ][data-kernel]").count() == 1
    assert blank.evaluate("document.activeElement.dataset.label") == "show"
    blank.evaluate("state => tell('change:state', {state})", recorded)
    assert "place in the run" in turned(blank) and blank.locator("input[data-label=τ][data-kernel]").count() == 0
    assert blank.locator(".kit-buttons").count() == 1


def test_the_slider_of_a_live_training_comes_back_to_the_recipes_temperature(blank) -> None:
    """From the far end by the arrow keys: between its ends it has a dozen places, and τ 0.05 is one of them."""
    recorded = shown("live", blank)
    blank.evaluate("state => tell('change:state', {state})", live_of(recorded))
    slider = blank.locator("input[data-label=τ]")
    slider.focus()
    blank.keyboard.press("End")
    places = [slider.get_attribute("aria-valuetext")]
    for _ in range(12):
        blank.keyboard.press("ArrowLeft")
        places.append(slider.get_attribute("aria-valuetext"))
    assert "0.05" in places and len(set(places)) == 13, places
    assert [float(one) for one in places] == sorted(map(float, places), reverse=True)


@pytest.mark.parametrize(
    "ends",
    [
        "tell('comm_live_update')",
        "jupyter('statusChanged', 'autorestarting')",
        "jupyter('statusChanged', 'dead')",
        "jupyter('kernelChanged', {oldValue: {}, newValue: null})",
    ],
)
def test_a_board_says_that_its_kernel_is_gone(ends: str, blank) -> None:
    shown("live", blank, live_of(CASES["live"]()[0]))
    for goes_on in ("'statusChanged', 'busy'", "'kernelChanged', {oldValue: null, newValue: {}}"):
        blank.evaluate(f"jupyter({goes_on})")
    assert blank.locator(".kit-brief").inner_text().startswith("Training") and not any(
        one.endswith(" off") for one in turned(blank)
    )
    blank.evaluate(ends)
    assert blank.locator(".kit-error").all_inner_texts() == KERNEL_GONE
    assert [one for one in turned(blank) if not one.endswith(" off")] == ["sentence"], "turning the sphere needs none"
    assert blank.locator(".kit-brief").inner_text().startswith("Ended")
    assert blank.locator(".kit-caption").text_content().startswith("Ended")


def test_a_view_opened_without_the_kernel_says_so_where_the_board_needs_one(blank) -> None:
    for name in modules():
        shown(name, blank, disconnected=True)
        needs = blank.locator("[data-kernel]").count() > 0 or "off" in " ".join(turned(blank))
        assert blank.locator(".kit-error").all_inner_texts() == KERNEL_GONE * needs, name


def test_no_board_makes_what_it_stands_in_scroll(blank) -> None:
    for name in modules():
        shown(name, blank)
        high, seen = blank.locator("#out").evaluate("out => [out.scrollHeight, out.clientHeight]")
        assert high == seen, name


OWN, YOURS = {"first": "The children are playing outside."}, {"first": "A cat sleeps."}


@pytest.mark.parametrize("chosen", [{}, OWN, YOURS], ids=["nothing", "the example", "own words"])
def test_a_view_drawn_later_asks_for_what_the_typed_sentences_need(chosen: dict, blank) -> None:
    """Else the example's figures would stand under them."""
    state, _ = CASES["own_sentences"]()
    put(blank, SHOW, script("own_sentences"), style(), state, chosen, False)
    typed = chosen == YOURS
    assert blank.evaluate("window.sent") == [{"kit": "buffers"}] * typed
    assert ("being loaded" in blank.locator(".kit-brief").inner_text()) == typed


def test_without_encoders_and_kernel_the_example_is_not_taken_for_the_typed_sentences(blank) -> None:
    state, _ = CASES["own_sentences"]()
    put(blank, SHOW, script("own_sentences"), style(), state, YOURS, True)
    assert blank.locator(".kit-error").all_inner_texts() == KERNEL_GONE
    assert blank.locator(".kit-brief").inner_text().startswith("The pictures are of the example")
    assert blank.get_by_label("first sentence").is_disabled()
