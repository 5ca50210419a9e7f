"""The board of a search before a reader with a keyboard: ask, judge, and stay where one was."""

from __future__ import annotations

import pytest

from kit.boards.board import script, style
from kit.boards.search_widget import search_board
from kit.errors import printable
from kit.retrieval import Index
from tests.browser.harness import SCREENSHOTS
from tests.retrieval.test_vector_index import Drawn

TEXTS = [f"An answer to question number {i}, with some more words in it" for i in range(30)]
# A model as anywidget gives it, whose changes Python sees and answers.
PAGE = """async ([text, css, theme, state, controls]) => {
    const heard = {}, kept = {state, controls, theme, error: "", kernel: true};
    document.head.append(Object.assign(document.createElement("style"), {textContent: css}));
    const model = {
        get: (name) => kept[name],
        set: (name, value) => { kept[name] = value; },
        save_changes: async () => {
            kept.state = await window.askPython(kept.controls);
            heard["change:state"]?.();
        },
        on: (name, call) => { heard[name] = call; },
        off: () => {},
    };
    const module = await import(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
    module.default.render({model, el: document.body});
}"""


def test_who_judges_hits_by_keyboard_keeps_the_place_and_gets_pairs(chromium) -> None:
    board = search_board(Index.build(Drawn(), TEXTS), Index.build(Drawn(seed=1), TEXTS), "what?")

    def answer(controls: dict) -> dict:
        board.widget.controls = controls
        assert board.widget.error == ""
        return board.state

    for theme, width in (("light", 1000), ("dark", 360)):
        page = chromium.new_page(viewport={"width": width, "height": 900})
        page.expose_function("askPython", answer)
        page.evaluate(PAGE, [script("search"), style(), theme, board.state, dict(board.controls)])
        hits = page.locator(".kit-hits").last.locator("li")
        assert hits.count() == 5 and page.locator(".kit-hits").count() == 2
        first = hits.first.get_by_role("button").first
        assert first.get_attribute("aria-label").startswith("fits: An answer")
        pressed = first.get_attribute("aria-pressed")
        first.focus()
        page.keyboard.press("Enter")
        changed = "true" if pressed == "false" else "false"
        page.locator(f".kit-hits >> nth=1 >> li >> nth=0 >> button[aria-pressed={changed}] >> nth=0").wait_for()
        assert page.evaluate("() => document.activeElement.dataset.keep") == first.get_attribute("data-keep")
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"search-{theme}-{width}.png", full_page=True)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        page.get_by_label("search for").fill("another question")
        page.locator(".kit-caption", has_text="For “another question”").wait_for()
        page.get_by_label("search for").fill("what?")
        page.locator(".kit-caption", has_text="For “what?”").wait_for()
        page.locator(".kit-caption", has_text=f"Judged so far: {int(changed == 'true')} fit").wait_for()
        page.close()
    assert board.pairs() == []  # pressed twice: taken back


def drawn(chromium, board, width: int = 1000):
    """A page with the board as it is now."""
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.evaluate(PAGE, [script("search"), style(), "light", board.state, dict(board.controls)])
    page.locator(".kit-hits li").first.wait_for()
    return page


def test_the_two_lists_of_any_question_stand_side_by_side(chromium) -> None:
    """Also of one whose right text is not known, over which no axis stands: "raw" on the left, "trained" right."""
    page = drawn(chromium, search_board(Index.build(Drawn(), TEXTS), Index.build(Drawn(seed=1), TEXTS), "what?"))
    raw, trained = (one.bounding_box() for one in page.locator(".kit-hits").all())
    assert raw["y"] == trained["y"] and raw["x"] + raw["width"] < trained["x"]
    page.screenshot(path=SCREENSHOTS / "search-typed.png")
    page.close()


@pytest.mark.parametrize(
    ("query", "text", "marks"),
    [
        ("Who sells passports?", "A passport, or a map; the WHO sold some.", ["passport"]),
        ("पासपोर्ट का नवीकरण", "नया पासपोर्ट यहाँ मिलता है", ["पासपोर्ट"]),
        ("护照怎么办理", "在这里领取护照，需要照片。", ["护照"]),
        ("パスポートの申請", "申請書とパスポートを持参", ["申請書", "パスポート"]),
        ("ใบขับขี่ที่ภูเก็ต", "สำนักงานภูเก็ตเปิดวันนี้", ["ภูเก็ต"]),
        ("여권을 신청하고 싶어요", "여권은 구청에서 받는다", ["여권은"]),
    ],
)
def test_words_of_the_question_are_coloured_in_every_script(query: str, text: str, marks: list[str], chromium) -> None:
    """Hindi has marks inside words; Chinese, Japanese and Thai have no spaces between them."""
    page = drawn(chromium, search_board(Index.build(Drawn(), [text]), query=query))
    assert page.locator(".kit-hit mark").all_text_contents() == marks
    assert page.locator(".kit-hit").text_content() == text
    page.close()


