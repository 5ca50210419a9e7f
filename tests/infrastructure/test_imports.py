"""Every name of the kit that a script, a benchmark or a notebook imports exists, inside functions too."""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(path for folder in ("scripts", "benchmarks") for path in (ROOT / folder).glob("*.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def code_of(path: Path) -> str:
    if path.suffix == ".py":
        return path.read_text("utf-8")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return re.sub(r"^(\s*)[%!].*", r"\1pass", code, flags=re.MULTILINE)


def imported(code: str) -> Iterator[tuple[str, str]]:
    """(module, name) of every import from the kit; the name is empty for `import kit.lesson`."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "kit")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "kit":
            yield from ((node.module, alias.name) for alias in node.names)


def exists(module: str, name: str) -> bool:
    try:
        found = importlib.import_module(module)
        return not name or hasattr(found, name) or bool(importlib.import_module(f"{module}.{name}"))
    except ModuleNotFoundError:
        return False


@pytest.mark.slow
def test_imports_from_the_kit_resolve() -> None:
    wanted = {(path.name, *pair) for path in (*PROGRAMS, *NOTEBOOKS) for pair in imported(code_of(path))}
    assert len(wanted) > 200
    assert sorted(one for one in wanted if not exists(*one[1:])) == []
