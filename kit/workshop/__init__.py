"""The workshop of lesson 09 and live training: choose, see the cost, train, pause, resume, compare, export."""

from __future__ import annotations

from kit.workshop.choices import Workshop
from kit.workshop.cost_estimate import Cost, estimate
from kit.workshop.live_training import LiveTraining
from kit.workshop.run_record import Run, kept_runs

__all__ = ["Cost", "LiveTraining", "Run", "Workshop", "estimate", "kept_runs"]
