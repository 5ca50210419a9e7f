"""Batches, recipes, the training loop and its checkpoints."""

from __future__ import annotations

from kit.training.cost import Cost, estimate
from kit.training.fit import FitResult, fit
from kit.training.live import LiveTraining
from kit.training.recipes import PRESETS, RECIPES, Recipe, recipe
from kit.training.run import Run, kept_runs
from kit.training.trainer import Trainer
from kit.training.workshop import Workshop

__all__ = [
    "PRESETS",
    "RECIPES",
    "Cost",
    "FitResult",
    "LiveTraining",
    "Recipe",
    "Run",
    "Trainer",
    "Workshop",
    "estimate",
    "fit",
    "kept_runs",
    "recipe",
]
