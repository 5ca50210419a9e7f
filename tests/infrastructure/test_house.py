"""The rules of the house, read from the source: who imports whom, what loads late, what is never used."""

from __future__ import annotations

import ast
import io
import itertools
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "kit"
SOURCES = sorted(KIT.rglob("*.py"))

# A room imports only from rooms of a lower rank. The two files below all rooms belong to nobody.
RANKS = {
    "errors": -1,
    "paths": -1,
    "products": -1,
    "data": 0,
    "losses": 0,
    "encoder": 1,
    "evaluation": 1,
    "papers": 1,
    "training": 2,
    "viz": 2,
    "exercises": 2,
    "lesson": 3,
    "commands": 3,
    "__main__": 4,
}
# Seconds each, and not every reader needs every one: imported inside the function that uses it.
LATE = {
    "anywidget",
    "datasets",
    "ipywidgets",
    "numba",
    "pandas",
    "plotly",
    "pyarrow",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "transformers",
    "umap",
}
NO_TORCH = {"data", "errors", "paths"}  # text only
NEVER = {"cloudpickle", "dill", "joblib", "pickle", "trust_remote_code"}  # they run foreign code
MAX_LINES = 300
MAX_LINES_IN = {"course/exercises": 450}  # a lesson's questions, solutions and wrong answers are read side by side

every_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(KIT).as_posix())


def room_of(path: Path) -> str:
    """`data` for kit/data/nli.py, `errors` for kit/errors.py."""
    return path.relative_to(KIT).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported anywhere in the tree, with the names taken from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides its direction"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports_on_load(tree: ast.Module) -> set[str]:
    """The packages that are imported when the module is, i.e. outside of functions."""
    tree = ast.parse(ast.unparse(tree))  # a copy: the functions are emptied below
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [ast.Pass()]
    return {name.split(".")[0] for name in imports(tree)}


def upward(room: str, tree: ast.AST) -> list[str]:
    """The imports of a file in `room` that do not go down."""
    rooms = [name.split(".")[1] for name in imports(tree) if name.startswith("kit.")]
    return [other for other in rooms if other != room and other in RANKS and RANKS[other] >= RANKS[room]]


def test_every_room_has_a_rank() -> None:
    assert {room_of(path) for path in SOURCES} - {"__init__"} <= RANKS.keys()


def test_the_front_door_imports_nothing() -> None:
    assert imports_on_load(ast.parse((KIT / "__init__.py").read_text("utf-8"))) <= {"__future__"}


@every_source
def test_imports_go_down(path: Path) -> None:
    if path != KIT / "__init__.py":
        assert upward(room_of(path), ast.parse(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    ("room", "code", "found"),
    [
        ("data", "from kit.training import fit", ["training"]),
        ("data", "def late():\n    import kit.encoder.load", ["encoder"]),
        ("viz", "from kit.training.fit import fit", ["training"]),
        ("losses", "from kit import data", ["data"]),
        ("viz", "from kit.losses import blend\nfrom kit.errors import KitError\nimport kit.figures.palette", []),
    ],
)
def test_the_rule_itself(room: str, code: str, found: list[str]) -> None:
    assert upward(room, ast.parse(code)) == found


@every_source
def test_slow_packages_load_late(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert imports_on_load(tree) & LATE == set()
    if room_of(path) in NO_TORCH:
        assert [name for name in imports(tree) if name.split(".")[0] == "torch"] == []


@pytest.mark.parametrize("module", ["kit", "kit.data", "kit.boards"])
def test_import_is_light(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, cwd=ROOT, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded & (LATE | {"torch"}) == set()


@every_source
def test_file_can_be_read_in_a_sitting(path: Path) -> None:
    folder = path.parent.relative_to(KIT).as_posix()
    assert len(path.read_text("utf-8").splitlines()) <= MAX_LINES_IN.get(folder, MAX_LINES)


def names(code: str) -> list[str]:
    """The names in a piece of code, without its comments and strings."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.string for token in tokens if token.type == tokenize.NAME]


@pytest.mark.parametrize("path", [*SOURCES, *sorted((ROOT / "scripts").glob("*.py"))], ids=lambda path: path.name)
def test_nothing_runs_code_from_a_file(path: Path) -> None:
    """No pickle in any disguise (weights are safetensors), no code from a model's repository."""
    found = names(path.read_text("utf-8"))
    assert NEVER & set(found) == set()
    assert ("torch", "load") not in itertools.pairwise(found)


def texts() -> Iterator[Path]:
    """The text files of the repository: what is not built, installed, or a model."""
    skipped = {".git", ".kit", "build", "runs", "dist", "data", "node_modules", "__pycache__"}
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT).parts
        if path.is_file() and not any(
            part in skipped or part.startswith((".venv", ".pytest", ".ruff")) or part.endswith(".egg-info")
            for part in inside
        ):
            yield path


def test_no_place_of_this_machine_and_no_registry() -> None:
    """Neither a home folder nor an index: those belong to the machine, not to the project."""
    hosts = "|".join(("pypi", "pythonhosted", r"download\.pytorch", r"conda\.anaconda"))
    never = re.compile(rf"(?:{hosts})\.org" + r"|(?<![\w.)}\]*-])/(?:root|work|home|Users)/[\w.]")
    found = []
    for path in texts():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in never.finditer(text)]
    assert found == []
