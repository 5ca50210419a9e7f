"""The pages of the course, from notebooks that nobody needs to run: whole, self-contained, readable."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urldefrag

import build_site
import notebook_page
import pytest
from bs4 import BeautifulSoup
from build_site import DOCUMENTS
from nbformat import read, write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_page import PLOTLY, WIDGET, save_page
from page_exercises import answered

FIGURE = {"data": [{"type": "bar", "y": [1, 2]}], "layout": {"height": 300, "xaxis": {}, "xaxis2": {}}}
BOARD = {
    "id": "tiny",
    "esm": "export default {render() { return '</script><!-- $a$'; }};",
    "css": ".tiny {}",
    "state": {"words": "</script>\u2028<b>"},
    "controls": {"tau": 0.5},
    "theme": "auto",
}
STARTED = "Pull·Push 0.1.0, preset smoke, seed 0, on a machine, 1 thread."
TABLE = f"a  table {30 * 'x'}\nin {70 * 'y'} its row\n"


def code(source: str, *outputs, **more):
    return new_code_cell(source, outputs=list(outputs), **more)


def shown(data: dict, **metadata):
    return new_output("display_data", data, metadata=metadata)


def said(sentence: str, kind: str = "caption") -> dict:
    return {"text/html": f'<p class="kit-{kind}">{sentence}</p>'}


def first_lesson() -> list:
    return [
        new_markdown_cell("# First: all alike"),
        new_markdown_cell("[![badge](https://example.org/badge.svg)](https://example.org)", id="badges"),
        code("import this_on_colab", id="install"),
        new_markdown_cell("> *Why is `a` like $b$? I do not see it. So tell me.*\n\nBecause of $s_p$ and $s_n$."),
        code('preset = "laptop"', metadata={"tags": ["parameters"]}),
        code('# Parameters\npreset = "smoke"\n', metadata={"tags": ["injected-parameters"]}),
        code("start()", shown(said(STARTED))),
        new_markdown_cell("## The loss\n\n$$\\frac{a_1}{|b|}$$\n\nIn code `$x$`, for $5 or $6.\n\n```\n$y$\n```"),
        code("figure", shown({PLOTLY: FIGURE}), shown(said("Two bars."))),
        code("board", shown({WIDGET: {}, **said("It stands.")}, kit_board=BOARD)),
        new_markdown_cell(
            "## The loss\n\n| a | b |\n|---|---|\n| $|x|$ | 2 |\n\n"
            "See [the next](01_second.ipynb#The-loss), [the card](../data/card.md) "
            "or [τ](../docs/glossary.md#temperature)."
        ),
    ]


def second_lesson() -> list:
    return [
        new_markdown_cell("# 01 Second\n\nNo question stands here. Only text."),
        code("secret = 1", metadata={"tags": ["hide-input"]}),
        code("hidden = 2", metadata={"jupyter": {"source_hidden": True}}),
        code("board", shown({WIDGET: {}, **said("The same again.")}, kit_board=BOARD)),
        code("widget", shown({WIDGET: {}, **said("Of a widget.")}, kit_picture=FIGURE)),
        code("bar", shown({WIDGET: {}, "text/plain": "0%| nothing"})),
        code("solution()", new_output("execute_result", {"text/markdown": "so $\\tau_2$\n\n```\nx = '$y$'\n```"})),
        code("check()", shown(said("Not tried yet.", "error"))),
        code("print()", new_output("stream", text=f"{TABLE}\n{30 * 'word '}\n")),
    ]


def third_lesson() -> list:
    return [new_markdown_cell("# Third\n\nWords only."), code("1 + 1")]


BROKEN = new_output("error", ename="ValueError", evalue="no such thing\nmore", traceback=["no such thing"])
RECORD = {"start_time": "2031-05-03T10:00:00+00:00", "duration": 31.4}


def course(root: Path, **lessons: list) -> Path:
    """A repository with these lessons, and a folder with the same, executed."""
    for folder in ("notebooks", "executed"):
        (root / folder).mkdir(parents=True)
        for stem, cells in lessons.items():
            write(new_notebook(cells=cells, metadata={"papermill": RECORD}), root / folder / f"{stem}.ipynb")
    return root


def build(root: Path, *more: str) -> int:
    with pytest.raises(SystemExit) as end:
        build_site.main(["--executed", str(root / "executed"), *more], root)
    return int(end.value.code)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = course(
        tmp_path_factory.mktemp("course"),
        **{"00_first": first_lesson(), "01_second": second_lesson(), "02_third": third_lesson()},
    )
    assert build(root) == 0
    return root / "build" / "site"


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text("utf-8"), "html.parser")


# --- the course ---------------------------------------------------------------------------------


def test_lessons_stand_in_order_and_lead_to_each_other(site: Path) -> None:
    front = soup(site / "index.html")
    lessons = front.select(".lessons li")
    assert [a["href"] for a in front.select(".lessons a")] == ["00_first.html", "01_second.html", "02_third.html"]
    assert "First: all alike" in lessons[0].text and "Why is a like b? I do not see it." in lessons[0].text
    assert " ".join(lessons[1].a.text.split()) == "01 Second", "the number stands there once"
    made = front.select(".made li")
    assert "on 3 May 2031 in 31 s: " + STARTED in made[0].text and "preset" not in made[1].text
    steps = [
        {a["rel"][0]: (a["href"], a.span.text) for a in soup(site / f"{stem}.html").select(".bar a[rel]")}
        for stem in ("00_first", "01_second", "02_third")
    ]
    assert steps == [
        {"next": ("01_second.html", "01 Second")},
        {"prev": ("00_first.html", "First: all alike"), "next": ("02_third.html", "Third")},
        {"prev": ("01_second.html", "01 Second")},
    ]


def test_the_front_page_begins_with_the_sphere(site: Path) -> None:
    front = soup(site / "index.html")
    board = front.select_one(".hero .board")
    assert board["data-module"].startswith("sphere-") and "before any training: the mean cosine is" in board.text
    assert front.select_one(".own .board")["data-module"].startswith("own_sentences-")
    [encoders] = (site / "assets").glob("buffers-*.js")
    assert f"loads them ({encoders.stat().st_size / 1e6:.0f} MB)" in front.text
    assert front.select_one(".start a")["href"] == "00_tour.html"
    for page in map(soup, site.glob("*.html")):
        shared = page.select_one("meta[property='og:image']")["content"].removeprefix(build_site.address().pages)
        assert (site / shared).is_file() and page.select_one("meta[name=description]")["content"]


def test_minutes_are_those_of_the_readme() -> None:
    there = build_site.address()
    assert build_site.Lesson("00_tour", there).minutes == "20"
    assert build_site.Lesson("00_other", there).minutes == ""


def test_every_page_has_what_a_reader_needs(site: Path) -> None:
    for page in map(soup, site.glob("*.html")):
        assert page.html["lang"] == "en" and page.select_one("meta[name=viewport]")
        assert page.select_one("a.skip")["href"] == "#main" and page.select_one("main#main")
        assert len(page.select("h1")) == 1 and page.title.text


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    for page in site.glob("*.html"):
        asking = soup(page).select("script[src], link, img, iframe, source")
        asked = [tag.get("src") or tag.get("href") for tag in asking]
        assert [url for url in asked if not url.startswith("data:") and not (site / url).is_file()] == []
    assert not re.search(r"url\(|@import", (site / "assets/site.css").read_text("utf-8"))


def test_ids_are_unique_and_the_contents_lead_to_them(site: Path) -> None:
    page = soup(site / "00_first.html")
    ids = [tag["id"] for tag in page.select("[id]")]
    assert len(ids) == len(set(ids))
    assert [a["href"] for a in page.select("aside.contents a")] == ["#The-loss", "#The-loss-2"]
    assert [tag["id"] for tag in page.select("h2")] == ["The-loss", "The-loss-2"]
    assert not soup(site / "02_third.html").select(".contents"), "no empty contents"


def test_links_between_notebooks_lead_to_pages(site: Path) -> None:
    links = {a.text: a["href"] for a in soup(site / "00_first.html").select(".text_cell a")}
    there = build_site.address()
    assert links == {
        "the next": "01_second.html#The-loss",
        "the card": f"{there.url}/blob/{there.ref}/data/card.md",
        "τ": "glossary.html#temperature",
    }


def test_links_into_a_page_of_docs_name_places_that_it_has(site: Path) -> None:
    """GitHub's names of headings are in small letters, JupyterLab's are not: glossary.md#symbols led to no place."""
    pages = {name: soup(site / f"{name}.html") for name in DOCUMENTS}
    places = {f"{name}.html": {tag["id"] for tag in page.select("[id]")} for name, page in pages.items()}
    links = [urldefrag(a["href"]) for page in pages.values() for a in page.select(".text_cell a[href*='#']")]
    assert [link for link in links if link.url in places and link.fragment not in places[link.url]] == []
    assert ("glossary.html", "symbols") in links


