"""`kit recipes`: what each recipe trains, its numbers, and how it deviates from its paper."""

from __future__ import annotations

import argparse

from kit.commands.command_form import Command, late
from kit.errors import check_name


def _arguments(one: argparse.ArgumentParser) -> None:
    one.add_argument("names", nargs="*", metavar="NAME", help="such as scl or simcse (default: all)")
    one.add_argument("--preset", metavar="NAME", help="smoke, laptop or gpu (default: the papers' own numbers)")


def recipes(options: argparse.Namespace) -> None:
    """Print all of them, or those of these names. Errors: `KitError` for an unknown recipe or preset."""
    from kit.training.recipes import RECIPES, table

    for name in options.names:
        check_name("recipe", name, RECIPES)
    print(table(options.preset, tuple(dict.fromkeys(options.names)) or None))


RECIPE_COMMANDS = {
    "recipes": Command(
        "list the recipes to train by: their numbers, and how each deviates from its paper",
        "List the recipes that kit train takes: a line of numbers for each, then what it is, its paper, and how it "
        "deviates from it; in the end what is compared with elsewhere and is not here. Any setting can be changed with "
        "kit train --set. Example: kit recipes simcse_unsup --preset laptop",
        _arguments,
        late("recipes_command", "recipes"),
        "nothing was changed",
    )
}
