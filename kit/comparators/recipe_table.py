"""The recipes as a page of text: a line of numbers for each, then what it is and how it deviates."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import fields

from kit.comparators.not_implemented import NOT_IMPLEMENTED, SEE_ALSO
from kit.training.objectives.contrast import Contrast
from kit.training.settings import Recipe

WIDTH = 112  # characters of a line
COLUMNS = {
    "objective": "objective",
    "data": "data_format",
    "λ": "lam",
    "τ": "temperature",
    "similarity": "similarity",
    "pooling": "pooling",
    "batch": "batch_size",
    "epochs": "epochs",
    "lr": "lr",
    "dropout": "dropout",
}


def record(recipe: Recipe) -> dict:
    """A recipe as plain data: name, title, source, objective, data_format, settings, others, deviations.

    settings: every one by its name; others: those without a column in the table, as far as they are not at their
    default or are its objective's own. (The contrastive recipes share their options, so that of these only changes
    are shown.)
    """
    defaults = {f.name: f.default for f in (*fields(Recipe), *fields(recipe.options))}
    always = {"name", "title", "source", "deviations", *COLUMNS.values()}
    settings = recipe.as_dict()
    own = () if recipe.objective is Contrast else type(recipe.options).__annotations__
    others = {k: v for k, v in settings.items() if k not in always and (k in own or v != defaults[k])}
    return {
        **{key: settings[key] for key in ("name", "title", "source", "objective", "data_format", "deviations")},
        "settings": settings,
        "others": others,
    }


def as_text(recipes: Sequence[Recipe], others: bool = True) -> str:
    """The numbers in lines, one recipe each; then each recipe in words; then, with `others`, what is not a recipe."""
    records = [record(recipe) for recipe in recipes]
    rows = [("recipe", *COLUMNS), *((r["name"], *(_cell(r, column) for column in COLUMNS)) for r in records)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    for r in records:
        also = ", ".join(f"{name}={value!r}" for name, value in r["others"].items())
        lines += [
            "",
            f"{r['name']} · {r['title']}",
            *_wrapped("paper", r["source"]),
            *(_wrapped("also", also) if also else []),
            *_wrapped("deviates", r["deviations"]),
        ]
    if not others:
        return "\n".join(lines)
    lines += ["", "In the kit, but no training of an encoder"]
    lines += [line for e in SEE_ALSO for line in _wrapped(f"{e.name}:", f"{e.where} ({e.source})", 2)]
    lines += ["", "Compared with in the papers, and not implemented here"]
    for e in NOT_IMPLEMENTED:
        lines += _wrapped(f"{e.name}:", f"{e.reason} ({e.source})", 2)
    return "\n".join(lines)


def _cell(record: dict, column: str) -> str:
    value = record["settings"].get(COLUMNS[column], "–")  # an objective without such a term
    return value if isinstance(value, str) else f"{value:g}"


def _wrapped(head: str, text: str, indent: int = 9) -> list[str]:
    """`text` behind its `head`, both indented."""
    first, rest = f"  {head} ".ljust(2 + indent), " " * (2 + indent)
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False)
