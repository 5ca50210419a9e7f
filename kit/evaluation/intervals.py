"""Bootstrap intervals for the figures of an STS report, and two reports compared pair by pair."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name
from kit.evaluation.aggregation import AGGREGATIONS
from kit.evaluation.reports import by_name
from kit.evaluation.significance import Resampled, interval, p_value, resample, swapped_differences
from kit.evaluation.sts_report import StsReport, TaskIntervals, TaskScore
from kit.evaluation.tables import figure, table


@checked
def with_intervals(report: StsReport, resamples: int = 1000, seed: int = 0, confidence: float = 0.95) -> StsReport:
    """`report` with a bootstrap interval for every figure, also for the average.

    Pairs are drawn again within each subset (see `kit.evaluation.significance`); tasks are drawn
    independently. Raises KitError for fewer than 2 resamples or a confidence not within 0 and 1.
    """
    drawn = {task.name: _resample(report, task, resamples, seed) for task in report.tasks}
    tasks = []
    for task in report.tasks:
        figures = (drawn[task.name].aggregated, drawn[task.name].parts)
        both = ({name: interval(values, confidence) for name, values in group.items()} for group in figures)
        tasks.append(replace(task, intervals=TaskIntervals(*both)))
    averages = None
    if not report.why_no_average:
        averages = {kind: interval(_mean(drawn, report, kind), confidence) for kind in AGGREGATIONS}
    return replace(report, tasks=tuple(tasks), average_intervals=averages)


@dataclass(frozen=True)
class Difference:
    """First system minus second on one task (or on the average), ×100.

    low, high  the bootstrap interval of the difference; None where it is undefined
    p          of the permutation test: the chance of such a difference between equals
    """

    name: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True)
class StsComparison:
    """What `compare_sts` found: a row for each task, then the average where there is one."""

    rows: tuple[Difference, ...]
    names: tuple[str, str]
    aggregation: str
    resamples: int
    confidence: float

    def __getitem__(self, name: str) -> Difference:
        return by_name(self.rows, name, "row")

    def table(self, style: str = "text") -> str:
        """Rows of task, both figures, difference, its interval and p."""
        rows = [("task", *self.names, "difference", f"{100 * self.confidence:g}% interval", "p")]
        for row in self.rows:
            difference = "–" if row.difference is None else f"{row.difference:+.2f}"
            between = "–" if row.low is None else f"{row.low:+.2f} to {row.high:+.2f}"
            p = "–" if row.p is None else f"{row.p:.3f}"
            rows.append((row.name, figure(row.first), figure(row.second), difference, between, p))
        return table(rows, style)

    def summary(self) -> str:
        """The last row in words: which system is ahead, and whether pairs like these could be the reason."""
        row, (one, other) = self.rows[-1], self.names
        if row.difference is None:
            return f"{row.name} ({self.aggregation}): one of the figures is undefined, so nothing can be compared."
        line = f"{row.name} ({self.aggregation}): {one} {figure(row.first)}, {other} {figure(row.second)}, difference "
        line += f"{row.difference:+.2f}"
        if row.low is None:
            return f"{line}; too few pairs for an interval."
        if row.low <= 0 <= row.high:
            end = f"which includes zero (p = {row.p:.3f}): other pairs like these could turn the order round."
        else:
            end = f"which excludes zero (p = {row.p:.3f}): other pairs like these would seldom turn the order round; "
            end += "how training seeds scatter is not in it."
        return f"{line}, {100 * self.confidence:g}% interval {row.low:+.2f} to {row.high:+.2f}, {end}"

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and None, ready for `json.dumps`."""
        return {
            "names": list(self.names),
            "aggregation": self.aggregation,
            "resamples": self.resamples,
            "confidence": self.confidence,
            "rows": {row.name: dict(vars(row)) for row in self.rows},
        }


@checked
def compare_sts(
    first: StsReport,
    second: StsReport,
    aggregation: str = "all",
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    names: tuple[str, str] = ("first", "second"),
) -> StsComparison:
    """Two systems on the same pairs: difference, paired bootstrap interval, permutation test.

    The interval speaks of other pairs, not of other training runs: seeds are a matter of their own. Raises KitError
    unless both reports have the same tasks with the same pairs in the same order, and the same correlation. Lesson 10.
    """
    check_name("aggregation", aggregation, AGGREGATIONS)
    _check_alike(first, second)
    drawn = [
        {task.name: _resample(report, task, resamples, seed) for task in report.tasks} for report in (first, second)
    ]
    nulls = {task.name: _swapped(first, second, task.name, aggregation, resamples, seed) for task in first.tasks}
    rows = []
    for task in first.tasks:
        both = (getattr(report[task.name].scores, aggregation) for report in (first, second))
        moved = drawn[0][task.name].aggregated[aggregation] - drawn[1][task.name].aggregated[aggregation]
        rows.append(_difference(task.name, *both, moved, nulls[task.name], confidence))
    if not first.why_no_average:
        both = (getattr(report.average, aggregation) for report in (first, second))
        moved = _mean(drawn[0], first, aggregation) - _mean(drawn[1], first, aggregation)
        null = np.mean([nulls[name] for name in first.average_over], axis=0)
        rows.append(_difference("average", *both, moved, null, confidence))
    return StsComparison(tuple(rows), tuple(names), aggregation, resamples, confidence)


def _check_alike(first: StsReport, second: StsReport) -> None:
    pairs = [{task.name: task.scored.fingerprint for task in report.tasks} for report in (first, second)]
    if pairs[0] != pairs[1] or first.correlation != second.correlation or first.average_over != second.average_over:
        raise KitError(
            "expected two reports on the same tasks, pairs and correlation, but they differ: "
            "evaluate both systems with the same tasks."
        )


def _seed(name: str, seed: int) -> list[int]:
    """Another draw for every task, the same for every system."""
    return [seed, zlib.crc32(name.encode("utf-8", "surrogatepass"))]


def _resample(report: StsReport, task: TaskScore, resamples: int, seed: int) -> Resampled:
    predicted, scored = task.scored.similarities[report.similarity], task.scored
    return resample(predicted, scored.gold, scored.subsets, resamples, _seed(task.name, seed), report.correlation)


def _swapped(first: StsReport, second: StsReport, name: str, aggregation: str, swaps: int, seed: int) -> np.ndarray:
    one, other = (report[name].scored.similarities[report.similarity] for report in (first, second))
    scored = first[name].scored
    return swapped_differences(
        one, other, scored.gold, scored.subsets, aggregation, swaps, _seed(name, seed), first.correlation
    )


def _mean(drawn: dict[str, Resampled], report: StsReport, aggregation: str) -> np.ndarray:
    return np.mean([drawn[name].aggregated[aggregation] for name in report.average_over], axis=0)


def _difference(
    name: str, first: float | None, second: float | None, moved: np.ndarray, null: np.ndarray, confidence: float
) -> Difference:
    if first is None or second is None:
        return Difference(name, first, second, None, None, None, None)
    found = interval(moved, confidence)
    low, high = (found.low, found.high) if found else (None, None)
    return Difference(name, first, second, first - second, low, high, p_value(first - second, null))
