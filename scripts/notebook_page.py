"""Running a notebook by itself, and the result as a page: no network and no kernel needed.

Plotly figures become live plots (plotly.js is put into the page once); a widget becomes the
picture and the sentence that it showed when the notebook ran; formulas become MathML.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

PLOTLY = "application/vnd.plotly.v1+json"
WIDGET = "application/vnd.jupyter.widget-view+json"


def own_sockets(folder: str):
    """Settings for a kernel that talks through files in `folder` instead of TCP ports.

    Kernels that start side by side now and then draw the same free port, and one of them dies.
    """
    from traitlets.config import Config

    if os.name == "nt":
        return Config()  # no such sockets there
    return Config({"KernelManager": {"transport": "ipc", "ip": str(Path(folder, "kernel"))}})


def save_page(executed: Path) -> Path:
    """Write `<name>.html` beside the executed notebook."""
    import nbformat
    from nbconvert import HTMLExporter

    notebook = standing_alone(nbformat.read(executed, as_version=4))
    exporter = HTMLExporter(embed_images=True, exclude_input_prompt=True, exclude_output_prompt=True)
    page, _ = exporter.from_notebook_node(notebook)
    target = executed.with_suffix(".html")
    target.write_text(page, encoding="utf-8")
    return target


def standing_alone(notebook):
    """The notebook with every figure and widget turned into HTML that needs nothing else."""
    notebook.metadata.pop("widgets", None)
    with_library = True  # the first figure carries plotly.js for all
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_mathml(cell.source)
        cell["outputs"] = [o for o in cell.get("outputs", []) if not only_a_progress_bar(o)]
        for output in cell["outputs"]:
            data = output.get("data", {})
            picture = data.pop(PLOTLY, None) or output.get("metadata", {}).pop("kit_picture", None)
            data.pop(WIDGET, None)
            if picture:
                data["text/html"] = as_html(picture, with_library) + data.get("text/html", "")
                with_library = False
    return notebook


def only_a_progress_bar(output) -> bool:
    """A tqdm widget: without a kernel it would say 0 % for ever."""
    data = output.get("data", {})
    return WIDGET in data and not output.get("metadata", {}).get("kit_picture")


def with_mathml(text: str) -> str:
    """Markdown with $$…$$ and $…$ turned into MathML, which browsers draw by themselves."""
    from latex2mathml.converter import convert

    text = re.sub(r"\$\$(.+?)\$\$", lambda m: convert(m[1], display="block"), text, flags=re.DOTALL)
    return re.sub(r"\$([^$\n]+?)\$", lambda m: convert(m[1]), text)


def as_html(picture: dict, with_library: bool) -> str:
    """A plotly figure, given as JSON, as a piece of HTML."""
    import plotly.io as pio

    figure = pio.from_json(json.dumps({k: picture[k] for k in ("data", "layout")}), skip_invalid=True)
    return pio.to_html(figure, include_plotlyjs=with_library, full_html=False)
