"""Training on single texts that have a class each, as tickets have a topic: SupCon.

Two texts of one class are positives of each other, all others of the batch are negatives. In a batch that is drawn text
by text most would meet no other of their class once there are many classes. So an example is two texts of one class,
and every text has a positive, while a batch is still drawn at random.

NLI is taken too: an anchor and what it entails are one class, every other hypothesis is alone in its own.
"""

from __future__ import annotations

import operator
import random
import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from kit.checks.argument_checks import is_list
from kit.checks.sentences import check_sentences
from kit.data import Group
from kit.errors import KitError, KitWarning, NothingToTrainOn, shown
from kit.losses import contrastive_softmax, supcon_relations
from kit.number_checks import is_whole
from kit.training.batches import Batch
from kit.training.objectives.objective import Objective, StepContext
from kit.training.settings import Recipe, SoftmaxOptions


@dataclass(frozen=True)
class ClassOptions(SoftmaxOptions):
    """Those of the softmax alone."""

    data_format = "classes"
    temperature: float = 0.1
    similarity: str = "cosine"

    @property
    def objective(self) -> type[TextClasses]:
        return TextClasses


@dataclass(frozen=True)
class ClassExample:
    """Token ids of two texts of one class, of three where a class has an odd number of them, or of the only one."""

    rows: list[list[int]]
    number: int  # of the class

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def longest(self) -> int:
        return max(map(len, self.rows))


class TextClasses(Objective):
    """SupCon (Khosla et al. 2020, Eq. 2) on (text, class) tuples, or on NLI groups."""

    name = "classes"
    division = "by_anchors"

    @staticmethod
    def examples(encoder, data: Sequence, recipe: Recipe, seed: int) -> list[ClassExample]:
        by_class = texts_by_class(data)
        if len(by_class) < 2 or all(len(texts) < 2 for texts in by_class.values()):
            raise NothingToTrainOn(
                "expected two classes or more, and two texts of one of them, got "
                f"{sum(map(len, by_class.values())):,} texts in {len(by_class):,}: a class without a second text has "
                "no positives, and without a second class there are no negatives."
            )
        texts = list(dict.fromkeys(text for several in by_class.values() for text in several))
        ids = dict(zip(texts, encoder.tokenize(texts)))
        rng, found = random.Random(f"classes/{seed}"), []
        for number, several in enumerate(by_class.values()):
            rng.shuffle(several)
            found += [ClassExample([ids[text] for text in together], number) for together in _in_twos(several)]
        return found

    def batch(self, examples: list[ClassExample], recipe: Recipe, generator: torch.Generator | None = None) -> Batch:
        """Rows: the texts of the first example, then those of the second …"""
        labels = [example.number for example in examples for _ in example.rows]
        return Batch([row for example in examples for row in example.rows], supcon_relations(labels))

    def loss(self, batch: Batch, context: StepContext) -> tuple[Tensor, dict[str, Tensor]]:
        z, options = self.project(context.embed(batch.token_ids)), context.recipe.options  # [rows, dim]
        loss = contrastive_softmax(z, batch.relations, options.temperature, options.similarity, fast=context.fast)
        return loss, {"contrastive": loss.detach()}


def texts_by_class(data: Any) -> dict[Hashable, list[str]]:
    """Class → its distinct texts, of (text, class) tuples or NLI groups. Errors: `KitError` with the place.

    A text of the tuples that stands under two classes would be its own negative: it is left out, and a KitWarning says
    how many are.
    """
    found: dict[Hashable, dict[str, None]] = {}
    rows: list[tuple[str, int | str]] = []
    for place, one in enumerate(data if is_list(data) else [data]):
        if isinstance(one, Group):
            found[place, ""] = dict.fromkeys((one.anchor, *one.positives))
            found |= {(place, text): {text: None} for text in one.hypotheses if text not in one.positives}
            continue
        is_one = isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str)
        if not is_one or not (isinstance(one[1], str) or is_whole(one[1])):
            raise KitError(
                "expected tuples (text, class), the class a whole number or a name, or NLI groups, but number "
                f"{place} is {one if isinstance(one, tuple) else shown(one)}: kit.owndata.read makes them of a file."
            )
        text, name = one[0], one[1] if isinstance(one[1], str) else operator.index(one[1])  # of a tensor its number
        found.setdefault(name, {})[text] = None
        rows.append((text, name))
    if found:
        check_sentences([text for texts in found.values() for text in texts])
    if torn := under_two_classes(rows):
        warnings.warn(KitWarning(left_out_in_words(len(torn))), stacklevel=2)
        for name in dict.fromkeys(name for text, name in rows if text in torn):
            found[name] = {text: None for text in found[name] if text not in torn}
    return {name: list(texts) for name, texts in found.items() if texts}


def under_two_classes(rows: Iterable[tuple[str, Hashable]]) -> set[str]:
    """The texts of (text, class) tuples that stand under two classes or more."""
    first: dict[str, Hashable] = {}
    return {text for text, name in rows if first.setdefault(text, name) != name}


def left_out_in_words(texts: int) -> str:
    """That so many texts are left out as each has two classes."""
    which = "1 text is left out, as it stands" if texts == 1 else f"{texts:,} texts are left out, as they stand"
    return f"{which} under two classes."


def _in_twos(texts: list[str]) -> list[list[str]]:
    """Texts two by two, the last three together where their number is odd."""
    twos = [texts[start : start + 2] for start in range(0, len(texts), 2)]
    return [*twos[:-2], twos[-2] + twos[-1]] if len(twos) > 1 and len(twos[-1]) == 1 else twos
