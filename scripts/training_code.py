"""A hash of the code that a training or a measurement runs through: what is kept is not taken for that of other code.

Read from the source: the files that are imported, name by name, from a few starting points. What changes no
result (comments, docstrings, formatting) changes no hash, nor does a loss that the training never imports.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START = (
    "kit.training.fit",
    "kit.training.example_sources",
    "kit.encoder.load",
    "kit.encoder.save",
    "kit.data.nli",
    "kit.data.documents",
)
# Settings, which a key has by their values; what only shows, stores or refuses something.
LEFT_OUT = (
    "kit.training.recipes",
    "kit.comparators.recipe",
    "kit.comparators.not_implemented",
    "kit.storage",
    "kit.checks",
    "kit.errors",
    "kit.paths",
    "kit.captions",
)


def training_code(objective: str) -> str:
    """Twelve characters that change with the code that trains by the objective in this module."""
    return code_hash(code_files((objective, *START)))


@lru_cache
def measuring_code(measure: Callable) -> str:
    """Twelve characters that change with the code that `measure` runs through, an encoder's passes among it.

    Its own lines count, those of the functions of its file that it calls, and all that these import from the kit.
    """
    known = [measure.__globals__.get(name) for name in measure.__code__.co_names]
    helpers = [one for one in known if inspect.isfunction(one) and one.__module__ == measure.__module__]
    own = [ast.parse(textwrap.dedent(inspect.getsource(one))) for one in (measure, *helpers)]
    imported = [module for tree in own for module in _imported(tree)]
    return code_hash(code_files(("kit.encoder.load", *imported)), more="".join(map(without_words, own)))


def code_hash(files: Iterable[Path], root: Path = ROOT, more: str = "") -> str:
    """Twelve characters that change with what these files of `root` do."""
    digest = hashlib.sha256(more.encode())
    for path in files:
        digest.update(f"{path.relative_to(root)}\n{_meaning(path)}\n".encode())
    return digest.hexdigest()[:12]


@lru_cache
def code_files(modules: tuple[str, ...]) -> list[Path]:
    """The files of `modules` and of all that they import from the kit, however far; sorted."""
    waiting, found = list(modules), set()
    while waiting:
        module = waiting.pop()
        path = _file(module)
        if path is None or path in found or module.startswith(LEFT_OUT):
            continue
        found.add(path)
        waiting += _imported(ast.parse(path.read_text("utf-8")))
    return sorted(found)


def _imported(tree: ast.AST) -> Iterator[str]:
    """The modules of the kit that code imports, names of a package followed to the module that has them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _homes(node.module, [alias.name for alias in node.names])


def _homes(module: str, names: Iterable[str]) -> Iterator[str]:
    path = _file(module)
    if path is None or path.name != "__init__.py":
        yield module
        return
    front = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    for name in names:
        if _file(f"{module}.{name}"):
            yield f"{module}.{name}"
        elif name in front and front[name][0].startswith("kit"):
            yield from _homes(front[name][0], [front[name][1]])
        else:
            yield module  # defined in the package's own file


def _file(module: str) -> Path | None:
    """The file of a module of the kit; None for any other."""
    if module.split(".")[0] != "kit":
        return None
    place = ROOT.joinpath(*module.split("."))
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


@lru_cache
def _meaning(path: Path) -> str:
    return without_words(ast.parse(path.read_text("utf-8")))


def without_words(tree: ast.AST) -> str:
    """The syntax tree without docstrings and comments: what code does."""
    for node in ast.walk(tree):
        has_body = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if has_body and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)
