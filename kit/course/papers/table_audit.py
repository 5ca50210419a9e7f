"""The table auditor: which printed rows and columns cannot be right as they stand.

Four rules that need only the printed digits; none is made for a particular paper:

average        no values that round to the row's cells have a mean that rounds to the printed average
column         a column hardly varies compared with its table's others, and lies outside what other papers print
contradiction  a row agrees with the same model's row in another paper, except in one task
convention     a row equals one of another paper cell by cell, where it measures something else

A finding says that something is wrong, not what; `kit.course.papers.likely_misprint` suggests explanations.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from kit.course.papers.conventions import WORDS, averaged, mean_bounds, measure_of, plain_name, task_of
from kit.course.papers.likely_misprint import explain
from kit.course.papers.published import AVERAGE, PAPERS, Row, bounds, read_published, rows_of
from kit.errors import KitError

SLIP = 0.05  # points; a smaller error comes from rounding in another order
FROZEN = 0.1  # a column hardly varies below this fraction of the median spread of its table's columns
BEYOND = 0.8  # fraction of a column that must lie outside what other papers print
ALIKE, APART = 1.0, 5.0  # points: two rows agree up to the first, and contradict each other from the second on
SHARED = 4  # two rows are compared if they have this many tasks in common


@dataclass(frozen=True)
class Finding:
    """One thing that cannot be right, or does not belong where it stands.

    kind: a rule's name; size: "error" or "slip"; task: the column, AVERAGE for a row; off: printed
    minus expected, in points; text: one sentence; explanation: what might be behind it.
    """

    kind: str
    paper: str
    table: str
    model: str
    task: str
    off: float
    text: str
    explanation: str = ""
    size: str = "error"


@dataclass(frozen=True)
class Recomputed:
    """A row's average computed from its cells, and the bounds that rounding sets to it and to the printed one."""

    mean: float
    low: Decimal
    high: Decimal
    printed_low: Decimal
    printed_high: Decimal

    @property
    def possible(self) -> bool:
        """Whether the printed average can be the mean of the cells before rounding."""
        return self.low <= self.printed_high and self.printed_low <= self.high


def recompute(row: Row) -> Recomputed:
    """Compute a row's average in its table's convention, with bounds for rounding.

    Errors: `KitError` for a row without a printed average or without cells. Lesson 11.
    """
    if row.average is None or not row.cells:
        raise KitError(f"expected a row with cells and a printed average, got {row.place}: there is nothing to check.")
    low, high = mean_bounds(list(averaged(row).values()))
    return Recomputed(float((low + high) / 2), low, high, *bounds(row.average))


def audit(rows: Sequence[Row] | None = None) -> list[Finding]:
    """All findings, by rule and then by size; `rows` defaults to the published ones.

    Lesson 11.
    """
    rows = rows_of(read_published()) if rows is None else list(rows)
    found = [*wrong_averages(rows), *odd_columns(rows), *contradictions(rows), *copied_rows(rows)]
    order = {"average": 0, "column": 1, "contradiction": 2, "convention": 3}
    return sorted(found, key=lambda f: (order[f.kind], -abs(f.off)))


def wrong_averages(rows: Sequence[Row]) -> Iterable[Finding]:
    """Rows whose printed average cannot be the mean of their cells before rounding."""
    for row in rows:
        if row.average is None or (again := recompute(row)).possible:
            continue
        off = float(row.average) - again.mean
        text = (
            f"{row.place}: the average is printed as {row.average}, but its {len(averaged(row))} values "
            f"average {again.mean:.2f}, and rounding allows {again.low:.3f} to {again.high:.3f}."
        )
        yield Finding(
            "average",
            row.paper,
            row.table,
            row.model,
            AVERAGE,
            off,
            text,
            explain(row, rows),
            "slip" if abs(off) < SLIP else "error",
        )


