"""Every page at the widths that readers have, light and dark, at 150 % and on paper: nothing is cut, blank or tiny."""

from __future__ import annotations

from pathlib import Path

import build_site
import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_page import PLOTLY, WIDGET

from tests.browser.axe_core import serious_findings
from tests.browser.harness import WAIT_MS
from tests.browser.page_measures import troubles

ROOT = Path(__file__).resolve().parents[2]
EXECUTED = (ROOT / "build" / "executed", ROOT / "build" / "notebooks")  # of `make site`, of the notebooks' tests

ASKED = """### Exercise: Whose?

Stuck? Run `hint("compare-losses")`."""
# Exercises that ask for a number, for two, for words and for True or False.
NUMBERS = ("scale-to-temperature", "two-of-four", "three-verdicts", "what-changes")


def shown(data: dict, **metadata: object):
    return new_output("display_data", data, metadata=metadata)


def figures() -> list[dict]:
    """One panel, two with long labels, three beside one another, and a curve of a single point."""
    from kit.figures import cosine_histogram, heat_maps, loss_curve, sweep_curve

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
    ]
    return [one.figure.to_plotly_json() for one in drawn]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lesson with the kit's own plots and boards, an exercise with choices, and a second lesson to lead to."""
    import json

    from plotly.utils import PlotlyJSONEncoder

    from kit.boards import own_sentences_board

    root = tmp_path_factory.mktemp("course")
    plots = [shown({PLOTLY: json.loads(json.dumps(one, cls=PlotlyJSONEncoder))}) for one in figures()]
    boards = [own_sentences_board(sentences=[f"A boat sails {n} miles." for n in range(40)])]
    said = {WIDGET: {}, "text/html": '<p class="kit-caption">It stands still.</p>'}
    cells = [
        new_markdown_cell("# 04 Measured\n\n> *Why 20?*\n\nAt the end you can\n\n1. **say** why;\n2. read on."),
        new_markdown_cell("## A scale\n\nHeat and temperature are unlike."),
        *(new_code_cell("figure  # drawn", outputs=[plot]) for plot in plots),
        *(new_code_cell("board", outputs=[shown(said, kit_board=board.standalone())]) for board in boards),
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


def audited(page, file: Path) -> list[str]:
    """What axe-core finds on a page with everything unfolded, light and dark."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto(file.as_uri())
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
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
