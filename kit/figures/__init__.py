"""Static figures and tables: numbers in, a figure with its summary out."""

from __future__ import annotations

import importlib

# A figure is loaded when it is asked for: public name → the file that has it.
_FILES = {
    "cosine_histogram": "basic_figures",
    "heat_maps": "basic_figures",
    "loss_curve": "basic_figures",
    "growth_figure": "growth_figures",
    "growth_table": "growth_figures",
    "labels_curve": "label_figures",
    "risk_curve": "label_figures",
    "collapse_curve": "margin_figures",
    "count_curve": "margin_figures",
    "reduction_curve": "margin_figures",
    "region_curve": "margin_figures",
    "neighbours_table": "neighbour_table",
    "cone_drawing": "vector_drawings",
    "pooling_drawing": "vector_drawings",
    "pull_push_drawing": "vector_drawings",
    "PageTable": "page_table",
    "before_after": "page_table",
    "CaptionedFigure": "captioned_figure",
    "mixture_drawing": "objective_drawings",
    "span_rows_drawing": "objective_drawings",
    "spans_drawing": "objective_drawings",
    "two_losses_drawing": "objective_drawings",
    "batch_matrix": "contrast_schematics",
    "margin_plane": "contrast_schematics",
    "siblings_matrix": "contrast_schematics",
    "lengths_figure": "own_data_figures",
    "split_drawing": "own_data_figures",
    "probing_table": "probing_figures",
    "relations_figure": "relation_matrix",
    "runs_figure": "run_figures",
    "runs_table": "run_figures",
    "Canvas": "schematics",
    "Drawing": "schematics",
    "scoreboard_figure": "scoreboard_figures",
    "scoreboard_table": "scoreboard_figures",
    "sizes_table": "scoreboard_sizes",
    "frequency_map": "space_figures",
    "repairs_table": "space_figures",
    "spectra": "space_figures",
    "speed_table": "speed_figures",
    "sweep_curve": "training_curves",
    "sweep_points": "training_curves",
    "sweep_table": "training_curves",
    "intervals_drawing": "training_drawings",
    "ranks_drawing": "training_drawings",
    "score_drawing": "training_drawings",
    "training_loop_drawing": "training_drawings",
    "weight_planes": "weight_plane_figure",
}

__all__ = list(_FILES)


def __getattr__(name: str):
    if name in _FILES:
        return getattr(importlib.import_module(f"kit.figures.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
