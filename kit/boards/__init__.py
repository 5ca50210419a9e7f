"""Boards: widgets whose mathematics runs in the browser, in JupyterLab, Colab and on the site."""

from __future__ import annotations

import importlib
from pathlib import Path

# What needs torch is loaded only when it is asked for: public name → the file that has it. Every x_widget.py has an
# x_board; what else is public stands here.
_FILES = {
    "Board": "board",
    "conventions_table": "conventions_widget",
    "turned_rankings": "conventions_widget",
    "margin_values": "margin_widget",
    "masks_values": "masks_widget",
    "spans_values": "spans_widget",
    "temperature_values": "temperature_widget",
    **{path.stem.replace("_widget", "_board"): path.stem for path in sorted(Path(__file__).parent.glob("*_widget.py"))},
}

__all__ = list(_FILES)


def __getattr__(name: str):
    if name in _FILES:
        return getattr(importlib.import_module(f"kit.boards.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
