"""Recipes are data: a system of a paper as a name, an objective and its numbers.

A recipe says *what* is trained; how long and how fast is in its presets. `recipe("scl",
lam=0.5)` gives a changed copy, and every number is checked on the way.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace

from kit.encoder.pooling import POOLINGS
from kit.errors import KitError, unknown_name

# Presets change how much is trained, never what: epochs and rows for the machine at hand.
PRESETS = ("smoke", "laptop", "gpu")


@dataclass(frozen=True)
class Recipe:
    """One system. `lam` is λ, the contrastive share: L = (1 − λ)·CE + λ·contrast."""

    name: str
    title: str
    source: str                       # paper and equation
    layout: str                       # "groups" (premise and hypotheses) or "triplets"
    lam: float = 1.0
    temperature: float = 1.0          # τ
    similarity: str = "dot"           # "dot" or "cosine"
    anchors: str = "premise"          # "premise" (paper) or "row" (released code)
    max_positives: int | None = None  # N₊; None: all
    max_negatives: int | None = None  # N₋; None: all
    keep_groups: bool = True          # False scatters a premise's rows: a demonstration
    pooling: str = "mean"             # what the encoder should be loaded with
    batch_size: int = 64              # pairs, or triplets
    epochs: float = 1.0
    lr: float = 2e-5
    schedule: str = "linear"
    warmup: float = 0.1               # share of the steps
    weight_decay: float = 0.0
    clip: float = 1.0
    dropout: float = 0.1
    differs: str = ""                 # what is not as in the paper
    presets: dict[str, dict] = field(default_factory=dict, repr=False)

    def as_dict(self) -> dict:
        """JSON-ready, for results and checkpoints (without the presets)."""
        return {k: v for k, v in asdict(self).items() if k != "presets"}


# A compact encoder wants steps that BERT-base would not survive. Chosen on STS-B validation,
# see data/results/choices.json; SBERT takes what SCL takes, so that λ alone differs.
_COMPACT = {"lr": 1e-3, "dropout": 0.0}
_SMALL_BATCH = {**_COMPACT, "lr": 2e-3, "batch_size": 128, "epochs": 2}
_SIMCSE = {"smoke": _SMALL_BATCH, "laptop": _SMALL_BATCH, "gpu": {}}
_LIAO = {"smoke": _COMPACT, "laptop": _COMPACT, "gpu": {}}

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
    known = {f for f in base.__dataclass_fields__ if f not in ("name", "presets")}
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
        (r.layout in ("groups", "triplets"), "layout 'groups' or 'triplets'", r.layout),
        (r.layout == "groups" or r.lam == 1, "λ (lam) 1, as triplets have no labels to classify", r.lam),
    ]
    for holds, wanted, got in rules:
        if not holds:
            raise KitError(f"recipe {r.name!r}: expected {wanted}, got {got!r}.")
    return r
