"""Recipes are data: a system of a paper as a name, an objective and its numbers.

A recipe says *what* is trained; how long and how fast is in its presets. `recipe("scl",
lam=0.5)` gives a changed copy, and every number is checked on the way.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields, replace

from kit.data.augment import AUGMENTERS
from kit.encoder.pooling import POOLINGS
from kit.errors import KitError, unknown_name
from kit.losses.softmax import SIBLINGS

# Presets change how much is trained, never what: epochs and rows for the machine at hand.
PRESETS = ("smoke", "laptop", "gpu")

# What an item is: a premise with its hypotheses; an anchor, a positive and a hard negative; an
# anchor and a positive; an anchor with P positives and Q negatives; a sentence and itself.
LAYOUTS = ("groups", "triplets", "pairs", "multiples", "twins")


@dataclass(frozen=True)
class Recipe:
    """One system. `lam` is λ, the contrastive share: L = (1 − λ)·CE + λ·contrast."""

    name: str
    title: str
    source: str                       # paper and equation
    layout: str                       # one of LAYOUTS
    lam: float = 1.0
    temperature: float = 1.0          # τ
    similarity: str = "dot"           # "dot" or "cosine"
    anchors: str = "premise"          # "premise" (paper) or "row" (released code)
    max_positives: int | None = None  # N₊; None: all
    max_negatives: int | None = None  # N₋; None: all
    keep_groups: bool = True          # False scatters a premise's rows: a demonstration
    pooling: str = "mean"             # what the encoder should be loaded with
    batch_size: int = 64              # pairs in "groups", else items
    epochs: float = 1.0
    lr: float = 2e-5
    schedule: str = "linear"
    warmup: float = 0.1               # share of the steps
    weight_decay: float = 0.0
    clip: float = 1.0
    dropout: float = 0.1
    differs: str = ""                 # what is not as in the paper
    presets: dict[str, dict] = field(default_factory=dict, repr=False)
    siblings: str = "shared"          # an anchor's other positives in the denominator, see `masked_softmax`
    mask_duplicates: bool = False     # ignore negatives whose text is known to be a positive
    positives: int = 5                # P and Q of "multiples"
    negatives: int = 5
    fill: str = "copy"                # where an anchor has fewer than P: "copy", "delete" or "synonyms"
    mlm_weight: float = 0.0           # of masked language modelling beside the objective
    chunk: int | None = None          # rows per pass under gradient caching; None: the whole batch

    def as_dict(self) -> dict:
        """JSON-ready, for results and checkpoints, without the presets.

        Of the settings below the presets only what differs from the usual: results and
        checkpoints made before such a setting existed stay those of the same recipe.
        """
        names = [f.name for f in fields(self)]
        later = names[names.index("presets") + 1:]
        usual = {f.name: f.default for f in fields(self)}
        return {name: value for name, value in self.settings().items()
                if name not in later or value != usual[name]}

    def settings(self) -> dict:
        """Every setting by its name, the presets apart."""
        return {k: v for k, v in asdict(self).items() if k != "presets"}


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

RECIPES = {r.name: r for r in [
    Recipe("sbert", "SBERT: cross-entropy on (u, v, |u−v|)", "Reimers & Gurevych 2019; Liao 2021, baseline",
           "groups", lam=0.0, pooling="mean_without_cls", presets=_LIAO,
           differs="compact encoder; the part of SNLI at hand; a larger learning rate, no dropout"),
    Recipe("scl", "SCL: cross-entropy and supervised contrast", "Liao 2021, Eq. 2 and 3",
           "groups", lam=0.3, pooling="mean_without_cls", presets=_LIAO,
           differs="compact encoder; the part of SNLI at hand; a larger learning rate, no dropout"),
    Recipe("simcse", "Supervised SimCSE: a hard negative per anchor", "Gao et al. 2021, Eq. 5",
           "triplets", temperature=0.05, similarity="cosine", batch_size=512, epochs=3, lr=5e-5,
           presets=_SIMCSE,
           differs="mean pooling, not [CLS] with a head; compact encoder; smaller batch, fewer epochs, no dropout"),
    Recipe("mnrl", "MNRL: an entailed hypothesis against those of the others", "Henderson et al. 2017, section 4.4; "
           "SBERT-nli-v2 in SupMPN's comparison",
           "pairs", temperature=0.05, similarity="cosine", batch_size=128, presets=_SIMCSE,
           differs="no hard negative (that is 'simcse'); compact encoder; a larger learning rate, no dropout"),
    Recipe("simcse_unsup", "Unsupervised SimCSE: a sentence and itself under other dropout", "Gao et al. 2021, Eq. 4",
           "twins", temperature=0.05, similarity="cosine", batch_size=64, lr=3e-5,
           presets={"smoke": _TWINS, "laptop": _TWINS, "gpu": {}},
           differs="mean pooling, not [CLS] with a head; the sentences of NLI, not of Wikipedia; compact encoder"),
    Recipe("simcse_mlm", "Unsupervised SimCSE + MLM: twins, and hidden words to guess", "Gao et al. 2021, Eq. 4 "
           "and appendix D",
           "twins", temperature=0.05, similarity="cosine", batch_size=64, lr=3e-5, mlm_weight=0.1,
           presets={"smoke": _TWINS, "laptop": _TWINS, "gpu": {}},
           differs="as 'simcse_unsup'; the word-guessing head starts fresh"),
    Recipe("supmpn", "SupMPN: many positives, many negatives", "Dehghan & Amasyali 2022, section 4.1",
           "multiples", temperature=0.05, similarity="cosine", siblings="alone", pooling="first_last",
           batch_size=256, epochs=3, lr=5e-5, presets={"smoke": _SUPMPN, "laptop": _SUPMPN, "gpu": {}},
           differs="SimCSE's learning rate; compact encoder; the NLI at hand; smaller batch, fewer epochs"),
]}


def recipe(name: str, preset: str | None = None, **changes) -> Recipe:
    """The recipe called `name`, under a preset, with `changes` on top.

    Errors: `KitError` for an unknown name, preset or field, and for numbers that make no
    sense (τ ≤ 0, λ outside [0, 1], an empty batch …).
    """
    if name not in RECIPES:
        raise unknown_name("recipe", name, RECIPES)
    if preset is not None and preset not in PRESETS:
        raise unknown_name("preset", preset, PRESETS)
    base = RECIPES[name]
    known = set(base.settings()) - {"name"}
    for change in changes:
        if change not in known:
            raise unknown_name("setting of a recipe", change, sorted(known))
    return _checked(replace(base, **{**base.presets.get(preset, {}), **changes}))


def table() -> str:
    """The recipes as a text table: name, λ, τ, similarity, batch, learning rate, source."""
    rows = [("recipe", "λ", "τ", "similarity", "batch", "epochs", "lr", "source")]
    rows += [(r.name, f"{r.lam:g}", f"{r.temperature:g}", r.similarity, str(r.batch_size), f"{r.epochs:g}",
              f"{r.lr:g}", r.source) for r in RECIPES.values()]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows)


def _checked(r: Recipe) -> Recipe:
    def number(value) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)

    def whole(value, least: int) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= least

    def any_or(value, least: int) -> bool:
        return value is None or whole(value, least)

    if r.pooling not in POOLINGS:
        raise unknown_name("pooling", r.pooling, POOLINGS)
    rules = [
        (number(r.temperature) and r.temperature > 0, "τ (temperature) above 0", r.temperature),
        (number(r.lam) and 0 <= r.lam <= 1, "λ (lam) from 0 to 1", r.lam),
        (number(r.lr) and r.lr > 0, "a learning rate (lr) above 0", r.lr),
        (number(r.epochs) and r.epochs > 0, "epochs above 0", r.epochs),
        (whole(r.batch_size, 1), "a batch_size of 1 or more", r.batch_size),
        (any_or(r.max_positives, 1), "max_positives (N₊) of 1 or more, or None for all", r.max_positives),
        (any_or(r.max_negatives, 0), "max_negatives (N₋) of 0 or more, or None for all", r.max_negatives),
        (isinstance(r.keep_groups, bool), "keep_groups True or False", r.keep_groups),
        (number(r.weight_decay) and r.weight_decay >= 0, "a weight_decay of 0 or more", r.weight_decay),
        (number(r.clip) and r.clip > 0, "a gradient norm (clip) above 0", r.clip),
        (number(r.warmup) and 0 <= r.warmup < 1, "warmup as a share from 0 to below 1", r.warmup),
        (number(r.dropout) and 0 <= r.dropout < 1, "dropout from 0 to below 1", r.dropout),
        (r.similarity in ("dot", "cosine"), "similarity 'dot' or 'cosine'", r.similarity),
        (r.anchors in ("premise", "row"), "anchors 'premise' or 'row'", r.anchors),
        (r.schedule in ("linear", "constant"), "schedule 'linear' or 'constant'", r.schedule),
        (r.layout in LAYOUTS, "layout " + " or ".join(map(repr, LAYOUTS)), r.layout),
        (r.layout == "groups" or r.lam == 1, f"λ (lam) 1, as {r.layout} have no labels to classify", r.lam),
        (r.siblings in SIBLINGS, "siblings 'shared', 'alone' or 'ghost'", r.siblings),
        (isinstance(r.mask_duplicates, bool), "mask_duplicates True or False", r.mask_duplicates),
        (whole(r.positives, 1), "positives (P) of 1 or more", r.positives),
        (whole(r.negatives, 0), "negatives (Q) of 0 or more", r.negatives),
        (r.fill in AUGMENTERS, "fill 'copy', 'delete' or 'synonyms'", r.fill),
        (number(r.mlm_weight) and r.mlm_weight >= 0, "an mlm_weight of 0 or more", r.mlm_weight),
        (any_or(r.chunk, 1), "a chunk of 1 row or more, or None for the whole batch", r.chunk),
        (r.layout != "twins" or r.dropout > 0,
         "dropout above 0, as nothing else tells a sentence from its twin", r.dropout),
    ]
    for holds, wanted, got in rules:
        if not holds:
            raise KitError(f"recipe {r.name!r}: expected {wanted}, got {got!r}.")
    return r
