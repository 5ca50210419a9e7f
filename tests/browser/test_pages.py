"""Every page at the widths that readers have, light and dark, at 150 % and on paper: nothing is cut, blank or tiny."""

from __future__ import annotations

from pathlib import Path

import build_site
import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_page import PLOTLY, WIDGET

from kit.captions import LAB_STYLE, caption
from tests.browser.axe_core import serious_findings
from tests.browser.board_page import CUT, SPACED
from tests.browser.harness import WAIT_MS
from tests.browser.page_measures import MEASURE, SCROLL, troubles

ROOT = Path(__file__).resolve().parents[2]
EXECUTED = (ROOT / "build" / "executed", ROOT / "build" / "notebooks")  # of `make site`, of the notebooks' tests

ASKED = """### Exercise: Whose?

Stuck? Run `hint("compare-losses")`."""
# Exercises that ask for a number, for two, for words and for True or False.
NUMBERS = ("scale-to-temperature", "two-of-four", "three-verdicts", "what-changes")


def shown(data: dict, **metadata: object):
    return new_output("display_data", data, metadata=metadata)


def figures() -> list[dict]:
    """One panel, two with long labels, two with names of lines, three beside one another, a curve of a single point."""
    from kit.figures import collapse_curve, cosine_histogram, heat_maps, loss_curve, sweep_curve

    labels = [f"{topic} {role}" for topic in ("weather", "sport", "phone", "food") for role in ("anchor", "+", "−")]
    matrix = [[0.5 + 0.04 * abs(i - j) for i in range(12)] for j in range(12)]
    value = {"mean": 0.5, "low": 0.4, "high": 0.6, "n": 3}
    point = {"average": {"all": value}, "geometry": {"mean_cosine": value, "effective_rank": value}}
    sweep = {"varies": "τ", "points": {"0.01": point, "0.05": point, "1": point}}
    drawn = [
        cosine_histogram({"before": [0.1, 0.2, 0.7], "after": [0.3]}),
        heat_maps({"before": matrix, "after": matrix}, labels),
        sweep_curve(sweep, ["all", "mean_cosine", "effective_rank"]),
        loss_curve([{"step": 1, "loss": 1.0, "mlm": 2.0}], ["loss", "mlm"]),
        collapse_curve(
            {
                f"rate {rate}": [{"step": n, "loss": rate + n, "distance": 1 / n} for n in (1, 2)]
                for rate in (0.1, 0.11, 0.12)
            },
            margin=1,
        ),
    ]
    return [one.figure.to_plotly_json() for one in drawn]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lesson with the kit's own plots and boards, an exercise with choices, and a second lesson to lead to."""
    import json

    from plotly.utils import PlotlyJSONEncoder

    from kit.boards import own_sentences_board
    from kit.course.predictions import standalone
    from kit.figures import PageTable

    root = tmp_path_factory.mktemp("course")
    plots = [shown({PLOTLY: json.loads(json.dumps(one, cls=PlotlyJSONEncoder))}) for one in figures()]
    boards = [own_sentences_board(sentences=[f"A boat sails {n} miles." for n in range(40)])]
    guess = {"ask": "Up?", "options": [["up", True], ["no", False]], "answer": "<p>Up.</p>"}
    topics = PageTable(["cosine: positive − negative", "weather", "sport", "phone", "food"], [["cls", *["−0.017"] * 4]])
    wide = PageTable(["wide", *["0.123456"] * 9], [["row", *["0.123456"] * 9]] * 3)
    said = {WIDGET: {}, "text/html": '<p class="kit-caption">It stands still.</p>'}
    cells = [
        new_markdown_cell("# 04 Measured\n\n> *Why 20?*\n\nAt the end you can\n\n1. **say** why;\n2. read on."),
        new_markdown_cell("## A scale\n\nHeat and temperature are unlike."),
        *(new_code_cell("figure  # drawn", outputs=[plot]) for plot in plots),
        *(new_code_cell("board", outputs=[shown(said, kit_board=board.standalone())]) for board in boards),
        new_code_cell("finding", outputs=[shown(said, kit_board=standalone(guess))]),
        new_code_cell("answer", outputs=[shown({"text/html": one._repr_html_()}) for one in (topics, wide)]),
        new_markdown_cell(ASKED, id="exercise-compare-losses"),
        new_code_cell('better = ...\ncheck("compare-losses", better)', id="answer-compare-losses"),
    ]
    for folder in ("notebooks", "executed"):
        (root / folder).mkdir()
        write(new_notebook(cells=cells), root / folder / "04_measured.ipynb")
        asked = [new_code_cell("x = ...", id=f"answer-{name}") for name in NUMBERS]
        write(new_notebook(cells=[*cells[:2], *asked]), root / folder / "05_next.ipynb")
    with pytest.raises(SystemExit) as end:
        build_site.main(["--executed", str(root / "executed")], root)
    assert not end.value.code
    return root / "build" / "site"


