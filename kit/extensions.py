"""What stands beside the core and is called by it.

The core (data, losses, encoder, training, evaluation) imports no package beside it. Where it hands over to one,
it asks the slot below:

    extensions.made_up_data().table(name, split, rows, seed, reasons)

`kit/__init__.py` knows both sides and fills the slots, with functions that import only when they are called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kit.errors import KitError


class Slot:
    """A place for one module that stands beside the core; calling the slot gives the module."""

    def __init__(self, purpose: str) -> None:
        self.purpose = purpose
        self.load: Callable[[], Any] | None = None

    def fill(self, load: Callable[[], Any]) -> Callable[[], Any]:
        """Let `load()` import and return the module; usable as a decorator."""
        self.load = load
        return load

    def __call__(self) -> Any:
        """The module. Raises KitError where the slot is empty."""
        if self.load is None:
            raise KitError(f"expected a package for {self.purpose}, got none: fill its slot, see kit/extensions.py.")
        return self.load()


made_up_data = Slot("made-up data where nothing else is at hand")  # kit.world.stand_in
english = Slot("synonyms and forms of English words")  # kit.english
comparators = Slot("recipes of systems to compare with")  # kit.comparators.recipe_list
several_processes = Slot("training on several processes")  # kit.scaling.distributed
row_streams = Slot("data that are read as they are needed")  # kit.scaling.row_stream
