"""Boards beside code, keys, a second view and a screen reader: what is taken over, sent, turned and told."""

from __future__ import annotations

import pytest

from kit.boards.board import modules, script, style
from tests.browser.board_cases import CASES
from tests.browser.board_page import put
from tests.browser.test_boards import CONTROLS, LOAD, SAY
from tests.browser.test_boards_and_kernel import live_of

# Views of one board on the page of Chromium, one for each width; `kept` is what their model holds.
SHOW = """async ([text, style, state, controls, widths]) => {
    document.body.innerHTML = `<style>${style}</style>`;
    const heard = {}, model = {
        get: (name) => window.kept[name],
        set(name, value) {
            window.kept[name] = value;
            window.tell(`change:${name}`);
        },
        save_changes() {},
        send() {},
        on: (name, call) => { (heard[name] ??= []).push(call); },
        off() {},
    };
    window.kept = {state, controls, error: "", kernel: true, theme: "auto"};
    window.tell = (name, changes = {}) => { Object.assign(kept, changes); heard[name]?.forEach((call) => call()); };
    const module = await import(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    window.views = widths.map((width) => {
        const el = Object.assign(document.createElement("section"), {style: `width: ${width}px`});
        document.body.append(el);
        module.default.render({model, el});
        return el;
    });
}"""
BY_CODE = "more => tell('change:controls', {controls: {...kept.controls, ...more}})"
PROBLEMS = "() => views.map((el) => el.querySelector('.kit-error')?.textContent ?? '')"


@pytest.fixture
def blank(blank):
    """An empty page, wide enough for two views, in which nothing glides."""
    blank.set_viewport_size({"width": 1300, "height": 1000})
    blank.emulate_media(reduced_motion="reduce")
    return blank


def shown(name: str, blank, controls: dict | None = None, state: dict | None = None, widths=(1000,)) -> dict:
    """Draw the board's first case in views of these widths; the state that it has."""
    case, chosen = CASES[name]()
    state = case | (state or {})
    put(blank, SHOW, script(name), style(), state, chosen[0] | (controls or {}), list(widths))
    return state


def test_a_slider_that_code_moves_goes_no_farther_than_its_ends(blank) -> None:
    shown("tau_lambda", blank, widths=(1000, 500))
    for given, stands in ((0, 0.01), (99, 10), (0.3, 0.3)):
        blank.evaluate(BY_CODE, {"tau": given})
        blank.wait_for_function("tau => kept.controls.tau === tau", arg=stands)  # and code is told
        assert blank.evaluate(PROBLEMS) == ["", ""] and "NaN" not in blank.content()
    blank.evaluate(BY_CODE, {"tau": None})
    assert (
        blank.evaluate(PROBLEMS) == ["expected tau to be a number from 0.01 to 10, got null: give such a number."] * 2
    )
    shown("tau_lambda", blank, {"tau": 0})  # set before there was a page
    assert "NaN" not in blank.content()


def test_a_menu_refuses_what_it_does_not_list(blank) -> None:
    shown("heat", blank)
    blank.evaluate(BY_CODE, {"space": "rau"})
    refused = "expected space to be one of raw, trained, got rau: give one of these."
    assert blank.evaluate(PROBLEMS) == [refused]
    blank.wait_for_function("() => kept.controls.space === 'raw'")
    blank.evaluate("tell('change:state')")
    assert blank.evaluate(PROBLEMS) == [refused], "until something else is chosen"
    blank.locator("select").select_option("trained")
    assert blank.evaluate(PROBLEMS) == [""]


def test_a_preset_may_go_beyond_the_end_of_a_slider(blank) -> None:
    """What is longer than any text cuts none; another view does not take it back."""
    short = {"lengths": {"sentence1": [[4, 100], [9, 150]]}, "beyond": {}, "histogram": {"sentence1": [[11, 100]]}}
    shown("look", blank, state=short, widths=(1000, 1000))
    blank.locator("button").first.click()
    blank.wait_for_function("() => kept.controls.limit === 128")
    pressed = "all => all.map((one) => one.ariaPressed)"
    assert blank.locator(".kit-presets button:first-child").evaluate_all(pressed) == ["true", "true"]


@pytest.mark.parametrize("name", modules())
def test_only_controls_are_sent(name: str, blank) -> None:
    """Not what a view remembers for itself; and what Python has beside them is not lost."""
    state, _ = CASES[name]()
    put(blank, LOAD, script(name), state)
    names = {one["name"] for one in blank.evaluate(CONTROLS) if one["kind"] != "presets"}
    shown(name, blank)
    blank.evaluate("kept.controls = {mine: 7}")
    moved = "one => { for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind)); }"
    blank.locator(".kit-controls :is(input, select)").first.evaluate(moved)
    for button in blank.locator(".kit-buttons button:enabled").all():
        button.click()
    blank.wait_for_function("() => Object.keys(kept.controls).length > 1")
    assert set(blank.evaluate("kept.controls")) == names | {"mine"} and blank.evaluate("kept.controls.mine") == 7