def test_a_lesson_fits_its_window_and_its_paper(site: Path, chromium) -> None:
    page, errors = chromium.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    found = troubles(page, site / "04_measured.html", widths=(390, 1024), schemes=("light",), zoomed=False)
    assert found == [] and errors == []
    ink = "() => getComputedStyle(document.querySelector('.figure .xtick text')).fill"
    light = page.evaluate(ink)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => ({ink})() !== light", arg=light)
    page.close()


def spoiled_figures() -> dict[str, dict]:
    """What is said of it: a plot with that fault."""
    dots = {"type": "scatter", "mode": "lines+markers", "x": [1, 2], "y": [1, 2]}
    beside = {"xaxis2": {"domain": [0.6, 1], "anchor": "y2"}, "yaxis2": {"anchor": "x2"}, "xaxis": {"domain": [0, 0.4]}}
    title = {"text": "one<br>two<br>three", "x": 0.1, "y": 1.1, "xref": "paper", "yref": "paper", "showarrow": False}
    return {
        "": {"data": [dots]},
        "a plot is blank": {"data": [{**dots, "x": [], "y": []}]},
        "a panel of a plot is blank": {"data": [dots, {**dots, "y": [], "x": [], "xaxis": "x2", "yaxis": "y2"}],
                                       "layout": beside},
        "px are empty": {"data": [dots], "layout": {"height": 900, "yaxis": {"domain": [0.5, 1]}}},
        "sticks out of its plot": {"data": [dots], "layout": {"margin": {"t": 4}, "annotations": [title]}},
        "an interval leaves its panel": {"data": [{**dots, "error_x": {"array": [3, 3]}}],
                                         "layout": {"xaxis": {"range": [0, 3]}}},
        "has 9.0 px": {"data": [dots], "layout": {"xaxis": {"tickfont": {"size": 9}}}},
        "has a contrast of": {"data": [dots], "layout": {"xaxis": {"tickfont": {"color": "#999999"}}}},
    }  # fmt: skip


def test_what_is_wrong_with_a_plot_is_seen(chromium, tmp_path: Path) -> None:
    import notebook_page
    from site_parts import Scripts, figure_html

    from kit.figures.page_policy import policy

    scripts = Scripts(tmp_path / "assets")
    scripts.folder.mkdir()
    for name, text in zip(("site.css", "page.js"), notebook_page.inline_assets().values()):
        (scripts.folder / name).write_text(text, "utf-8")
    page = chromium.new_page()
    page.set_default_timeout(WAIT_MS)
    for trouble, figure in spoiled_figures().items():
        figure["layout"] = {"margin": {"t": 30}, **figure.get("layout", {})}
        article = {"title": trouble, "html": figure_html(figure, Scripts(scripts.folder))}
        made = notebook_page.render("page.html.j2", article=article, policy=policy(files=True))
        (tmp_path / "page.html").write_text(made, "utf-8")
        page.goto((tmp_path / "page.html").as_uri())
        page.evaluate(SCROLL, "")
        found = page.evaluate(MEASURE)
        assert any(trouble in one for one in found) if trouble else found == [], (trouble, found)
    page.close()


# What a finger presses: all but links and words in a sentence.
PRESSED = """() => [
    ...document.querySelectorAll("button, input, select, summary, nav a, .bar a, .begin, .lessons div > a")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1)
    .map((one) => ["radio", "checkbox"].includes(one.type) ? one.closest("label") : one)
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([, {width, height}]) => Math.min(width, height) < 43.5)
    .map(([one, {width, height}]) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 20)}: ` +
        `${Math.round(width)} × ${Math.round(height)}`)"""


def test_a_finger_finds_everything_that_is_pressed(site: Path, chromium) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    for name in ("index", "04_measured", "05_next", "glossary"):
        page.goto((site / f"{name}.html").as_uri())
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.locator(".kit-predict button").first.wait_for() if name == "04_measured" else page.wait_for_load_state()
        assert page.evaluate(PRESSED) == [], name
    context.close()


