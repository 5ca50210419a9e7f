"""All boards, looked at by a machine: lettering, overflow, what fits a window, motion, names.

Their colours: tests/boards/test_colours.py and test_board_colours.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kit.boards.board import modules, script, style
from kit.lesson import measured
from tests.browser.axe_core import serious_findings
from tests.browser.board_cases import CASES, workshop
from tests.browser.board_page import HEAPS, MOUNT, PAGE, page_of_boards, put, resized

WIDTHS = (320, 390, 900, 1024, 1280)  # 320: 1280 at 400 %
HIGH = 900  # a window; a phone is 844
SPOKEN = 120  # characters that a screen reader is told when something has changed
LIGHT, DARK = "light", "dark"

# Lettering as large as it is on the screen, and what is cut off at the edge of its picture or of the board.
LOOK = """() => [...document.querySelectorAll(".kit-board")].map((board) => {
    const sizes = [], small_sizes = [], cut = [], edge = board.getBoundingClientRect().right;
    for (const small of board.querySelectorAll(".kit-stage :is(small, li, th, td, .kit-note)"))
        if (small.getClientRects().length) small_sizes.push(parseFloat(getComputedStyle(small).fontSize));
    for (const text of board.querySelectorAll("svg text")) {
        const matrix = text.getScreenCTM(), scale = Math.hypot(matrix.a, matrix.b);
        const picture = text.closest("svg").getBoundingClientRect(), own = text.getBoundingClientRect();
        if (!own.width) continue;
        if (!text.matches(".kit-big")) sizes.push(scale * parseFloat(getComputedStyle(text).fontSize));
        if (own.left < picture.left - 2 || own.right > picture.right + 2 || own.bottom > picture.bottom + 3)
            cut.push(text.textContent);
    }
    for (const node of board.querySelectorAll("*"))
        if (!node.closest(".kit-scroll, svg *") && node.getBoundingClientRect().right > edge + 1.5)
            cut.push(`<${node.tagName} class="${node.className}">`);
    for (const menu of board.querySelectorAll("select")) {
        const twin = menu.cloneNode(true);
        twin.style.cssText = "position: absolute; width: max-content; max-width: none";
        menu.after(twin);
        if (menu.offsetWidth && menu.offsetWidth < twin.offsetWidth - 1) cut.push(menu.dataset.label);
        twin.remove();
    }
    const columns = new Set([...board.querySelectorAll(".kit-panels > *")].map((p) => p.getBoundingClientRect().left));
    const top = board.querySelector(".kit-controls").getBoundingClientRect().top;
    const seen = [...board.querySelectorAll(".kit-panels, .kit-panel:first-child")];
    const [first, all] = ["first", "all"].map((which) => (which === "first" ? seen[1] : seen[0]));
    return {name: board.parentElement.id, cut, columns: columns.size,
            sizes: [Math.min(...sizes, ...small_sizes), Math.max(...sizes)],
            first: first.getBoundingClientRect().bottom - top, all: all.getBoundingClientRect().bottom - top};
})"""
# Move every slider, make every choice anew and empty every text.
CHANGE_ALL = """() => {
    for (const one of document.querySelectorAll(".kit-controls :is(input, select)")) {
        if (one.type === "range") one.value = Number(one.value) === Number(one.max) ? one.min : one.max;
        else if (one.options) one.selectedIndex = (one.selectedIndex + 1) % one.options.length;
        else one.value = "";
        one.dispatchEvent(new Event(one.options ? "change" : "input", {bubbles: true}));
    }
}"""
# Take every slider from end to end: [board, label, where it stood, how wide it was] of those that did not stay.
STEADY = """(places) => [...document.querySelectorAll(".kit-controls input[type=range]")].flatMap((slider) => {
    const board = slider.closest(".kit-board"), was = slider.value, seen = [new Set(), new Set()];
    const put = (value) => {
        slider.value = value;
        slider.dispatchEvent(new Event("input", {bubbles: true}));
    };
    if (!slider.getClientRects().length) return [];
    for (let k = 0; k <= places; k++) {
        put(Math.round((k * Number(slider.max)) / places));
        const {top, width} = slider.getBoundingClientRect();
        seen[0].add(Math.round(top - board.getBoundingClientRect().top));
        seen[1].add(Math.round(width));
    }
    put(was);
    const stays = seen.every((one) => one.size === 1);
    return stays ? [] : [[board.parentElement.id, slider.dataset.label, ...seen.map((one) => [...one])]];
})"""
# Press a preset or change a choice; how many different pictures are there in the next half second, and for how long?
MOVE = """async (board) => {
    const stage = board.querySelector(".kit-panels"), seen = new Set([stage.innerHTML]), began = performance.now();
    const button = board.querySelector(".kit-presets button:last-child"), select = board.querySelector("select");
    if (button) button.click();
    else { select.selectedIndex = select.options.length - 1; select.dispatchEvent(new Event("change")); }
    let last = began;
    while (performance.now() < began + 600) {
        await new Promise(requestAnimationFrame);
        if (!seen.has(stage.innerHTML)) last = performance.now();
        seen.add(stage.innerHTML);
    }
    return {pictures: seen.size - 1, lasted: last - began};
}"""
# Move a slider to its other end; in how many places is a mark in the next half second, and is it elsewhere at last?
TRAVEL = """async (board, [label, mark]) => {
    const slider = board.querySelector(`input[data-label="${label}"]`), began = performance.now(), seen = new Set();
    const place = () => {
        const node = board.querySelector(mark), {x, y, width} = node.getBoundingClientRect();
        return [x, y - node.closest(".kit-panel").getBoundingClientRect().y, width].map(Math.round);
    };
    const before = String(place());
    slider.value = Number(slider.value) === Number(slider.max) ? slider.min : slider.max;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    while (performance.now() < began + 600) {
        await new Promise(requestAnimationFrame);
        seen.add(String(place()));
    }
    return [seen.size, String(place()) !== before];
}"""
TRAVELLERS = {  # of boards whose numbers do not glide there: a slider, and a mark that it moves
    "spans": ("A", "[data-moves='2 0']"),
    "search": ("hits", "li[data-link='11']"),
    "heat": ("sentence", ".kit-mark"),
}
# Play for some frames: is the canvas painted, and how often is something in its panel made anew?
PLAYED = """async (board) => {
    const canvas = board.querySelector("canvas"), play = board.querySelector(".kit-buttons button");
    const before = canvas.toDataURL();
    let built = 0;
    const watch = new MutationObserver((changes) => { built += changes.length; });
    watch.observe(canvas.closest(".kit-panel"), {subtree: true, childList: true, attributes: true});
    play.click();
    for (let k = 0; k < 20; k++) await new Promise(requestAnimationFrame);
    const painted = canvas.toDataURL() !== before;
    (board.querySelectorAll(".kit-buttons button")[1] ?? play).click();
    return [painted, built];
}"""


# What a screen reader reads out by itself whenever it changes.
LIVE = ":is(output, [aria-live], [role=status], [role=alert], [role=log], [role=timer])"
# Move a slider to its other end; which values beside sliders are written?
WRITTEN = """async ([slider, all]) => {
    const written = new Set(), watch = new MutationObserver((changes) => {
        for (const {target} of changes)
            written.add(target.closest(".kit-control").querySelector("input").dataset.label);
    });
    for (const one of all) watch.observe(one, {subtree: true, childList: true, attributeFilter: ["aria-valuetext"]});
    slider.value = Number(slider.value) === Number(slider.max) ? slider.min : slider.max;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise(requestAnimationFrame);
    watch.disconnect();
    return [...written];
}"""


@pytest.fixture(scope="module", params=[LIGHT, pytest.param(DARK, marks=pytest.mark.nightly)])
def boards(request: pytest.FixtureRequest, chromium) -> Iterator[tuple]:
    """All boards on one page, light and dark; these readers ask for less motion."""
    size = {"width": WIDTHS[-1], "height": HIGH}
    context = chromium.new_context(viewport=size, color_scheme=request.param, reduced_motion="reduce")
    yield page_of_boards(context), request.param
    context.close()


def test_lettering_keeps_its_size_and_nothing_is_cut(boards) -> None:
    """12 to 13.5 px at every width; no words cut or on others; two columns at most; pictures beside controls."""
    page, _ = boards
    wrong = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HIGH})
        resized(page)
        for board in page.evaluate(LOOK):
            low, high = board["sizes"]
            if low < 12 - 0.01 or high > 13.5 + 0.01:
                wrong.append((width, board["name"], "lettering", low, high))
            if board["cut"] or board["columns"] > 2:
                wrong.append((width, board["name"], board["columns"], board["cut"]))
            fits = board["first"] < 844 if width == 390 else board["all"] < HIGH or width < 390
            if not fits:
                wrong.append((width, board["name"], "too tall", board["first"], board["all"]))
        wrong += [(width, heap) for heap in page.evaluate(HEAPS)]
    page.set_viewport_size({"width": WIDTHS[-1], "height": HIGH})
    assert wrong == []


def test_no_slider_moves_or_shrinks_under_the_hand(chromium) -> None:
    """Whatever its headline says, however long its value is; folds open."""
    context = chromium.new_context(viewport={"width": WIDTHS[-1], "height": HIGH}, reduced_motion="reduce")
    page = page_of_boards(context)
    page.evaluate("() => document.querySelectorAll('.kit-more').forEach((one) => { one.open = true; })")
    for width in (390, 900, 1280):
        page.set_viewport_size({"width": width, "height": HIGH})
        resized(page)
        assert page.evaluate(STEADY, 40) == [], width
    context.close()


def test_a_large_number_stands_in_one_line(chromium) -> None:
    """The longest, in half of a narrow panel."""
    context = chromium.new_context(viewport={"width": 900, "height": HIGH}, reduced_motion="reduce")
    page = page_of_boards(context, ["temperature"])
    page.locator(".kit-presets button").first.click()
    number = page.locator(".kit-figure b").last
    assert number.inner_text() == "> 99.9 %"
    high, room, wide = number.evaluate("one => [one.offsetHeight, one.clientWidth, one.scrollWidth]")
    assert high < 45 and wide <= room
    context.close()


def test_less_motion_jumps_and_more_glides(boards, chromium) -> None:
    """A quarter of a second on the way, unless the reader's system asks for less motion."""
    page, _ = boards
    board = page.locator("#tau_lambda .kit-board")
    assert board.evaluate(MOVE)["pictures"] == 1, "it jumps"
    context = chromium.new_context(reduced_motion="no-preference")
    moved = page_of_boards(context, ["tau_lambda", *TRAVELLERS])
    moving = moved.locator("#tau_lambda .kit-board").evaluate(MOVE)
    for name, slider in TRAVELLERS.items():
        places = [on.locator(f"#{name} .kit-board").evaluate(TRAVEL, slider) for on in (page, moved)]
        assert places[0] == [1, True] and places[1][0] > 2 and places[1][1], (name, places)
    context.close()
    assert moving["pictures"] > 2 and moving["lasted"] >= 200, moving


