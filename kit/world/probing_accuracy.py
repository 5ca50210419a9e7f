"""Probing: what can be read off a sentence vector?

The protocol of Conneau et al. 2018, section 3: the encoder stays as it is, a classifier learns to
tell one property of the sentences from their vectors, and its accuracy on other sentences says
whether the property is there. Here the classifier is the logistic regression of
`kit.evaluation.logistic`, its C chosen on the validation split (Conneau et al. also tried a small
network). The sentences are those of `kit.world.probing_tasks`: made-up English with exact labels,
a wind tunnel in which encoders can be compared, and no result on English.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from zlib import crc32

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, unknown_name
from kit.evaluation.aggregation import mean_or_none
from kit.evaluation.encoding import check_encoder, encode_distinct
from kit.evaluation.logistic import Protocol, predict_held_out
from kit.evaluation.reports import by_name
from kit.evaluation.tables import figure, table
from kit.storage.result_cache import ResultCache, content_hash
from kit.world.probing_tasks import PROBING_TASKS, ProbingTask, probing_task

ROWS = 2400  # of a task: 1,600 to train on, 400 to choose C on, 400 to test
SPLITS = ("train", "validation", "test")
MADE_UP = "Sentences of the made-up world, not of English."


class BagOfWords:
    """The control that knows words and nothing of their order: the mean of one random vector per word.

    What it can tell, word counts can tell; only what lies above it is knowledge of the sentence. Lesson 10.
    """

    def __init__(self, dim: int = 512) -> None:
        self.dim = dim
        self._known: dict[str, np.ndarray] = {}

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        """float64 [n, dim]; the same word has the same vector in every process."""
        return np.array(
            [
                np.mean([self._word(word) for word in text.lower().rstrip(".?").replace(",", "").split()], axis=0)
                for text in sentences
            ]
        ).reshape(len(sentences), self.dim)

    def _word(self, word: str) -> np.ndarray:
        if word not in self._known:
            self._known[word] = np.random.default_rng(crc32(word.encode())).standard_normal(self.dim)
        return self._known[word]


@dataclass(frozen=True)
class ProbingScore:
    """One task: accuracy ×100 on `tested` sentences, beside that of guessing.

    strength  the C that was chosen; converged: whether the classifier was fitted to the end
    """

    name: str
    asks: str
    classes: int
    accuracy: float
    chance: float
    tested: int
    strength: float
    converged: bool

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy on all such sentences: the luck of the test's, not of the seeds."""
        from kit.retrieval.wilson import wilson_interval  # loads torch

        found = wilson_interval(self.accuracy / 100, self.tested)
        return found.low, found.high