def test_glossary_and_formulas_are_pages(site: Path) -> None:
    words, formulas = soup(site / "glossary.html"), soup(site / "formulas.html")
    assert words.select_one("tr a#temperature").parent.text == "temperature, τ"
    assert [a["href"] for a in words.select(".text_cell a[href]")] == ["formulas.html"]
    assert len(formulas.select("table")) == 4 and "$" not in formulas.main.text + words.main.text
    assert formulas.select_one(".pdf[hidden] a")["href"] == "formulas.pdf", "shown when the file is there"
    for page in ("index", "00_first"):
        led = {a["href"] for a in soup(site / f"{page}.html").select("main a[href]")}
        assert {"glossary.html", "formulas.html", "questions.html"} <= led


def test_questions_are_a_page_that_leads_to_lessons(site: Path) -> None:
    asked = soup(site / "questions.html")
    assert [heading.text for heading in asked.select("main h2")][:2] == ["The loss", "The batch"]
    there = build_site.address()
    led = {a["href"] for a in asked.select(".text_cell a[href]")}
    assert f"{there.url}/blob/{there.ref}/docs/which_recipe.md" in led
    assert any(link.endswith("notebooks/04_temperature.ipynb") for link in led), "no page of it in this site"
    assert "text_cell" in str(asked) and asked.select("pre")


