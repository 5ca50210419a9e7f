"""The recipes as a page of text: a line of numbers for each, then what it is and what differs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, fields

from kit.comparators.not_implemented import ELSEWHERE, LEFT_OUT
from kit.training.settings import Recipe

WIDTH = 112  # characters of a line
COLUMNS = {
    "system": "system",
    "data": "layout",
    "λ": "lam",
    "τ": "temperature",
    "similarity": "similarity",
    "pooling": "pooling",
    "batch": "batch_size",
    "epochs": "epochs",
    "lr": "lr",
    "dropout": "dropout",
}
# What makes no difference to a system that has no such term.
_UNUSED = {
    "λ": ("declutr", "pause", "augment", "views", "tension", "denoising", "information"),
    "τ": ("pause", "augment", "tension", "denoising", "information"),
    "similarity": ("pause", "augment", "tension", "denoising", "information"),
}


def record(recipe: Recipe) -> dict:
    """A recipe as plain data: name, title, source, system, layout, settings, others, differs.

    settings: every one by its name; others: those of its own system, and those that are not the usual ones
    and have no column in the table.
    """
    usual = {f.name: f.default for f in fields(Recipe)}
    shown = {"name", "title", "source", "differs", *COLUMNS.values()}
    settings, own = recipe.settings(), asdict(recipe.options) if recipe.options else {}
    others = {
        name: value for name, value in settings.items() if name in own or (name not in shown and value != usual[name])
    }
    return {
        "name": recipe.name,
        "title": recipe.title,
        "source": recipe.source,
        "system": recipe.system,
        "layout": recipe.layout,
        "settings": settings,
        "others": others,
        "differs": recipe.differs,
    }


def as_text(records: Sequence[dict]) -> str:
    """The numbers in lines, one recipe each; then each recipe in words; then what is no recipe."""
    rows = [("recipe", *COLUMNS), *((r["name"], *(_cell(r, column) for column in COLUMNS)) for r in records)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    for r in records:
        others = ", ".join(f"{name}={value!r}" for name, value in r["others"].items())
        lines += [
            "",
            f"{r['name']} · {r['title']}",
            *_wrapped("paper", r["source"]),
            *(_wrapped("also", others) if others else []),
            *_wrapped("differs", r["differs"]),
        ]
    lines += ["", "In the kit, but no training of an encoder"]
    lines += [line for e in ELSEWHERE for line in _wrapped(f"{e.name}:", f"{e.where} ({e.source})", 2)]
    lines += ["", "Compared with in the papers, and left out here"]
    lines += [line for e in LEFT_OUT for line in _wrapped(f"{e.name}:", f"{e.reason} ({e.source})", 2)]
    return "\n".join(lines)


def _cell(record: dict, column: str) -> str:
    if record["system"] in _UNUSED.get(column, ()):
        return "–"
    value = record["settings"][COLUMNS[column]]
    return value if isinstance(value, str) else f"{value:g}"


def _wrapped(head: str, text: str, indent: int = 9) -> list[str]:
    """`text` behind its `head`, both indented."""
    first, rest = f"  {head} ".ljust(2 + indent), " " * (2 + indent)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False)
