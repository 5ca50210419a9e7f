"""A word of the glossary, followed from a lesson in JupyterLab: the glossary opens as a page, not as its source."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook
from notebook_glossary import GLOSSARY, linked, terms
from strip_notebooks import NOTEBOOK_METADATA

from tests.browser.harness import Lab, Reader


def test_a_linked_word_leads_to_the_glossary(reader: Reader, lab: Lab, tmp_path: Path) -> None:
    (lab.work / "docs").mkdir(exist_ok=True)
    shutil.copy(GLOSSARY, lab.work / "docs")
    written = new_notebook(metadata=NOTEBOOK_METADATA, cells=[new_markdown_cell("# A\n\nWhat SupMPN is.", id="text")])
    made = nbformat.from_dict(linked(written, terms(GLOSSARY.read_text("utf-8"))))
    nbformat.write(made, tmp_path / "word.ipynb")
    reader.open(lab.copy(tmp_path / "word.ipynb"))
    reader.page.get_by_role("link", name="SupMPN").click()
    row = reader.page.locator(".jp-MarkdownViewer tr", has_text="SupMPN").first
    row.wait_for()
    assert "many negatives per anchor" in row.inner_text() and reader.screenshot("glossary").stat().st_size > 10_000