def search_script(site: Path) -> dict[str, list]:
    lines = (site / "assets/search.js").read_text("utf-8").splitlines()
    return {name: json.loads(text) for name, text in (line.removesuffix(";").split(" = ", 1) for line in lines)}


def test_the_search_covers_lessons_and_questions(site: Path) -> None:
    """Each row leads to a place that its page has."""
    rows = search_script(site)["window.kitSearch"]
    assert [row[:4] for row in rows[:2]] == [
        ["00_first.html", "First:-all-alike", "00 First: all alike", "First: all alike"],
        ["00_first.html", "The-loss", "00 First: all alike", "The loss"],
    ]
    asked = {heading: (lesson, text) for page, _, lesson, heading, text in rows if page == "questions.html"}
    lesson, text = asked["Why are the labels range(n)?"]
    assert lesson == "Questions people ask" and "They are no classes" in text
    pages = {page: {tag["id"] for tag in soup(site / page).select("[id]")} for page in {row[0] for row in rows}}
    assert [row[:2] for row in rows if row[1] not in pages[row[0]]] == []


def test_the_search_knows_other_words(site: Path) -> None:
    known = dict(search_script(site)["window.kitWords"])
    assert known["MultipleNegativesRankingLoss"] == ["MNRL", "Why are the labels range(n)?"]
    assert known["multiple negatives ranking loss"] == known["MultipleNegativesRankingLoss"]
    assert known["scale=20"] == ["Why 20? Is the scale 1/τ?"], "a sign in a word parts no sides"
    wanted = ["normalize", "max_seq_length", "truncate", "DDP", "multi-GPU", "early stopping", "in-batch negatives"]
    assert {*wanted, "InfoNCE", "hubness", "anisotropy"} <= known.keys()


