"""The harness itself: hidden errors are found, memory is measured, the kernel is our own."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_page import save_page
from strip_notebooks import NOTEBOOK_METADATA

from tests.notebooks.execute import WIDGETS, errors_in, execute

ROOT = Path(__file__).resolve().parents[2]


def notebook(folder: Path, *cells: str, name: str = "tiny.ipynb") -> Path:
    parameters = new_code_cell('preset = "laptop"', metadata={"tags": ["parameters"]})
    path = folder / name
    made = new_notebook(cells=[parameters, *map(new_code_cell, cells)], metadata=NOTEBOOK_METADATA)
    nbformat.write(made, path)
    return path


def printed(executed: dict) -> str:
    return "".join("".join(output.get("text", "")) for cell in executed["cells"] for output in cell.get("outputs", []))


@pytest.mark.slow
def test_own_kernel_parameters_and_memory(tmp_path: Path, no_network: None) -> None:
    path = notebook(tmp_path, "import sys\nprint(preset, sys.prefix)", "block = bytearray(200_000_000)", "del block")
    done = execute(path, tmp_path / "out", preset="smoke")
    assert done.stopped_by is None and errors_in(done.notebook) == []
    assert printed(done.notebook).split() == ["smoke", sys.prefix]
    assert 150 < done.peak_mib < 700  # the 191 MiB are seen although they are gone again; a bare kernel has some 50
    assert save_page(tmp_path / "out" / "tiny.ipynb").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_kernels_of_one_process_are_each_as_new_and_read_only(tmp_path: Path, kernel: str) -> None:
    """Torch is there before the first line, and nothing that the kit or an earlier kernel has done."""
    ask = (
        "import os, sys, socket\n"
        "print('torch' in sys.modules, any(name.split('.')[0] == 'kit' for name in sys.modules))\n"
        "import torch\n"
        "print(os.getcwd(), os.environ.get('LEFT'), torch.initial_seed() == 7)"
    )
    leave = "import kit.lesson\nos.environ['LEFT'] = 'behind'\ntorch.manual_seed(7)"
    write = f"print([place for place in ({str(ROOT)!r}, os.environ['HOME']) if os.access(place, os.W_OK)])"
    first = execute(notebook(tmp_path, ask, leave), tmp_path / "out", kernel)
    out = "socket.create_connection(('192.0.2.1', 80), timeout=2)"
    second = execute(notebook(tmp_path, ask, write, out), tmp_path / "out", kernel)
    assert printed(first.notebook).split() == ["True", "False", str(tmp_path), "None", "False"]
    assert printed(second.notebook) == printed(first.notebook) + "[]\n"
    assert first.stopped_by is None and "network is denied" in second.stopped_by


@pytest.mark.slow
def test_a_kernel_has_no_network(tmp_path: Path, no_network: None) -> None:
    path = notebook(tmp_path, "import urllib.request\nurllib.request.urlopen('http://example.org', timeout=3)")
    done = execute(path, tmp_path / "out")
    assert "network is denied" in done.stopped_by
    assert any("URLError" in problem for problem in errors_in(done.notebook))


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [
        "import ipywidgets as w\n"
        "text, slider = w.HTML(), w.IntSlider()\n"
        "slider.observe(lambda change: setattr(text, 'value', '<p class=\"box kit-error\">no</p>'), 'value')\n"
        "display(slider, text)\n"
        "slider.value = 3",
        "from IPython.display import HTML\nHTML(\"<p class='kit-error'>no</p>\")",
        "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()",
    ],
    ids=["callback", "html", "printed"],
)
def test_errors_that_papermill_does_not_notice(tmp_path: Path, cell: str) -> None:
    done = execute(notebook(tmp_path, cell), tmp_path / "out")
    assert done.stopped_by is None, "papermill noticed it: this case proves nothing"
    assert len(errors_in(done.notebook)) == 1


def test_errors_inside_output_widgets() -> None:
    """What `interactive` and `Output.capture` leave behind when the function raises.

    Written down rather than run: now and then nbclient waits for ever for the reply to a cell
    that prints into an Output widget, which is one more reason why the kit has none.
    """
    raised = new_output("error", ename="ValueError", evalue="unseen", traceback=["..."])
    model = {"model_name": "OutputModel", "state": {"msg_id": "", "outputs": [raised]}}
    executed = new_notebook(metadata={"widgets": {WIDGETS: {"state": {"1f": model}}}})
    assert errors_in(executed) == ["OutputModel: ValueError: unseen"]


def test_a_healthy_notebook_has_no_errors() -> None:
    cell = new_code_cell("x", outputs=[new_output("stream", text="error: none, kit-error: none")])
    assert errors_in(new_notebook(cells=[new_markdown_cell('class="kit-error"'), cell])) == []
