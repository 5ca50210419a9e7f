"""STS scores as a table, as a sentence, and as something JSON can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from kit.errors import unknown_name
from kit.evaluation.aggregation import AGGREGATIONS, Aggregated, SubsetScore, mean_or_none

STYLES = ("text", "markdown")
UNDEFINED = "–"
MEANING = {
    "all": "over all pairs of a task together",
    "mean": "as the mean over the subsets of a task",
    "wmean": "as the mean over the subsets of a task, weighted by their pairs",
}


@dataclass(frozen=True)
class TaskScore:
    """One task: the number of pairs, three aggregations, each subset, and remarks.

    `source` is the task's own note on where its pairs came from.
    """

    name: str
    pairs: int
    scores: Aggregated
    subsets: tuple[SubsetScore, ...]
    source: Any = None
    notes: tuple[str, ...] = ()

    @property
    def made_up(self) -> bool:
        """True where the world's scenes stand in: then the score says nothing about English."""
        return bool(getattr(self.source, "is_fallback", False))

    @property
    def label(self) -> str:
        """The name on the screen, which tells a stand-in from the real task."""
        return f"{self.name} (world)" if self.made_up else self.name


@dataclass(frozen=True)
class StsReport:
    """What `evaluate_sts` measured; `report["STS12"].scores.all` is one figure of it.

    tasks         in the order given
    average_over  the names that belong to the average
    sentences     distinct sentences encoded, each once
    dim           length of a vector
    """

    tasks: tuple[TaskScore, ...]
    average_over: tuple[str, ...]
    sentences: int
    dim: int

    def __getitem__(self, name: str) -> TaskScore:
        for task in self.tasks:
            if task.name == name:
                return task
        raise unknown_name("STS task", name, [task.name for task in self.tasks])

    @property
    def why_no_average(self) -> str:
        """One sentence on why there is no average; empty where there is one."""
        if not self.average_over:
            return "No average: no task was named for it."
        there = {task.name: task for task in self.tasks}
        missing = [name for name in self.average_over if name not in there]
        if missing:
            return f"No average: it would need {', '.join(missing)} too."
        if len({there[name].made_up for name in self.average_over}) > 1:
            return "No average: some tasks are real and for others made-up scenes stand in."
        return ""

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

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of all tasks, as sentences."""
        return tuple(note for task in self.tasks for note in task.notes)

    def table(self, style: str = "text", subsets: bool = False) -> str:
        """Rows of task, pairs, all, mean, wmean; below them the average, where there is one.

        style    "text" (aligned columns) or "markdown"; raises KitError for another
        subsets  also a row for each subset, with its one figure under `all`
        """
        rows = [("task", "pairs", *AGGREGATIONS)]
        for task in self.tasks:
            rows.append((task.label, f"{task.pairs:,}", *_figures(task.scores)))
            for part in task.subsets if subsets and len(task.subsets) > 1 else ():
                rows.append((f"· {part.name}", f"{part.pairs:,}", _figure(part.spearman), "", ""))
        if not self.why_no_average:
            rows.append(("average", "", *_figures(self.average)))
        if style == "text":
            return _aligned(rows)
        if style == "markdown":
            return _markdown(rows)
        raise unknown_name("table style", style, STYLES)

    def __str__(self) -> str:
        return "\n".join((self.table(), *self.notes))

    def sentence(self, aggregation: str = "all") -> str:
        """The table of one aggregation as a sentence, then the remarks.

        Raises KitError unless `aggregation` is "all", "mean" or "wmean".
        """
        if aggregation not in AGGREGATIONS:
            raise unknown_name("aggregation", aggregation, AGGREGATIONS)
        figures = ", ".join(
            f"{task.label} {_said(getattr(task.scores, aggregation))}" for task in self.tasks
        )
        line = (
            f"Spearman ×100 of cosine and gold score, {MEANING[aggregation]} ({aggregation}): "
            f"{figures}"
        )
        if self.why_no_average:
            line += f". {self.why_no_average}"
        else:
            line += f"; average {_said(getattr(self.average, aggregation))}."
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
            }
            for task in self.tasks
        }
        return {
            "metric": "spearman_cosine_x100",
            "tasks": tasks,
            "average": asdict(self.average),
            "average_over": list(self.average_over),
            "sentences": self.sentences,
            "dim": self.dim,
        }


def _figure(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.2f}"


def _figures(scores: Aggregated) -> tuple[str, ...]:
    return tuple(_figure(getattr(scores, kind)) for kind in AGGREGATIONS)


def _said(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _plain_source(source: Any) -> Any:
    if is_dataclass(source):
        fields = asdict(source)
        return {key: list(v) if isinstance(v, tuple) else v for key, v in fields.items()}
    return None if source is None else str(source)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *rest in rows:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join((head, "|---|" + "---:|" * (len(rows[0]) - 1), *body))
