"""The page of an executed notebook stands alone: formulas, figures and sentences without a kernel."""

from __future__ import annotations

import nbformat
import notebook_page
from notebook_page import PLOTLY, WIDGET, standing_alone
from page_exercises import answers
from site_parts import Scripts

from kit.boards.board import NOT_ALIVE, Board
from kit.captions import caption
from kit.course.exercises import exercises


def test_page_needs_neither_kernel_nor_network() -> None:
    figure = {"data": [{"type": "bar", "y": [1, 2]}], "layout": {}}
    outputs = [
        nbformat.v4.new_output("display_data", {PLOTLY: figure}),
        nbformat.v4.new_output(
            "display_data", {WIDGET: {}, "text/html": "<p>said</p>"}, metadata={"kit_picture": figure}
        ),
        nbformat.v4.new_output("display_data", {WIDGET: {}, "text/plain": "0%|"}),
    ]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(r"so $\tau$ and $$x^2$$"), nbformat.v4.new_code_cell("1", outputs=outputs)]
    )
    text, code = standing_alone(notebook).cells
    assert text.source.count("<math") == 2 and "$" not in text.source
    first, second = (output["data"]["text/html"] for output in code.outputs)
    assert len(first) > 1_000_000 > len(second), "plotly.js travels once"
    assert "<p>said</p>" in second and not any(WIDGET in o["data"] for o in code.outputs)


def test_a_board_that_is_alive_on_its_page_is_not_said_to_be_elsewhere() -> None:
    board = Board("tau_lambda", {}, "what it shows")
    data, alone = {WIDGET: {}, "text/html": caption(board.summary) + NOT_ALIVE}, {"kit_board": board.standalone()}
    output = nbformat.v4.new_output("display_data", data, metadata=alone)
    notebook_page.make_html(output, Scripts())
    assert caption("what it shows") in output["data"]["text/html"] and "live kernel" not in output["data"]["text/html"]


def test_shown_code_takes_the_colours_of_the_page() -> None:
    """IPython's Code brings a style sheet for light pages that colours every output; its words stay."""
    from IPython.display import Code

    html = Code("import kit", language="python")._repr_html_()
    assert ".output_html {" in html
    output = nbformat.v4.new_output("display_data", {"text/html": html})
    page = standing_alone(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[output])]))
    shown = page.cells[0].outputs[0]["data"]["text/html"]
    assert "<style>" not in shown and "import" in shown and 'class="highlight"' in shown


def test_a_page_says_what_holds_for_its_readers() -> None:
    text = "Run it. <!-- on a page: It ran. --> Look. <!-- no result -->\n\n- Type. <!-- on a page: - Read. -->\n- b"
    assert notebook_page.for_readers(text) == "It ran. Look. <!-- no result -->\n\n- Read.\n- b"


def test_what_an_answer_looks_like_stands_in_one_pair_of_brackets() -> None:
    """The stub's remark may have brackets of its own."""
    pages = {one.name: answers(one) for one in exercises() if "#" in one.stub and not isinstance(one.solution, str)}
    label = "Your answer (NT-Xent, MNRL, MNRL with a hard negative, SupMPN):"
    assert label in pages["count-denominators"] and [name for name, page in pages.items() if "((" in page] == []
