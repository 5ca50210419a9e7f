"""The recipe of PAUSE: few labels, many pairs without one."""

from __future__ import annotations

from kit.training.objectives.pause import PauseOptions
from kit.training.settings import Recipe

# The learning rate was chosen on pairs of no test set, see data/results/labels.json.
_COMPACT = {"lr": 5e-4, "dropout": 0.0, "clip": 1.0}

PAUSE = (
    Recipe(
        "pause",
        "PAUSE: cross-entropy on labelled pairs, an annealed PU risk on the others",
        "Cao et al. 2021, Eq. 1, 8, 10 and 11",
        PauseOptions(),
        batch_size=128,
        epochs=2,
        lr=7.5e-5,
        presets={"smoke": _COMPACT, "laptop": _COMPACT, "gpu": {}},
        deviations="AdamW without decay, not Adam (the same step); the rate falls to 0, not to 5e-6 as in the code; "
        "the mean over a sentence's own tokens, where the code pads every sentence to 128 and averages the padding in; "
        "NLI pairs without a gold label are dropped on loading, so with all labels none is unlabelled and "
        "cross-entropy stands alone, where the paper keeps the ambiguous pairs; two passes over the data, where the "
        "code counts 500 batches as an epoch; the PU risk of the whole batch, where the code on several GPUs (the "
        "paper had four) takes that of each one's share; a sentence of several pairs is encoded once a batch, with "
        "one dropout; compact encoder; a larger learning rate, no dropout, gradients clipped at 1",
    ),
)