def test_the_words_of_every_positive_are_reached_by_keyboard(chromium) -> None:
    state, chosen = CASES["spans"]()
    page = chromium.new_page(reduced_motion="reduce")
    page.set_content(PAGE.replace("STYLE", style()))
    put(page, MOUNT, "spans", script("spans"), state, {**chosen[0], "longest": 64, "positives": 4})
    passages = set()
    for number in "4321":
        button = page.get_by_role("button", name=f"underline positive {number}")
        button.focus()
        page.keyboard.press("Enter")
        assert button.get_attribute("aria-pressed") == "true" and button.evaluate("one => one.matches(':focus')")
        assert page.locator(".kit-note [aria-pressed=true]").count() == 1
        assert f"positive {number} underlined" in page.locator(".kit-note").inner_text()
        passages.add(page.locator(".kit-running").inner_html())
    assert len(passages) == 4
    page.close()


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_what_colour_says_is_said_where_the_system_has_few(scheme: str, chromium) -> None:
    """Forced colours: what is pressed, a hit of both lists, a word of the question, and the anchor's words."""
    context = chromium.new_context(forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    page = page_of_boards(context, ["verdict"])
    spans, chosen = CASES["spans"]()
    put(page, MOUNT, "spans", script("spans"), spans, {**chosen[0], "longest": 64})
    search, _ = CASES["search"]()
    search["columns"] = [{"name": "raw", "right": None, "hits": one["hits"]} for one in search["columns"]]
    put(page, MOUNT, "search", script("search"), search | {"query": "text"}, {"query": "text", "k": 10})
    page.get_by_role("button", name="three seeds").click()

    def looks(of: str, what: str, where: str = "null") -> set[str]:
        ask = f"(all) => all.map((one) => getComputedStyle(one, {where}).{what})"
        found = set(page.locator(of).evaluate_all(ask))
        assert found, of
        return found

    for pressed, other in (
        (".kit-presets [aria-pressed=true]", ".kit-presets [aria-pressed=false]"),
        (".kit-vote[aria-pressed=true]", ".kit-vote[aria-pressed=false]"),
        (".kit-running .kit-blue", ".kit-running span:not(.kit-blue)"),
        (".kit-hits mark", ".kit-hits li"),
    ):
        assert not looks(pressed, "backgroundColor") & looks(other, "backgroundColor"), pressed
    stripes = [
        looks(f".kit-hits li{one}", "borderRightColor", "'::before'") for one in (".kit-both", ":not(.kit-both)")
    ]
    assert stripes[1] == {"rgb(255, 255, 255)" if scheme == LIGHT else "rgb(0, 0, 0)"} and not stripes[0] & stripes[1]
    assert looks(".kit-running span[style='']", "borderBottomWidth") == {"0px"}
    context.close()


def test_a_sphere_that_plays_paints_and_builds_nothing(boards) -> None:
    """200 points at 60 frames a second: what stands still is not made anew (`make frames` has the times)."""
    page, _ = boards
    for name in ("sphere", "live"):
        assert page.locator(f"#{name} .kit-board").evaluate(PLAYED) == [True, 0], name


def test_a_picture_that_is_touched_is_not_covered(boards) -> None:
    """On a phone the controls of most boards stay in view; those of a sphere that is turned by hand do not cover it."""
    page, _ = boards
    page.set_viewport_size({"width": 390, "height": 844})
    resized(page)
    held = {}
    for name in ("live", "sphere", "margin", "annealing"):
        picture = page.locator(f"#{name} .kit-panel svg").first
        picture.evaluate("(node) => window.scrollTo(0, window.scrollY + node.getBoundingClientRect().top)")
        controls, at = page.locator(f"#{name} .kit-controls").first.bounding_box(), picture.bounding_box()
        held[name] = round(controls["y"] + controls["height"] - at["y"]) > 0
    page.set_viewport_size({"width": WIDTHS[-1], "height": HIGH})
    resized(page)
    assert held == {"live": False, "sphere": False, "margin": False, "annealing": True}


def test_linked_marks_and_a_voice_that_waits(boards) -> None:
    """A row that is pointed at is marked in all maps; a screen reader is told once, shortly, when all is still."""
    page, _ = boards
    cell = page.locator("#heat [data-link='2'][data-column='4']").first
    cell.scroll_into_view_if_needed()
    cell.hover()
    assert page.locator("#heat .kit-linked[data-column='4']").count() == 2, "the same cell in both spaces"
    board = page.locator("#annealing .kit-board")
    status, slider = board.locator("[role=status]"), board.locator("input").first
    said = []
    page.expose_function("kitSaid", lambda words: said.append(words))
    status.evaluate(
        "(node) => new MutationObserver(() => window.kitSaid(node.textContent)).observe(node, {childList: true})"
    )
    # Five moves without a pause, however busy the machine: keys pressed from here could be further apart than it waits.
    slider.evaluate("""(one) => {
        for (let move = 0; move < 5; move++) {
            one.stepDown();
            one.dispatchEvent(new Event("input", {bubbles: true}));
        }
    }""")
    tries = 0
    while not said and (tries := tries + 1) < 300:
        page.wait_for_timeout(50)
    page.wait_for_timeout(1000)  # nothing is said again
    assert len(said) == 1 and 20 < len(said[0]) <= SPOKEN, said


def test_no_control_speaks_by_itself(boards) -> None:
    """A slider that is dragged, or plays, says its value to who asks for it; one that stands still is not written."""
    page, _ = boards
    assert page.locator(".kit-controls .kit-value").count() > 40
    assert page.locator(f".kit-controls {LIVE}").count() == 0
    rows = page.locator("#masks .kit-controls .kit-control:has(input[type=range])")
    sliders = rows.locator("input").element_handles()
    assert page.evaluate(WRITTEN, [sliders[1], rows.element_handles()]) == ["τ"], "where τ stands limits no anchor"


def test_what_is_spoken_is_short_on_every_board(boards) -> None:
    """The headline alone: numbers and where they come from stand in the caption, to be read at leisure."""
    page, _ = boards
    page.evaluate(CHANGE_ALL)
    spoken = """() => Object.fromEntries([...document.querySelectorAll(":not(#workshop) > .kit-board")].map((board) =>
        [board.parentElement.id, board.querySelector(":scope > [role=status]").textContent]))"""
    page.wait_for_function(f"() => Object.values(({spoken})()).every((words) => words)")
    told = page.evaluate(spoken)
    assert told.keys() == set(modules()) - {"workshop"}  # which answers when its kernel does
    assert {name: words for name, words in told.items() if not 15 < len(words) <= SPOKEN} == {}


def test_maps_stand_in_one_row_and_no_dot_leaves_its_line(boards) -> None:
    """A phone has the chosen map alone, with square cells and signs; the scale begins below the lowest cosine."""
    page, _ = boards
    rows = """() => [...document.querySelectorAll("#heat svg[aria-label^='cosines'] .kit-title")].map((one) =>
        one.getAttribute("y"))"""
    ends = """() => [...document.querySelectorAll("#heat svg[aria-label$='others'] g:has(circle)")].map((one) => {
        const line = one.querySelector(".kit-grid").getBoundingClientRect();
        const at = [...one.querySelectorAll("circle")].map((dot) => dot.getBoundingClientRect());
        return at.every((dot) => dot.left > line.left - 6 && dot.right < line.right + 6);
    })"""
    for width, maps in ((390, 1), (WIDTHS[-1], 2)):
        page.set_viewport_size({"width": width, "height": HIGH})
        resized(page)
        assert len(page.evaluate(rows)) == maps and len(set(page.evaluate(rows))) == 1, width
        cells = page.locator("#heat svg[aria-label^='cosines'] [data-column]")
        signs = cells.locator("> text").all_text_contents()
        assert cells.count() == 144 * maps and sorted(signs) == ["+"] * 4 * maps + ["−"] * 4 * maps, width
        box = cells.first.locator("rect").first.bounding_box()
        assert width > 390 or (abs(box["width"] - box["height"]) < 0.5 and box["width"] > 15), box
        assert page.evaluate(ends) == [True] * 11, width
    page.set_viewport_size({"width": WIDTHS[-1], "height": HIGH})
    resized(page)


# Pairs of words of the maps that run into one another.
COLLIDING = """() => {
    const words = [...document.querySelectorAll("#heat svg[aria-label^='cosines'] > text, #heat svg .kit-small")];
    const boxes = words.map((one) => [one.textContent, one.getBoundingClientRect()]);
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
    return boxes.flatMap(([one, a], k) =>
        boxes.slice(k + 1).filter(([, b]) => meet(a, b)).map(([other]) => [one, other]));
}"""


@pytest.mark.parametrize("width", [700, 740, 780, 860, 960, 1100])
def test_three_maps_have_room_for_their_words_at_every_width_of_a_row(chromium, width: int) -> None:
    state, [setting, *_] = CASES["heat"]()
    third = {
        "spaces": [*state["spaces"], "whitened"],
        "cosines": state["cosines"] | {"whitened": state["cosines"]["raw"]},
    }
    page = chromium.new_page(viewport={"width": width, "height": HIGH})
    page.set_content(PAGE.replace("STYLE", style()))
    put(page, MOUNT, "heat", script("heat"), state | third, setting)
    resized(page)
    assert page.locator("#heat svg[aria-label^='cosines'] .kit-title").count() == 3
    [looked] = page.evaluate(LOOK)
    assert looked["cut"] == [] and page.evaluate(COLLIDING) == []
    page.close()


def test_the_dot_of_a_measured_curve_stands_where_its_number_was_measured(chromium) -> None:
    """Between two measurements the workshop's dot and number are the earlier one's; the marker is where one looks."""
    state, _ = workshop()  # measured every five steps of 22
    page = chromium.new_page(viewport={"width": WIDTHS[-1], "height": HIGH})
    page.set_content(PAGE.replace("STYLE", style()))
    put(page, MOUNT, "workshop", script("workshop"), state | {"mode": "recorded"}, {"reached": 0.6})
    resized(page)
    picture = page.locator(".kit-panel svg").first
    dots = picture.locator("circle").evaluate_all(
        "all => all.map((one) => ['cx', 'cy'].map((name) => one.getAttribute(name)).join())"
    )
    points = picture.locator("polyline:not([stroke-dasharray])").first.get_attribute("points").split()  # what has run
    assert dots == [points[2]] and "60.0" in picture.locator(".kit-strong").all_text_contents()
    page.close()


def test_every_piece_of_the_explorers_bar_has_its_word(chromium) -> None:
    """Upright where it is narrow; where even that does not fit, two wholes with their shares. No blank box."""
    pieces = """() => [...document.querySelectorAll(".kit-panels .kit-panel:first-child svg > rect")].map((one) => {
        const [box, word] = [one, one.nextElementSibling].map((node) => node.getBoundingClientRect());
        const inside = word.left > box.left - 1 && word.right < box.right + 1 && word.height < box.height + 1;
        return one.nextElementSibling.textContent.length > 0 && inside;
    })"""
    words = "[CLS] heavy rain kept falling on the town all night . [SEP]".split()
    for repeated, phone in ((1, 12), (4, 2)):
        tokens = words * repeated
        hidden = [[[[1000 + 300 * (t % 3 == d) for d in range(3)] for t in range(len(tokens))] for _ in range(2)]] * 2
        state = {"sentences": ["one", "two"], "tokens": [tokens, tokens], "cut": [False] * 2, "hidden": hidden}
        for width, expected in ((390, phone), (1280, len(tokens))):
            context = chromium.new_context(viewport={"width": width, "height": HIGH})
            page = context.new_page()
            page.set_content(PAGE.replace("STYLE", style()))
            put(page, MOUNT, "explorer", script("explorer"), state, {})
            resized(page)
            assert page.evaluate(pieces) == [True] * expected, width
            context.close()


def test_groups_and_sliders_have_names(boards) -> None:
    page, _ = boards
    names = page.locator(".kit-board").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert all(len(name or "") > 12 for name in names) and len(set(names)) == len(names), names
    sliders = page.locator(".kit-board input[type=range]").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert [name for name in sliders if len(name) < 6] == []  # "seed", of what?
    told = page.locator(".kit-stage").evaluate_all("""all => all.map((one) =>
        document.querySelectorAll(`[id="${one.getAttribute("aria-describedby")}"]`).length === 1 &&
        document.getElementById(one.getAttribute("aria-describedby")).closest(".kit-board").contains(one))""")
    assert told == [True] * len(names), "the pictures are tied to the caption, which says what is true in them now"


def test_an_audit_finds_nothing_serious(boards) -> None:
    """axe-core on all boards with every fold open: names, roles, contrast, focus."""
    page, _ = boards
    page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert serious_findings(page) == []


# How many of the solid lines of its picture go through the word "untrained".
CROSSINGS = """() => [...document.querySelectorAll('svg text')].filter((one) => /^untrained/.test(one.textContent))
    .flatMap((word) => [...word.closest('svg').querySelectorAll('polyline:not([stroke-dasharray])')]
        .filter((line) => {
            const {left, right, top, bottom} = word.getBoundingClientRect(), long = line.getTotalLength();
            return Array.from({length: 101}, (_, k) =>
                line.getPointAtLength((long * k) / 100).matrixTransform(line.getScreenCTM()))
                .some(({x, y}) => left < x && x < right && top < y && y < bottom);
        })).length"""


def recorded_taus() -> dict:
    """The state of lesson 04's training as a page has it: eight runs, of which some end alike."""
    recording = measured("live")["tau"]
    parts = {key: recording[key] for key in ("runs", "sentences", "premise", "roles")}
    many = len(recording["runs"][0]["frames"][0]["histogram"])
    bins = [2 * k / many - 1 for k in range(many + 1)]
    return {**CASES["live"]()[0], **parts, "sliders": ["tau"], "starts": {"tau": 0.05}, "bins": bins}


def test_no_words_meet_where_sliders_stand_at_their_ends(chromium) -> None:
    """Labels at curves: on no other lettering, and not over an edge."""
    first = {name: CASES[name]()[1][0] for name in ("tau_lambda", "margin", "temperature")}
    tried = {"tau": 0.1, "tried": list(range(8)), "point": 1}
    nnpu = {"memory": 2.5, "prior": 0.4, "kept": 0.1, "boundary": 0.0, "steepness": 20.0}
    settings = [
        *(
            ("tau_lambda", {**first["tau_lambda"], "tau": tau, "lam": lam})
            for tau in (0.01, 10.0)
            for lam in (0.0, 1.0)
        ),
        ("margin", {**first["margin"], "margin": 0.05, "negative_x": -1.0, "negative_y": -2.2}),
        ("temperature", {**first["temperature"], "anchor": "phone"}),
        ("nnpu", nnpu),
        ("live", tried),
    ]
    context = chromium.new_context(viewport={"width": WIDTHS[-1], "height": HIGH}, reduced_motion="reduce")
    page = context.new_page()
    page.set_content(PAGE.replace("STYLE", style()))
    for number, (name, chosen) in enumerate(settings):
        state = recorded_taus() if name == "live" else CASES[name]()[0]
        put(page, MOUNT, f"{name}{number}", script(name), state, chosen)
    page.evaluate("() => document.querySelectorAll('.kit-behind').forEach((one) => { one.open = true; })")
    for width in (WIDTHS[0], WIDTHS[-1]):
        page.set_viewport_size({"width": width, "height": HIGH})
        resized(page)
        assert page.evaluate(HEAPS) == [] and page.evaluate(CROSSINGS) == 0, width
        assert [board["cut"] for board in page.evaluate(LOOK)] == [[]] * len(settings), width
    assert page.get_by_text("to uncover a").count() == 0, "none is left"
    context.close()
