"""What the reports on STS, transfer and probing tasks share, and the check of the tasks they are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kit.checks.argument_checks import check_texts
from kit.errors import KitError, check_name


def by_name(rows: Iterable[Any], name: str, kind: str) -> Any:
    """The row called `name`; raises KitError with near matches where there is none."""
    rows = {row.name: row for row in rows}
    check_name(kind, name, rows)
    return rows[name]


class TaskLabel:
    """For the figures of one task, which have a `name` and know whether they are `made_up`."""

    @property
    def label(self) -> str:
        """The name on the screen, which tells a stand-in from the real task."""
        return f"{self.name} (world)" if self.made_up else self.name


class TaskReport:
    """For a report with `tasks` and, where it gives an average, the names it is `average_over`."""

    kind = "task"

    def __getitem__(self, name: str) -> Any:
        return by_name(self.tasks, name, self.kind)

    @property
    def missing(self) -> tuple[str, ...]:
        """The tasks that the average would need and that were not measured."""
        return tuple(name for name in self.average_over if name not in {task.name for task in self.tasks})

    @property
    def why_no_average(self) -> str:
        """One sentence on why there is no average; empty where there is one."""
        if not self.average_over:
            return "No average: no task was named for it."
        return f"No average: it would need {', '.join(self.missing)} too." if self.missing else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of all tasks, as sentences."""
        return tuple(dict.fromkeys(note for task in self.tasks for note in task.notes))


def names_of(average_over: Sequence[str]) -> tuple[str, ...]:
    """The names that a report averages over; raises KitError where one is no text."""
    return tuple(check_texts("average_over", average_over))


def check_tasks(tasks: Any, kind: str, columns: Sequence[str]) -> list[Any]:
    """The tasks as a list: one task, several, or a mapping of names to tasks.

    Raises KitError unless there is one, each name occurs once, and each task has `columns` of one length (None
    stands for a column that a task does without).
    """
    loader = f"load_{kind.lower()}"
    if isinstance(tasks, Mapping):
        tasks = tasks.values()
    tasks = list(tasks) if isinstance(tasks, Iterable) and getattr(tasks, "ndim", 1) else [tasks]
    if not tasks:
        raise KitError(f"expected at least one {kind} task, got none: choose some with {loader}.")
    for task in tasks:
        if not all(hasattr(task, column) for column in columns):
            raise KitError(f"expected {kind} tasks, got {type(task).__name__}: give what {loader} returns.")
        lengths = {name: len(getattr(task, name)) for name in columns if getattr(task, name) is not None}
        if len(set(lengths.values())) > 1 or 0 in lengths.values():
            came = ", ".join(f"{length} {name}" for name, length in lengths.items())
            raise KitError(f"expected {task.name} to have one entry or more for each row in all columns, got {came}.")
    names = [task.name for task in tasks]
    if len(set(names)) < len(names):
        raise KitError(f"expected each {kind} task once, got {', '.join(names)}: drop the double.")
    return tasks