# Where letters stand on the screen: the left edge of the first of each of these parts of a text, from left to right.
ORDER = """([selector, parts]) => {
    const left = (part) => {
        const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
        for (let node; (node = walker.nextNode());) {
            const at = node.data.indexOf(part), range = document.createRange();
            if (at < 0) continue;
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            return range.getBoundingClientRect().left;
        }
    };
    return parts.map((part) => [left(part), part]).sort((a, b) => a[0] - b[0]).map((one) => one[1]);
}"""


def test_words_from_right_to_left_change_no_place_with_those_round_them(chromium) -> None:
    """In the headline, the caption, the field while one types, and the hits, of which each has its own direction."""
    texts, query = ["המלחמה נגמרה (64).", *TEXTS[:3]], "מונית 2024?"
    page = drawn(chromium, search_board(Index.build(Drawn(), texts), Index.build(Drawn(seed=1), texts), query))
    page.locator(".kit-words > summary").click()
    shown = ["For", "“", "?", "2024", "מ", "”"]
    assert page.evaluate(ORDER, [".kit-headline", [*shown, ":", "4 of"]]) == [*shown, ":", "4 of"]
    assert page.evaluate(ORDER, [".kit-caption", [*shown, "raw"]]) == [*shown, "raw"]
    [field, *hits] = page.locator("input[type=text], .kit-hit").all()
    for one, start in [(field, query)] + [(hit, hit.inner_text()) for hit in hits]:
        direction = one.evaluate("(node) => getComputedStyle(node).direction")
        assert direction == ("rtl" if start[0] > "\u0590" else "ltr"), start
    page.screenshot(path=SCREENSHOTS / "search-right-to-left.png")
    page.close()


HOSTILE = [
    "<img src=x onerror='window.ran = 1'>",
    "</script><script>window.ran = 1</script>",
    "\"><svg onload='window.ran = 1'>",
    "' onmouseover='window.ran = 1' x='",
    "&lt;img src=x onerror=window.ran=1&gt; &#x3c;b&#x3e;",
    "${window.ran = 1} {{window.ran = 1}} %{window.ran}",
    "[a](javascript:window.ran=1) <a href='javascript:window.ran=1'>a</a>",
    "שלום עולם, a text from right to left",
    "turned \u202e around, and a command \x1b[31m",
    "x" * 1_000_000,
]


SAYS = """(start) => document.body.textContent.replace(/[\\u2068\\u2069]/g, "").includes(start)"""


def test_texts_that_would_run_are_shown_as_they_stand(chromium) -> None:
    index = Index.build(Drawn(), HOSTILE)
    board = search_board(index, index, HOSTILE[0], names=(HOSTILE[1], HOSTILE[2]))

    def answer(controls: dict) -> dict:
        board.widget.controls = controls
        return board.state

    page, wrong, asked = chromium.new_page(viewport={"width": 1000, "height": 900}), [], []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.expose_function("askPython", answer)
    page.evaluate(PAGE, [script("search"), style(), "light", board.state, {**board.controls, "k": 10}])
    page.wait_for_function("() => document.querySelectorAll('.kit-hits li').length === 20")
    shown = page.locator(".kit-hits").first.locator(".kit-hit").all_text_contents()
    assert sorted(shown) == sorted(printable(text[:400]) + "…" * (len(text) > 400) for text in HOSTILE)
    page.locator(".kit-hits li").first.get_by_role("button").first.click()
    for query in HOSTILE:
        page.get_by_label("search for").fill(query[:20_000])
        page.wait_for_function(SAYS, arg=f"For “{query[:30]}")
    for row in page.locator(".kit-hits li").all():
        row.hover()
    assert page.evaluate("() => window.ran") is None and wrong == []
    assert page.locator("#kit img, .kit-hits img, .kit-hits a, .kit-hits svg, .kit-caption *").count() == 0
    assert [url for url in asked if not url.startswith(("blob:", "about:"))] == []
    page.screenshot(path=SCREENSHOTS / "search-hostile.png", full_page=True)
    page.close()
    board.controls["query"] = "half of a character \ud800"
    assert "holds half of a character" in board.widget.error
    board.controls["query"] = "q" * 1_000_000
    assert board.widget.error == "" and len(board.state["query"]) == 10_000
