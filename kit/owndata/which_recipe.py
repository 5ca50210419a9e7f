"""Which recipe fits which data: one table, which `suggest`, the page docs/which_recipe.md and lesson 13 share."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from kit.checks.argument_checks import checked
from kit.data import HIDDEN
from kit.errors import KitError
from kit.evaluation.tables import table
from kit.fast import without_collection
from kit.lesson import measured
from kit.owndata.own_data import OwnData
from kit.owndata.training_data import fitted, formats, is_nli, without_negative
from kit.training.batches import epoch_of_batches
from kit.training.recipes import recipe

FEW = 1_000  # rows below which in-batch negatives see the same texts again and again
WIDTH = 88
FEW_LABELS = (10, 1)  # percent


@dataclass(frozen=True)
class Advice:
    """A row of the table. holds: whether this data is such data; None for every kind that `when` names."""

    when: str
    recipe: str
    why: str
    watch: str
    kinds: tuple[str, ...]
    holds: Callable[[OwnData], bool] | None = None

    def fits(self, data: OwnData) -> bool:
        """Whether this row is about such data, and the recipe can train on it."""
        named = data.kind in self.kinds and (self.holds is None or self.holds(data))
        return named and recipe(self.recipe).data_format in formats(data)


def _unlabelled(data: OwnData) -> bool:
    """Whether a tenth of the rows or more has no label: of a few, one that is missing is a gap."""
    return 10 * data["label"].count(HIDDEN) >= len(data)


ADVICE = (
    Advice(
        "pairs that belong together: question and answer, title and text, two wordings",
        "mnrl",
        "the positives of the other rows serve as negatives, so pairs are enough",
        "two rows that mean the same are false negatives of each other: look at the data, keep copies out of a batch",
        ("pairs",),
    ),
    Advice(
        "triplets: an anchor, a positive, and a negative that looks right but is wrong",
        "simcse",
        "the hard negative of every row stands in the denominator beside the positives of the others",
        "a negative that is right after all teaches the wrong thing; mined ones are checked first; an anchor without a "
        "negative is left out, and 'supmpn' keeps it",
        ("triplets", "multiples"),
    ),
    Advice(
        "several positives or negatives for an anchor",
        "supmpn",
        "each positive has a softmax of its own, in which the anchor's other positives are no negatives",
        "an anchor with fewer than 5 gets copies of itself as positives, and negatives of other anchors",
        ("multiples", "triplets"),
    ),
    Advice(
        "pairs with the classes entailment, neutral and contradiction",
        "scl",
        "a classifier on the pairs; beside it, what a premise entails is set against all other hypotheses of the batch",
        "it wants several hypotheses for a premise; with one each 'mnrl' on those entailed is simpler (not compared)",
        ("labelled",),
        is_nli,
    ),
    Advice(
        "pairs with classes, one of which means the same",
        "mnrl",
        "the pairs that mean the same are positives; those that do not stay out",
        "what the other class knows is lost, apart from pairs that share their anchor: those make triplets ('simcse')",
        ("labelled",),
        lambda data: data.positive_label is not None,
    ),
    Advice(
        "few labelled pairs, and many without a label",
        "pause",
        "an unlabelled pair counts as a mixture of the classes, in proportion to their frequency",
        "the share of each class must be known or counted without bias; less than 1 % of the labels was not tried",
        ("labelled",),
        _unlabelled,
    ),
    Advice(
        "pairs with classes of any kind, whether or not one of them means the same",
        "pause",
        "cross-entropy on (u, v, |u − v|, u∗v) takes any classes",
        "a classifier needs no cosine to be right: measure whether the vectors can be compared",
        ("labelled",),
    ),
    Advice(
        "pairs with a score",
        "cosent",
        "only the order of the scores counts, as for the correlation that is reported",
        "a batch has to hold different scores; many equal ones teach nothing",
        ("scored",),
    ),
    Advice(
        "pairs with a score whose value itself is needed, as for a threshold",
        "cosine_regression",
        "the cosine becomes the score",
        "scores must be on the scale of cosines: 0 to 5 is read as 0 to 1",
        ("scored",),
    ),
    Advice(
        "single texts with a class each, as tickets with a topic",
        "supcon",
        "the other texts of a class are positives, those of other classes negatives",
        "a class is all that it learns: two texts of one class become alike, whatever else tells them apart",
        ("classes",),
    ),
    Advice(
        "single sentences",
        "simcse_unsup",
        "a sentence and itself under another dropout mask are a pair, all others are negatives",
        "it spreads the space but learns nothing of what you call similar",
        ("sentences",),
    ),
    Advice(
        "single sentences, where word order and noise matter",
        "tsdae",
        "the encoder must keep enough of a damaged sentence to write it again",
        "slower, and below contrast on sentence similarity here",
        ("sentences",),
    ),
    Advice(
        "long documents",
        "declutr",
        "spans that stand near each other in a text are positives",
        "documents of 256 word pieces (some 200 words) or more; an encoder that reads 66 word pieces or more",
        ("documents",),
    ),
)


class Suggestions(list):
    """Advice for some data, the first of it first; `remarks` on how many there are."""

    def __init__(self, found: list[Advice], data: OwnData) -> None:
        super().__init__(found)
        self.data = data

    @property
    def remarks(self) -> list[str]:
        """What the number of rows means for training, a sentence each."""
        said = []
        if len(self.data) < FEW and self.data.kind not in ("sentences", "documents"):
            rows = "1 row is" if len(self.data) == 1 else f"{len(self.data):,} rows are"
            said.append(
                f"{rows} few: start from an encoder that is trained already, keep a part for validation, and compare "
                "with BM25 and with no training at all."
            )
        if self.data.kind in ("sentences", "documents"):
            said.append(
                "Nothing here says what is near what, so nothing can be validated: collect pairs for that, or give "
                "each text a class (kind='classes', --kind classes)."
            )
        return said

    def table(self, style: str = "text") -> str:
        """recipe, cost and what to expect of each, then why and what to watch in words."""
        rows = [("recipe", "steps on this data", "expect"), *((a.recipe, cost(a, self.data), expect(a)) for a in self)]
        if style == "markdown":
            return table(rows, style)
        lines = [table(rows)]
        for a in self:
            lines += _wrapped(f"{a.recipe}: {a.when}. Why: {a.why}. Watch: {a.watch}.")
        return "\n".join([*lines, *(line for remark in self.remarks for line in _wrapped(remark))])

    def __str__(self) -> str:
        return self.table()

    def as_dict(self) -> dict:
        """Ready for `json.dumps`."""
        names = ("recipe", "when", "why", "watch")
        rows = [
            {name: getattr(a, name) for name in names} | {"cost": cost(a, self.data), "expect": expect(a)} for a in self
        ]
        return {"suggestions": rows, "remarks": self.remarks}


@checked
def suggest(data: OwnData) -> Suggestions:
    """The recipes that fit this data, the first of them first, with reason, cost and what to expect. Lesson 13.

    Nothing is chosen here: `kit train` without --recipe takes the first, and says so. Errors: `KitError` for data
    that no recipe can train on.
    """
    found: dict[str, Advice] = {}
    for advice in ADVICE:
        if advice.fits(data):
            found.setdefault(advice.recipe, advice)
    if not found:
        raise KitError(f"expected data that a recipe can train on, got {data.kind} of {data.name} that none takes.")
    return Suggestions(list(found.values()), data)


@without_collection()
def cost(advice: Advice, data: OwnData) -> str:
    """Steps of the preset "laptop" on this data: "1,564 steps of 128", "at most 57 steps of 16".

    Anchors that it leaves out are counted. Where the recipe cannot train on them "none", and why.
    """
    settings, _ = fitted(recipe(advice.recipe, "laptop"), data)
    made = formats(data)[settings.data_format](data)
    said = "at most " if data.kind == "documents" else ""  # those too short for the spans are left out
    if settings.data_format in ("documents", "multi_positive"):  # each is an example: nothing is read, or drawn slowly
        batches = math.ceil(len(made) / settings.batch_size)
    else:
        try:
            examples = settings.objective.examples(_WithoutTokens(), made, settings, seed=0)
        except KitError:  # such as no positive among them
            return "none: nothing in it to train on"
        batches = len(epoch_of_batches(examples, settings.batch_size, seed=0, epoch=0))
    lacking = without_negative(made, settings)
    less = f", {lacking:,} of {len(made):,} anchors left out" if lacking else ""
    return f"{said}{max(1, round(settings.epochs * batches)):,} steps of {settings.batch_size}{less}"


class _WithoutTokens:
    """In place of an encoder where examples are counted, whatever their tokens are."""

    def tokenize(self, texts: list[str]) -> list[list[int]]:
        return [[] for _ in texts]


def expect(advice: Advice) -> str:
    """What the recipe reached here on NLI with kit-bert-tiny; nobody has measured your data."""
    found = reached(advice)
    return f"{found} on STS from NLI" if found else "not measured here"


def reached(advice: Advice) -> str:
    """The average of the seven STS tasks; with few labels in words; "" where nobody measured it."""
    if advice.holds is _unlabelled:
        return ", ".join(f"{with_labels('pu', share):.1f} with {share} % labelled" for share in FEW_LABELS)
    found = averages().get(advice.recipe)
    return "" if found is None else f"{found:.1f}"


def with_labels(way: str, share: int) -> float:
    """The same average of PAUSE with that share of the labels: way "pu", or "labelled_only" without other pairs."""
    points = measured("labels")["sweeps"][way]["points"]
    return points[str(share)]["average"]["all"]["mean"]


@cache
def averages() -> dict[str, float]:
    """recipe → the average of the seven STS tasks, as data/results/systems.json has it; "" of the untrained encoder."""
    found = measured("systems")
    every = {**found["recipes"], "": found["before"]["mean"]}
    return {name: one["average"]["all"]["mean"] for name, one in every.items()}


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="    ", break_long_words=False)
