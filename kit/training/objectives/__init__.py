"""Systems: how a kind of recipe turns data into a loss, one file each.

contrast    relations of a batch and the masked softmax, with cross-entropy beside it where there are labels
augment     cross-entropy on the pairs that SCL contrasts
views       two augmented views of each sentence, and the masked softmax
tension     two encoders, and binary cross-entropy on whether their sentences are the same
denoising   a decoder writes the sentence again from the vector of its remains
information what a sentence's vector tells about its parts, Jensen–Shannon
declutr     spans of long documents under NT-Xent, and masked words of the anchors
pause       cross-entropy on labelled pairs and an annealed positive-unlabelled risk on the others
"""

from __future__ import annotations

from importlib import import_module

from kit.training.objectives.objective import Moment, System

# name → where its class is; imported when a recipe of its kind is trained
SYSTEMS = {
    "contrast": "kit.training.objectives.contrast:Contrast",
    "augment": "kit.comparators.augmented_sbert:Augment",
    "views": "kit.comparators.view_pairs:Views",
    "tension": "kit.comparators.tension:Tension",
    "denoising": "kit.comparators.denoising:Denoising",
    "information": "kit.comparators.information:Information",
    "declutr": "kit.training.objectives.declutr:Declutr",
    "pause": "kit.training.objectives.pause:Pause",
}


def system_class(name: str) -> type[System]:
    """The class of the system called `name`, a key of `SYSTEMS`."""
    module, _, attribute = SYSTEMS[name].partition(":")
    return getattr(import_module(module), attribute)


__all__ = ["SYSTEMS", "Moment", "System", "system_class"]
