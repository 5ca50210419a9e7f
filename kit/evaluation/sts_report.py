"""STS scores as a table, as a sentence, and as something JSON can hold."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

from kit.errors import check_name
from kit.evaluation.aggregation import AGGREGATIONS, Aggregated, SubsetScore, mean_or_none
from kit.evaluation.reports import TaskLabel, TaskReport
from kit.evaluation.significance import Interval
from kit.evaluation.tables import figure, table

MEANING = {
    "all": "over all pairs of a task together",
    "mean": "as the mean over the subsets of a task",
    "wmean": "as the mean over the subsets of a task, weighted by their pairs",
}
SIMILARITY = {"cosine": "cosine", "dot": "dot product", "euclidean": "negative Euclidean distance"}


@dataclass(frozen=True)
class TaskIntervals:
    """Bootstrap intervals: of each aggregation and of each subset; None where undefined."""

    aggregated: dict[str, Interval | None]
    parts: dict[str, Interval | None]


@dataclass(frozen=True)
class TaskScore(TaskLabel):
    """One task: the number of pairs, three aggregations, each subset, and remarks.

    `source` is the task's own note on where its pairs came from; `scored` holds what the
    encoder says of each pair, for intervals and comparisons.
    """

    name: str
    pairs: int
    scores: Aggregated
    subsets: tuple[SubsetScore, ...]
    source: Any = None
    notes: tuple[str, ...] = ()
    scored: Any = field(default=None, repr=False, compare=False)
    intervals: TaskIntervals | None = None

    @property
    def made_up(self) -> bool:
        """True where the world's scenes stand in: then the score says nothing about English."""
        return bool(getattr(self.source, "is_fallback", False))


@dataclass(frozen=True)
class StsReport(TaskReport):
    """What `evaluate_sts` measured; `report["STS12"].scores.all` is one figure of it.

    tasks         in the order given
    average_over  the names that belong to the average
    sentences     distinct sentences encoded, each once
    dim           length of a vector
    similarity    of two vectors, and correlation of it with the gold scores
    average_intervals  bootstrap interval of the average in each aggregation, where asked for
    """

    kind = "STS task"

    tasks: tuple[TaskScore, ...]
    average_over: tuple[str, ...]
    sentences: int
    dim: int
    similarity: str = "cosine"
    correlation: str = "spearman"
    average_intervals: dict[str, Interval | None] | None = None

    @property
    def why_no_average(self) -> str:
        """One sentence on why there is no average; empty where there is one."""
        reason = super().why_no_average
        if not reason and len({self[name].made_up for name in self.average_over}) > 1:
            reason = "No average: some tasks are real and for others made-up scenes stand in."
        return reason

    @property
    def average(self) -> Aggregated:
        """The mean over `average_over` in each aggregation.

        None where a task is missing, where its figure is undefined, or where the world
        stands in for some of the tasks only: such an average is not the one that papers report.
        """
        if self.why_no_average:
            return Aggregated(None, None, None)
        columns = {
            kind: mean_or_none([getattr(self[name].scores, kind) for name in self.average_over])
            for kind in AGGREGATIONS
        }
        return Aggregated(**columns)

    def table(self, style: str = "text", subsets: bool = False) -> str:
        """Rows of task, pairs, all, mean, wmean; below them the average, where there is one.

        style    "text" (aligned columns) or "markdown"; raises KitError for another
        subsets  also a row for each subset, with its one figure under `all`
        Figures with a bootstrap interval have it in brackets.
        """
        rows = [("task", "pairs", *AGGREGATIONS)]
        for task in self.tasks:
            known = task.intervals or TaskIntervals({}, {})
            rows.append((task.label, f"{task.pairs:,}", *_figures(task.scores, known.aggregated)))
            for part in task.subsets if subsets and len(task.subsets) > 1 else ():
                value = _bracketed(getattr(part, self.correlation), known.parts.get(part.name))
                rows.append((f"· {part.name}", f"{part.pairs:,}", value, "", ""))
        if not self.why_no_average:
            rows.append(("average", "", *_figures(self.average, self.average_intervals or {})))
        return table(rows, style)

    def __str__(self) -> str:
        return "\n".join((self.table(), *self.notes))

    def summary(self, aggregation: str = "all") -> str:
        """The table of one aggregation as a sentence, then the remarks.

        Raises KitError unless `aggregation` is "all", "mean" or "wmean".
        """
        check_name("aggregation", aggregation, AGGREGATIONS)
        scores = [(task.label, figure(getattr(task.scores, aggregation), "undefined")) for task in self.tasks]
        what = f"{self.correlation.capitalize()} ×100 of {SIMILARITY[self.similarity]} and gold score"
        line = f"{what}, {MEANING[aggregation]} ({aggregation}): {', '.join(map(' '.join, scores))}"
        if self.why_no_average:
            line += f". {self.why_no_average}"
        else:
            line += f"; average {figure(getattr(self.average, aggregation), 'undefined')}."
        return " ".join((line, *self.notes))

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and None, ready for `json.dumps`."""
        tasks = {
            task.name: {
                "pairs": task.pairs,
                **asdict(task.scores),
                "subsets": [asdict(part) for part in task.subsets],
                "source": _plain_source(task.source),
                "made_up": task.made_up,
                "notes": list(task.notes),
                **_plain_intervals(task.intervals),
            }
            for task in self.tasks
        }
        return {
            "metric": f"{self.correlation}_{self.similarity}_x100",
            "tasks": tasks,
            "average": asdict(self.average),
            "average_intervals": _limits(self.average_intervals),
            "average_over": list(self.average_over),
            "sentences": self.sentences,
            "dim": self.dim,
        }


def _figures(scores: Aggregated, intervals: dict[str, Interval | None]) -> tuple[str, ...]:
    return tuple(_bracketed(getattr(scores, kind), intervals.get(kind)) for kind in AGGREGATIONS)


def _bracketed(value: float | None, around: Interval | None) -> str:
    """A figure, with its interval where it has one: 72.37 [70.81, 73.90]."""
    return figure(value) + (f" [{around.low:.2f}, {around.high:.2f}]" if around and value is not None else "")


def _plain_intervals(intervals: TaskIntervals | None) -> dict[str, Any]:
    if intervals is None:
        return {}
    return {"intervals": {**_limits(intervals.aggregated), "subsets": _limits(intervals.parts)}}


def _limits(intervals: dict[str, Interval | None] | None) -> dict[str, list[float] | None] | None:
    """name -> [low, high], None where undefined; None where no intervals were asked for."""
    if intervals is None:
        return None
    return {name: [it.low, it.high] if it else None for name, it in intervals.items()}


def _plain_source(source: Any) -> Any:
    if is_dataclass(source):
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(source).items()}
    return None if source is None else str(source)
