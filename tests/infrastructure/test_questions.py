"""docs/questions.md: what its blocks print is what stands below them, and the sections that it names are there."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "questions.md"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
LESSON = re.compile(r"\]\(\.\./notebooks/(\w+\.ipynb)\)([^\[]*)")


def printed(blocks: list[str]) -> list[str]:
    """What each block of one session prints."""
    session: dict = {}
    found = []
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(block, session)
        found.append(out.getvalue())
    return found


def headings(lesson: str) -> set[str]:
    cells = json.loads((ROOT / "notebooks" / lesson).read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return {re.sub(r"^\d+\. ", "", found) for found in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.slow
def test_blocks_print_what_the_page_says() -> None:
    blocks, said = zip(*BLOCK.findall(PAGE.read_text("utf-8")), strict=True)
    assert len(blocks) > 12
    assert printed(list(blocks)) == list(said)


def test_named_sections_are_in_their_lessons() -> None:
    named = [
        (lesson, section)
        for lesson, rest in LESSON.findall(PAGE.read_text("utf-8"))
        for section in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", rest.partition("\n")[0])
    ]
    assert len(named) > 20
    assert [(lesson, section) for lesson, section in named if section not in headings(lesson)] == []