def test_a_sphere_plays_by_itself_only_where_it_begins(blank) -> None:
    state, _ = CASES["sphere"]()
    put(blank, LOAD, script("sphere"), state)
    advance = "chosen => window.kitModule.board.advance({seen: true, calm: false, ...chosen}, window.kitState, 0.1)"
    assert blank.evaluate(advance, {"position": 0, "play": 0})["playing"]
    for taken in ({"position": 3}, {"position": 0, "play": 2}):
        assert blank.evaluate(advance, taken) is None, taken


def test_a_problem_is_told_once(blank) -> None:
    shown("live", blank, state=live_of(CASES["live"]()[0]))
    blank.evaluate("tell('change:error', {error: 'out of memory'})")
    blank.evaluate("document.querySelector('.kit-error').told = true")
    for event in ("tell('change:state')", "tell('change:error')"):
        blank.evaluate(event)
        assert blank.evaluate("document.querySelectorAll('.kit-error').length === 1")
        assert blank.evaluate("document.querySelector('.kit-error').told"), "the same node: it is not read out again"
    blank.evaluate("tell('change:error', {error: ''})")
    assert blank.evaluate(PROBLEMS) == [""]


@pytest.mark.parametrize("name", ["sphere", "live"])
def test_a_sphere_is_turned_by_keys(name: str, blank) -> None:
    shown(name, blank)
    sphere, painted = blank.locator(".kit-globe"), "() => document.querySelector('canvas').toDataURL()"
    sphere.focus()
    seen = {blank.evaluate(painted)}
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "ArrowRight"):
        blank.keyboard.press(key)
        seen.add(blank.evaluate(painted))
        assert sphere.evaluate("one => one === document.activeElement"), "though it is drawn anew where it is tilted"
    assert len(seen) == 5 and sphere.get_attribute("aria-label") == "the sphere: arrow keys turn it"


def test_a_key_with_a_modifier_is_left_to_the_browser(blank) -> None:
    """Alt+← is a page back, on a sphere and on a slider as well."""
    shown("sphere", blank)
    taken = """([of, held]) => {
        const key = {key: "ArrowRight", bubbles: true, cancelable: true, ...held};
        return !document.querySelector(of).dispatchEvent(new KeyboardEvent("keydown", key));
    }"""
    for of in (".kit-globe", "input[data-label='place in the run']"):
        assert blank.evaluate(taken, [of, {}]), of
        for held in ("altKey", "ctrlKey", "metaKey"):
            assert not blank.evaluate(taken, [of, {held: True}]), (of, held)


def test_a_button_that_plays_says_what_another_press_does(blank) -> None:
    shown("sphere", blank, {"position": 0})
    for name in ("play", "pause", "play"):
        blank.get_by_role("button", name=name, exact=True).click()


def test_a_point_is_found_in_each_of_two_views(blank) -> None:
    """Though the other, of another width, has drawn last."""
    shown("sphere", blank, {"point": 0}, widths=(1100, 400))
    meant = """([last, x, y]) => {
        for (const key of ["ArrowUp", "ArrowDown"]) // there and back: this view has drawn last
            views[last].querySelector(".kit-globe").dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
        const plane = views[0].querySelector("[data-plane]"), box = plane.getBoundingClientRect();
        const at = {clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true};
        plane.dispatchEvent(new PointerEvent("pointermove", at));
        return plane.style.cursor;
    }"""
    places = [[x / 16, y / 16] for x in range(2, 15) for y in range(2, 15)]
    own, others = ([blank.evaluate(meant, [last, *place]) for place in places] for last in (0, 1))
    assert own == others and set(own) == {"", "pointer"}


def test_boards_of_one_width_cut_their_points_off_each_at_its_own_height(blank) -> None:
    state, settings = CASES["margin"]()
    put(blank, LOAD, script("margin"), state)
    drawn = """(chosen) => {
        const {compute, draw} = window.kitModule.board, html = draw(compute(kitState, chosen), chosen, kitState)[0];
        return html.match(/<clipPath id="([^"]+)"><rect [^>]*y="([^"]+)"/).slice(1);
    }"""
    found = {tuple(blank.evaluate(drawn, settings[0] | {"distance": one})) for one in state["distances"]}
    names, heights = zip(*found)
    assert len(set(names)) == len(set(heights)) > 1, found


def test_a_recording_is_looked_at_frame_by_frame(blank) -> None:
    """Between two frames points would be those of another picture than its numbers."""
    state, chosen_list = CASES["live"]()
    put(blank, LOAD, script("live"), state)
    step = "() => window.kitModule.board.controls(window.kitState).find((one) => one.name === 'position').step"
    assert blank.evaluate(step) == 1
    pause = "chosen => window.kitModule.board.advance(chosen, window.kitState, 0.1)"
    held = blank.evaluate(pause, chosen_list[0] | {"position": 2.7, "pressed": "pause", "playing": True})
    assert held["position"] == 3 and held["playing"] is False


