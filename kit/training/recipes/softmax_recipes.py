"""Recipes of relations and a softmax: SBERT, SCL, SimCSE in its forms, MNRL and SupMPN."""

from __future__ import annotations

from kit.training.settings import Recipe

# A compact encoder wants steps that BERT-base would not survive. Chosen on STS-B validation,
# see data/results/choices.json; SBERT takes what SCL takes, so that λ alone differs.
_COMPACT = {"lr": 1e-3, "dropout": 0.0}
_SMALL_BATCH = {**_COMPACT, "lr": 2e-3, "batch_size": 128, "epochs": 2}
_SIMCSE = {"smoke": _SMALL_BATCH, "laptop": _SMALL_BATCH, "gpu": {}}
_LIAO = {"smoke": _COMPACT, "laptop": _COMPACT, "gpu": {}}
# Not from a grid as the above: SimCSE's learning rate and about as many rows a batch for SupMPN, a
# lower rate for twins; dropout for both, as a copy would otherwise be its anchor.
_SUPMPN = {"lr": 2e-3, "batch_size": 32, "epochs": 1}
_TWINS = {"lr": 5e-4, "batch_size": 128, "epochs": 1}

RECIPES = (
    Recipe(
        "sbert",
        "SBERT: cross-entropy on (u, v, |u−v|)",
        "Reimers & Gurevych 2019; Liao 2021, baseline",
        "groups",
        lam=0.0,
        pooling="mean_without_cls",
        presets=_LIAO,
        differs="compact encoder; the part of SNLI at hand; a larger learning rate, no dropout",
    ),
    Recipe(
        "scl",
        "SCL: cross-entropy and supervised contrast",
        "Liao 2021, Eq. 2 and 3",
        "groups",
        lam=0.3,
        pooling="mean_without_cls",
        presets=_LIAO,
        differs="compact encoder; the part of SNLI at hand; a larger learning rate, no dropout",
    ),
    Recipe(
        "simcse",
        "Supervised SimCSE: a hard negative per anchor",
        "Gao et al. 2021, Eq. 5",
        "triplets",
        temperature=0.05,
        similarity="cosine",
        batch_size=512,
        epochs=3,
        lr=5e-5,
        presets=_SIMCSE,
        differs="mean pooling, not [CLS] with a head; compact encoder; smaller batch, fewer epochs, no dropout",
    ),
    Recipe(
        "mnrl",
        "MNRL: an entailed hypothesis against those of the others",
        "Henderson et al. 2017, section 4.4; SBERT-nli-v2 in SupMPN's comparison",
        "pairs",
        temperature=0.05,
        similarity="cosine",
        batch_size=128,
        presets=_SIMCSE,
        differs="no hard negative (that is 'simcse'); compact encoder; a larger learning rate, no dropout",
    ),
    Recipe(
        "simcse_unsup",
        "Unsupervised SimCSE: a sentence and itself under other dropout",
        "Gao et al. 2021, Eq. 4",
        "twins",
        temperature=0.05,
        similarity="cosine",
        batch_size=64,
        lr=3e-5,
        presets={"smoke": _TWINS, "laptop": _TWINS, "gpu": {}},
        differs="mean pooling, not [CLS] with a head; the sentences of NLI, not of Wikipedia; compact encoder",
    ),
    Recipe(
        "simcse_mlm",
        "Unsupervised SimCSE + MLM: twins, and hidden words to guess",
        "Gao et al. 2021, Eq. 4 and appendix D",
        "twins",
        temperature=0.05,
        similarity="cosine",
        batch_size=64,
        lr=3e-5,
        mlm_weight=0.1,
        presets={"smoke": _TWINS, "laptop": _TWINS, "gpu": {}},
        differs="as 'simcse_unsup'; the word-guessing head starts fresh",
    ),
    Recipe(
        "supmpn",
        "SupMPN: many positives, many negatives",
        "Dehghan & Amasyali 2022, section 4.1",
        "multiples",
        temperature=0.05,
        similarity="cosine",
        other_positives="excluded",
        pooling="first_last",
        batch_size=256,
        epochs=3,
        lr=5e-5,
        presets={"smoke": _SUPMPN, "laptop": _SUPMPN, "gpu": {}},
        differs="SimCSE's learning rate; compact encoder; the NLI at hand; smaller batch, fewer epochs",
    ),
)
