"""The measured speeds beside those of peers, as data/results/benchmarks.json has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kit.figures.page_table import PageTable

HEAD = ("what, against whom", "here", "there", "ratio", "target", "reached")
NO_BREAK = "\u00a0"  # a space at which no line is broken
NOTHING = "Not measured yet: `make bench` writes data/results/benchmarks.json."


def speed_table(found: Mapping, programs: Sequence[str] | None = None) -> PageTable:
    """A line for each measured row: ours, the peer's, how many times better, the target and whether it is reached.

    found: the results file, {} where there is none yet. programs: of benchmarks/, None for all that it has;
    what was not measured is said. Where no row has a target, there are no columns for it. Lesson 12.
    """
    measured, failed, waiting = (found.get(key, {}) for key in ("programs", "failed", "not_measured"))
    chosen = [*measured, *failed] if programs is None else list(programs)
    rows, notes = [], []
    for name in chosen:
        if name in measured:
            rows += [_line(row) for row in measured[name]["rows"]]
        else:
            notes.append(f"{name}: {'its program failed' if name in failed else 'not measured yet'}.")
    if programs is None:
        rows += [_planned(row) for row in waiting]
    if not found:
        notes = [NOTHING]
    hardware = dict.fromkeys(
        f"{measured[name]['hardware']}, {measured[name]['date']}" for name in chosen if name in measured
    )
    columns = len(HEAD) if any(row[HEAD.index("target")] for row in rows) else HEAD.index("target")
    caption = " ".join([*(f"Measured on {place}." for place in hardware), *notes])
    return PageTable(HEAD[:columns], [row[:columns] for row in rows], caption)


def missed(found: Mapping) -> list[str]:
    """The rows whose target was not reached, a line each. Lesson 12."""
    rows = [row for program in found.get("programs", {}).values() for row in program["rows"]]
    return [f"{_name(row)}: {_reached(row)}, target {row['target']}" for row in rows if row["met"] is False]


def _reached(row: Mapping) -> str:
    """ "13.9 %", or "1.04 times faiss" where it stood beside another program."""
    return (
        f"{_shown(row['ours'])} {row['unit']}"
        if row["ratio"] is None
        else f"{_shown(row['ratio'])} times {row['peer']}"
    )


def _name(row: Mapping) -> str:
    return f"{row['what']} · {row['setting']}"


def _line(row: Mapping) -> tuple[str, ...]:
    against = f"; against {row['peer']}" if row["peer"] else ""
    there = "" if row["theirs"] is None else _shown(row["theirs"])
    ratio = (
        ""
        if row["ratio"] is None
        else (f"{_shown(row['ratio'])}{NO_BREAK}[{_shown(row['lowest'])},{NO_BREAK}{_shown(row['highest'])}]")
    )
    reached = {True: "yes", False: "NO", None: ""}[row["met"]]
    return f"{_name(row)}, {row['unit']}{against}", _shown(row["ours"]), there, ratio, row["target"], reached


def _planned(row: Mapping) -> tuple[str, ...]:
    against = f"; against {row['peer']}" if row["peer"] else ""
    return f"{_name(row)}{against}", "not measured", "", "", row["target"], row["why"]


def _shown(number: float) -> str:
    """Three digits, or all before the point."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"
