"""Pictures and widgets: they draw what they are given."""

from __future__ import annotations

import importlib

from kit.viz.board import Board
from kit.viz.figures import cosine_histogram, heat_maps, loss_curve
from kit.viz.live import live_board
from kit.viz.picture import Picture
from kit.viz.relations import relations_picture
from kit.viz.tables import PageTable, before_after

# What needs torch is loaded only when it is asked for: public name → the file that has it.
_LATER = {
    "spans_board": "spans",
    "spans_figure": "spans",
    "agreement_board": "agreement",
    "conventions_board": "conventions",
    "conventions_table": "conventions",
    "probing_table": "probed",
    "turned_rankings": "conventions",
    "masks_board": "masks",
    "masks_figure": "masks",
    "margin_board": "margin",
    "margin_figure": "margin",
    "collapse_curve": "margin_pictures",
    "count_curve": "margin_pictures",
    "reduction_curve": "margin_pictures",
    "region_curve": "margin_pictures",
    "nnpu_board": "nnpu",
    "annealing_board": "annealing",
    "labels_curve": "labels",
    "risk_curve": "labels",
    "heat_board": "heat",
    "maps_board": "maps",
    "whitening_board": "whitening",
    "frequency_map": "spaces",
    "repairs_table": "spaces",
    "spectra": "spaces",
    "pulls_board": "pulls",
    "runs_picture": "runs",
    "runs_table": "runs",
    "workshop_board": "workshop",
    "explorer_board": "explorer",
    "padding_board": "padding",
    "sweep_curve": "curves",
    "sweep_points": "curves",
    "sweep_table": "curves",
    "tau_lambda_board": "tau_lambda",
    "temperature_board": "temperature",
    "temperature_figure": "temperature",
    "scoreboard_picture": "scoreboard",
    "scoreboard_table": "scoreboard",
    "verdict_board": "verdict",
    "scale_board": "scale",
    "speed_table": "speed",
    "exponents_picture": "growth",
    "growth_picture": "growth",
    "growth_table": "growth",
}

__all__ = [
    "agreement_board",
    "conventions_board",
    "conventions_table",
    "probing_table",
    "turned_rankings",
    "Board",
    "PageTable",
    "Picture",
    "before_after",
    "cosine_histogram",
    "explorer_board",
    "heat_maps",
    "live_board",
    "loss_curve",
    "masks_board",
    "masks_figure",
    "padding_board",
    "pulls_board",
    "relations_picture",
    "sweep_curve",
    "sweep_points",
    "sweep_table",
    "tau_lambda_board",
    "temperature_board",
    "temperature_figure",
    "spans_board",
    "spans_figure",
    "collapse_curve",
    "count_curve",
    "margin_board",
    "margin_figure",
    "reduction_curve",
    "region_curve",
    "annealing_board",
    "labels_curve",
    "nnpu_board",
    "risk_curve",
    "frequency_map",
    "heat_board",
    "maps_board",
    "repairs_table",
    "spectra",
    "whitening_board",
    "runs_picture",
    "runs_table",
    "workshop_board",
    "scoreboard_picture",
    "scoreboard_table",
    "verdict_board",
    "scale_board",
    "speed_table",
    "exponents_picture",
    "growth_picture",
    "growth_table",
]


def __getattr__(name: str):
    if name in _LATER:
        return getattr(importlib.import_module(f"kit.viz.{_LATER[name]}"), name)
    raise AttributeError(f"module 'kit.viz' has no attribute {name!r}")
