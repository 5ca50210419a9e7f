"""What a site is made of: runs of notebooks, formulas, data inside scripts, links, pictures."""

from __future__ import annotations

import re
from pathlib import Path

import build_site
import nbformat
import notebook_page
import papermill
import pytest
import run_notebooks
from bs4 import BeautifulSoup
from measuring import ROOT
from nbformat import write
from nbformat.v4 import new_markdown_cell, new_notebook
from notebook_page import save_page
from site_parts import Scripts, as_json, board_html, finished, first_sentences, unclosable, with_mathml


def test_every_notebook_runs_with_the_preset_and_a_dead_kernel_stops_nobody(tmp_path: Path, monkeypatch) -> None:
    calls = []

    def execute(source, target, **settings):
        calls.append(settings)
        if source.stem == "01_b":
            raise RuntimeError("Kernel died")
        write(new_notebook(), target)
        if source.stem == "02_c":
            raise papermill.PapermillExecutionError(0, 1, "x", "ValueError", "no", [])

    monkeypatch.setattr(papermill, "execute_notebook", execute)
    monkeypatch.setenv("KIT_OUT", "")
    told = [
        run_notebooks.run(tmp_path / name, tmp_path / "out.ipynb", "laptop")
        for name in ("00_a.ipynb", "01_b.ipynb", "02_c.ipynb")
    ]
    assert told == [None, "RuntimeError: Kernel died", ""]
    assert {call["parameters"]["preset"] for call in calls} == {"laptop"} and calls[0]["cwd"] == str(tmp_path)


