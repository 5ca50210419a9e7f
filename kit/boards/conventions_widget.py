"""The same vectors, three numbers: how the ranking of two systems depends on a convention.

`conventions_board` is the board, drawn from the measured scores of every subset; its arithmetic is in
js/conventions.js and, the same, in `conventions_values`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from kit.boards.board import Board
from kit.boards.numerals import fixed, printed
from kit.data.sts_tasks import STS_YEARS
from kit.errors import KitError, check_name
from kit.evaluation import AGGREGATIONS
from kit.figures.page_table import PageTable

CORRELATIONS = ("Spearman", "Pearson")
FIVE = "mean of STS12–16"  # what most papers of 2019 to 2022 rank by, some with STS-B and SICK-R


def conventions_state(systems: Mapping[str, Sequence[Mapping]]) -> dict:
    """Collect the measured scores of systems, means over their runs × 100, as the state of the board.

    systems: name → runs (seeds), each task → {"all": {"pairs", "spearman", "pearson"}, "subsets":
    {name: the same}}, as data/results/conventions.json has them.
    Errors: `KitError` for fewer than two systems.
    """
    if len(systems) < 2:
        raise KitError(f"expected two systems or more to rank, got {len(systems)}.")
    values = {
        name: {
            task: {
                "all": _mean([run[task]["all"] for run in runs]),
                "parts": [_mean([run[task]["subsets"][part] for run in runs]) for part in runs[0][task]["subsets"]],
            }
            for task in runs[0]
        }
        for name, runs in systems.items()
    }
    one = next(iter(systems.values()))[0]
    tasks = {
        task: {"names": list(of["subsets"]), "pairs": [part["pairs"] for part in of["subsets"].values()]}
        for task, of in one.items()
        if len(of["subsets"]) > 1
    }
    return {"values": values, "tasks": tasks, "runs": {name: len(runs) for name, runs in systems.items()}}


def conventions_values(state: Mapping, controls: Mapping) -> dict:
    """Compute what the board shows for controls {"first", "second", "task", "aggregation", "correlation"}.

    first, second: the three aggregations of either system, in the order all, mean, wmean.
    others: the aggregations in which another system is ahead than in the chosen one. rows: (name, pairs, first,
    second) of each subset, or of each year.
    Errors: `KitError` for a system, task, aggregation or correlation that is not there.
    """
    task, which = controls["task"], _place(controls["correlation"], CORRELATIONS, "correlation")
    chosen = _place(controls["aggregation"], AGGREGATIONS, "aggregation")
    _place(task, [FIVE, *state["tasks"]], "task")
    pair = [
        state["values"][name]
        for name in (controls["first"], controls["second"])
        if _place(name, list(state["values"]), "system") >= 0
    ]
    years = [name for name in STS_YEARS if name in state["tasks"]] if task == FIVE else [task]
    of = [[_aggregated(system[year], state["tasks"][year]["pairs"], which) for year in years] for system in pair]
    first, second = ([sum(year[kind] for year in system) / len(years) for kind in range(3)] for system in of)
    if task == FIVE:
        rows = [
            [year, sum(state["tasks"][year]["pairs"]), *(system[i][chosen] for system in of)]
            for i, year in enumerate(years)
        ]
    else:
        known = state["tasks"][task]
        rows = [
            [name, known["pairs"][i], *(system[task]["parts"][i][which] for system in pair)]
            for i, name in enumerate(known["names"])
        ]
    differences = [b - a for a, b in zip(first, second)]
    others = [name for name, gap in zip(AGGREGATIONS, differences) if gap * differences[chosen] < 0]
    return {"first": first, "second": second, "others": others, "rows": rows}


def conventions_summary(values: Mapping, controls: Mapping) -> str:
    """Describe the values in words."""
    names, place = (controls["first"], controls["second"]), AGGREGATIONS.index(controls["aggregation"])
    a, b = values["first"][place], values["second"][place]
    said = (
        f"{controls['task'][0].upper()}{controls['task'][1:]}, {controls['correlation']} × 100, "
        f"{controls['aggregation']}: {names[0]} {fixed(a, 1)}, {names[1]} {fixed(b, 1)}. "
    )
    gap = round(printed(b, 1) - printed(a, 1), 1)  # as both are shown
    if gap == 0:
        return said + "The two are level."
    said += f"{names[gap > 0]} is ahead by {abs(gap):.1f}. "
    if values["others"]:
        return said + f"By {' and '.join(f'“{name}”' for name in values['others'])} the ranking is the other way round."
    return said + "The other two aggregations rank them the same way."


def conventions_board(systems: Mapping[str, Sequence[Mapping]], first: str, second: str, task: str = FIVE) -> Board:
    """Make the board, starting from two of the systems on a task; errors as `conventions_state`. Lesson 10."""
    state = conventions_state(systems)
    controls = {"first": first, "second": second, "task": task, "aggregation": "all", "correlation": "Spearman"}
    summary = conventions_summary(conventions_values(state, controls), controls)
    return Board("conventions", state, summary, controls)


def conventions_table(systems: Mapping[str, Sequence[Mapping]], caption: str = "") -> PageTable:
    """A row for each convention, a column for each system (means over runs, × 100), and who is first.

    The averages of STS12–16 and of all tasks measured; below, the highest less the lowest score.
    Arguments and errors as `conventions_state`. Lesson 10.
    """
    state = conventions_state(systems)
    names = list(state["values"])
    rows = []
    for label, tasks in (("STS12–16", list(state["tasks"])), ("all tasks", list(state["values"][names[0]]))):
        for correlation in CORRELATIONS:
            for kind in AGGREGATIONS:
                figures = [_average(state, name, tasks, kind, correlation) for name in names]
                first = names[figures.index(max(figures))]
                rows.append(([f"{label}, {kind}, {correlation}"], figures, first))
    gaps = [max(column) - min(column) for column in zip(*(figures for _, figures, _ in rows))]
    cells = [(*label, *(f"{value:.1f}" for value in figures), first) for label, figures, first in rows]
    return PageTable(
        ("convention", *names, "first"), [*cells, ("highest less lowest", *(f"{gap:.1f}" for gap in gaps), "")], caption
    )


def turned_rankings(systems: Mapping[str, Sequence[Mapping]], least: float = 0.5) -> list[str]:
    """List where the aggregation decides which of two systems is ahead: task, systems, by how much.

    On the mean of STS12–16 and on each task of several subsets. least: points by which either must be
    ahead somewhere. Arguments and errors as `conventions_state`. Lesson 10.
    """
    state, found = conventions_state(systems), []
    for task, correlation, pair in product([FIVE, *state["tasks"]], CORRELATIONS, combinations(state["values"], 2)):
        chosen = {"task": task, "correlation": correlation, "first": pair[0], "second": pair[1], "aggregation": "all"}
        values = conventions_values(state, chosen)
        gaps = [b - a for a, b in zip(values["first"], values["second"])]
        if min(gaps) <= -least and max(gaps) >= least:
            said = ", ".join(f"{gap:+.1f} by {kind}" for kind, gap in zip(AGGREGATIONS, gaps)).replace("-", "−")
            found.append(f"{task}, {correlation}: {pair[1]} less {pair[0]} {said}")
    return found


def _average(state: Mapping, system: str, tasks: Sequence[str], kind: str, correlation: str) -> float:
    """The mean over tasks; a task of one part has one score in all aggregations."""
    which, place = CORRELATIONS.index(correlation), AGGREGATIONS.index(kind)
    found = [
        _aggregated(state["values"][system][task], state["tasks"][task]["pairs"], which)[place]
        if task in state["tasks"]
        else state["values"][system][task]["all"][which]
        for task in tasks
    ]
    return sum(found) / len(found)


def _aggregated(of: Mapping, pairs: Sequence[int], which: int) -> list[float]:
    """all, mean and wmean of one task."""
    parts = [part[which] for part in of["parts"]]
    weighted = sum(n * value for n, value in zip(pairs, parts)) / sum(pairs)
    return [of["all"][which], sum(parts) / len(parts), weighted]


def _mean(figures: Sequence[Mapping]) -> list[float]:
    """Spearman and Pearson, each the mean over runs."""
    return [round(float(sum(one[kind] for one in figures)) / len(figures), 4) for kind in ("spearman", "pearson")]


def _place(name: str, names: Sequence[str], what: str) -> int:
    check_name(what, name, names)
    return list(names).index(name)
