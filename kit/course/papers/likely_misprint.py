"""What might explain an average that cannot be right: a small change of the row that would make it right.

The explanations are tried in order, and the first that fits is returned. It is a suggestion: only the
authors know which digit was mistyped, if any.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from kit.course.papers.conventions import averaged, mean_bounds, measure_of
from kit.course.papers.published import Row, bounds, half_unit


def explain(row: Row, rows: Sequence[Row]) -> str:
    """One sentence on what might have happened; empty if nothing simple explains the row."""
    for idea in (_padded, _printed_elsewhere, _borrowed, _repeated_cell, _digit_of_average, _digit_of_cell):
        if text := idea(row, rows):
            return text
    return ""


def fits(row: Row) -> bool:
    """Whether the printed average can be the mean of the cells before rounding."""
    low, high = mean_bounds(list(averaged(row).values()))
    printed_low, printed_high = bounds(row.average)
    return low <= printed_high and printed_low <= high


def _padded(row: Row, rows: Sequence[Row]) -> str:
    if not ("." in row.average and row.average.endswith("0")):
        return ""
    shorter = replace(row, average=row.average[:-1])
    if fits(shorter):
        return "the average ends in 0: rounded to one digit less and padded, it is possible"
    if not all("." in text and text.endswith("0") for text in row.cells.values()):
        return ""
    shorter = replace(shorter, cells={task: text[:-1] for task, text in row.cells.items()})
    return "every figure of the row ends in 0: printed with one digit less, it is possible" if fits(shorter) else ""


def _printed_elsewhere(row: Row, rows: Sequence[Row]) -> str:
    mine = _numbers(row)
    others = [
        r
        for r in rows
        if r.average is not None and (r.paper, r.table) != (row.paper, row.table) and _numbers(r) == mine
    ]
    apart = [r for r in others if Decimal(r.average) != Decimal(row.average)]
    if apart:
        return f"{apart[0].place} prints the same cells with the average {apart[0].average}"
    if others:
        return f"the same cells and the same average stand in {others[0].place}: one source, copied"
    return ""


def _borrowed(row: Row, rows: Sequence[Row]) -> str:
    for other in rows:
        same = [task for task in row.cells if other.cells.get(task) == row.cells[task]]
        if other.paper != row.paper and len(same) == len(row.cells) >= 4:
            measures = {measure_of(other.metric, task) for task in same} - {measure_of(row.metric, t) for t in same}
            if measures:
                return (
                    f"all its cells stand in {other.place}, measured in another way; the average belongs "
                    "to other figures"
                )
    return ""


def _digit_of_average(row: Row, rows: Sequence[Row]) -> str:
    swapped = [text for text in swaps(row.average) if fits(replace(row, average=text))]
    if swapped:
        return f"two digits of the average swapped: {swapped[0]} would be right"
    single = [text for text in misprints(row.average) if fits(replace(row, average=text))]
    return f"one digit of the average: {' or '.join(single)} would be right" if single else ""


def _repeated_cell(row: Row, rows: Sequence[Row]) -> str:
    names = list(row.cells)
    pairs = [(a, b) for a, b in itertools.pairwise(names) if row.cells[a] == row.cells[b]]
    if not pairs:
        return ""
    ((first, second),) = pairs[:1]
    values = averaged(row)
    if not {first, second} <= values.keys():  # such as the accuracy of MRPC, which stands in one cell with its F1
        return ""
    rest = [value for task, value in values.items() if task != first]
    low, high = (len(values) * bound for bound in bounds(row.average))
    least, most = low - sum(high for _, high in rest), high - sum(low for low, _ in rest)
    return (
        f"{first} and {second} hold the same figure, {row.cells[first]}: if one of them is a copy and a value "
        f"fell out of the row, it was between {least:.2f} and {most:.2f}"
    )


def _digit_of_cell(row: Row, rows: Sequence[Row]) -> str:
    """Of the cells where changing one digit would be enough, the one farthest from its column's median."""
    candidates = []
    for task, printed in row.cells.items():
        for text in misprints(printed):
            if fits(replace(row, cells={**row.cells, task: text})):
                candidates.append((_strange(row, task, rows), task, printed, text))
    if not candidates:
        return ""
    _, task, printed, text = max(candidates)
    return (
        f"one digit of a cell: of the cells where that would do, {task} is the strangest in its column, "
        f"and {text} in place of {printed} would be right"
    )


def swaps(text: str) -> Iterator[str]:
    """The text with two neighbouring digits swapped, also across the decimal point."""
    places = [i for i, char in enumerate(text) if char.isdigit()]
    for a, b in itertools.pairwise(places):
        if text[a] != text[b]:
            yield text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :]


def misprints(text: str) -> Iterator[str]:
    """The text with one digit replaced by another."""
    for i, char in enumerate(text):
        if char.isdigit():
            yield from (
                text[:i] + digit + text[i + 1 :]
                for digit in "0123456789"
                if digit != char and not (digit == "0" and i == 0)
            )


def _strange(row: Row, task: str, rows: Sequence[Row]) -> float:
    """A cell's distance from its column's median, divided by the median of such distances."""
    column = [float(r.cells[task]) for r in rows if (r.paper, r.table) == (row.paper, row.table) and task in r.cells]
    middle = statistics.median(column)
    usual = statistics.median([abs(value - middle) for value in column]) or float(half_unit(row.cells[task]))
    return abs(float(row.cells[task]) - middle) / usual


def _numbers(row: Row) -> dict[str, Decimal]:
    return {task: Decimal(text) for task, text in row.cells.items()}
