"""Boards: widgets whose mathematics runs in the browser, in JupyterLab, Colab and on the site."""

from __future__ import annotations

import importlib

# What needs torch is loaded only when it is asked for: public name → the file that has it.
_FILES = {
    "agreement_board": "agreement_widget",
    "annealing_board": "annealing_widget",
    "Board": "board",
    "conventions_board": "conventions_widget",
    "conventions_table": "conventions_widget",
    "turned_rankings": "conventions_widget",
    "explorer_board": "explorer_widget",
    "heat_board": "heat_widget",
    "live_board": "live_widget",
    "maps_board": "maps_widget",
    "margin_board": "margin_widget",
    "margin_values": "margin_widget",
    "masks_board": "masks_widget",
    "masks_values": "masks_widget",
    "nnpu_board": "nnpu_widget",
    "padding_board": "padding_widget",
    "pulls_board": "pulls_widget",
    "scale_board": "scale_widget",
    "spans_board": "spans_widget",
    "spans_values": "spans_widget",
    "tau_lambda_board": "tau_lambda_widget",
    "temperature_board": "temperature_widget",
    "temperature_values": "temperature_widget",
    "verdict_board": "verdict_widget",
    "whitening_board": "whitening_widget",
    "workshop_board": "workshop_widget",
}

__all__ = list(_FILES)


def __getattr__(name: str):
    if name in _FILES:
        return getattr(importlib.import_module(f"kit.boards.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
