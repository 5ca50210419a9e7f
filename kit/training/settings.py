"""What a recipe is: the settings of a system of a paper, as data, and the rules they obey.

A recipe says *what* is trained; how long and how fast is in its presets. Settings that one
system alone has stand in that system's own `options`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from kit.data.augment import AUGMENTERS
from kit.encoder.pooling import ALL_POOLINGS, PADDED_POOLINGS
from kit.errors import KitError, unknown_name
from kit.losses.softmax import OTHER_POSITIVES

# Presets change how much is trained, never what: epochs and rows for the machine at hand.
PRESETS = ("smoke", "laptop", "gpu")

# What an item is: a premise with its hypotheses; an anchor, a positive and a hard negative; an
# anchor and a positive; an anchor with P positives and Q negatives; a sentence and itself; a
# sentence; a pair with a label, which may be hidden; a long document.
LAYOUTS = ("groups", "triplets", "pairs", "multiples", "twins", "sentences", "labelled", "documents")

# What a system can train on.
LAYOUTS_OF = {
    "contrast": ("groups", "triplets", "pairs", "multiples", "twins"),
    "augment": ("groups",),
    **dict.fromkeys(("views", "tension", "denoising", "information"), ("sentences",)),
    "declutr": ("documents",),
    "pause": ("labelled",),
}

HEADS = ("linear", "two linear")

Rule = tuple[bool, str, Any]  # whether it holds, what is expected, what came


@dataclass(frozen=True)
class Options:
    """Base of the settings that one system alone has: a frozen dataclass in that system's file."""

    def rules(self) -> list[Rule]:
        """What must hold: (holds, "an expectation in words", value)."""
        return []


@dataclass(frozen=True)
class Recipe:
    """One system. `lam` is λ, the contrastive share: L = (1 − λ)·CE + λ·contrast."""

    name: str
    title: str
    source: str  # paper and equation
    layout: str  # one of LAYOUTS
    lam: float = 1.0
    temperature: float = 1.0  # τ
    similarity: str = "dot"  # "dot" or "cosine"
    anchors: str = "premise"  # "premise" (paper) or "row" (released code)
    max_positives: int | None = None  # N₊; None: all
    max_negatives: int | None = None  # N₋; None: all
    keep_groups: bool = True  # False scatters a premise's rows: a demonstration
    pooling: str = "mean"  # what the encoder should be loaded with
    batch_size: int = 64  # pairs in "groups", else items
    epochs: float = 1.0
    lr: float = 2e-5
    schedule: str = "linear"
    warmup: float = 0.1  # share of the steps
    weight_decay: float = 0.0
    clip: float = 1.0
    dropout: float = 0.1
    differs: str = ""  # what is not as in the paper
    presets: dict[str, dict] = field(default_factory=dict, repr=False)
    other_positives: str = "included"  # of an anchor, in the denominator of one; see `masked_softmax`
    mask_duplicates: bool = False  # ignore negatives whose text is known to be a positive
    positives: int = 5  # P and Q of "multiples"
    negatives: int = 5
    fill: str = "copy"  # where an anchor has fewer than P: "copy", "delete" or "synonyms"
    mlm_weight: float = 0.0  # of masked language modelling beside the objective
    chunk: int | None = None  # rows per pass under gradient caching; None: the whole batch
    system: str = "contrast"  # how a batch becomes a loss: one of kit.training.objectives
    options: Options | None = None  # what only this system has
    head: str = "linear"  # of the classifier; "two linear" maps without activation: released code
    first_layer: int = 1  # of pooling "first_last": 0 the embeddings, 1 the first block

    def as_dict(self) -> dict:
        """JSON-ready, for results and checkpoints, without the presets.

        Of the settings below the presets only what differs from the usual: results and
        checkpoints made before such a setting existed stay those of the same recipe.
        """
        names = [f.name for f in fields(self)]
        later = names[names.index("presets") + 1 :]
        usual = {f.name: f.default for f in fields(self)}
        return {name: value for name, value in self.settings().items() if name not in later or value != usual[name]}

    def settings(self) -> dict:
        """Every setting by its name, those of the options among them, the presets apart."""
        flat = {k: v for k, v in asdict(self).items() if k not in ("presets", "options")}
        return flat | (asdict(self.options) if self.options else {})

    def changed(self, **changes) -> Recipe:
        """A copy with other settings, checked. Errors: `KitError` for an unknown one, or for
        numbers that make no sense (τ ≤ 0, λ outside [0, 1], an empty batch …).
        """
        own = {f.name for f in fields(self.options)} if self.options else set()
        known = set(self.settings()) - {"name", "system"}
        for change in changes:
            if change not in known:
                raise unknown_name("setting of a recipe", change, sorted(known))
        options = replace(self.options, **{k: v for k, v in changes.items() if k in own}) if own else None
        return _checked(replace(self, options=options, **{k: v for k, v in changes.items() if k not in own}))


def number(value: object) -> bool:
    """A finite int or float, and not True or False."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def whole(value: object, least: int) -> bool:
    """An int from `least`, and not True or False."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _checked(r: Recipe) -> Recipe:
    def any_or(value, least: int) -> bool:
        return value is None or whole(value, least)

    if r.pooling not in ALL_POOLINGS:
        raise unknown_name("pooling", r.pooling, ALL_POOLINGS)
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
        (
            r.layout in LAYOUTS_OF.get(r.system, LAYOUTS),
            f"a layout of the system {r.system!r}, " + " or ".join(map(repr, LAYOUTS_OF.get(r.system, LAYOUTS))),
            r.layout,
        ),
        (
            r.layout == "groups" or r.lam == 1,
            f"λ (lam) 1, as it weighs a classifier beside a contrast and {r.layout} have not both",
            r.lam,
        ),
        (
            r.other_positives in OTHER_POSITIVES,
            "other_positives 'included', 'excluded' or 'zero_logit'",
            r.other_positives,
        ),
        (isinstance(r.mask_duplicates, bool), "mask_duplicates True or False", r.mask_duplicates),
        (whole(r.positives, 1), "positives (P) of 1 or more", r.positives),
        (whole(r.negatives, 0), "negatives (Q) of 0 or more", r.negatives),
        (r.fill in AUGMENTERS, "fill 'copy', 'delete' or 'synonyms'", r.fill),
        (number(r.mlm_weight) and r.mlm_weight >= 0, "an mlm_weight of 0 or more", r.mlm_weight),
        (any_or(r.chunk, 1), "a chunk of 1 row or more, or None for the whole batch", r.chunk),
        (
            r.layout != "twins" or r.dropout > 0,
            "dropout above 0, as nothing else tells a sentence from its twin",
            r.dropout,
        ),
        (r.chunk is None or r.system == "contrast", "no chunk, as only vectors of a batch can be cached", r.chunk),
        (
            r.chunk is None or r.pooling not in PADDED_POOLINGS,
            "no chunk, as a pooling that depends on the padding would see that of the chunks",
            r.chunk,
        ),
        (r.head in HEADS, "head 'linear' or 'two linear'", r.head),
        (r.first_layer in (0, 1) and not isinstance(r.first_layer, bool), "first_layer 0 or 1", r.first_layer),
        *(r.options.rules() if r.options else []),
    ]
    for holds, wanted, got in rules:
        if not holds:
            raise KitError(f"recipe {r.name!r}: expected {wanted}, got {got!r}.")
    return r