def test_neighbours_of_the_sphere_are_dated_between_two_recorded_steps(blank) -> None:
    state, chosen_list = CASES["sphere"]()
    put(blank, LOAD, script("sphere"), state)
    read = """(chosen) => {
        const {compute, draw, motion} = window.kitModule.board, figure = compute(window.kitState, chosen);
        const html = draw({...figure, ...motion(figure)}, chosen, window.kitState).at(-1);
        return html.match(/not recorded at this step; at step (\\d+)/)?.[1] ?? "";
    }"""
    for position, playing, dated in ((3, False, ""), (3.4, False, "9"), (5.5, False, "36"), (3.05, True, "9"),
                                     (3, True, "")):  # fmt: skip
        chosen = chosen_list[0] | {"position": position, "playing": playing, "point": 1}
        assert blank.evaluate(read, chosen) == dated, position


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["rows that are copies", 0], ["rows that contradict another", 0]], "None of this spoils the data"),
        (
            [["rows that are copies", 2.3], ["rows that contradict another", 40.25]],
            "No text is cut, but 40.3 % are rows that contradict another",
        ),
        ([], "None of this spoils the data"),
    ],
)
def test_data_is_called_unspoilt_only_where_its_rows_are(rows: list, said: str, blank) -> None:
    state, _ = CASES["look"]()
    whole = {"rows": rows, "beyond": {}, "lengths": {"sentence1": [[4, 10]]}, "twins": [[0.7, 0]], "together": 0}
    put(blank, LOAD, script("look"), state | whole)
    assert blank.evaluate(SAY, [{"limit": 16, "least": 0.7, "batch": 2}, "lead"]) == said


def test_a_cosine_of_cls_is_not_put_down_to_words(blank) -> None:
    state, _ = CASES["explorer"]()
    put(blank, LOAD, script("explorer"), state)
    for layer, lead, brief in (
        (2, "which has read the sentence", "that of the two [CLS]: each has read its sentence."),
        (0, "which is the same in every sentence", "that of the two [CLS]: without attention they are the same."),
    ):
        chosen = {"pooling": "cls", "layer": layer, "explained": "1", "against": "2"}
        assert blank.evaluate(SAY, [chosen, "lead"]) == f"All of this cosine comes from [CLS], {lead}"
        assert brief in blank.evaluate(SAY, [chosen, "brief"])


def test_a_slider_of_sentences_has_those_that_are_shown(blank) -> None:
    shown("heat", blank, {"sentence": 12})
    two = {"sentences": ["a cat", "a dog"], "labels": ["a cat", "a dog"], "threes": False,
           "cosines": {name: [[1, 0.5], [0.5, 1]] for name in ("raw", "trained")}}  # fmt: skip
    blank.evaluate("two => tell('change:state', {state: {...kept.state, ...two}})", two)
    slider = blank.locator("input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "2" and slider.get_attribute("max") == "1"
    blank.locator("input[type=text]").fill(" a cat | a dog |")
    assert "not show what is typed" not in blank.locator(".kit-caption").text_content()
    blank.locator("input[type=text]").fill("a cat | a do")
    assert "not show what is typed" in blank.locator(".kit-caption").text_content()


def test_spaces_and_rings_are_told_apart_without_colours(blank) -> None:
    state, _ = CASES["heat"]()
    three = {"spaces": ["raw", "trained", "other"], "cosines": state["cosines"] | {"other": state["cosines"]["raw"]}}
    shown("heat", blank, state=three)
    line = blank.locator("svg[aria-label$=others] g[data-link]").first
    forms = line.locator("circle, path[stroke-width]").evaluate_all(
        "all => all.map((one) => `${one.tagName} ${one.getAttribute('fill') === 'none'}`)"
    )
    assert len(set(forms)) == 3, forms
    assert "● raw ○ trained × other" in blank.locator("svg[aria-label$=others]").text_content()
    looks = "all => all.map((one) => ['stroke', 'stroke-dasharray'].map((name) => one.getAttribute(name) ?? ''))"
    rings = blank.locator("svg[aria-label^=cosines] rect[stroke^='var(--kit-']").evaluate_all(looks)
    rings = [("positive" in colour, dashes != "") for colour, dashes in rings]
    assert set(rings) == {(True, False), (False, True)}, rings


def test_lines_break_long_words_and_count_wide_letters_twice(blank) -> None:
    put(blank, LOAD, script("margin") + "\nexport {kit};", {})
    wrapped, cut = (f"text => window.kitModule.kit.{name}" for name in ("wrapped(text, 70, 7)", "cut(text, 70)"))
    lines = ["one two", "three", "abcdefghij", "klmnopqrst", "uvw x"]
    assert blank.evaluate(wrapped, "one two three abcdefghijklmnopqrstuvw x") == lines
    assert blank.evaluate(wrapped, "日本語日本語日本 a") == ["日本語日本", "語日本 a"]
    assert blank.evaluate(cut, "日本語日本語") == "日本語日…" and blank.evaluate(cut, "日本語日本") == "日本語日本"
    assert blank.evaluate(cut, "abcdefghijk") == "abcdefghi…" and blank.evaluate(cut, "abcdefghij") == "abcdefghij"
    assert max(map(len, blank.evaluate(wrapped, "x" * 900 + " " + "y" * 50))) == 10
