"""Running a notebook by itself, and the result as a page: no network and no kernel needed.

Plotly figures and the kit's boards stay alive (their scripts are put into the page once); any
other widget becomes the picture and the sentence that it showed when the notebook ran; formulas
become MathML. `save_page` writes one file that needs nothing else; scripts/build_site.py makes
the pages of the whole course, which share their scripts.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from page_exercises import answered
from site_parts import Scripts, board_html, figure_html, finished, github_place, jupyter_place, with_mathml

from kit.boards.board import NOT_ALIVE
from kit.figures.page_policy import policy

PLOTLY = "application/vnd.plotly.v1+json"
WIDGET = "application/vnd.jupyter.widget-view+json"
TEMPLATES = Path(__file__).resolve().parent / "site"
NOTEBOOKS = TEMPLATES.parents[1] / "notebooks"  # pictures in the text are named from here
CODE_STYLE = re.compile(r"<style>[^<]*\.output_html\s*\{.*?</style>", re.DOTALL)
# For Colab and for GitHub: on a page they would be noise, and the badges a request to elsewhere.
NOT_ON_A_PAGE = ("badges", "install")


def own_sockets(folder: str):
    """Settings for a kernel that talks through files in `folder` instead of TCP ports.

    Kernels that start side by side now and then draw the same free port, and one of them dies.
    """
    from traitlets.config import Config

    if os.name == "nt":
        return Config()  # no such sockets there
    return Config({"KernelManager": {"transport": "ipc", "ip": str(Path(folder, "kernel"))}})


def save_page(executed: Path) -> Path:
    """Write `<name>.html` beside the executed notebook: a single file."""
    scripts, assets = Scripts(), inline_assets()
    body = article(executed, scripts)
    allowed = policy([*scripts.inline, assets["script"]], boards=True)
    target = executed.with_suffix(".html")
    target.write_text(render("page.html.j2", article=body, policy=allowed, **assets), encoding="utf-8")
    return target


def article(executed: Path, scripts: Scripts, link=None):
    """The cells of an executed notebook as an `Article`: HTML, title, opening question, headings.

    scripts: collects what its figures need. link: turns the address of a link in the text into
    the one on the page.
    """
    import nbformat

    notebook = nbformat.read(executed, as_version=4)
    answered(notebook.cells)
    return _article(notebook, scripts, link)


def document(markdown: Path, scripts: Scripts, link=None):
    """A Markdown file of docs/ as an `Article`."""
    from nbformat.v4 import new_markdown_cell, new_notebook

    text = markdown.read_text("utf-8")
    return _article(new_notebook(cells=[new_markdown_cell(text)]), scripts, link, github_place)


def _article(notebook, scripts: Scripts, link, place=jupyter_place):
    from nbconvert import HTMLExporter

    notebook = standing_alone(notebook, scripts)
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") not in NOT_ON_A_PAGE]
    exporter = HTMLExporter(
        template_name="basic",
        template_file=str(TEMPLATES / "cells.html.j2"),
        exclude_anchor_links=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    return finished(exporter.from_notebook_node(notebook)[0], NOTEBOOKS, link, place)


def render(template: str, **values) -> str:
    """A page from a template in scripts/site/."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)


def inline_assets() -> dict[str, str]:
    """Style sheet and script of every page, to be put into it."""
    script = "\n".join((TEMPLATES / name).read_text("utf-8") for name in ("page.js", "page_tools.js"))
    return {"style": (TEMPLATES / "site.css").read_text("utf-8"), "script": script}


def standing_alone(notebook, scripts: Scripts | None = None):
    """The notebook with every figure, board and widget turned into HTML that needs no kernel.

    What that HTML needs of plotly.js and of the boards' modules goes where `scripts` says:
    by default into the notebook itself, before the first figure that needs it.
    """
    scripts = scripts or Scripts()
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_mathml(for_readers(cell.source))
        elif "injected-parameters" in cell.metadata.get("tags", []):
            cell.source = cell.source.removeprefix("# Parameters\n")
        cell["outputs"] = [o for o in cell.get("outputs", []) if not only_a_progress_bar(o)]
        for output in cell["outputs"]:
            make_html(output, scripts)
    return notebook


# What a notebook says of running it does not hold on a page: what stands before the comment on its line gives way.
ON_A_PAGE = re.compile(r"^.*<!-- on a page: (.*?) -->", re.MULTILINE)


def for_readers(text: str) -> str:
    """A text cell with the sentences meant for who reads and does not run it."""
    return ON_A_PAGE.sub(r"\1", text)


def make_html(output, scripts: Scripts) -> None:
    """Put into `output` the HTML of the figure or board that it carries."""
    data, metadata = output.get("data", {}), output.get("metadata", {})
    data.pop(WIDGET, None)
    figure = data.pop(PLOTLY, None) or metadata.pop("kit_picture", None)
    board, said = metadata.pop("kit_board", None), data.get("text/html", "")
    if CODE_STYLE.search(said):  # of IPython's Code: colours for light pages, and for every output of the page
        said = data["text/html"] = CODE_STYLE.sub("", said)
    if figure:
        data["text/html"] = figure_html(figure, scripts) + said
    if board:
        data["text/html"] = board_html(board, said.removesuffix(NOT_ALIVE), scripts)
    if "text/markdown" in data:
        data["text/markdown"] = with_mathml(data["text/markdown"])


def only_a_progress_bar(output) -> bool:
    """A tqdm widget: it says nothing but text, and that would stay at 0 % for ever; or the nothing that it left."""
    data, metadata = output.get("data", {"text/plain": ""}), output.get("metadata", {})
    if not data:
        return True
    return WIDGET in data and "text/html" not in data and not metadata.keys() & {"kit_picture", "kit_board"}
