"""Training under a reader's control: estimate the cost, train, pause, resume, compare, export; live training."""

from __future__ import annotations

from kit.workshop.choices import Workshop
from kit.workshop.cost_estimate import Cost, estimate_cost
from kit.workshop.live_training import LiveTraining
from kit.workshop.records import saved_runs
from kit.workshop.run_record import Run

__all__ = ["Cost", "LiveTraining", "Run", "Workshop", "estimate_cost", "saved_runs"]
