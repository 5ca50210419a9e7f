"""Natural-language-inference pairs, grouped by their premise."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from kit.checks.argument_checks import checked, is_flag
from kit.checks.sentences import is_blank
from kit.data.catalogue import NLI_COLUMNS
from kit.data.table import Table, check_columns, squeeze
from kit.errors import KitError, NothingToTrainOn, shown

ENTAILMENT, NEUTRAL, CONTRADICTION = 0, 1, 2
LABEL_NAMES = ("entailment", "neutral", "contradiction")
GROUP_COLUMNS = ("anchor", "positives", "neutrals", "negatives")


@dataclass(frozen=True)
class Group:
    """One premise with every hypothesis written for it.

    `hypotheses` and `labels` run in parallel, in the order of the data.
    """

    premise_id: int
    anchor: str
    hypotheses: tuple[str, ...]
    labels: tuple[int, ...]

    @property
    def positives(self) -> tuple[str, ...]:
        """The hypotheses that the premise entails."""
        return self._labelled(ENTAILMENT)

    @property
    def neutrals(self) -> tuple[str, ...]:
        """The hypotheses that the premise neither entails nor contradicts."""
        return self._labelled(NEUTRAL)

    @property
    def negatives(self) -> tuple[str, ...]:
        """The hypotheses that contradict the premise."""
        return self._labelled(CONTRADICTION)

    def _labelled(self, label: int) -> tuple[str, ...]:
        pairs = zip(self.hypotheses, self.labels, strict=True)
        return tuple(hypothesis for hypothesis, given in pairs if given == label)


class Groups(list):
    """A list of Group that remembers what was left out while grouping.

    `dropped` counts rows: "duplicate" (the same pair and label again), "conflicting" (the same pair under two labels:
    all its rows) and "empty" (no text in the premise or in the hypothesis).
    """

    def __init__(self, groups: Iterable[Group] = (), dropped: dict[str, int] | None = None) -> None:
        super().__init__(groups)
        self.dropped = dict(dropped or {})


@checked
def group_by_premise(table: Table) -> Groups:
    """One Group for every distinct premise, in order of first occurrence.

    Premises are the same when their text is, white space apart; case and punctuation count. Reads pairs (columns
    premise, hypothesis, label) or ready groups (anchor, positives, neutrals, negatives). Within a premise a repeated
    hypothesis is kept once, and one with two different labels not at all; what was left out is counted in `.dropped`.
    `premise_id` is the place in the list.

    Raises KitError for wrong columns, an empty table, a label outside {0, 1, 2} or no text, each with its row.
    """
    labels_of: dict[str, dict[str, list[int]]] = {}  # premise -> hypothesis -> labels
    dropped = {"duplicate": 0, "conflicting": 0, "empty": 0}
    for premise, hypothesis, label in _pairs(table):
        if is_blank(premise) or is_blank(hypothesis):
            dropped["empty"] += 1
        else:
            labels_of.setdefault(premise, {}).setdefault(hypothesis, []).append(label)
    groups = Groups(dropped=dropped)
    for premise, hypotheses in labels_of.items():
        kept = {}
        for hypothesis, labels in hypotheses.items():
            if len(set(labels)) > 1:
                groups.dropped["conflicting"] += len(labels)
            else:
                groups.dropped["duplicate"] += len(labels) - 1
                kept[hypothesis] = labels[0]
        if kept:
            groups.append(Group(len(groups), premise, tuple(kept), tuple(kept.values())))
    if not groups:
        raise NothingToTrainOn(f"{table.source.name} gives no pair to group: its {len(table)} rows are unfit.")
    return groups


@checked
def triplets(groups: Iterable[Group], seed: int = 0, all: bool = False, borrow: bool = False) -> list[tuple]:
    """(anchor, positive, negative) texts, group after group.

    By default each positive and each negative is used at most once: a group gives min(positives, negatives) triplets,
    paired at random by `seed` (SimCSE's supervised data, Gao et al. 2021). With `all` every positive meets every
    negative of its group. With `borrow` the positives left over take a negative of any group. Lesson 05.

    Raises KitError where no group has both a positive and a negative.
    """
    rng = random.Random(seed)
    groups, texts = only_groups(groups), []
    lent = [negative for group in groups for negative in group.negatives] if borrow else []
    for group in groups:
        positives, negatives = list(group.positives), list(group.negatives)
        if all:
            pairs = product(positives, negatives)
        else:
            rng.shuffle(positives)
            rng.shuffle(negatives)
            negatives += rng.choices(lent, k=max(0, len(positives) - len(negatives))) if lent else []
            pairs = zip(positives, negatives, strict=False)  # the shorter list ends it
        texts += [(group.anchor, positive, negative) for positive, negative in pairs]
    if not texts:
        raise NothingToTrainOn(
            "triplets need a group with an entailed and a contradicted hypothesis, "
            f"but none of {len(groups)} has both: load other data, or more of it."
        )
    return texts


def only_groups(groups: Iterable[Group]) -> list[Group]:
    """The groups as a list; raises KitError where something else is among them."""
    groups = list(groups)
    if strange := [group for group in groups if not isinstance(group, Group)]:
        raise KitError(
            f"expected groups, got {shown(strange[0])} among them: make them with group_by_premise(load(…))."
        )
    return groups


def _pairs(table: Table) -> Iterator[tuple[str, str, int]]:
    """(premise, hypothesis, label) of every pair, white space squeezed, values checked."""
    if "anchor" in table.columns and "premise" not in table.columns:
        check_columns(table, GROUP_COLUMNS)
        columns = zip(*(table[name] for name in GROUP_COLUMNS), strict=True)
        for row, (anchor, *kinds) in enumerate(columns):
            for label, hypotheses in zip((ENTAILMENT, NEUTRAL, CONTRADICTION), kinds, strict=True):
                if isinstance(hypotheses, str) or not isinstance(hypotheses, Iterable):
                    came = f"{table.place(row)} has {shown(hypotheses)}"
                    raise KitError(f"{table.source.name}: expected a list of sentences, but {came}.")
                for hypothesis in hypotheses:
                    yield _text(table, row, anchor), _text(table, row, hypothesis), label
        return
    check_columns(table, NLI_COLUMNS)
    columns = zip(*(table[name] for name in NLI_COLUMNS), strict=True)
    for row, (premise, hypothesis, label) in enumerate(columns):
        if is_flag(label) or label not in (ENTAILMENT, NEUTRAL, CONTRADICTION):
            meaning = ", ".join(f"{number} ({name})" for number, name in enumerate(LABEL_NAMES))
            came = f"{table.place(row)} has {label!r}"
            raise KitError(f"{table.source.name}: a label must be {meaning}, but {came}.")
        yield _text(table, row, premise), _text(table, row, hypothesis), int(label)


def _text(table: Table, row: int, text: object) -> str:
    if not isinstance(text, str):
        raise KitError(f"{table.source.name}: a sentence must be text, but {table.place(row)} has {text!r}.")
    return squeeze(text)
