"""Recipes are data: a method of a paper as a name, an objective and its numbers.

`recipe("scl", "laptop", lam=0.5)` gives a checked copy under a preset. One file for each family of recipes; those of
the methods that the papers compare with are in `kit.comparators`. `kit recipes` prints them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from kit import extensions
from kit.checks.argument_checks import checked
from kit.errors import check_name
from kit.training.recipes.declutr_recipes import DECLUTR
from kit.training.recipes.pause_recipes import PAUSE
from kit.training.recipes.softmax_recipes import SOFTMAX
from kit.training.settings import PRESETS, Recipe

__all__ = ["PRESETS", "RECIPES", "Recipe", "recipe", "table"]


class _Recipes(Mapping[str, Recipe]):
    """Every recipe by its name; those of the comparators are looked up when they are first needed."""

    @cached_property
    def _by_name(self) -> dict[str, Recipe]:
        return {r.name: r for r in (*SOFTMAX, *DECLUTR, *PAUSE, *extensions.comparators().RECIPES)}

    def __getitem__(self, name: str) -> Recipe:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)


RECIPES = _Recipes()  # name → Recipe; Lesson 09
# The presets name the learning rates of kit-bert-tiny; those of a larger encoder that differ were chosen by the same
# rule: data/results/choices-<encoder>.json. What claims compare has one rate, that of SBERT and SCL or that of SimCSE.
RATES = {
    "kit-bert-mini": dict.fromkeys(("sbert", "scl", "augment_3p3n", "augment_all", "cosent", "cosine_regression"), 5e-4)
    | dict.fromkeys(("simcse", "mnrl"), 1e-3)
    | {"supmpn": 5e-4, "simcse_unsup": 2e-4, "simcse_mlm": 2e-4, "pause": 2.5e-4, "supcon": 2.5e-4, "declutr": 1e-3}
}
RATES["kit-bert-mini-v2"] = RATES["kit-bert-mini"]  # those of SBERT, SCL and DeCLUTR chosen anew: the same


@checked
def recipe(name: str, preset: str | None = None, encoder: str | None = None, **changes) -> Recipe:
    """The recipe called `name`, under a preset, with `changes` on top.

    encoder: whose learning rate a compact preset takes, where `RATES` has one. changes: common settings or the
    objective's, by their names. Errors: `KitError` for an unknown name, preset or setting, and for values that make
    no sense (τ ≤ 0, λ outside [0, 1], an empty batch …). Lessons 00, 02, 09.
    """
    check_name("recipe", name, RECIPES)
    if preset is not None:
        check_name("preset", preset, PRESETS)
    base = RECIPES[name]
    settings, rates = base.presets.get(preset, {}), RATES.get(Path(encoder or "").name, {})
    rate = {"lr": rates[name]} if "lr" in settings and name in rates else {}
    return base.changed(**{**settings, **rate, **changes})


@checked
def table(preset: str | None = None, names: Iterable[str] | None = None) -> str:
    """Recipes as text: whose numbers, a line of them for each, what each is and how it deviates from its paper.

    preset: None or "gpu" for the paper's own numbers. names: None for all, and then what is no recipe here stands
    below. Errors: `KitError` for an unknown preset or name.
    """
    papers = "The papers' own numbers (what deviates is said of every preset)"
    whose = papers if preset in (None, "gpu") else f"Preset {preset}"
    made = [recipe(name, preset) for name in names or RECIPES]
    return f"{whose}:\n\n" + extensions.comparators().as_text(made, names is None)