def test_a_reader_unfolds_code_and_answers_and_finds_a_word(site: Path, chromium) -> None:
    page = chromium.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto((site / "04_measured.html").as_uri())
    code = page.locator("details.source .input").first
    assert not code.is_visible()
    page.get_by_role("button", name="Show all code").click()
    assert code.is_visible()

    page.locator("details.choice summary", has_text="a").first.click()
    assert page.get_by_text("Not yet.").first.is_visible() and "Stuck?" not in page.content()
    page.locator("details.solution summary").click()
    assert page.get_by_text('better = "c"').or_(page.get_by_text("better = 'c'")).first.is_visible()

    page.locator(".menu summary").click()
    assert page.locator(".all a").count() == 2 and page.locator(".all a[aria-current]").count() == 1
    page.get_by_label("Search the lessons").fill("temperatúre")
    page.locator(".found a").first.wait_for()
    page.get_by_label("Search the lessons").fill("zzz <img src=x onerror='ran=1'>")
    page.get_by_text("Nothing found.").wait_for()
    page.get_by_label("Search the lessons").fill("heat")
    page.locator(".found a", has_text="A scale").first.click()
    page.wait_for_url("**#A-scale")
    page.close()


ANSWER = "details.answered table"


def test_a_table_that_answers_a_question_waits_for_the_reader_with_and_without_scripts(site: Path, chromium) -> None:
    for scripts in (True, False):
        page = chromium.new_page(java_script_enabled=scripts, viewport={"width": 390, "height": 800})
        page.set_default_timeout(WAIT_MS)
        page.goto((site / "04_measured.html").as_uri())
        table = page.locator(ANSWER).first
        assert not table.is_visible()
        page.emulate_media(media="print")
        if not scripts:
            assert table.is_visible(), "what cannot be opened on paper"
        page.emulate_media(media="screen")
        page.get_by_text("What came out, as a table").press("Enter")
        assert table.get_by_text("food").is_visible()
        page.close()


def test_what_is_unfolded_for_the_paper_is_folded_again(site: Path, chromium) -> None:
    page = chromium.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto((site / "04_measured.html").as_uri())
    own = page.locator("details.source").nth(1)
    own.locator("summary").click()
    opened = "() => [...document.querySelectorAll('details:is(.source, .answered)')].map((one) => one.open)"
    before = page.evaluate(opened)
    assert before.count(True) == 1
    for event, folds in (("beforeprint", [True] * len(before)), ("afterprint", before)) * 2:
        page.evaluate("event => window.dispatchEvent(new Event(event))", event)
        assert page.evaluate(opened) == folds, event
    page.close()


