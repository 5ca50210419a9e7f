"""Recipes are data: a system of a paper as a name, an objective and its numbers.

`recipe("scl", "laptop", lam=0.5)` gives a checked copy under a preset. The entries stand in
`kit.training.recipes`, one file for each family. `python -m kit.training.recipes` prints them all.
"""

from __future__ import annotations

from kit.comparators import recipe_list as comparators
from kit.errors import unknown_name
from kit.training.recipes import declutr_recipes as declutr
from kit.training.recipes import pause_recipes as pause
from kit.training.recipes import softmax_recipes as softmax
from kit.training.recipes.listing import as_text, record
from kit.training.settings import LAYOUTS, PRESETS, Recipe

__all__ = ["LAYOUTS", "PRESETS", "RECIPES", "Recipe", "recipe", "records", "table"]

RECIPES = {r.name: r for family in (softmax, declutr, pause, comparators) for r in family.RECIPES}


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


def records(preset: str | None = None) -> list[dict]:
    """Every recipe under a preset as plain data, see `kit.training.recipes.listing.record`."""
    return [record(recipe(name, preset)) for name in RECIPES]


def table(preset: str | None = None) -> str:
    """All recipes as text: a line of numbers for each, then what each is and what differs from its paper.

    preset: None or "gpu" for the paper's own numbers. Errors: `KitError` for an unknown preset.
    """
    return as_text(records(preset))
