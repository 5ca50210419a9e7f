"""Whoever meets a function in the code finds in its docstring the lesson that introduces it."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
from pathlib import Path

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("[0-9][0-9]_*.ipynb"))
LESSONS = re.compile(r"\bLessons? (\d\d(?:(?:, and |, | and )\d\d)*)")


def imported(notebook: Path) -> set[tuple[str, str]]:
    """(module, name) of every `from kit… import name` in the notebook."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    code = re.sub(r"^(\s*)[%!]", r"\1pass  # ", code, flags=re.MULTILINE)  # what only IPython understands
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    return {(node.module, name.name) for node in found if re.match(r"kit\b", node.module) for name in node.names}


def introduced() -> dict[object, tuple[str, str]]:
    """Function, class or module → (its name, the first lesson that imports it). The tour counts last."""
    first: dict[object, tuple[str, str]] = {}
    for notebook in [*NOTEBOOKS[1:], NOTEBOOKS[0]]:
        for module, name in sorted(imported(notebook)):
            value = getattr(importlib.import_module(module), name, None) or importlib.import_module(f"{module}.{name}")
            if inspect.isroutine(value) or inspect.isclass(value) or inspect.ismodule(value):
                first.setdefault(value, (f"{module}.{name}", notebook.name[:2]))
    return first


def test_docstrings_name_the_lesson_that_introduces_them() -> None:
    names = introduced()
    assert len(names) > 100
    offenders = [
        f"{name}: Lesson {lesson}"
        for value, (name, lesson) in names.items()
        if lesson not in re.findall(r"\d\d", " ".join(LESSONS.findall(inspect.getdoc(value) or "")))
    ]
    assert offenders == []
