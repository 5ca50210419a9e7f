"""Recipes are data: a system of a paper as a name, an objective and its numbers.

`recipe("scl", "laptop", lam=0.5)` gives a checked copy under a preset. The entries stand in
`kit.training.entries`, one file for each family.
"""

from __future__ import annotations

from kit.errors import unknown_name
from kit.training.entries import softmax
from kit.training.settings import LAYOUTS, PRESETS, Recipe

__all__ = ["LAYOUTS", "PRESETS", "RECIPES", "Recipe", "recipe", "table"]

RECIPES = {r.name: r for family in (softmax,) for r in family.RECIPES}


def recipe(name: str, preset: str | None = None, **changes) -> Recipe:
    """The recipe called `name`, under a preset, with `changes` on top.

    Errors: `KitError` for an unknown name, preset or setting, and for numbers that make no
    sense (τ ≤ 0, λ outside [0, 1], an empty batch …).
    """
    if name not in RECIPES:
        raise unknown_name("recipe", name, RECIPES)
    if preset is not None and preset not in PRESETS:
        raise unknown_name("preset", preset, PRESETS)
    base = RECIPES[name]
    return base.changed(**{**base.presets.get(preset, {}), **changes})


def table() -> str:
    """The recipes as a text table: name, λ, τ, similarity, batch, learning rate, source."""
    rows = [("recipe", "λ", "τ", "similarity", "batch", "epochs", "lr", "source")]
    rows += [(r.name, f"{r.lam:g}", f"{r.temperature:g}", r.similarity, str(r.batch_size), f"{r.epochs:g}",
              f"{r.lr:g}", r.source) for r in RECIPES.values()]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)
