"""What a recipe is: the settings of one training method, as data, and the rules they obey.

Every recipe has the seventeen fields of `Recipe`; what its objective alone needs is in `options`, whose class
also names the objective. A recipe says *what* is trained; its presets say how long and how fast.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Number
from typing import Any, ClassVar

from kit.checks.own_objective import check_options, check_settings
from kit.encoder.pooling import ALL_POOLINGS
from kit.errors import check_name, unknown_name
from kit.number_checks import is_finite, is_whole
from kit.training.optim import SCHEDULES

# Presets fit a run to the machine at hand: how much is trained and at which rate, never what.
PRESETS = ("smoke", "laptop", "gpu")

HEADS, WORD_HEADS, PROJECTIONS = ("linear", "two linear"), ("pretrained", "fresh"), (None, "tanh", "relu")
BATCH_ORDERS = ("random", "by_length")

Rule = tuple[bool, str, Any]  # (holds, "what is expected, in words", the value)


@dataclass(frozen=True)
class Options(ABC):
    """Base class of the settings that one objective has beside the common ones: a frozen dataclass.

    data_format: what one example is made of, see `kit.training.batches`. chunk: rows of one pass under gradient
    caching, None for the whole batch. Either is a field where the objective leaves a choice.
    """

    data_format: ClassVar[str]
    chunk: ClassVar[int | None] = None

    @property
    @abstractmethod
    def objective(self) -> type:
        """The class that trains with these options, a `kit.training.objectives.Objective`."""

    def rules(self, recipe: Recipe) -> list[Rule]:
        """What must hold of these options, within `recipe`."""
        return []


@dataclass(frozen=True)
class SoftmaxOptions(Options):
    """For objectives with a softmax over similarities."""

    temperature: float = 1.0  # τ
    similarity: str = "dot"  # "dot" or "cosine"
    projection: str | None = None  # "tanh" or "relu": a head before the softmax, see `projection_head`

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [
            (is_finite(self.temperature) and self.temperature > 0, "τ (temperature) above 0", self.temperature),
            (self.similarity in ("dot", "cosine"), "similarity 'dot' or 'cosine'", self.similarity),
            (self.projection in PROJECTIONS, "projection 'tanh' or 'relu', or None for none", self.projection),
            *super().rules(recipe),
        ]


@dataclass(frozen=True)
class WordOptions(SoftmaxOptions):
    """For objectives that may guess masked words beside the contrast."""

    mlm_weight: float = 0.0
    word_head: str = "pretrained"  # the one in the encoder's file, from which the released codes start, or "fresh"

    def rules(self, recipe: Recipe) -> list[Rule]:
        return [
            (is_finite(self.mlm_weight) and self.mlm_weight >= 0, "an mlm_weight of 0 or more", self.mlm_weight),
            (self.word_head in WORD_HEADS, "word_head 'pretrained' or 'fresh'", self.word_head),
            *super().rules(recipe),
        ]


@dataclass(frozen=True)
class GroupOptions(Options):
    """For objectives on premises with their hypotheses: who is contrasted, and the head of the classifier."""

    group_batches: bool = True  # False scatters a premise's rows: a demonstration
    anchors: str = "premise"  # "premise" (paper) or "row" (released code)
    max_positives: int | None = None  # N₊; None: all
    max_negatives: int | None = None  # N₋; None: all
    mask_duplicates: bool = False  # ignore negatives whose text is known to be a positive
    head: str = "linear"  # "two linear" maps without activation: released code

    def rules(self, recipe: Recipe) -> list[Rule]:
        def all_or(value: object, least: int) -> bool:
            return value is None or is_whole(value, least)

        n_positive, n_negative = self.max_positives, self.max_negatives
        return [
            (isinstance(self.group_batches, bool), "group_batches True or False", self.group_batches),
            (self.anchors in ("premise", "row"), "anchors 'premise' or 'row'", self.anchors),
            (all_or(n_positive, 1), "max_positives (N₊) of 1 or more, or None for all", n_positive),
            (all_or(n_negative, 0), "max_negatives (N₋) of 0 or more, or None for all", n_negative),
            (isinstance(self.mask_duplicates, bool), "mask_duplicates True or False", self.mask_duplicates),
            (self.head in HEADS, "head 'linear' or 'two linear'", self.head),
            *super().rules(recipe),
        ]


@dataclass(frozen=True)
class Recipe:
    """One training method: what it trains on, its objective, the optimiser's numbers. Lesson 09.

    Errors: `KitError` for values that make no sense, and options that are no frozen dataclass with an objective.
    """

    name: str
    title: str
    source: str  # paper and equation
    options: Options  # the objective, and what it alone needs
    pooling: str = "mean"  # what the encoder should be loaded with
    first_layer: int = 1  # of pooling "first_last": 0 the embeddings, 1 the first block
    batch_size: int = 64  # pairs in the format "groups", else examples
    batch_order: str = "random"  # or "by_length", see `kit.training.batches`
    epochs: float = 1.0
    lr: float = 2e-5
    schedule: str = "linear"
    warmup: float = 0.1  # fraction of the steps
    weight_decay: float = 0.0
    clip: float | None = None  # largest norm of the gradient; None: any
    dropout: float = 0.1
    deviations: str = ""  # what is not as in the paper
    presets: dict[str, dict] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        check_options(self, Options)
        check_settings(self, _rules(self))

    @property
    def objective(self) -> type:
        return self.options.objective

    @property
    def data_format(self) -> str:
        return self.options.data_format

    def as_dict(self) -> dict:
        """Every setting by its name, those of the options among them, without the presets: JSON-ready."""
        common = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("options", "presets")}
        return common | {"objective": self.objective.name, "data_format": self.data_format} | asdict(self.options)

    def changed(self, **changes) -> Recipe:
        """A copy with other settings, common ones or the objective's, checked.

        Errors: `KitError` for an unknown setting, or a value that makes no sense (τ ≤ 0, λ outside [0, 1], an
        empty batch …).
        """
        own = {f.name for f in fields(self.options)}
        known = own | {f.name for f in fields(self)} - {"name", "options", "presets"}
        for change in changes:
            if change not in known:
                raise unknown_name(f"setting of a {self.objective.name} recipe", change, sorted(known))
        changes = {k: v.item() if isinstance(v, Number) and hasattr(v, "item") else v for k, v in changes.items()}
        options = replace(self.options, **{k: v for k, v in changes.items() if k in own})
        return replace(self, options=options, **{k: v for k, v in changes.items() if k not in own})


def _rules(r: Recipe) -> list[Rule]:
    check_name("pooling", r.pooling, ALL_POOLINGS)
    return [
        (is_finite(r.lr) and r.lr > 0, "a learning rate (lr) above 0", r.lr),
        (is_finite(r.epochs) and r.epochs > 0, "epochs above 0", r.epochs),
        (is_whole(r.batch_size, 1), "a batch_size of 1 or more", r.batch_size),
        (r.batch_order in BATCH_ORDERS, "batch_order 'random' or 'by_length'", r.batch_order),
        (is_finite(r.weight_decay) and r.weight_decay >= 0, "a weight_decay of 0 or more", r.weight_decay),
        (r.clip is None or (is_finite(r.clip) and r.clip > 0), "a gradient norm (clip) above 0, or None", r.clip),
        (is_finite(r.warmup) and 0 <= r.warmup < 1, "warmup as a fraction from 0 to below 1", r.warmup),
        (is_finite(r.dropout) and 0 <= r.dropout < 1, "dropout from 0 to below 1", r.dropout),
        (str(r.schedule) in SCHEDULES, "schedule 'linear', 'constant' or 'slanted'", r.schedule),
        (is_whole(r.first_layer, 0) and r.first_layer <= 1, "first_layer 0 or 1", r.first_layer),
        *r.options.rules(r),
    ]
