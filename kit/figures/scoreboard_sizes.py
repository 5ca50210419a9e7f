"""The same claims measured from encoders of several sizes, side by side."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping

from kit.course.papers.claims import CLAIMS
from kit.course.papers.scoreboard import Entry, Measured
from kit.errors import KitError
from kit.figures.page_table import PageTable
from kit.figures.scoreboard_figures import POINTS, effect_shown, published_shown

FAR_BEHIND = 10  # points behind the median of its arm: a run that did not succeed


def sizes_table(boards: Mapping[str, Mapping[str, Entry]]) -> PageTable:
    """A row for each comparison of the claims that all `boards` hold: published, then the effect from each encoder.

    boards: {encoder: what `kit.course.papers.read_scoreboard` gives}. Errors: `KitError` for fewer than two boards, or
    where they have no claim in common. Lesson 11.
    """
    if len(boards) < 2:
        raise KitError(f"expected the claims of two encoders or more, got {len(boards)}: give a board for each.")
    shared = shared_claims(boards)
    if not shared:
        raise KitError(f"expected a claim that {' and '.join(boards)} all have, found none: run one with make claims.")
    rows = []
    for key in shared:
        for parts in zip(*(board[key].parts for board in boards.values())):
            comparison = [f"{key} {parts[0].part.name}", published_shown(parts[0])]
            rows.append([*comparison, *(cell for part in parts for cell in _measured(part))])
    header = ("comparison", "published", *(head for name in boards for head in (name, "verdict")))
    return PageTable(header, rows, sizes_summary(boards))


def shared_claims(boards: Mapping[str, Mapping[str, Entry]]) -> list[str]:
    """The claims that all boards hold, in the order of the first."""
    first, *others = boards.values()
    return [key for key in first if all(key in other for other in others)]


def sizes_summary(boards: Mapping[str, Mapping[str, Entry]]) -> str:
    """How many claims were measured at every size, and which verdicts differ."""
    shared = shared_claims(boards)
    differ = [key for key in shared if len({board[key].verdict for board in boards.values()}) > 1]
    changed = f"the verdicts differ for {', '.join(differ)}" if differ else "the verdicts are the same"
    which = (
        f"{', '.join(shared)}, of {len(CLAIMS)} claims" if len(shared) < len(CLAIMS) else f"all {len(CLAIMS)} claims"
    )
    *others, last = boards
    return (
        f"Measured from {', from '.join(others)} and from {last}: {which}; {changed}. In square brackets: 95 % "
        "intervals over seeds."
    )


def _measured(part: Measured) -> tuple[str, str]:
    """The effect with its seeds, and the verdict."""
    seeds = f", {part.effect.n} seeds" if part.effect.has_interval else ""
    return effect_shown(part) + seeds, part.why


def far_behind(found: dict) -> str:
    """One sentence that names them, "" where there are none; found: a results file of claims. Lesson 11."""
    runs = list(_far_behind(found))
    if not runs:
        return ""
    first = {(arm, seed): value for _, arm, seed, value in reversed(runs)}  # of a run with several measures
    named = ", ".join(f"{arm} with seed {seed} ({value:.1f})" for (arm, seed), value in reversed(first.items()))
    claims = ", ".join(dict.fromkeys(name for name, *_ in runs))
    return (
        f"Runs from {found['encoder']} that ended more than {FAR_BEHIND} points behind the median of their five, and "
        f"so make an interval wide (of {claims}): {named}."
    )


def _far_behind(found: dict) -> Iterator[tuple[str, str, int, float]]:
    """(claim, arm, seed, value) of each such run."""
    for name, claim in found["claims"].items():
        for part in claim["parts"]:
            for arm, side in part["arms"].items():
                values = side["values"] if part["unit"] == POINTS else []
                for seed, value in zip(claim["seeds"], values):
                    if value < statistics.median(values) - FAR_BEHIND:
                        yield name, arm, seed, value
