"""Recipes of relations and a softmax: SBERT, SCL, SimCSE in its forms, MNRL and SupMPN."""

from __future__ import annotations

from kit.training.objectives.contrast import ContrastOptions
from kit.training.settings import Recipe

# For kit-bert-tiny, chosen on pairs of no test set (data/results/choices.json). SBERT and SCL share theirs, so that λ
# alone differs: it is the best for the mean of the two, and tuned for neither. MNRL has SimCSE's.
_COMPACT = {"lr": 1e-3, "dropout": 0.0, "clip": 1.0}
_SMALL_BATCH = {**_COMPACT, "lr": 4e-3, "batch_size": 128, "epochs": 2}
_SIMCSE = {"smoke": _SMALL_BATCH, "laptop": _SMALL_BATCH, "gpu": {}}
_LIAO = {"smoke": _COMPACT, "laptop": _COMPACT, "gpu": {}}
# About as many rows a batch as SimCSE, and a rate chosen for each. Both keep dropout: without it a copy would equal its
# anchor.
_SUPMPN = {"lr": 2e-3, "batch_size": 32, "epochs": 1, "clip": 1.0}
_SELF_PAIRS = {"lr": 5e-4, "batch_size": 128, "epochs": 1, "clip": 1.0}
# Said of several recipes: what their compact presets change, and what the papers do not say.
_RATE = "compact encoder; a larger learning rate, no dropout"
CLIPPED = "gradients clipped at 1, as the code has it and the paper does not say"
_POOLED = "mean pooling, not [CLS] with a head in training alone (pooling='cls', projection='tanh')"
_NOT_AS_SIMCSE = "128 word pieces at most, not 32; the last step's weights, not those of the best on STS-B validation"
_HEAD = "a classifier of one linear layer, not of two (head='two linear' is the released code)"
_WARM_UP = "a warm-up over a tenth of the steps"

SOFTMAX = (
    Recipe(
        "sbert",
        "SBERT: cross-entropy on (u, v, |u−v|)",
        "Reimers & Gurevych 2019; Liao 2021, baseline",
        ContrastOptions(lam=0.0),
        pooling="mean_without_cls",
        presets=_LIAO,
        deviations=f"Liao's batch of 64 and mean without [CLS], not SBERT's 16 and all tokens; {_HEAD}; AdamW without "
        f"decay, not Adam (the same step); the part of SNLI at hand; {_RATE}, gradients clipped at 1",
    ),
    Recipe(
        "scl",
        "SCL: cross-entropy and supervised contrast",
        "Liao 2021, Eq. 2 and 3",
        ContrastOptions(lam=0.3),
        pooling="mean_without_cls",
        presets=_LIAO,
        deviations=f"{_HEAD}; batches may pass 64 pairs by a premise's last ones; AdamW without decay, not Adam (the "
        f"same step); the part of SNLI at hand; {_RATE}, gradients clipped at 1",
    ),
    Recipe(
        "simcse",
        "Supervised SimCSE: a hard negative per anchor",
        "Gao et al. 2021, Eq. 5",
        ContrastOptions(data_format="triplets", temperature=0.05, similarity="cosine"),
        batch_size=512,
        epochs=3,
        lr=5e-5,
        clip=1.0,
        presets=_SIMCSE,
        deviations=f"mean pooling, not [CLS] with a head that is kept; {_NOT_AS_SIMCSE}; the NLI at hand; {_WARM_UP}; "
        f"smaller batch, fewer epochs; {_RATE}; {CLIPPED}",
    ),
    Recipe(
        "mnrl",
        "MNRL: a positive against those of the others",
        "Henderson et al. 2017, section 4.4; SBERT-nli-v2 in SupMPN's comparison",
        ContrastOptions(data_format="pairs", temperature=0.05, similarity="cosine"),
        batch_size=128,
        clip=1.0,
        presets=_SIMCSE,
        deviations="no hard negative (that is 'simcse'); cosines over 0.05 as in SBERT-nli-v2, not scores of a "
        "network; pairs in one direction, and a batch may hold a text twice (mask_duplicates=True ignores it), where "
        "SBERT-nli-v2 has both directions and no duplicates; two epochs; a warm-up over a tenth of the steps and "
        f"gradients clipped at 1, as SBERT-nli-v2 has them; {_RATE}",
    ),
    Recipe(
        "simcse_unsup",
        "Unsupervised SimCSE: a sentence and itself under other dropout",
        "Gao et al. 2021, Eq. 4",
        ContrastOptions(data_format="self_pairs", temperature=0.05, similarity="cosine"),
        batch_size=64,
        lr=3e-5,
        clip=1.0,
        presets={"smoke": _SELF_PAIRS, "laptop": _SELF_PAIRS, "gpu": {}},
        deviations=f"{_POOLED}; {_NOT_AS_SIMCSE}; the sentences of NLI, not of Wikipedia; "
        f"{_WARM_UP}; compact encoder; a larger learning rate and batch; {CLIPPED}",
    ),
    Recipe(
        "simcse_mlm",
        "Unsupervised SimCSE + MLM: a sentence and itself, and hidden words to guess",
        "Gao et al. 2021, Eq. 4 and appendix D",
        ContrastOptions(data_format="self_pairs", temperature=0.05, similarity="cosine", mlm_weight=0.1),
        batch_size=64,
        lr=3e-5,
        clip=1.0,
        presets={"smoke": _SELF_PAIRS, "laptop": _SELF_PAIRS, "gpu": {}},
        deviations=f"as 'simcse_unsup': mean pooling without a head, {_NOT_AS_SIMCSE}, the sentences of NLI, a "
        "warm-up, the compact encoder, a larger learning rate and batch, gradients clipped at 1; whole words hidden, "
        "not single pieces; the word head's last matrix stays tied to the embeddings, where the code trains a copy",
    ),
    Recipe(
        "supmpn",
        "SupMPN: many positives, many negatives",
        "Dehghan & Amasyali 2022, section 4.1",
        ContrastOptions(
            data_format="multi_positive", temperature=0.05, similarity="cosine", other_positives="excluded"
        ),
        pooling="first_last",
        batch_size=256,
        epochs=3,
        lr=5e-5,
        clip=1.0,
        presets={"smoke": _SUPMPN, "laptop": _SUPMPN, "gpu": {}},
        deviations="SimCSE's learning rate, and a larger one under the compact presets; τ of the code, as the paper "
        "names none; the pooling of the paper (the code's README has the mean, and batches of 32 without duplicates, "
        "at 2e-5 without warm-up and with a weight decay of 0.01); first_last takes block 1 as the first layer "
        "(first_layer=0: the embeddings); entailments of an anchor that has fewer than P stay beside its copies; no "
        f"paraphrases among the fills of Appendix A.1; 128 word pieces at most, not the README's 150; {_WARM_UP}; "
        f"compact encoder; the NLI at hand; smaller batch, fewer epochs; {CLIPPED}",
    ),
)