@dataclass(frozen=True)
class ProbingReport:
    """What `evaluate_probing` measured; `report["Tense"].accuracy` is one figure of it."""

    tasks: tuple[ProbingScore, ...]

    def __getitem__(self, name: str) -> ProbingScore:
        return by_name(self.tasks, name, "probing task")

    @property
    def mean(self) -> float:
        """The mean accuracy of the tasks measured."""
        return mean_or_none([task.accuracy for task in self.tasks])

    @property
    def chance(self) -> float:
        """What guessing would give on average."""
        return mean_or_none([task.chance for task in self.tasks])

    def table(self, style: str = "text") -> str:
        """Rows of task, what it asks, classes, chance and accuracy; the mean below.

        style: "text" (aligned columns) or "markdown"; raises KitError for another.
        """
        rows = [("task", "asks for", "classes", "chance", "accuracy")]
        rows += [
            (task.name, task.asks, str(task.classes), figure(task.chance), figure(task.accuracy)) for task in self.tasks
        ]
        rows.append(("mean", "", "", figure(self.chance), figure(self.mean)))
        return table(rows, style)

    def __str__(self) -> str:
        return f"{self.table()}\n{MADE_UP}"

    def summary(self) -> str:
        """The accuracies as a sentence."""
        figures = ", ".join(f"{task.name} {task.accuracy:.1f} (guessing {task.chance:.1f})" for task in self.tasks)
        return (
            f"Accuracy ×100 of logistic regression on frozen embeddings: {figures}; mean {self.mean:.1f} "
            f"(guessing {self.chance:.1f}). {MADE_UP}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts and numbers, ready for `json.dumps`."""
        return {
            "metric": "accuracy_x100",
            "made_up": True,
            "mean": self.mean,
            "chance": self.chance,
            "tasks": {task.name: {**asdict(task), "interval": list(task.interval)} for task in self.tasks},
        }


@checked
def evaluate_probing(
    encoder: Any,
    tasks: str | Iterable[str | ProbingTask] | None = None,
    rows: int | None = None,
    seed: int = 0,
    cache: Any = None,
    progress: bool = True,
    batch_size: int = 64,
) -> ProbingReport:
    """Score an encoder on probing tasks: accuracy ×100 of a classifier on frozen embeddings.

    encoder  anything with `encode(list[str])` -> [n, dim]
    tasks    names of PROBING_TASKS, or tasks made by `probing_task`; None: all ten
    rows     sentences of a task, all splits together (None: ROWS); seed: draws them
    cache    a folder that keeps each task's result by a hash of vectors and labels

    Raises KitError for an unknown task, one that comes twice, none at all, too few rows, vectors
    that are not finite, and a cache folder that cannot be written. Lesson 10.
    """
    from tqdm.auto import tqdm

    check_encoder(encoder)
    wanted, kept, scores = _checked(tasks), ResultCache(cache), []
    with tqdm(total=len(wanted), desc="probing", unit=" tasks", leave=False, disable=not progress) as bar:
        for task in wanted:
            if isinstance(task, str):
                task = probing_task(task, ROWS if rows is None else rows, seed)
            bar.set_description(f"probe {task.name}")
            scores.append(_score(encoder, task, kept, batch_size))
            bar.update()
        bar.set_description("probing")
    return ProbingReport(tuple(scores))


def _checked(tasks: str | Iterable[str | ProbingTask] | None) -> list[str | ProbingTask]:
    """The tasks as a list of names and tasks: known, some, each once."""
    if isinstance(tasks, str | ProbingTask):
        tasks = [tasks]
    wanted = list(PROBING_TASKS if tasks is None else tasks)
    names = [task.name if isinstance(task, ProbingTask) else task for task in wanted]
    for name, task in zip(names, wanted):
        if not isinstance(task, ProbingTask) and name not in PROBING_TASKS:
            raise unknown_name("probing task", name, PROBING_TASKS)
    if not wanted or len(set(names)) < len(names):
        raise KitError(
            f"expected some probing tasks, each once, but got {', '.join(names) or 'none'}: "
            f"choose from {', '.join(PROBING_TASKS)}."
        )
    return wanted


def _score(encoder: Any, task: ProbingTask, kept: ResultCache, batch_size: int) -> ProbingScore:
    """One task's figures: from the cache, else computed and kept there."""
    import sklearn

    parts = [getattr(task, split) for split in SPLITS]
    texts = [text for part in parts for text in part.texts]
    labels = np.array([label for part in parts for label in part.labels])
    splits = [split for split, part in zip(SPLITS, parts) for _ in part.texts]
    vectors, row = encode_distinct(encoder, texts, batch_size)
    features, protocol = vectors[[row[text] for text in texts]], Protocol()
    key = content_hash("probing 1", task.name, features, labels, splits, asdict(protocol), sklearn.__version__)
    found = kept.get(key)
    if found is None:
        predicted = predict_held_out(features, labels, splits, protocol)
        right = predicted.labels == labels[predicted.rows]
        found = {
            "accuracy": 100 * float(right.mean()),
            "tested": len(right),
            "strength": predicted.strengths[0],
            "converged": not predicted.not_converged,
        }
        kept.put(key, found)
    return ProbingScore(task.name, task.asks, len(task.classes), chance=task.chance, **found)
