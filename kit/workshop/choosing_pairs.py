"""Pairs to choose settings by: scored by people, and in none of the seven STS test sets.

The custom is to choose on STS-B validation. But 1,131 of its 1,500 pairs stand, word for word, in STS12-16, so that
whoever chooses by them chooses partly by the test. What is left of the train and validation splits of STS-B and
SICK-R when every test pair is taken out serves as well, as long as nobody trains on it.
"""

from __future__ import annotations

from collections.abc import Iterable

from kit.checks.argument_checks import checked
from kit.data import StsTask, load_sts
from kit.errors import KitError, shown
from kit.evaluation import pair_cosines, spearman
from kit.evaluation.encoding import check_encoder
from kit.workshop.training_overlap import same_words

SPLITS = ("train", "validation")
SOURCES = ("STS-B", "SICK-R")


def choosing_pairs() -> dict[str, StsTask]:
    """STS-B and SICK-R → the pairs of their train and validation splits that no test set has.

    Two pairs are one where their words are, in any case, order of the two sentences and punctuation.
    """
    tested = set().union(*map(_pairs, load_sts().values()))
    return {name: _without(tested, [load_sts(name, split=split)[name] for split in SPLITS]) for name in SOURCES}


@checked
def choosing_score(encoder, pairs: dict[str, StsTask] | None = None) -> dict:
    """Spearman × 100 of cosines: "choosing", the mean over the two sources; "by_source"; and the custom's "validation".

    pairs: of `choosing_pairs`, which None loads. "validation" is all of STS-B validation, test pairs included.
    Errors: `KitError` for other pairs.
    """
    check_encoder(encoder)
    if pairs and (strange := [task for task in pairs.values() if not isinstance(task, StsTask)]):
        raise KitError(f"expected pairs as tasks of choosing_pairs, got {shown(strange[0])} among them: load them so.")
    found = {name: _score(encoder, task) for name, task in (pairs or choosing_pairs()).items()}
    custom = _score(encoder, load_sts("STS-B", split="validation")["STS-B"])
    return {"choosing": sum(found.values()) / len(found), "by_source": found, "validation": custom}


def _without(tested: set, tasks: Iterable[StsTask]) -> StsTask:
    """The pairs of some tasks that are not in `tested`, each once."""
    kept: dict[frozenset, tuple] = {}
    for task in tasks:
        rows = zip(task.sentences1, task.sentences2, task.scores, task.subsets)
        for pair, row in zip(_pairs(task), rows):
            if pair not in tested:
                kept.setdefault(pair, row)
    return StsTask(task.name, *map(list, zip(*kept.values())), task.source)


def _pairs(task: StsTask) -> list[frozenset]:
    return [frozenset(map(same_words, both)) for both in zip(task.sentences1, task.sentences2)]


def _score(encoder, task: StsTask) -> float:
    first, second = (encoder.encode(side) for side in (task.sentences1, task.sentences2))
    return 100 * (spearman(pair_cosines(first, second), task.scores) or 0.0)
