"""How a figure is shown: as plotly would in a Jupyter kernel, without what plotly loads to find that out."""

from __future__ import annotations

import ast
import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import plotly.io as pio
import pytest

import kit.figures
from kit.figures import collapse_curve, cosine_histogram, loss_curve
from kit.figures.captioned_figure import ELSEWHERE, MIME_TYPE, NOT_DRAWN

COSINES = {"raw": np.linspace(-0.2, 0.9, 50)}
# a shell that says of itself that it is a kernel's, and what is displayed in it
IN_A_KERNEL = """
import json, sys
import IPython
from IPython.core.interactiveshell import InteractiveShell

class ZMQInteractiveShell(InteractiveShell):
    pass

ZMQInteractiveShell.__module__ = "ipykernel.zmqshell"
ZMQInteractiveShell.instance()
shown = []
IPython.display.display = IPython.core.display_functions.display = lambda *what, **how: shown.extend(what)
from kit.figures import cosine_histogram
{first}
cosine_histogram({{"raw": {cosines}}})._ipython_display_()
print(json.dumps([[*map(str, getattr(one, "keys", lambda: [type(one).__name__])())] for one in shown]))
print(json.dumps(shown[0].get({mime!r}) if isinstance(shown[0], dict) else None), "nbformat" in sys.modules)
"""


ASKED = re.search(r"In the classic notebook: (.+), then run this again", NOT_DRAWN)[1]


def shown(first: str = "", **environment: str) -> list[str]:
    """What a kernel displays, and the figure and whether nbformat was loaded for it."""
    program = IN_A_KERNEL.format(cosines=COSINES["raw"].tolist(), mime=MIME_TYPE, first=first)
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout.splitlines()[-2:]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ELSEWHERE}


@pytest.mark.slow
def test_a_kernel_gets_what_plotly_would_send_and_does_not_wait_for_it(plain: dict[str, str]) -> None:
    keys, figure = shown(**plain)
    assert keys == f'[["{MIME_TYPE}", "text/plain"], ["text/html", "text/plain"]]'
    sent, loaded = figure.rsplit(" ", 1)
    assert loaded == "False"
    wanted = pio.renderers["plotly_mimetype"].to_mimebundle(cosine_histogram(COSINES).figure.to_dict())[MIME_TYPE]
    wanted.pop("config", None)  # the address of plotly's own server
    assert json.loads(sent) == wanted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "environment"), [(ASKED + "; renderers.default = 'png'", {}), (ASKED, {}), ("", {"PLOTLY_RENDERER": "a"})]
)
def test_who_asks_for_another_way_gets_it(first: str, environment: dict[str, str], plain: dict[str, str]) -> None:
    assert shown(first, **plain, **environment)[0] == '[["Figure"], ["text/html", "text/plain"]]'


def shown_outputs(monkeypatch: pytest.MonkeyPatch) -> list:
    """The outputs of a cell that ends with a figure, as a notebook keeps them."""
    kept = []
    monkeypatch.setattr("kit.figures.captioned_figure._mime_type_will_do", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda data, raw: kept.append(data))
    cosine_histogram(COSINES)._ipython_display_()
    return [nbformat.v4.new_output("display_data", data) for data in kept]


def test_an_exported_page_says_where_the_figure_is_unless_it_has_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """JupyterLab keeps a PNG of each figure that it has drawn; nbconvert shows one of an output's forms."""
    from nbconvert import HTMLExporter

    outputs = shown_outputs(monkeypatch)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("figure", outputs=outputs)])
    exporter = HTMLExporter(template_name="basic")
    assert html.escape(NOT_DRAWN) in exporter.from_notebook_node(notebook)[0]
    outputs[0].data["image/png"] = "AAAA"
    page = exporter.from_notebook_node(notebook)[0]
    assert "data:image/png;base64,AAAA" in page and "itself appears" not in page


def test_a_page_of_the_site_draws_the_figure_and_does_not_say_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from nbconvert import HTMLExporter
    from notebook_page import standing_alone

    cell = nbformat.v4.new_code_cell("figure", outputs=shown_outputs(monkeypatch))
    alone = standing_alone(nbformat.v4.new_notebook(cells=[cell]))
    page, _ = HTMLExporter(template_name="basic").from_notebook_node(alone)
    assert 'class="figure"' in page and "itself appears" not in page


def test_what_is_pointed_at_says_more_than_two_raw_numbers() -> None:
    """Every trace has words of its own, or says nothing; and the names of lines are whole."""
    bare = []
    for file in sorted(Path(kit.figures.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            made = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if made.removeprefix("add_") in {"Scatter", "scatter", "Bar", "bar", "Heatmap", "Contour"}:
                given = {keyword.arg for keyword in node.keywords}
                if not given & {"hovertemplate", "hoverinfo", None}:  # None: those of a dictionary
                    bare.append(f"{file.name}:{node.lineno}")
    assert bare == []
    steps = [{"step": 1, "loss": 0.1234567, "distance": 0.1234567}]
    for picture in (loss_curve(steps), collapse_curve({"a name of many letters": steps}, margin=1.0)):
        assert all(trace.hovertemplate.endswith(f"<extra>{trace.name}</extra>") for trace in picture.figure.data)
        assert picture.figure.layout.hoverlabel.namelength == -1