def written_sections() -> list[str]:
    """What stands under each heading of the lessons as they are, and of the questions: text cells and exercises."""
    texts = [(build_site.ROOT / "docs" / "questions.md").read_text("utf-8")]
    for path in sorted((build_site.ROOT / "notebooks").glob("*.ipynb")):
        cells = read(path, as_version=4).cells
        answered(cells)
        said = [o["data"].get("text/markdown", "") for cell in cells for o in cell.get("outputs", []) if "data" in o]
        texts += ["\n".join(cell.source for cell in cells if cell.cell_type == "markdown"), *said]
    plain = re.sub(r"[`$*]", "", "\n".join(f"\n# \n{text}" for text in texts)).replace(r"\tau", "τ").lower()
    return [" ".join(section.split()) for section in re.split(r"^#{1,3} ", plain, flags=re.MULTILINE)]


def test_every_other_word_of_the_search_finds_a_section() -> None:
    """On the right of scripts/search_words.txt each part finds one of its own; on the left nothing stands twice."""
    sections, words = written_sections(), build_site.other_words()
    parts = {part for _, ours in words for part in ours}
    lost = [part for part in parts if not any(all(one in text for one in part.lower().split()) for text in sections)]
    assert lost == [] and len(words) > 100
    headings = [part for part in parts if part[0].isupper() and " " in part]
    assert [one for one in headings if not any(one.lower() in text[: len(one) + 40] for text in sections)] == []
    typed = [re.sub(r"[-_]", " ", one).lower() for one, _ in words]
    assert [one for one in typed if typed.count(one) > 1] == []


@pytest.mark.slow
def test_a_broken_notebook_is_named_and_the_others_have_pages(tmp_path: Path, capsys) -> None:
    root = course(tmp_path, **{"00_a": third_lesson(), "01_b": [code("x", BROKEN)], "02_c": third_lesson()})
    assert build(root) == 1
    assert capsys.readouterr().err == ("site: 01_b.ipynb has no page, it stopped with ValueError: no such thing\n")
    out = root / "build" / "site"
    assert sorted(page.name for page in out.glob("*.html")) == [
        "00_a.html",
        "02_c.html",
        "formulas.html",
        "glossary.html",
        "index.html",
        "questions.html",
    ]
    assert soup(out / "00_a.html").select_one(".bar .next")["href"] == "02_c.html"
    assert "stopped with an error" in soup(out / "index.html").select(".lessons li")[1].text


@pytest.mark.slow
def test_a_missing_and_a_huge_notebook_are_told(tmp_path: Path, capsys) -> None:
    huge = [code("x", new_output("stream", text="long " * 700_000))]
    root = course(tmp_path, **{"00_a": third_lesson(), "01_b": huge})
    (root / "executed" / "00_a.ipynb").unlink()
    assert build(root) == 1
    missing, large = capsys.readouterr().err.splitlines()
    assert "00_a.ipynb has no page" in missing and "found none" in missing
    assert large == "site: 01_b.html has 3.5 MB, more than the 3 that a page may have"


@pytest.mark.slow
def test_without_executed_notebooks_they_are_run(tmp_path: Path, monkeypatch) -> None:
    root = course(tmp_path, **{"00_a": third_lesson()})
    asked = []

    def run_all(notebooks, folder, preset, workers, root):
        asked.append((preset, workers))
        folder.mkdir(parents=True)
        (folder / "00_a.ipynb").write_bytes((root / "executed" / "00_a.ipynb").read_bytes())
        return {"00_a": None}

    monkeypatch.setattr(build_site, "run_all", run_all)
    with pytest.raises(SystemExit, match="False"):
        build_site.main(["--workers", "2"], root)
    assert asked == [("smoke", 2)] and (root / "build/site/00_a.html").is_file()


# --- a page -------------------------------------------------------------------------------------


def test_formulas_arrive_whole(site: Path) -> None:
    """Elements inside each other, as MathML needs them; nbconvert's embed_images tore them apart."""
    page = soup(site / "00_first.html")
    assert [tag.text for tag in page.select("p math > mrow > msub > mi")] == list("spsn")
    assert page.select_one('.formula > math[display="block"] > mrow > mfrac > mrow > msub')
    assert [tag.text for tag in page.select("td")] == ["|x|", "2"], "a bar in a formula ends no cell"
    assert [tag.text.strip() for tag in page.select(".text_cell :is(p > code, pre)")][-2:] == ["$x$", "$y$"]
    assert "for $5 or $6." in page.text
    answer = soup(site / "01_second.html").select_one(".output_markdown")
    assert answer.select_one("math msub") and "'$y$'" in answer.select_one("pre").text


