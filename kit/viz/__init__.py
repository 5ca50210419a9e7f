"""Pictures and widgets: they draw what they are given."""

from __future__ import annotations

import importlib

from kit.viz.board import Board
from kit.viz.figures import cosine_histogram, heat_maps, loss_curve
from kit.viz.picture import Picture
from kit.viz.tables import PageTable, before_after

# What needs torch is loaded only when it is asked for: public name → the file that has it.
_LATER = {"tau_lambda_board": "tau_lambda"}

__all__ = ["Board", "PageTable", "Picture", "before_after", "cosine_histogram", "heat_maps", "loss_curve",
           "tau_lambda_board"]


def __getattr__(name: str):
    if name in _LATER:
        return getattr(importlib.import_module(f"kit.viz.{_LATER[name]}"), name)
    raise AttributeError(f"module 'kit.viz' has no attribute {name!r}")
