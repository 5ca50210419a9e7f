"""Objectives: how data becomes examples, batches and a loss, one file each.

contrast    relations of a batch and the masked softmax, with cross-entropy beside it where there are labels
declutr     spans of long documents under NT-Xent, and masked words of the anchors
pause       cross-entropy on labelled pairs and an annealed positive-unlabelled risk on the others

Those of the methods that the papers compare with are in `kit.comparators`.
"""

from __future__ import annotations

from kit.training.objectives.objective import Objective, StepContext

__all__ = ["Objective", "StepContext"]
