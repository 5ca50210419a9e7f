"""Systems: how a kind of recipe turns data into a loss, one file each.

contrast    relations of a batch and the masked softmax, with cross-entropy beside it where there are labels
"""

from __future__ import annotations

from importlib import import_module

from kit.training.systems.system import Moment, System

# name → where its class is; imported when a recipe of its kind is trained
SYSTEMS = {
    "contrast": "kit.training.systems.contrast:Contrast",
}


def system_class(name: str) -> type[System]:
    """The class of the system called `name`, a key of `SYSTEMS`."""
    module, _, attribute = SYSTEMS[name].partition(":")
    return getattr(import_module(module), attribute)


__all__ = ["SYSTEMS", "Moment", "System", "system_class"]
