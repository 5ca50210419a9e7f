"""The pages of the site as a reader meets them: opened as files, without kernel and without network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import build_site
import formulas_pdf
import page_stills
import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_page import PLOTLY, WIDGET, save_page

from tests.browser.harness import WAIT_MS

TINY = """
export default {
  render({model, el}) {
    const slider = document.createElement("input"), shown = document.createElement("b");
    Object.assign(slider, {type: "range", min: 0, max: 10, value: model.get("controls").tau});
    slider.setAttribute("aria-label", "tiny");
    shown.id = "tiny";
    const say = () => { shown.textContent = model.get("controls").tau + model.get("state").more; };
    slider.addEventListener("input", () => {
      model.set("controls", {tau: Number(slider.value)});
      model.save_changes();
    });
    model.on("change:controls", say);
    el.append(slider, shown, model.get("kernel") === false ? " no kernel" : "");
    say();
  },
};
"""
BROKEN = "export default {render() { throw new Error('not here'); }};"
FIGURE = {"data": [{"type": "bar", "y": [1, 2, 3]}], "layout": {"height": 300, "width": 2000}}


def board(name: str, esm: str, **more: object) -> dict:
    return {"id": name, "esm": esm, "css": "#tiny { font-variant: small-caps; }", "theme": "auto", **more}


def shown(data: dict, **metadata: object):
    return new_code_cell("shown = " + "1 + " * 60 + "1", outputs=[new_output("display_data", data, metadata=metadata)])


def real_board(monkeypatch: pytest.MonkeyPatch) -> dict:
    """What the kit's own board of τ and λ leaves in an executed notebook."""
    import torch
    from IPython import display

    from kit.boards import tau_lambda_board

    kept = []
    monkeypatch.setattr(display, "display", lambda data, raw, metadata: kept.append(metadata))
    vectors = torch.randn(12, 8, generator=torch.Generator().manual_seed(0))
    tau_lambda_board(vectors, [f"sentence {i}" for i in range(12)])._ipython_display_()
    return kept[0]["kit_board"]


@pytest.fixture
def executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lesson with a formula, a figure, two boards that work and one that does not."""
    tiny = board("tiny", TINY, state={"more": 0.25}, controls={"tau": 3})
    sentence = {WIDGET: {}, "text/html": '<p class="kit-caption">It stands still.</p>'}
    cells = [
        new_markdown_cell("# A lesson with a title that is rather long\n\n> *Does it move?*"),
        new_markdown_cell("## A formula\n\n$$\\frac{1}{\\tau}" + " + x_{10}" * 30 + "$$"),
        new_markdown_cell("| a | b |\n|---|---|\n| " + "unbreakable" * 9 + " | 2 |"),
        shown({PLOTLY: FIGURE}),
        shown(sentence, kit_board=tiny),
        shown(sentence, kit_board=board("broken", BROKEN)),
        new_markdown_cell("## The last\n\nText."),
        shown(sentence, kit_board=real_board(monkeypatch)),
    ]
    for folder in ("notebooks", "executed"):
        (tmp_path / folder).mkdir()
        for stem in ("00_lesson", "01_other"):
            write(new_notebook(cells=cells), tmp_path / folder / f"{stem}.ipynb")
    return tmp_path / "executed" / "00_lesson.ipynb"


class Visit:
    """A page of the browser that writes down what should not happen."""

    def __init__(self, chromium) -> None:
        self.context = chromium.new_context(viewport={"width": 1280, "height": 900}, offline=True)
        self.context.set_default_timeout(WAIT_MS)
        self.page, self.errors, self.elsewhere = self.context.new_page(), [], []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.elsewhere.append(url)

    def open(self, path: Path) -> None:
        self.page.goto(path.as_uri())
        self.page.locator("#tiny").wait_for()


@pytest.fixture
def visit(chromium) -> Iterator[Visit]:
    somebody = Visit(chromium)
    yield somebody
    somebody.context.close()


def whole_site(executed: Path) -> Path:
    root = executed.parents[1]
    with pytest.raises(SystemExit) as end:
        build_site.main(["--executed", str(executed.parent)], root)
    assert not end.value.code
    return root / "build" / "site" / "00_lesson.html"


# Written down by the page itself, from its first frame on: a busy machine may miss from outside what is gone by then.
WATCH = """
  window.seen = [];
  const watch = () => {
    const [sphere, headline] = [".hero .kit-globe", ".hero .kit-headline"].map((one) => document.querySelector(one));
    if (sphere && headline) {
      const { top, bottom } = sphere.getBoundingClientRect(), said = headline.innerText;
      if (said && said !== window.seen.at(-1)?.said) window.seen.push({ said, top, bottom });
    }
    requestAnimationFrame(watch);
  };
  watch();