def test_figures_share_one_library_where_it_is_needed(site: Path) -> None:
    pages = {page.stem: soup(page) for page in site.glob("0*.html")}
    figures = {stem: len(page.select(".figure")) for stem, page in pages.items()}
    libraries = {stem: len(page.select('script[src="assets/plotly.min.js"]')) for stem, page in pages.items()}
    assert figures == libraries == {"00_first": 1, "01_second": 1, "02_third": 0}
    figure = pages["00_first"].select_one(".figure")
    assert json.loads(figure.script.string) == FIGURE
    assert figure["style"] == "min-height:300px"
    assert (site / "assets/plotly.min.js").stat().st_size > 1_000_000
    assert pages["01_second"].select_one(".figure").parent.select_one(".kit-caption").text == "Of a widget."


def test_boards_share_one_module_and_keep_their_summary(site: Path) -> None:
    [module] = (site / "assets").glob("board-tiny-*.js")
    assert "</script" not in module.read_text() and "<!--" not in module.read_text()
    for page, sentence in (("00_first", "It stands."), ("01_second", "The same again.")):
        html = soup(site / f"{page}.html")
        [place] = html.select(".board")
        assert html.select_one(f'script[src="assets/{module.name}"]')
        assert place["data-module"] == module.stem.removeprefix("board-")
        assert place.select_one(".stand-in .kit-caption").text == sentence
        values = json.loads(place.script.string)
        assert values == {
            "id": "tiny",
            "state": BOARD["state"],
            "controls": {"tau": 0.5},
            "theme": "auto",
            "kernel": False,
            "error": "",
        }
    assert WIDGET not in (site / "01_second.html").read_text() and "0%|" not in (site / "01_second.html").read_text()


def test_sources_fold_and_cells_for_elsewhere_are_gone(site: Path) -> None:
    first, second = soup(site / "00_first.html"), soup(site / "01_second.html")
    assert "this_on_colab" not in first.text and not first.select("img")
    folds = [[code.text.strip() for code in tag.select("pre")] for tag in second.select("details.source:not([open])")]
    assert [code for fold in folds for code in fold] == [
        one.pre.text.strip() for one in second.select(".code_cell .input")
    ]
    assert folds[:2] == [["secret = 1", "hidden = 2", "board"], ["widget"]], "what shows nothing is in the next fold"
    assert [tag.select("summary")[0].text for tag in second.select("details.source")] == ["Code"] * len(folds)
    assert len(second.select("button.all-code")) == 1
    assert first.select_one(".chosen pre").text.strip() == 'preset = "smoke"'
    assert second.select_one(".kit-error").text == "Not tried yet."
    assert first.select_one(".highlight .s2").text == '"laptop"', "code is coloured"


def test_printed_sentences_wrap_and_tables_do_not(site: Path) -> None:
    printed = soup(site / "01_second.html").select_one(".output_stream pre")
    assert [tag.text for tag in printed.select(".sentence")] == [30 * "word "]
    assert printed.text.startswith(TABLE) and printed.text.endswith("\n")


def test_a_single_page_carries_everything(tmp_path: Path) -> None:
    root = course(tmp_path, **{"00_first": [*first_lesson(), *second_lesson()[1:]]})
    path = save_page(root / "executed" / "00_first.ipynb")
    page = soup(path)
    assert page.select("script[src], link[rel=stylesheet], .bar") == []
    scripts = [script.text for script in page.select("script")]
    assert sum("plotly.js v" in script for script in scripts) == 1
    assert sum("kitModules ??=" in script for script in scripts) == 1 and len(page.select(".board")) == 2
    assert page.style.text == (notebook_page.TEMPLATES / "site.css").read_text("utf-8")
