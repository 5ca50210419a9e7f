"""Transfer scores as a table, as a sentence, and as something JSON can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kit.data.transfer_tasks import TRANSFER_TASKS
from kit.evaluation.aggregation import mean_or_none
from kit.evaluation.reports import TaskLabel, TaskReport
from kit.evaluation.tables import figure, table

# Most papers report seven tasks and call SST-2 SST; SST-5 is the eighth.
SEVEN = tuple(name for name in TRANSFER_TASKS if name != "SST-5")


@dataclass(frozen=True)
class TransferScore(TaskLabel):
    """One task. Accuracy, F1 (of pairs only, of label 1) and the largest class are ×100.

    rows           of the task, all splits together
    tested         held-out rows: all of them under cross-validation
    largest_class  what naming the most frequent class everywhere would get right
    protocol       "10-fold" or "test split"
    strengths      C chosen for each fitted model, on training rows alone
    """

    name: str
    rows: int
    classes: int
    accuracy: float
    f1: float | None
    largest_class: float
    tested: int
    protocol: str
    strengths: Sequence[float]
    not_converged: int = 0
    sources: tuple[Any, ...] = ()
    made_up: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TransferReport(TaskReport):
    """What `evaluate_transfer` measured; `report["MR"].accuracy` is one figure of it."""

    kind = "transfer task"

    tasks: tuple[TransferScore, ...]
    average_over: tuple[str, ...] = TRANSFER_TASKS

    @property
    def average(self) -> float | None:
        """The mean accuracy over `average_over` (MRPC by its accuracy); None where a task is missing."""
        return self._mean(self.average_over)

    @property
    def averages(self) -> dict[str, float | None]:
        """Mean accuracy over the eight tasks, and over the seven most papers report (without SST-5)."""
        return {"eight": self._mean(TRANSFER_TASKS), "seven": self._mean(SEVEN)}

    def _mean(self, names: Sequence[str]) -> float | None:
        there = {task.name: task for task in self.tasks}
        return mean_or_none([there[name].accuracy if name in there else None for name in names])

    def table(self, style: str = "text") -> str:
        """Rows of task, tested rows, protocol, accuracy, F1 and largest class; below them the average.

        style: "text" (aligned columns) or "markdown"; raises KitError for another.
        """
        rows = [("task", "tested", "protocol", "accuracy", "F1", "largest class")]
        for task in self.tasks:
            last = "" if task.f1 is None else figure(task.f1)
            rows.append(
                (task.label, f"{task.tested:,}", task.protocol, figure(task.accuracy), last, figure(task.largest_class))
            )
        if self.average is not None:
            rows.append(("average", "", "", figure(self.average), "", ""))
        return table(rows, style)

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.table(), self.why_no_average, *self.notes)))

    def summary(self) -> str:
        """The accuracies as a sentence, then the average or why there is none, then the remarks."""
        figures = ", ".join(f"{task.label} {figure(task.accuracy)}" for task in self.tasks)
        line = f"Accuracy ×100 of logistic regression on frozen embeddings: {figures}"
        line += f". {self.why_no_average}" if self.why_no_average else f"; average {figure(self.average)}."
        return " ".join((line, *self.notes))

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and None, ready for `json.dumps`."""
        tasks = {}
        for task in self.tasks:
            tasks[task.name] = {name: value for name, value in vars(task).items() if name != "name"} | {
                "strengths": list(task.strengths),
                "sources": [source.summary() for source in task.sources],
                "notes": list(task.notes),
            }
        return {
            "metric": "accuracy_x100",
            "tasks": tasks,
            "average": self.average,
            "average_over": list(self.average_over),
            "averages": self.averages,
            "missing": list(self.missing),
        }
