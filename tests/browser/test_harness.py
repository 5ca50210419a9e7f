"""The harness on a notebook of three lines: it sees what changes, and it notices trouble."""

from __future__ import annotations

import urllib.error
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from strip_notebooks import NOTEBOOK_METADATA

from tests.browser.harness import Lab, Reader, describe

SLIDER = """\
import ipywidgets as widgets

slider = widgets.FloatSlider(value=0.5, min=0.1, max=1.0, step=0.1, description="τ")
answer = widgets.HTML()

def show(change=None):
    if slider.value > 0.95:
        answer.value = '<p class="kit-error">too high</p>'
    else:
        answer.value = f'<p>1/τ is <b id="answer">{1 / slider.value:.3f}</b></p>'

slider.observe(show, "value")
show()
answer.add_class("answer-box")
widgets.VBox([slider, answer])"""


def notebook(folder: Path, *cells: str) -> Path:
    parameters = new_code_cell('preset = "laptop"', metadata={"tags": ["parameters"]})
    made = new_notebook(
        metadata=NOTEBOOK_METADATA, cells=[new_markdown_cell("# Tiny"), parameters, *map(new_code_cell, cells)]
    )
    path = folder / "tiny.ipynb"
    nbformat.write(made, path)
    return path


def test_keys_change_a_number(reader: Reader, lab: Lab, tmp_path: Path) -> None:
    reader.open(lab.copy(notebook(tmp_path, SLIDER, "print('preset is', preset)"), preset="smoke"))
    reader.run_all()
    assert reader.page.get_by_text("preset is smoke").count() == 1
    assert reader.sliders().count() == 1
    assert reader.number("#answer") == 2.0

    reader.press(reader.slider("τ"), "ArrowRight")
    assert reader.wait_for_change("#answer", 2.0) == 1.667
    reader.press(reader.slider("τ"), "ArrowLeft", times=2)
    reader.wait_for_number("#answer", 2.5)

    times = reader.latencies(reader.slider("τ"), ".answer-box", ["ArrowRight", "ArrowLeft"] * 5)
    print("key press to changed page:", describe(times))
    assert len(times) == 10 and min(times) > 0
    assert reader.screenshot("harness").stat().st_size > 10_000

    reader.press(reader.slider("τ"), "End")
    reader.page.locator(".kit-error").wait_for()
    assert reader.errors_shown() == ["too high"]


@pytest.mark.nightly
def test_a_failing_cell_fails_the_run(reader: Reader, lab: Lab, tmp_path: Path) -> None:
    reader.open(lab.copy(notebook(tmp_path, "1 / 0", "print('never')")))
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        reader.run_all()


def test_kernels_have_no_network(reader: Reader, lab: Lab, tmp_path: Path) -> None:
    reader.open(
        lab.copy(notebook(tmp_path, "import urllib.request\nurllib.request.urlopen('http://example.org', timeout=3)"))
    )
    with pytest.raises(AssertionError, match="network is denied"):
        reader.run_all()


@pytest.mark.nightly
def test_console_errors_and_outside_requests_are_noticed(reader: Reader, lab: Lab, tmp_path: Path) -> None:
    reader.open(
        lab.copy(
            notebook(tmp_path, "from IPython.display import HTML\nHTML('<img src=\"http://192.0.2.1/picture.png\">')")
        )
    )
    reader.run_all()
    reader.page.evaluate("() => console.error('something broke')")
    wanted = {"asked the outer world: http://192.0.2.1/picture.png", "something broke"}
    while not all(any(words in problem for problem in reader.problems) for words in wanted):
        reader.page.wait_for_timeout(50)  # a hang ends with pytest's own limit
    reader.problems.clear()  # they were wanted here


def test_the_server_wants_its_token(lab: Lab) -> None:
    for wrong in ("", "guess"):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            lab.ask("/api/contents", token=wrong)
