"""The recipe of DeCLUTR: spans of long documents, and masked words beside them."""

from __future__ import annotations

from kit.training.objectives.declutr import DeclutrOptions
from kit.training.settings import Recipe

# ℓmax scales with what the encoder can read, ℓmin stays a sixteenth of it, as 32 is of 512. Rate and dropout were
# chosen on pairs of no test set (data/results/choices.json).
_COMPACT = {"lr": 2e-3, "dropout": 0.0, "max_span": 64, "min_span": 4, "epochs": 3}

DECLUTR = (
    Recipe(
        "declutr",
        "DeCLUTR: spans of a document, and masked words",
        "Giorgi et al. 2021, sections 3 and 4.1",
        DeclutrOptions(temperature=0.05, similarity="cosine", mlm_weight=1.0),
        batch_size=16,
        lr=5e-5,
        weight_decay=0.1,
        schedule="slanted",
        clip=1.0,
        presets={"smoke": _COMPACT, "laptop": _COMPACT, "gpu": {"max_span": 510}},
        deviations="the mean over anchors, as in the code, not their sum; the contrast at weight 1, where the paper's "
        "runs had 1 / the number of GPUs (contrast_weight); anchors 2·ℓmax apart from start to start, as documents of "
        "2·A·ℓmax tokens hold three no other way; spans counted in word pieces, 510 at most between [CLS] and [SEP], "
        "not in words as in the code of the paper's time; whole words hidden; the rate falls over the batches, not "
        "over as many steps as instances; AdamW with bias correction; the documents at hand; compact encoder: spans of "
        "4 to 64, a larger learning rate, three epochs, no dropout",
    ),
)
