"""What every lesson has: a head, a drawing, an example on paper, neighbours of what it trains, an end, plain code."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import kit.figures

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
DRAWINGS = [name for name in kit.figures.__all__ if name.endswith(("_drawing", "_matrix")) or name == "margin_plane"]
TRAINS = ("from kit.training import fit", "from kit.workshop import Run", "optimizer.step()")
every_lesson = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


def joined(notebook: Path, kind: str) -> str:
    """All cells of a kind, the exercises left out: what the author says, or what the author computes."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    chosen = [cell for cell in cells if cell["cell_type"] == kind]
    return "\n\n".join(
        "".join(c["source"]) for c in chosen if not c["id"].startswith(("exercise-", "answer-", "install"))
    )


@every_lesson
def test_it_says_what_is_needed_how_long_it_takes_and_what_one_can_do_afterwards(notebook: Path) -> None:
    text = joined(notebook, "markdown")
    assert "**You need**" in text and re.search(r"minutes|an hour", text)
    assert re.search(r"[Aa]fterwards you can|[Aa]t the end of this lesson you can|[Aa]t the end you can", text)


@every_lesson
def test_it_has_a_drawing_and_an_example_on_paper(notebook: Path) -> None:
    assert any(f"{name}()" in joined(notebook, "code") for name in DRAWINGS)
    assert re.search(r"\bOn paper\b|\bWith a pencil\b", joined(notebook, "markdown"))


@every_lesson
def test_it_ends_with_what_it_is_for_and_further_reading(notebook: Path) -> None:
    text = joined(notebook, "markdown")
    assert "**When would I use this?**" in text and "**Read on.**" in text
    if notebook.name[:2] in ("03", "04", "06", "08", "09"):
        assert re.search(r"^\| (symptom|what you see) \|", text, re.MULTILINE)


@every_lesson
def test_what_it_trains_shows_its_neighbours(notebook: Path) -> None:
    code = joined(notebook, "code")
    if any(sign in code for sign in TRAINS):
        assert "neighbours_table(" in code


@every_lesson
def test_lines_that_a_reader_sees_do_one_thing(notebook: Path) -> None:
    """No three values assigned in a line, and no unpacked `map`."""
    golfed = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or cell["metadata"].get("jupyter", {}).get("source_hidden") or "%pip" in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and len(node.value.elts) >= 3:
                golfed += [source.splitlines()[node.lineno - 1]] * isinstance(node.targets[0], ast.Tuple)
            if isinstance(node, ast.Starred) and isinstance(node.value, ast.Call):
                golfed += ["*map"] * (getattr(node.value.func, "id", "") == "map")
    assert golfed == []