def odd_columns(rows: Sequence[Row]) -> Iterable[Finding]:
    """Columns that hardly vary and lie outside what other papers print for the task."""
    columns = _columns(rows)
    for (task, measure, paper, table), values in columns.items():
        elsewhere = [v for (t, m, p, _), of in columns.items() if (t, m) == (task, measure) and p != paper for v in of]
        beside = [
            statistics.pstdev(of) for (t, _, p, n), of in columns.items() if (p, n) == (paper, table) and t != task
        ]
        if len(values) < 3 or not elsewhere or len(beside) < 2:
            continue
        low, high, spread, usual = min(elsewhere), max(elsewhere), statistics.pstdev(values), statistics.median(beside)
        beyond = sum(not low <= value <= high for value in values) / len(values)
        if beyond >= BEYOND and spread <= FROZEN * usual:
            text = (
                f"{PAPERS.get(paper, paper)}, Table {table}, column {task}: {min(values):g} to {max(values):g} for "
                f"all {len(values)} models, with a spread {usual / max(spread, 1e-9):.0f} times smaller than that of "
                f"the table's other columns; other papers print {low:g} to {high:g}."
            )
            off = statistics.median(values) - statistics.median(elsewhere)
            yield Finding(
                "column",
                paper,
                table,
                "",
                task,
                off,
                text,
                "one figure for such different models points to the test, not to the models: labels that "
                "leak into the features, say, or one row copied into all",
            )


def _columns(rows: Sequence[Row]) -> dict[tuple, list[float]]:
    """(task, measure, paper, table) → the printed figures."""
    columns: dict[tuple, list[float]] = {}
    for row in rows:
        for task, printed in row.cells.items():
            key = (task_of(task), measure_of(row.metric, task), row.paper, row.table)
            columns.setdefault(key, []).append(float(printed))
    return columns


def contradictions(rows: Sequence[Row]) -> Iterable[Finding]:
    """Rows of the same model in two papers that agree in most tasks and differ widely in some."""
    found: dict[tuple, list[tuple[float, Row]]] = {}
    for row in rows:
        for other in rows:
            if row.paper == other.paper or plain_name(row.model) != plain_name(other.model):
                continue
            apart = _differences(row, other)
            if len(apart) < SHARED or statistics.median(map(abs, apart.values())) > ALIKE:
                continue
            for task in (task for task, difference in apart.items() if abs(difference) >= APART):
                found.setdefault((row, task), []).append((apart[task], other))
    for (row, task), against in _contradicted_by_more(found):
        off, other = max(against, key=lambda entry: abs(entry[0]))
        papers = sorted({o.paper for _, o in against})
        text = (
            f"{row.place}: {task} is printed as {float(other_cell(row, task)):g}, where "
            f"{', '.join(PAPERS.get(p, p) for p in papers)}, otherwise in agreement with this row, "
            f"print {_listed(against, task)}."
        )
        yield Finding(
            "contradiction",
            row.paper,
            row.table,
            row.model,
            task,
            off,
            text,
            "another split, another version of the data, or a slip in the evaluation of this task",
        )


def copied_rows(rows: Sequence[Row]) -> Iterable[Finding]:
    """Rows that equal a row of another paper cell by cell, under another measure."""
    for row in rows:
        for other in rows:
            shared = [task for task in row.cells if other.cells.get(task) == row.cells[task]]
            if row.paper == other.paper or len(shared) < SHARED or len(shared) < len(row.cells):
                continue
            here, there = ({measure_of(r.metric, task) for task in shared} for r in (row, other))
            if here != there and len(here) < len(there):
                text = (
                    f"{row.place}: all {len(shared)} figures stand in {other.place}, where they are "
                    f"{' and '.join(WORDS.get(m, m) for m in sorted(there))}; this table is read as "
                    f"{' and '.join(WORDS.get(m, m) for m in sorted(here))}."
                )
                yield Finding(
                    "convention",
                    row.paper,
                    row.table,
                    row.model,
                    AVERAGE,
                    0.0,
                    text,
                    "a row taken over from another paper without its convention",
                )


def other_cell(row: Row, task: str) -> str:
    """The printed figure of a task under either of its names."""
    return next(printed for name, printed in row.cells.items() if task_of(name) == task)


def _differences(row: Row, other: Row) -> dict[str, float]:
    """Task → row − other, for the tasks measured alike in both."""
    there = {(task_of(t), measure_of(other.metric, t)): float(v) for t, v in other.cells.items()}
    return {
        task_of(t): float(v) - there[key]
        for t, v in row.cells.items()
        if (key := (task_of(t), measure_of(row.metric, t))) in there
    }


def _contradicted_by_more(found: dict) -> Iterable[tuple]:
    """Of two contradicting rows, keep the one that more papers contradict."""
    for (row, task), against in found.items():
        papers = {other.paper for _, other in against}
        rivals = [found.get((other, task), []) for _, other in against]
        if all(len(papers) > len({o.paper for _, o in rival}) for rival in rivals):
            yield (row, task), against


def _listed(against: list[tuple[float, Row]], task: str) -> str:
    return " and ".join(dict.fromkeys(f"{float(other_cell(other, task)):g}" for _, other in against))
