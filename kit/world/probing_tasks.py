"""Ten probing tasks with exact labels: what can be read off a sentence vector?

    kit.world.trees          phrase structure: which words make a phrase
    kit.world.probe_forms    length, word content, tree depth, top constituents, bigram shift, inversion
    kit.world.probe_words    tense, number of subject and object, the odd one out

The tasks are those of Conneau et al. 2018, section 2, told of the made-up world: a wind tunnel, in
which every label is known from the grammar that wrote the sentence, and no result on English.
Smaller than there: 30 words instead of 1,000, five depths instead of seven, eight kinds of top
constituents instead of twenty; the odd word is always an object.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from kit.errors import KitError, unknown_name
from kit.number_checks import whole_number
from kit.world.probe_forms import (
    DEPTHS,
    LENGTHS,
    TOPS,
    Candidate,
    contents,
    depths,
    inversions,
    kept_words,
    lengths,
    shifts,
    tops,
)
from kit.world.probe_words import objects, odd_ones, split_of, subjects, tenses

SHARES = {"train": 4, "validation": 1, "test": 1}  # of six sentences
MOST_OF_A_TARGET = 0.12  # of a split's sentences; "man" is the subject of half of all others
LEAST_OF_A_TARGET = 3  # times it may occur however small a split is: with fewer its words run out
LEAST_ROWS = 100
PATIENCE = 2_000_000  # sentences drawn before a task is given up


class Split(NamedTuple):
    """Sentences, and the class of each as a place in `ProbingTask.classes`."""

    texts: tuple[str, ...]
    labels: tuple[int, ...]


@dataclass(frozen=True)
class ProbingTask:
    """One task: its name, what is asked in words, its classes, and three splits without common sentences."""

    name: str
    asks: str
    classes: tuple[str, ...]
    train: Split
    validation: Split
    test: Split

    @property
    def chance(self) -> float:
        """The accuracy of guessing, in percent; the classes are equally frequent."""
        return 100 / len(self.classes)


class Kind(NamedTuple):
    """What makes a task: the question, the classes (made when asked for), the generator."""

    asks: str
    classes: Callable[[], tuple[str, ...]]
    draw: Callable[[random.Random], Iterator[Candidate]]


KINDS = {
    "SentLen": Kind("how many words", lambda: tuple(f"{low} to {high}" for low, high in LENGTHS), lengths),
    "WC": Kind("which word of a list occurs", kept_words, contents),
    "TreeDepth": Kind("how deep the tree is", lambda: tuple(map(str, DEPTHS)), depths),
    "TopConst": Kind("which phrases the sentence is made of", lambda: TOPS, tops),
    "BShift": Kind("whether two neighbours changed places", lambda: ("as written", "shifted"), shifts),
    "Tense": Kind("the tense of the verb", lambda: ("present", "past"), tenses),
    "SubjNum": Kind("the number of the subject", lambda: ("singular", "plural"), subjects),
    "ObjNum": Kind("the number of the object", lambda: ("singular", "plural"), objects),
    "SOMO": Kind("whether the object fits the verb", lambda: ("fits", "odd"), odd_ones),
    "CoordInv": Kind("whether two clauses changed places", lambda: ("in order", "inverted"), inversions),
}
PROBING_TASKS = tuple(KINDS)


def probing_task(name: str, rows: int = 1800, seed: int = 0) -> ProbingTask:
    """A probing task of about `rows` sentences: two thirds to train on, a sixth each to choose and to test.

    Every class is equally frequent in every split, and no sentence is in two of them. Tense,
    SubjNum, ObjNum and SOMO share no target word between splits either; TreeDepth, TopConst,
    BShift and CoordInv have equally many of each class at every length. The same for the same
    seed, and made once. Raises KitError for an unknown name and for fewer than LEAST_ROWS rows. Lesson 10.
    """
    if name not in KINDS:
        raise unknown_name("probing task", name, PROBING_TASKS)
    return _made(name, whole_number("rows", rows, LEAST_ROWS), seed)


@cache
def _made(name: str, rows: int, seed: int) -> ProbingTask:
    kind, classes = KINDS[name], KINDS[name].classes()
    rng = random.Random(f"{seed} probing {name}")
    most = {split: max(1, round(rows * share / 6 / len(classes))) for split, share in SHARES.items()}
    splits = _balanced(kind.draw(rng), len(classes), most, rng)
    return ProbingTask(name, kind.asks, classes, *(splits[split] for split in SHARES))


def _balanced(drawn: Iterator[Candidate], classes: int, most: dict[str, int], rng: random.Random) -> dict[str, Split]:
    """For each split `most` rounds of one sentence per class; those of a round are of one group."""
    rounds: dict[str, list[list[Candidate]]] = {split: [] for split in most}
    waiting: dict[tuple, list[list[Candidate]]] = defaultdict(lambda: [[] for _ in range(classes)])
    seen: set[str] = set()
    used: dict[str, Counter] = {split: Counter() for split in most}  # how often each target word
    for count, candidate in enumerate(drawn):
        if all(len(rounds[split]) >= most[split] for split in most):
            break
        if count > PATIENCE:
            raise KitError(f"expected a smaller number of rows: the world does not give {most} rounds of each class.")
        split = _split(candidate, rng)
        key = candidate.text.lower()
        if split is None or key in seen or len(rounds[split]) >= most[split]:
            continue
        often = max(LEAST_OF_A_TARGET, MOST_OF_A_TARGET * classes * most[split])
        if any(used[split][word] >= often for word in candidate.targets):
            continue
        seen.add(key)
        used[split].update(candidate.targets)
        queues = waiting[split, candidate.group]
        queues[candidate.label].append(candidate)
        if all(queues):
            rounds[split].append([queue.pop(0) for queue in queues])
    return {split: _shuffled(rounds[split], rng) for split in most}


def _split(candidate: Candidate, rng: random.Random) -> str | None:
    """The split of a sentence: that of its target words, or any; None where they are of two splits."""
    if not candidate.targets:
        return rng.choices(list(SHARES), list(SHARES.values()))[0]
    found = {split_of(word) for word in candidate.targets}
    return found.pop() if len(found) == 1 else None


def _shuffled(rounds: list[list[Candidate]], rng: random.Random) -> Split:
    rows = [candidate for one in rounds for candidate in one]
    rng.shuffle(rows)
    return Split(tuple(row.text for row in rows), tuple(row.label for row in rows))