"""


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844)])
def test_the_sphere_plays_in_the_first_screen_of_the_site(
    visit: Visit, executed: Path, width: int, height: int
) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": height})
    page.add_init_script(WATCH)
    page.goto(whole_site(executed).with_name("index.html").as_uri())
    page.wait_for_function("() => window.seen.length > 2")  # the sentence above it changes at least twice
    seen = page.evaluate("window.seen")
    assert seen[0]["bottom"] < height, "all of it, before anybody scrolls"
    assert len({one["top"] for one in seen}) == 1, f"it jumps as it plays: {seen}"
    assert page.locator(".own .kit-board input").count() == 2 and not visit.errors and not visit.elsewhere


@pytest.mark.parametrize("make", [whole_site, save_page], ids=["site", "single page"])
def test_boards_and_figures_live_without_kernel_or_network(visit: Visit, executed: Path, make) -> None:
    visit.open(make(executed))
    page = visit.page
    number = page.locator("#tiny")
    assert number.inner_text() == "3.25" and page.get_by_text("no kernel").count() == 1
    page.get_by_label("tiny").focus()
    page.keyboard.press("ArrowRight")
    assert number.inner_text() == "4.25"

    words = page.locator(".kit-board .kit-caption")
    before = words.inner_text()
    page.locator(".kit-board input[type=range]").first.focus()
    page.keyboard.press("End")
    assert words.inner_text() != before and page.locator(".kit-board .kit-error").count() == 0

    page.locator(".figure").scroll_into_view_if_needed()
    page.locator(".figure .js-plotly-plot .bars path").first.wait_for(state="attached")
    assert page.locator(".figure svg").first.bounding_box()["width"] < 1000, "the page decides how wide"
    numerator, below = page.locator("mfrac > *").all()
    assert numerator.bounding_box()["y"] < below.bounding_box()["y"], "a fraction is drawn as one"

    assert [tag.is_visible() for tag in page.locator(".stand-in").all()] == [False, True, False]
    [problem] = visit.errors
    assert "The board broken-" in problem and "not here" in problem
    assert visit.elsewhere == []


def test_no_page_is_wider_than_a_phone(visit: Visit, executed: Path) -> None:
    lesson = whole_site(executed)
    visit.page.set_viewport_size({"width": 390, "height": 800})
    for path in (lesson, lesson.with_name("index.html"), save_page(executed)):
        visit.page.goto(path.as_uri())
        if path.name != "index.html":
            visit.page.locator(".kit-board svg").first.wait_for()
            visit.page.locator(".figure .bars").wait_for(state="attached")
        wide = visit.page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{path.name} is {wide} pixels wider than the window"


def test_a_reader_finds_the_way_by_keyboard(visit: Visit, executed: Path) -> None:
    visit.open(whole_site(executed))
    page = visit.page
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the text"
    page.get_by_role("link", name="The last").first.press("Enter")
    assert page.url.endswith("#The-last")
    page.wait_for_selector('aside.contents a[aria-current][href="#The-last"]')
    page.locator(".bar .next").press("Enter")
    page.wait_for_url("**/01_other.html")
    page.locator(".home").press("Enter")
    page.wait_for_url("**/index.html")
    assert page.locator(".lessons a").count() == 2


def test_the_search_finds_sections_by_words_that_they_do_not_have(visit: Visit, executed: Path) -> None:
    """Also where these stand among others, and go on; what nobody says finds nothing."""
    visit.open(whole_site(executed))
    visit.page.locator(".menu summary").click()
    field, found = visit.page.locator(".search input"), visit.page.locator(".found li")
    for typed, heading in {
        "formula": "A formula",
        "range(n)": "Why are the labels range(n)?",
        "MultipleNegativesRankingLoss": "Why are the labels range(n)?",
        "max_seq_length": "My texts are longer than the encoder reads. What happens?",
        "Max seq length": "My texts are longer than the encoder reads. What happens?",
        "multi-GPU": "On several GPUs, does each see the negatives of the others?",
        "DDP gradients": "On several GPUs, does each see the negatives of the others?",
        "normalized embeddings": "Cosine or dot product? Must I normalise?",
        "loss does not decrease": "Why does the loss stay at one value?",
        "nobodysaysthis": None,
    }.items():
        field.fill(typed)
        first = found.first.locator("a") if heading else found.filter(has_text="Nothing found.")
        first.filter(has_text=heading or "").first.wait_for()
        if heading is None:
            assert found.count() == 1
    field.fill("several gpus")
    found.first.locator("a").click()
    visit.page.wait_for_url("**/questions.html#*")
    place = visit.page.evaluate("document.getElementById(decodeURIComponent(location.hash.slice(1)))?.textContent")
    assert place == "On several GPUs, does each see the negatives of the others?"


def test_dark_and_light_follow_the_reader(visit: Visit, executed: Path) -> None:
    visit.open(whole_site(executed))
    brightness = {}
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        colour = visit.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        brightness[scheme] = sum(map(int, colour.removeprefix("rgb(").rstrip(")").split(",")))
    visit.page.emulate_media(color_scheme="dark", media="print")
    assert brightness["dark"] < 150 < 700 < brightness["light"]
    assert visit.page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not visit.page.locator(".bar").is_visible()


def test_without_scripts_there_are_words_and_still_pictures(executed: Path, chromium, capsys) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, java_script_enabled=False)
    page, lesson = context.new_page(), whole_site(executed)
    page.goto(lesson.as_uri())
    assert page.locator(".figure").first.bounding_box()["height"] < 40, "a hole where a plot would be"
    assert all(words.is_visible() for words in page.locator(".stand-in").all())
    page.goto(lesson.with_name("index.html").as_uri())
    picture = page.locator(".stand-in img[src='assets/sphere.png']")
    assert picture.bounding_box()["width"] > 600 and (lesson.parent / "assets" / "sphere.png").stat().st_size > 10_000
    # What a browser photographs of plots and of boards of the kit; the two others of a page have no picture.
    assert page_stills.main([str(lesson.parent)]) == 0 and "5 stills" in capsys.readouterr().out
    page.goto(lesson.as_uri())
    sizes = []
    for still in page.locator(".figure .still, .stand-in .still").all():
        still.scroll_into_view_if_needed()
        sizes.append(still.evaluate("async (one) => { await one.decode(); return [one.naturalWidth, one.width]; }"))
    assert len(sizes) == 2 and all(own > 600 and shown > 600 for own, shown in sizes), sizes
    context.close()
    page, asked = chromium.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(lesson.as_uri())
    page.locator(".figure .bars").wait_for(state="attached")
    page.close()
    assert asked and not [url for url in asked if "stills" in url], "where scripts run, no still is loaded"


EVIL = (
    "<img src=x onerror='window.ran = 1'><script>window.ran = 2</script>"
    "<a id=link href='javascript:window.ran = 3'>a</a>"
)


@pytest.mark.parametrize("make", [whole_site, save_page], ids=["site", "single page"])
def test_a_script_that_comes_in_with_an_output_does_not_run(visit: Visit, executed: Path, make) -> None:
    import nbformat

    for path in executed.parent.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        notebook.cells.append(new_code_cell("1", outputs=[new_output("display_data", {"text/html": EVIL})]))
        write(notebook, path)
    visit.open(make(executed))
    visit.page.locator("#link").click()
    visit.page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", EVIL)
    visit.page.evaluate(
        "() => document.body.append(Object.assign(document.createElement('script'), {text: 'ran = 4'}))"
    )
    visit.page.wait_for_timeout(200)
    assert visit.page.evaluate("() => typeof window.ran") == "undefined"
    assert any("Content Security Policy" in error for error in visit.errors)
    assert visit.page.locator(".figure .js-plotly-plot").count() == 1 and visit.elsewhere == []


def test_the_plots_of_a_report_are_drawn_and_its_sentences_are_text(visit: Visit, tmp_path: Path) -> None:
    from kit.commands.report_page import PAGE
    from kit.figures.basic_figures import heat_maps
    from kit.figures.page_policy import policy, scripts_in

    labels = ['<a href="https://evil.example">click</a>', "<b>bold</b> &amp; %{x}", "plain"]
    drawn = heat_maps({"<i>space</i>": [[1.0, 0.5, 0.2]] * 3}, labels).figure.to_html(
        full_html=False, include_plotlyjs=True
    )
    page = PAGE.format(name="it", policy=policy(scripts_in(drawn)), body=f"<figure>{drawn}</figure>{EVIL}")
    (tmp_path / "report.html").write_text(page, "utf-8")
    visit.page.goto((tmp_path / "report.html").as_uri())
    visit.page.locator(".js-plotly-plot .ytick text").first.wait_for()
    shown = [tick.text_content() for tick in visit.page.locator(".ytick text").all()]
    assert sorted(shown) == sorted(labels), "a sentence is shown as it stands"
    assert visit.page.locator(".gtitle, .annotation-text").first.text_content() == "<i>space</i>"
    assert visit.page.locator("svg a").count() == 0
    assert visit.page.evaluate("() => typeof window.ran") == "undefined" and visit.elsewhere == []


def test_the_formulas_are_one_printed_page(visit: Visit, executed: Path, capsys) -> None:
    site = whole_site(executed).parent
    assert formulas_pdf.main([str(site)]) == 0
    printed = (site / "formulas.pdf").read_bytes()
    assert printed.count(b"/Type /Page\n") == 1 and b"/MediaBox [0 0 594.9" in printed, "one page, and that is A4"
    visit.page.goto((site / "formulas.html").as_uri())
    link = visit.page.get_by_role("link", name="The same as a PDF")
    assert link.is_visible() and link.get_attribute("href") == "formulas.pdf" and visit.errors == []


def test_without_a_browser_or_a_page_one_sentence_says_so(tmp_path: Path, monkeypatch, capsys) -> None:
    assert formulas_pdf.main([str(tmp_path)]) == 1 and "`make site` makes it" in capsys.readouterr().err
    (tmp_path / "formulas.html").write_text(formulas_pdf.HIDDEN)
    monkeypatch.setenv("KIT_CHROMIUM", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert formulas_pdf.main([str(tmp_path)]) == 0 and "was not made" in capsys.readouterr().err
    for program in ("/bin/false", str(tmp_path / "none")):
        monkeypatch.setenv("KIT_CHROMIUM", program)
        assert formulas_pdf.main([str(tmp_path)]) == 0 and f"{program} did not print it" in capsys.readouterr().err
    assert (tmp_path / "formulas.html").read_text() == formulas_pdf.HIDDEN
