"""Boards: widgets whose mathematics runs in the browser, in JupyterLab, Colab and on the site."""

from __future__ import annotations

import importlib

# What needs torch is loaded only when it is asked for: public name → the file that has it.
_FILES = {
    "agreement_board": "agreement_board",
    "annealing_board": "annealing_board",
    "Board": "board",
    "conventions_board": "conventions_board",
    "conventions_table": "conventions_board",
    "turned_rankings": "conventions_board",
    "explorer_board": "explorer_board",
    "heat_board": "heat_board",
    "live_board": "live_board",
    "maps_board": "maps_board",
    "margin_board": "margin_board",
    "margin_figure": "margin_board",
    "masks_board": "masks_board",
    "masks_figure": "masks_board",
    "nnpu_board": "nnpu_board",
    "padding_board": "padding_board",
    "pulls_board": "pulls_board",
    "scale_board": "scale_board",
    "spans_board": "spans_board",
    "spans_figure": "spans_board",
    "tau_lambda_board": "tau_lambda_board",
    "temperature_board": "temperature_board",
    "temperature_figure": "temperature_board",
    "verdict_board": "verdict_board",
    "whitening_board": "whitening_board",
    "workshop_board": "workshop_board",
}

__all__ = list(_FILES)


def __getattr__(name: str):
    if name in _FILES:
        return getattr(importlib.import_module(f"kit.boards.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
