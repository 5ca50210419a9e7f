"""The auditor: it finds the known rows, a planted error, and nothing in clean tables."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal

import pytest

from kit.course.papers import Finding, audit, read_published, recompute
from kit.course.papers.likely_misprint import explain, misprints, swaps
from kit.course.papers.published import Row
from kit.course.papers.table_audit import odd_columns, wrong_averages
from kit.errors import KitError


@pytest.fixture(scope="module")
def findings() -> list[Finding]:
    """What the auditor says of the published tables."""
    return audit()


def errors(findings: list[Finding], kind: str) -> set[tuple[str, str, str]]:
    return {(f.table, f.model, f.task) for f in findings if (f.kind, f.size) == (kind, "error")}


def test_the_averages_that_cannot_be_right(findings: list[Finding]) -> None:
    assert errors(findings, "average") == {
        ("2", "fastText embeddings", "Avg"),
        ("2", "CLEAR-RoBERTabase", "Avg"),
        ("2", "SimCSEunsup-BERTbase", "Avg"),
        ("3", "SimCSEunsup-BERTbase", "Avg"),
        ("3", "SimCSEsup-BERTbase", "Avg"),
        ("3", "IS-BERT-task", "Avg"),
    }


def test_the_column_that_no_other_paper_has(findings: list[Finding]) -> None:
    assert {(f.paper, f.table, f.task) for f in findings if f.kind == "column"} == {
        ("liao2021", table, "SUBJ") for table in "345"
    }


def test_the_same_model_elsewhere_and_the_borrowed_row(findings: list[Finding]) -> None:
    assert errors(findings, "contradiction") == {
        ("3", "Avg. GloVe embeddings", "SUBJ"),
        ("3", "Avg. GloVe embeddings", "MR"),
    }
    assert errors(findings, "convention") == {("2", "fastText embeddings", "Avg")}
    [copied] = [f.text for f in findings if f.kind == "convention"]
    there = "a regressor trained on the task's own training pairs and the unweighted mean over the subsets (mean)"
    here = "this table is read as one correlation over all subsets together (all)."
    assert copied.endswith(f"where they are {there}; {here}"), copied


def test_small_slips_are_called_slips(findings: list[Finding]) -> None:
    slips = [f for f in findings if f.size == "slip"]
    assert slips and all(abs(f.off) < 0.05 and f.kind == "average" for f in slips)


def test_every_note_of_the_file_on_an_average_is_found(findings: list[Finding]) -> None:
    """The notes were written by people who recomputed; the rules know nothing of them."""
    noted = {(f.paper, f.model) for f in read_published() if f.task == "Avg" and f.note}
    assert noted <= {(f.paper, f.model) for f in findings if f.kind == "average"} and len(noted) == 4


EXPLAINED = [
    ("CLEAR-RoBERTabase", "2", "two digits of the average swapped: 61.80"),
    ("SimCSEsup-BERTbase", "3", "SUBJ is the strangest in its column, and 94.81"),
    ("SimCSEunsup-BERTbase", "2", "STS15 and STS16 hold the same figure"),
    ("SimCSEunsup-BERTbase", "3", "one digit of the average: 85.81"),
    ("IS-BERT-task", "3", "with the average 85.83"),
    ("fastText embeddings", "2", "measured in another way"),
    ("Mirror-BERTbase", "2", "padded"),
    ("SBERTbase", "2", "one source, copied"),
]


def test_what_might_explain_a_row(findings: list[Finding]) -> None:
    for model, table, words in EXPLAINED:
        found = [f for f in findings if (f.kind, f.model, f.table) == ("average", model, table)]
        assert [words in f.explanation for f in found] == [True], (model, table, found)


def test_a_finding_says_what_is_printed_and_what_follows(findings: list[Finding]) -> None:
    fast = next(f for f in findings if f.model == "fastText embeddings")
    assert "59.76" in fast.text and "65.66" in fast.text and fast.off == pytest.approx(59.76 - 65.6614, abs=1e-3)
    assert all(f.text.endswith(".") and "\n" not in f.text for f in findings)


def table(seed: int, digits: int = 2, models: int = 12, tasks: int = 7, paper: str = "liao2021") -> list[Row]:
    """A clean table: averages are of the unrounded values, then everything is rounded for print."""
    rng, unit = random.Random(seed), Decimal(1).scaleb(-digits)
    rows = []
    for model in range(models):
        values = [Decimal(repr(rng.uniform(40, 90))) for _ in range(tasks)]
        printed = {f"T{i}": str(v.quantize(unit, ROUND_HALF_EVEN)) for i, v in enumerate(values)}
        average = str((sum(values) / tasks).quantize(unit, ROUND_HALF_EVEN))
        rows.append(Row(paper, "1", f"model {model}", "accuracy_x100", printed, average))
    return rows


def test_clean_tables_give_no_false_alarm() -> None:
    for seed in range(40):
        rows = table(seed, digits=1 + seed % 2) + table(1000 + seed, paper="pause2021")
        assert audit(rows) == [], seed


def test_trailing_zeros_may_be_left_out() -> None:
    """66.20 printed as 66.2 is not held against a row."""
    for seed in range(20):
        trimmed = [
            replace(row, cells={task: text.rstrip("0").rstrip(".") for task, text in row.cells.items()})
            for row in table(seed)
        ]
        assert audit(trimmed) == [], seed


def test_a_planted_error_is_found() -> None:
    for seed in range(20):
        rows, rng = table(seed), random.Random(seed)
        at, task = rng.randrange(len(rows)), f"T{rng.randrange(7)}"
        off = rng.choice([-1, 1]) * Decimal(rng.choice(["0.20", "1.00", "10.00"]))
        rows[at] = replace(rows[at], cells={**rows[at].cells, task: str(Decimal(rows[at].cells[task]) + off)})
        assert [(f.kind, f.model) for f in audit(rows)] == [("average", f"model {at}")], seed


def test_a_planted_digit_is_named() -> None:
    rows = table(3)
    first = rows[0]
    swapped = next(text for text in swaps(first.average) if abs(float(text) - float(first.average)) > 0.2)
    assert f"{first.average} would be right" in explain(replace(first, average=swapped), rows)


def test_a_planted_column_is_found_and_a_good_one_is_not() -> None:
    rows, others = table(1), table(2, paper="pause2021")
    frozen = [replace(row, cells={**row.cells, "T3": f"99.{60 + i % 3}"}, average=None) for i, row in enumerate(rows)]
    assert [f.task for f in odd_columns(frozen + others)] == ["T3"]
    inside = [replace(row, cells={**row.cells, "T3": "66.60"}, average=None) for row in rows]
    assert list(odd_columns(inside + others)) == [], "a constant column within what others print is no finding"
    assert list(odd_columns(frozen)) == [], "with nothing to compare there is no verdict"


def test_a_row_without_an_average_is_not_judged() -> None:
    row = replace(table(0)[0], average=None)
    assert list(wrong_averages([row])) == []
    with pytest.raises(KitError, match="nothing to check"):
        recompute(row)


def test_misprints_and_swaps() -> None:
    assert "61.80" in set(swaps("61.08")) and set(swaps("11")) == set()
    assert "94.81" in set(misprints("84.81")) and "84.81" not in set(misprints("84.81"))
    assert all(len(text) == 5 for text in misprints("84.81"))


def test_recompute_allows_what_rounding_allows() -> None:
    """66.06 may have been 66.055 to 66.065; so may every other cell."""
    row = Row("liao2021", "9", "x", "accuracy_x100", {"A": "10.0", "B": "20.00"}, "15.0")
    again = recompute(row)
    assert (again.low, again.high) == (Decimal("14.9725"), Decimal("15.0275")) and again.possible
    assert not recompute(replace(row, average="15.08")).possible and recompute(replace(row, average="15.03")).possible
