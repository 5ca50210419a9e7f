"""Every public function is in the table of hostile calls, or in a list that says why it is not."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import hostile_calls
import hostile_names
import pytest

import kit

REFUSING = {"KitError", "unknown_name", "check_name", "whole_number"}

pytestmark = pytest.mark.slow  # the table makes an encoder, a search index and an ONNX file


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No mirror and no Hub, and a folder of its own."""
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


def public_functions() -> dict[str, str]:
    """Name → package, of all functions in a package's `__all__`."""
    found = {}
    for module in pkgutil.iter_modules(kit.__path__, "kit."):
        if module.ispkg:
            package = importlib.import_module(module.name)
            names = getattr(package, "__all__", [])
            found |= {name: module.name for name in names if inspect.isroutine(getattr(package, name))}
    return found


def test_every_public_function_is_tried_or_excepted() -> None:
    tried = {name for call in hostile_calls.calls() for name in call.split(".")}
    public = public_functions()
    without = {name for name, package in public.items() if package not in hostile_names.PACKAGES} - tried
    assert without == set(hostile_names.FUNCTIONS), "add a call to a table, or a reason to scripts/hostile_names.py"
    assert len(tried & public.keys()) >= 100 and all(
        (*hostile_names.FUNCTIONS.values(), *hostile_names.PACKAGES.values())
    )


def silent(tree: ast.Module, public: set[str]) -> list[str]:
    """The public functions and methods that refuse something themselves, of which no docstring says so.

    A class says it for its `__init__`; a module or class may say once that all in it `raise` it.
    """
    found = []
    for one in tree.body:
        methods = one.body if isinstance(one, ast.ClassDef) else [one]
        for function in methods:
            name = getattr(function, "name", "")
            if not isinstance(function, ast.FunctionDef) or one.name not in public or re.match("_(?!_init__)", name):
                continue
            refusing = {
                node.func.id for node in ast.walk(function) if isinstance(getattr(node, "func", None), ast.Name)
            }
            own = ast.get_docstring(one if name == "__init__" else function) or ""
            around = (ast.get_docstring(tree) or "") + (ast.get_docstring(one) or "")
            if refusing & REFUSING and not re.search("error|raise|refuse", own, re.I) and "raise" not in around:
                found.append(f"{one.name}.{name}" if one is not function else name)
    return found


def test_docstrings_say_what_is_refused() -> None:
    packages = [importlib.import_module(module.name) for module in pkgutil.iter_modules(kit.__path__, "kit.")]
    public = {name for package in packages for name in getattr(package, "__all__", [])}
    trees = {path: ast.parse(path.read_text("utf-8")) for path in Path(kit.__file__).parent.rglob("*.py")}
    wrong = {path.name: found for path, tree in trees.items() if (found := silent(tree, public))}
    assert not wrong, wrong