def test_a_notebook_is_run_again_when_any_file_of_the_kit_or_its_data_changes(tmp_path: Path) -> None:
    for name in ("01_a.ipynb", "kit/a.py", "kit/words.txt", "data/papers/p.csv", "data/world/w.json.gz"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    keys = {run_notebooks.key_of(tmp_path / "01_a.ipynb", "smoke", tmp_path)}
    for file in files:
        file.write_text("after")
        keys.add(run_notebooks.key_of(tmp_path / "01_a.ipynb", "smoke", tmp_path))
    assert len(keys) == 1 + len(files)
    (tmp_path / "kit" / "__pycache__").mkdir()
    (tmp_path / "kit" / "__pycache__" / "a.pyc").write_bytes(b"what an import leaves")
    assert run_notebooks.key_of(tmp_path / "01_a.ipynb", "smoke", tmp_path) in keys


def test_formulas_but_not_code_and_not_money() -> None:
    for text, formulas in [
        ("$a$ and $b_1$", 2),
        ("$$\na\n$$", 1),
        ("| $|a|$ | `$b$` |", 1),
        ("> $$a$$", 1),
        ("($a$), $b$.", 2),
        ("`$a$`", 0),
        ("``a ` $b$``", 0),
        ("```python\n$a$\n```", 0),
        ("~~~\n$a$ ` \n~~~\n$b$", 1),
        ("  ```\n  $a$\n  ```", 0),
        ("$5 or $6", 0),
        ("costs $ 5 $ here", 0),
        (r"\$a$", 0),
        ("a ` b $c$", 1),
    ]:
        made = with_mathml(text)
        assert made.count("<math") == formulas
        assert formulas or made == text
        assert not re.search(
            r"[*_|`]", re.sub(r"<(?!math|/math).*?>", "", "".join(re.findall("<math.*?</math>", made)))
        )


def test_no_line_begins_with_a_comma() -> None:
    assert with_mathml("($a$), b").endswith("</math>),</span> b") and "joined" not in with_mathml("$a$ and")
    long = with_mathml("a $" + "+".join("abcdefghijklmnopqrstuvwxyz") + "$ b")
    assert 'class="joined long"' in long and long.endswith("</math></span> b")


def test_signs_stand_as_close_as_in_tex() -> None:
    assert with_mathml("$1/|a|$").count('lspace="0"') == 3
    assert with_mathml(r"$\log x$").count("<mspace") == 1 and "<mspace" not in with_mathml(r"$\log(x)$")


def test_data_cannot_leave_its_script() -> None:
    assert as_json("</script>\u2028\u2029") == r'"\u003c/script>\u2028\u2029"'
    assert unclosable("a < b; '</Script> <script> <!--'") == r"a < b; '\x3c/Script> \x3cscript> \x3c!--'"
    inside = board_html({"esm": "'</script>'", "state": "</script>"}, "", Scripts())
    assert inside.count("</script>") == inside.count("<script") == 2


def test_links_lead_to_pages_or_into_the_repository() -> None:
    link = build_site.links_to({"a.ipynb": "a.html"}, build_site.Address("https://example.org/kit", "v1"))
    for url in ("#x", "https://example.org/a.ipynb", "mailto:somebody"):
        assert link(url) == url
    assert [link(url) for url in ("a.ipynb", "a.ipynb#x", "../data/b.md#y", "b.ipynb")] == [
        "a.html",
        "a.html#x",
        "https://example.org/kit/blob/v1/data/b.md#y",
        "https://example.org/kit/blob/v1/notebooks/b.ipynb",
    ]


def test_pictures_travel_with_the_page_and_keep_their_text(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "dot.png").write_bytes(b"picture")
    monkeypatch.setattr(notebook_page, "NOTEBOOKS", tmp_path)
    write(new_notebook(cells=[new_markdown_cell("![a small dot](dot.png)")]), tmp_path / "a.ipynb")
    image = BeautifulSoup(save_page(tmp_path / "a.ipynb").read_text("utf-8"), "html.parser").img
    assert (image["src"], image["alt"]) == ("data:image/png;base64,cGljdHVyZQ==", "a small dot")


def test_first_sentences() -> None:
    assert first_sentences("One. Two? Three.", limit=10) == "One. Two?"
    assert first_sentences("A sentence longer than the limit. Two.", limit=5) == "A sentence longer than the limit."


def test_formulas_beside_one_another_are_parted_and_rows_of_one_are_not() -> None:
    assert with_mathml(r"$$a = 1, \qquad b = 2$$").count("<math") == 2
    assert with_mathml(r"$$\begin{array}{l} a \qquad b \\ c \end{array}$$").count("<math") == 1
    assert with_mathml(r"$$\sqrt{a \qquad b}$$").count("<math") == 1


PAGES = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("docs/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_command_of_tex_is_left_in_a_formula(page: Path) -> None:
    text = page.read_text("utf-8")
    if page.suffix == ".ipynb":
        cells = nbformat.reads(text, 4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert "\\" not in "".join(re.findall(r"<m[ion][^>]*>([^<]*)</m[ion]>", with_mathml(text)))


def test_printed_lines_wider_than_a_page_wrap_even_in_a_table(tmp_path: Path) -> None:
    from site_parts import WIDE

    lines = ["name  value", "a  " + "word " * (WIDE // 5), "b  1"]
    printed = BeautifulSoup(
        finished(f'<div class="output_stream"><pre>{chr(10).join(lines)}</pre></div>', tmp_path).html, "html.parser"
    )
    assert [one.get_text() for one in printed.select(".sentence")] == [lines[1]]
    assert printed.get_text() == "\n".join(lines)


def test_printed_rows_of_numbers_stay_rows_without_runs_of_spaces(tmp_path: Path) -> None:
    """Their labels are as long as the longest; a sentence below them wraps all the same."""
    row = "{} in the {} too cosine with the sentence alone 0.{}530, length 1.0812"
    lines = [row.format(2, "numerator", 8), row.format(3, "attention", 7), "What the 4 numbers above say of it. " * 2]
    printed = BeautifulSoup(
        finished(f'<div class="output_stream"><pre>{chr(10).join(lines)}</pre></div>', tmp_path).html, "html.parser"
    )
    assert [one.get_text() for one in printed.select(".sentence")] == lines[2:]


def test_what_follows_a_question_is_folded_and_nothing_else_is(tmp_path: Path) -> None:
    """Tables and words are; a plot is not, nor the next question, nor what another cell printed."""
    question, table = '<div class="board" data-module="prediction-1"></div>', "<table><tr><td>1</td></tr></table>"
    plot, another = '<div class="figure"></div>', '<div class="board" data-module="tau_lambda-1"></div>'
    cells = [question, table, table, question, question, "words", question, plot, question, another, question]
    code = [f'<div class="code_cell">\n<div class="output_wrapper">{one}</div></div>\n' for one in cells]
    body = "".join([*code, f'<div class="text_cell">{table}</div>', code[1]])
    soup = BeautifulSoup(finished(body, tmp_path).html, "html.parser")
    folded = [
        (fold.summary.extract().text, fold.div.decode_contents()) for fold in soup.select(".code_cell > .answered")
    ]
    assert folded == [("What came out, as a table", f'<div class="table">{table}</div>'), ("What came out", "words")]
    assert len(soup.select("details")) == 2 and soup.select("details[open]") == []
