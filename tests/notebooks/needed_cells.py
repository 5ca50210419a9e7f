"""Which cells of a notebook are needed to run some of its cells: the others can be left out of a test."""

from __future__ import annotations

import ast
import re


def names_in(code: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds, and those that it reads."""
    tree = _parsed(code)
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    stored |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    stored |= {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return stored, read


def names_changed_in(code: str) -> set[str]:
    """The names whose value a cell may change in place: `x[0] = …`, `x.y = …`, and a statement `x.do(…)`."""
    changed = set()
    for node in ast.walk(_parsed(code)):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            changed.add(_base(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed.add(_base(node.value.func))
    return changed - {None}


def functions_and_values(code: str) -> tuple[set[str], set[str]]:
    """The names that a cell imports or defines, and those that it gives a value; not those inside its functions."""
    functions, values, waiting = set(), set(), list(_parsed(code).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            functions.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            functions |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            values.add(node.id)
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            waiting += ast.iter_child_nodes(node)
    return functions, values


def needed_for(cells: list[str], wanted: str) -> list[bool]:
    """For each code cell: whether it matches the pattern `wanted`, or one that does needs it.

    Followed from the end: a cell is needed that binds, or changes in place, a name which a later needed cell reads.
    """
    needed = [bool(re.search(wanted, code)) for code in cells]
    missing: set[str] = set()
    for number in range(len(cells) - 1, -1, -1):
        stored, read = names_in(cells[number])
        if missing & (stored | names_changed_in(cells[number])):
            needed[number] = True
        if needed[number]:
            missing = (missing - stored) | read
    return needed


def _parsed(code: str) -> ast.Module:
    return ast.parse(re.sub(r"^(\s*)%.*", r"\1pass", code, flags=re.MULTILINE))


def _base(node: ast.expr) -> str | None:
    """`x` of `x.y[0].z`; None for what is no name."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
