"""Batches, recipes, the training loop and its checkpoints."""

from __future__ import annotations

from kit.training.fit import FitResult, fit
from kit.training.recipes import PRESETS, RECIPES, Recipe, recipe
from kit.training.trainer import Trainer

__all__ = ["PRESETS", "RECIPES", "FitResult", "Recipe", "Trainer", "fit", "recipe"]
