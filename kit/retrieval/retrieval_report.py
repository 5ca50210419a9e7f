"""What a retrieval evaluation found, query by query, and two systems compared on the same queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kit.checks.argument_checks import checked
from kit.errors import KitError, check_name, shown
from kit.evaluation import Interval, interval, p_value
from kit.evaluation.tables import figure, table
from kit.number_checks import whole_number
from kit.retrieval.wilson import wilson_interval

CELLS = 2**21  # resamples × queries drawn at a time


@dataclass(frozen=True, eq=False)
class RetrievalReport:
    """Measures of one system on one task. Lesson 13.

    by_query: measure → float64 [queries] in 0 to 1; ranked [queries, k]: places in the corpus, best first. The figures
    of `report["ndcg@10"]`, `figures()` and `table()` are means over queries × 100. seed, resamples: of the bootstrap
    over queries where a measure has other values than 0 and 1; 0 resamples for no intervals at all. careful: what one
    should know of the figures, "" for nothing; it stands below every table.
    """

    name: str
    task: str
    fingerprint: str
    by_query: dict[str, np.ndarray]
    ranked: np.ndarray
    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95
    careful: str = ""

    def __getitem__(self, measure: str) -> float:
        check_name("measure", measure, self.by_query)
        return 100 * float(self.by_query[measure].mean())

    def figures(self) -> dict[str, float]:
        """Measure → figure ×100."""
        return {measure: self[measure] for measure in self.by_query}

    def intervals(self) -> dict[str, Interval | None]:
        """Measure → the interval of its figure; None for a single query, or without resamples.

        Wilson's where every query has 0 or 1, else the bootstrap's, or None where all queries have one value: drawn
        again they stay as they are, which says nothing of other queries.
        """
        if len(self.ranked) < 2 or not self.resamples:
            return dict.fromkeys(self.by_query)
        drawn = resampled_means(np.stack(list(self.by_query.values())), self.resamples, self.seed)
        found = {}
        for (name, values), means in zip(self.by_query.items(), drawn, strict=True):
            if np.isin(values, (0, 1)).all():
                found[name] = wilson_interval(float(values.mean()), len(values), self.confidence)
            else:
                found[name] = interval(100 * means, self.confidence) if np.ptp(values) else None
        return found

    def table(self, style: str = "text") -> str:
        """Rows of measure, figure and interval."""
        rows = [(self.name, "×100", f"{100 * self.confidence:g}% interval"), *self._rows()]
        return "\n\n".join(filter(None, [table(rows, style), self.careful]))

    def _rows(self) -> list[tuple[str, str, str]]:
        return [(name, figure(self[name]), shown_interval(found)) for name, found in self.intervals().items()]

    def __str__(self) -> str:
        return f"{self.task}\n{self.table()}"

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and None, ready for `json.dumps`."""
        between = {name: None if found is None else [found.low, found.high] for name, found in self.intervals().items()}
        return {
            "name": self.name,
            "task": self.task,
            "queries": len(self.ranked),
            "figures": self.figures(),
            "intervals": between,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "careful": self.careful,
        }


@dataclass(frozen=True)
class PairedDifference:
    """First system minus second in one measure ×100: interval and p of a paired test over queries, or None untested."""

    measure: str
    first: float
    second: float
    difference: float
    interval: Interval | None
    p: float | None

    @property
    def decided(self) -> bool:
        """Whether the interval excludes zero and the test agrees: of few queries a bootstrap alone is too sure."""
        return self.excludes_zero and self.p is not None and self.p <= 1 - self.interval.confidence + 1e-9

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval does."""
        return self.interval is not None and not self.interval.low <= 0 <= self.interval.high


@dataclass(frozen=True)
class RetrievalComparison:
    """What `compare_retrieval` found: a row for each measure."""

    rows: tuple[PairedDifference, ...]
    names: tuple[str, str]
    queries: int

    def __getitem__(self, measure: str) -> PairedDifference:
        check_name("measure", measure, [row.measure for row in self.rows])
        return next(row for row in self.rows if row.measure == measure)

    def table(self, style: str = "text") -> str:
        """Rows of measure, both figures, difference, interval and p."""
        rows = [("measure", *self.names, "difference", "interval", "p")]
        for row in self.rows:
            both = (figure(row.first), figure(row.second), f"{row.difference:+.2f}")
            rows.append((row.measure, *both, shown_interval(row.interval, "+"), f"{row.p:.3f}"))
        return table(rows, style)

    def summary(self, measure: str = "ndcg@10") -> str:
        """One measure in words: which is ahead, and whether queries like these could be the reason."""
        row = self[measure]
        one, other = self.names
        said = f"{measure}: {one} {row.first:.2f}, {other} {row.second:.2f}, difference {row.difference:+.2f}"
        if row.interval is None:
            return f"{said}; too few queries for an interval."
        said += f", {100 * row.interval.confidence:g}% interval {shown_interval(row.interval, '+')}"
        if row.decided:
            return f"{said}, p = {row.p:.3f}: {one if row.difference > 0 else other} is ahead on queries like these."
        why = "but the test does not exclude chance" if row.excludes_zero else "the interval includes zero"
        return f"{said}, p = {row.p:.3f}: {why}, so these {self.queries:,} queries do not decide."

    def __str__(self) -> str:
        return self.table()

    def as_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers and None, ready for `json.dumps`."""
        rows = {}
        for row in self.rows:
            between = None if row.interval is None else [row.interval.low, row.interval.high]
            rows[row.measure] = {**vars(row), "interval": between}
        return {"names": list(self.names), "queries": self.queries, "rows": rows}


