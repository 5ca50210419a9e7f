"""PAUSE: cross-entropy on the pairs with a label, an annealed PU risk on those without.

L = CE + pu_weight · (t/T)^α · PU (Cao et al. 2021, Eq. 11), on the logits of a head over
[u; v; |u − v|; u∗v]. Labels are hidden once, when the data is tokenised. With one class, C = 1, nobody labelled
a negative: there is nothing to classify, and L = pu_weight · PU from the first step on (section 3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from kit.data import HIDDEN, Table, count_priors, hide_labels, mix_rows
from kit.errors import KitError
from kit.losses import PairClassifier, blend, check_priors, cross_entropy, nn_pu, power_schedule
from kit.losses.unlabeled import ABSENT
from kit.number_checks import is_finite, is_whole
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Options, Recipe, Rule

COLUMNS = (("premise", "hypothesis"), ("sentence1", "sentence2"))


@dataclass(frozen=True)
class PauseOptions(Options):
    """What only PAUSE has.

    class_priors and labelled_fraction are two things, though the released code uses one number, 1/3,
    for both: how frequent a class is among the pairs without a label, and how much of a batch has one.
    """

    data_format = "labelled"
    label_fraction: float = 1.0  # of the labels, the rest is hidden
    stratified: bool = True  # hide the same fraction of every class
    classes: int = 3  # 2 for similar / not similar; 1 where only similar pairs have a label
    positive_label: int = 0  # of 1 class: its label in the data, all others are hidden
    class_priors: tuple[float, ...] | None = None  # π; None: as counted among the labels that are left
    labelled_fraction: float | None = None  # fraction of labelled rows in the batches; None: as the data is
    alpha: float = 3.0  # speed of annealing; 0: a constant weight
    per_epoch_reset: bool = False  # released code: t starts anew with every epoch
    pu_weight: float = 1.0  # 0: cross-entropy on the labelled rows alone
    divide_by_classes: bool = False  # Eq. 1 divides CE by C, the released code does not
    absent_class: str = "skip"  # without a labelled row: "skip", or "push" as released
    hidden: int = 128  # width of the head's ELU layer

    @property
    def objective(self) -> type[Pause]:
        return Pause

    def rules(self, recipe: Recipe) -> list[Rule]:
        priors, fraction, share = self.class_priors, self.labelled_fraction, self.label_fraction
        return [
            (is_finite(share) and 0 < share <= 1, "a label_fraction above 0 and up to 1", share),
            (isinstance(self.stratified, bool), "stratified True or False", self.stratified),
            (is_whole(self.classes, 1), "1 class (PU alone) or more", self.classes),
            (is_whole(self.positive_label, 0), "a positive_label of 0 or more", self.positive_label),
            (
                self.classes != 1 or priors is not None,
                "class_priors with 1 class, as positives do not tell how frequent they are",
                priors,
            ),
            (
                priors is None or _priors_fit(priors, self.classes),
                f"class_priors as {self.classes} fractions above 0 that sum to 1 at most, or None to count them",
                priors,
            ),
            (
                fraction is None or (is_finite(fraction) and 0 < fraction <= 1),
                "a labelled_fraction above 0 and up to 1, or None for the data's own",
                fraction,
            ),
            (is_finite(self.alpha) and self.alpha >= 0, "α (alpha) of 0 or more", self.alpha),
            (isinstance(self.per_epoch_reset, bool), "per_epoch_reset True or False", self.per_epoch_reset),
            (is_finite(self.pu_weight) and self.pu_weight >= 0, "a pu_weight of 0 or more", self.pu_weight),
            (self.classes != 1 or self.pu_weight != 0, "a pu_weight above 0 with 1 class (PU alone)", self.pu_weight),
            (isinstance(self.divide_by_classes, bool), "divide_by_classes True or False", self.divide_by_classes),
            (self.absent_class in ABSENT, "absent_class 'skip' or 'push'", self.absent_class),
            (is_whole(self.hidden, 1), "a hidden width of 1 or more", self.hidden),
        ]


@dataclass(frozen=True)
class PairExample:
    """A pair of token ids, its label or −1, and the class priors, which no batch can know."""

    first: list[int]
    second: list[int]
    label: int
    priors: tuple[float, ...]
    size: int = 1

    @property
    def longest(self) -> int:
        return max(len(self.first), len(self.second))


@dataclass(frozen=True)
class PairBatch:
    """token_ids: the distinct sentences of the pairs; u, v [pairs]: their rows; labels [pairs], −1 hidden;
    labelled: the numbers of the pairs that have one; priors: π of every class.
    """

    token_ids: list[list[int]]
    u: Tensor
    v: Tensor
    labels: Tensor
    labelled: Tensor
    priors: tuple[float, ...]

    def to(self, device: torch.device) -> PairBatch:
        tensors = (t.to(device) for t in (self.u, self.v, self.labels, self.labelled))
        return PairBatch(self.token_ids, *tensors, self.priors)


class Pause(Objective):
    """The head and the two losses; data: NLI groups, (sentence 1, sentence 2, label) tuples, or a Table."""

    name = "pause"
    division = "replicated"

    def __init__(self, encoder, recipe: Recipe):
        super().__init__(encoder, recipe)
        options = recipe.options
        self.head = PairClassifier(
            encoder.dim, options.classes, product=True, hidden=options.hidden, activation=nn.ELU()
        )

    @staticmethod
    def examples(encoder, data: Sequence | Table, recipe: Recipe, seed: int) -> list[PairExample]:
        options, pairs = recipe.options, list(labelled_pairs(data))
        if not pairs:
            raise KitError("expected pairs with labels to train on, got none: load a data set.")
        labels = [label for _, _, label in pairs]
        if options.classes == 1:
            labels = [0 if label == options.positive_label else HIDDEN for label in labels]
        labels = hide_labels(labels, options.label_fraction, seed, options.stratified)
        counted = count_priors(labels, options.classes)  # also: every label is of a class, no class is empty
        priors = tuple(counted if options.class_priors is None else options.class_priors)
        rows = range(len(labels))
        if options.labelled_fraction is not None:
            rows = mix_rows(labels, options.labelled_fraction, seed)
        texts = list(dict.fromkeys(text for first, second, _ in pairs for text in (first, second)))
        ids = dict(zip(texts, encoder.tokenize(texts)))
        return [PairExample(ids[pairs[row][0]], ids[pairs[row][1]], labels[row], priors) for row in rows]

    def batch(self, examples: list[PairExample], recipe: Recipe, generator: torch.Generator | None = None) -> PairBatch:
        """A sentence that stands in several pairs, as a premise does, is encoded once."""
        sentences = [tuple(example.first) for example in examples] + [tuple(example.second) for example in examples]
        row = {sentence: i for i, sentence in enumerate(dict.fromkeys(sentences))}
        u, v = torch.tensor([row[sentence] for sentence in sentences]).chunk(2)
        labels = torch.tensor([example.label for example in examples])
        labelled = (labels != HIDDEN).nonzero().flatten()
        return PairBatch([list(sentence) for sentence in row], u, v, labels, labelled, examples[0].priors)

    def loss(self, batch: PairBatch, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        z, options = context.embed(batch.token_ids), context.recipe.options  # [rows, dim]

        def classify(logits: Tensor, batch: PairBatch) -> Tensor:
            loss = cross_entropy(logits[batch.labelled], batch.labels[batch.labelled])
            return loss / options.classes if options.divide_by_classes else loss

        def unlabelled(logits: Tensor, batch: PairBatch) -> Tensor:
            return nn_pu(logits, batch.labels, batch.priors, options.absent_class)

        terms = {"cross_entropy": (classify, 1.0), "pu": (unlabelled, pu_schedule(options, context.steps))}
        if options.classes == 1:
            terms = {"pu": (unlabelled, options.pu_weight)}
        step = context.epoch_step if options.per_epoch_reset else context.step
        u, v = z.index_select(0, batch.u), z.index_select(0, batch.v)  # not z[...]: see kit.losses.softmax
        return blend(terms)(self.head(u, v), batch, step)


def pu_schedule(options: PauseOptions, steps: int) -> Callable[[int], float]:
    """The weight of the PU term at a step counted from 0: pu_weight · (t/T)^α with t from 1 to T = `steps`.

    With `per_epoch_reset` the step given is that of the epoch, while T stays that of the whole run: the
    weight then never passes epochs^−α. α 0 is a constant weight.
    """
    if options.alpha == 0:
        return lambda step: options.pu_weight
    factor = power_schedule(options.alpha, steps)
    return lambda step: options.pu_weight * factor(step + 1)


def labelled_pairs(data: Sequence | Table) -> Iterator[tuple[str, str, int]]:
    """(sentence 1, sentence 2, label) of NLI groups, of tuples, or of a Table, in their order; −1 is no label.

    Errors: `KitError` for anything else. Lesson 08.
    """
    if isinstance(data, Table):
        sides = next((names for names in COLUMNS if set(names) <= data.columns.keys()), None)
        if sides is None or "label" not in data.columns:
            raise KitError(
                "expected a table with the columns premise, hypothesis, label or sentence1, sentence2, "
                f"label, got {', '.join(data.columns)}."
            )
        data = list(zip(data[sides[0]], data[sides[1]], data["label"]))
    if not isinstance(data, Sequence):
        data = [data]  # the error below names its type
    for one in data:
        if hasattr(one, "hypotheses"):
            yield from ((one.anchor, hypothesis, label) for hypothesis, label in zip(one.hypotheses, one.labels))
        elif isinstance(one, tuple) and len(one) == 3 and all(isinstance(text, str) for text in one[:2]):
            yield one
        else:
            raise KitError(
                "expected NLI groups, or tuples (sentence 1, sentence 2, label), got "
                f"{type(one).__name__}: this recipe needs pairs."
            )


def train_classifier(
    encoder,
    recipe: Recipe,
    data: Sequence | Table,
    seed: int = 0,
    steps: int | None = None,
    precision: str = "auto",
    callback: Callable[[dict], None] | None = None,
) -> PairClassifier:
    """Train `encoder` in place, as `kit.training.fit` does, and return the head: the binary use case needs both.

    Lesson 08.
    """
    from kit.training.device import undisturbed
    from kit.training.trainer import Trainer

    with undisturbed(encoder.device):
        trainer = Trainer(encoder, recipe, Pause.examples(encoder, data, recipe, seed), steps, seed, precision)
        for _ in range(trainer.steps):
            metrics = trainer.step()
            if callback:
                callback(metrics)
        trainer.rest()
    return trainer.objective.head


def _priors_fit(priors: object, classes: int) -> bool:
    try:
        return isinstance(priors, (list, tuple)) and bool(check_priors(priors, classes))
    except KitError:
        return False
