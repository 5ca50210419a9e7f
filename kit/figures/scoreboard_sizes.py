"""The same claims measured from encoders of several sizes, side by side."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping

from kit.course.papers.claims import CLAIMS, Part
from kit.course.papers.rule import CONFIDENCE, CONTRADICTED, REPLICATES, Effect
from kit.course.papers.scoreboard import Entry, Measured
from kit.errors import KitError
from kit.figures.page_table import PageTable
from kit.figures.scoreboard_figures import effect_shown, published_shown
from kit.figures.scoreboard_rows import POINTS, signed

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
    """How many claims were measured at every size, and which verdicts differ; of equal ones, which are not of one
    comparison."""
    shared = shared_claims(boards)
    differ = [key for key in shared if len({board[key].verdict for board in boards.values()}) > 1]
    changed = f"the verdicts differ for {', '.join(differ)}" if differ else "the verdicts are the same"
    if apart := contradicted_apart(boards):
        changed += f"; {', '.join(apart)}: contradicted from each, but no comparison of it from all"
    if turned := turned_round(boards):
        changed += f"; contradicted from one and replicated from another: {', '.join(turned)}"
    which = (
        f"{', '.join(shared)}, of {len(CLAIMS)} claims" if len(shared) < len(CLAIMS) else f"all {len(CLAIMS)} claims"
    )
    *others, last = boards
    return (
        f"Measured from {', from '.join(others)} and from {last}: {which}; {changed}. In square brackets: 95 % "
        "intervals over seeds."
    )


def contradicted_apart(boards: Mapping[str, Mapping[str, Entry]]) -> list[str]:
    """The claims that every board contradicts, though no single comparison is contradicted by all."""
    return [
        key
        for key in shared_claims(boards)
        if all(board[key].verdict == CONTRADICTED for board in boards.values())
        and {CONTRADICTED} not in [verdicts for _, verdicts in _verdicts(boards, key)]
    ]


def turned_round(boards: Mapping[str, Mapping[str, Entry]]) -> list[str]:
    """The comparisons that one board contradicts and another replicates. Lesson 11."""
    pairs = [pair for key in shared_claims(boards) for pair in _verdicts(boards, key)]
    return [name for name, verdicts in pairs if {CONTRADICTED, REPLICATES} <= verdicts]


def _verdicts(boards: Mapping[str, Mapping[str, Entry]], key: str) -> list[tuple[str, set[str]]]:
    """Each comparison of the claim, with the verdicts that it has on the boards."""
    rows = zip(*(board[key].parts for board in boards.values()))
    return [(f"{key} {parts[0].part.name}", {part.verdict for part in parts}) for parts in rows]


def _measured(part: Measured) -> tuple[str, str]:
    """The effect with its seeds, and the verdict."""
    seeds = f", {part.effect.n} seeds" if part.effect.has_interval else ""
    return effect_shown(part) + seeds, part.why


def different(found: dict) -> list[tuple[str, Part, dict]]:
    """(claim, comparison, what was measured) of those with an interval; what two claims share (L1, L4) counts once.

    found: a results file of claims. Lesson 11.
    """
    once: dict[tuple, tuple[str, Part, dict]] = {}
    for name, claim in found["claims"].items():
        for part, stored in zip(CLAIMS[name].parts, claim["parts"]):
            if stored["low"] < stored["high"]:
                once.setdefault((part.measure, part.new, part.old), (name, part, stored))
    return list(once.values())


def without_pairs(found: dict) -> str:
    """How far the two arms of a seed go together, and which verdicts would be others if they were not paired.

    found: a results file of claims; "" where no comparison has seeds on both sides. Lesson 11.
    """
    together, others = [], []
    for name, part, stored in different(found):
        new, old = (stored["arms"][side]["values"] if side else [] for side in (part.new, part.old))
        if min(len(set(new)), len(set(old))) > 1:
            together.append(statistics.correlation(new, old))
            verdict = part.judge(_welch(new, old), stored["published"])
            if verdict != stored["verdict"]:
                others.append(f"{name} {part.name} ({verdict} in place of {stored['verdict']})")
    if not together:
        return ""
    return (
        f"Seed by seed the two arms go together with r = {signed(statistics.fmean(together))} (at 0 pairing takes "
        f"nothing out), the mean of {len(together)} comparisons from {found['encoder']}. Not paired, by Welch's "
        "interval, another verdict: "
        f"{', '.join(others) or 'none'}."
    )


def _welch(new: list[float], old: list[float]) -> Effect:
    """The difference of two means that are not paired, with Welch's interval."""
    from scipy.stats import ttest_ind

    ends = ttest_ind(new, old, equal_var=False).confidence_interval(CONFIDENCE)
    return Effect(statistics.fmean(new) - statistics.fmean(old), float(ends.low), float(ends.high), len(new))


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