@checked
def compare_retrieval(
    first: RetrievalReport, second: RetrievalReport, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> RetrievalComparison:
    """Two systems on the same queries: difference, paired bootstrap interval, and a test that swaps signs.

    p is that of Fisher's randomisation test: were the systems equal, the difference of each query could as well have
    the other sign (Smucker, Allan & Carterette 2007). Errors: `KitError` unless both were judged on one task by the
    same measures, and for fewer than 2 resamples. Lesson 13.
    """
    whole_number("resamples", resamples, 2, "1,000 are usual")
    if first.fingerprint != second.fingerprint or list(first.by_query) != list(second.by_query):
        raise KitError(
            "expected two reports on the same queries, corpus and measures, but they differ: evaluate both systems on "
            "the same task."
        )
    moved = np.stack([first.by_query[name] - second.by_query[name] for name in first.by_query])  # [measures, queries]
    drawn = resampled_means(moved, resamples, seed)
    signed = signed_means(moved, resamples, seed)
    rows = []
    for name, differences, means, null in zip(first.by_query, moved, drawn, signed, strict=True):
        found = interval(100 * means, confidence) if len(differences) > 1 else None
        both = first[name], second[name]
        rows.append(PairedDifference(name, *both, both[0] - both[1], found, p_value(differences.mean(), null)))
    return RetrievalComparison(tuple(rows), (first.name, second.name), len(first.ranked))


@checked
def comparison_table(reports: Sequence[RetrievalReport], measures: Sequence[str] = (), style: str = "text") -> str:
    """Systems as rows, measures as columns, each figure ×100 with its interval.

    Errors: `KitError` for no report, or reports on different tasks. Lesson 13.
    """
    if strange := [one for one in reports if not isinstance(one, RetrievalReport)]:
        raise KitError(f"expected reports of evaluate_retrieval, got {shown(strange[0])}: evaluate first.")
    if len({report.fingerprint for report in reports}) != 1:
        raise KitError("expected reports on one task, got none or several: evaluate all systems on the same task.")
    measures = list(measures) or list(reports[0].by_query)
    rows = [("system", *measures)]
    for report in reports:
        found = report.intervals()
        rows.append(
            (
                report.name,
                *(f"{report[name]:.2f} [{shown_interval(found[name])}]".replace(" [–]", "") for name in measures),
            )
        )
    return "\n\n".join([table(rows, style), *(report.careful for report in reports if report.careful)])


def resampled_means(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Means [rows, resamples] of each row of values [rows, n], whose columns are drawn again with replacement."""
    generator, n = np.random.default_rng(seed), values.shape[1]
    found = []
    for count in _portions(resamples, n):
        drawn = generator.integers(0, n, (count, n)) + n * np.arange(count)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=count * n).reshape(count, n)
        found.append(values @ weights.T / n)
    return np.concatenate(found, axis=1)


def signed_means(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Means [rows, resamples] of each row of values [rows, n], whose columns change sign at random."""
    generator, n = np.random.default_rng([seed, 1]), values.shape[1]
    signs = (generator.integers(0, 2, (count, n)) * 2.0 - 1 for count in _portions(resamples, n))
    return np.concatenate([values @ sign.T / n for sign in signs], axis=1)


def _portions(resamples: int, n: int) -> list[int]:
    at_a_time = max(1, CELLS // max(1, n))
    return [min(at_a_time, resamples - start) for start in range(0, resamples, at_a_time)]


def shown_interval(found: Interval | None, sign: str = "") -> str:
    """ "1.20 to 3.40", or a dash."""
    return "–" if found is None else f"{found.low:{sign}.2f} to {found.high:{sign}.2f}"