def test_a_table_fits_a_phone_or_shows_that_there_is_more(site: Path, chromium) -> None:
    import io

    from PIL import Image

    page = chromium.new_page(viewport={"width": 390, "height": 800})
    page.set_default_timeout(WAIT_MS)
    page.goto((site / "04_measured.html").as_uri())
    page.get_by_text("What came out, as a table").click()
    topics, wide = page.locator(".table").first, page.locator(".table").last
    over = "one => one.scrollWidth - one.clientWidth"
    assert topics.evaluate(over) == 0, "all four topics are seen"
    assert wide.evaluate(over) > 100
    page.wait_for_function("one => one.tabIndex === 0", arg=wide.element_handle())  # it is moved by keyboard, too

    def brightness(x: int) -> int:
        """Of the paper in three columns of pixels, from x on (below zero: from the right edge)."""
        picture = Image.open(io.BytesIO(wide.screenshot())).convert("L")
        left = x % picture.width
        pixels = sorted(picture.crop((left, 0, left + 3, picture.height)).tobytes())
        return pixels[len(pixels) // 2]

    paper = brightness(100)
    assert brightness(-4) < paper - 15 and brightness(0) == paper, "more on the right"
    wide.evaluate("one => { one.scrollLeft = 1000; }")
    assert brightness(-4) == paper and brightness(0) < paper - 15, "more on the left"
    page.close()


@pytest.mark.parametrize("late", [False, True])
def test_a_plot_has_room_for_letters_set_wider_apart(site: Path, chromium, late: bool) -> None:
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    page.set_default_timeout(WAIT_MS)
    page.goto((site / "04_measured.html").as_uri())
    if late:
        page.evaluate(SCROLL, "")
        narrow = page.locator(".figure .annotation-text").last.bounding_box()["width"]
    page.add_style_tag(content=SPACED)
    page.evaluate(SCROLL, "")
    if late:
        page.wait_for_timeout(1000)
        assert page.locator(".figure .annotation-text").last.bounding_box()["width"] > narrow
    assert page.locator(".figure .annotation-text").count() > 3 and page.evaluate(CUT) == []
    whole = (
        "() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => plot._fullLayout.hoverlabel.namelength)"
    )
    assert set(page.evaluate(whole)) == {-1}, "names are whole where a line is pointed at, too"
    page.close()


def audited(page, file: Path) -> list[str]:
    """What axe-core finds on a page with everything unfolded, light and dark."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto(file.as_uri())
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate(SCROLL, "")  # plots are drawn where they come into view
        found += [f"{file.stem}, {scheme}: {finding}" for finding in serious_findings(page)]
    return found


def test_unfolded_code_is_read_by_everybody(site: Path, chromium) -> None:
    page = chromium.new_page()
    assert audited(page, site / "04_measured.html") == []
    page.close()


def test_numbers_are_answered_on_the_page_as_check_answers_them(site: Path, chromium) -> None:
    """Each right answer, each known mistake, one that nobody foresaw, and nonsense: the words are those of `check`."""
    from kit.course.exercises import find_exercise
    from kit.course.exercises.checking import judge

    page = chromium.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto((site / "05_next.html").as_uri())
    for name, place in zip(NUMBERS, page.locator(".asked").all(), strict=True):
        exercise = find_exercise(name)
        for answer in (exercise.solution, *(mistake.answer for mistake in exercise.mistakes)):
            answer_on(place, answer)
            said, expected = place.locator(".said:visible").inner_text(), judge(exercise, answer)
            assert said.startswith("That is it." if expected.outcome == "right" else "Not yet."), (name, answer)
            told = "".join(letter for letter in expected.message if letter.isalpha())
            assert told[-12:] in "".join(letter for letter in said if letter.isalpha()), (name, answer)
    number, two = page.locator(".asked").nth(0), page.locator(".asked").nth(1)
    for text, words in (
        ("1/50", "That is it."),
        ("0,02", "That is it."),
        ("7", "7 is too large"),
        ("x", "expected a n"),
    ):
        number.locator("input").fill(text)
        number.locator("button").click()
        assert words in number.inner_text(), text
    answer_on(two, (2, 0.9))
    assert "1 of 2 values are right; value 2 is too large" in two.inner_text()
    assert serious_findings(page) == []
    page.close()


def answer_on(place, answer: object) -> None:
    for value, field in zip(answer if isinstance(answer, tuple) else (answer,), place.locator("input, select").all()):
        field.select_option(str(value)) if isinstance(value, (str, bool)) else field.fill(str(value))
    place.locator("button").click()


@pytest.mark.parametrize(("ink", "ground"), [("#22252b", "#fdfcfa"), ("#e6e6e6", "#111")])
def test_a_warning_can_be_read_on_white_and_on_black(chromium, ink: str, ground: str) -> None:
    page = chromium.new_page()
    body = f"<main style='color:{ink};background:{ground}'><h1>Lesson</h1>{caption('Made-up text.', 'warning')}</main>"
    page.set_content(f"<html lang='en'><title>Lesson</title><body>{body}</body></html>")
    assert serious_findings(page) == []
    page.close()


@pytest.mark.nightly
def test_every_page_at_every_width_light_and_dark(tmp_path: Path, chromium) -> None:
    """Of the notebooks that `make site` or the notebooks' tests have run last."""
    folder = next((one for one in EXECUTED if len(list(one.glob("*.ipynb"))) > 12), None)
    if folder is None:
        pytest.skip("NO EXECUTED NOTEBOOKS: run `make site` first")
    build_site.build({path.stem: path for path in sorted(folder.glob("*.ipynb"))}, tmp_path / "site")
    page = chromium.new_page()
    found = []
    for file in sorted((tmp_path / "site").glob("*.html")):
        found += [*troubles(page, file), *audited(page, file)]
    page.close()
    assert found == []


def test_the_picture_of_a_plot_fits_its_cell_in_a_lesson_opened_again(blank) -> None:
    """JupyterLab keeps a PNG of each plot, as wide as it was, and shows that until the pointer enters it."""
    picture = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='800' height='400'/%3E"
    output = f'<div style="width: 300px"><img class="plot-img" src="{picture}"></div>'
    blank.set_content(LAB_STYLE + output, wait_until="load")
    box = blank.locator("img").bounding_box()
    assert (box["width"], box["height"]) == (300, 150)
