"""Tables of docs/results.md on the papers' claims: from the bundled encoder, and at two sizes."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from kit.course.papers.rule import in_words
from kit.course.papers.scoreboard import Measured, check_version, entries, read_scoreboard
from kit.encoder.find import DEFAULT
from kit.figures.scoreboard_figures import POINTS, effect_shown, published_shown
from kit.figures.scoreboard_sizes import sizes_table
from kit.paths import bundle

LARGER = "kit-bert-mini"
FAR_BEHIND = 10  # points behind the median of its arm: a run that did not train


def claims(found: dict) -> str:
    """The scoreboard: a row for each comparison, with what its claim predicts and what was measured."""
    board = entries(check_version(found))
    lines = [
        "| | claim, and its verdict | compared | published | predicted | measured, 95 % interval | verdict |",
        "|---|---|---|---:|---|---:|---|",
    ]
    for name, entry in board.items():
        head = f"{name} | {entry.claim.statement}: **{entry.verdict}**"
        for part in entry.parts:
            cells = (part.part.name, published_shown(part), predicted(part), effect_shown(part), verdict_told(part))
            lines.append(f"| {head} | {' | '.join(cells)} |")
            head = " | "  # said once a claim
    intervals = sum(part.effect.has_interval for entry in board.values() for part in entry.parts)
    verdicts = [entry.verdict for entry in board.values()]
    counted = ", ".join(f"{verdicts.count(kind)} × {kind}" for kind in dict.fromkeys(verdicts))
    lines += [
        "",
        f"{len(verdicts)} claims: {counted}. Encoder {found['encoder']}, paired by seed; points of "
        "Spearman ×100 or of accuracy where no other unit is named. What differs from the papers "
        f"stands in the file with each claim. Of {intervals} intervals of 95 %, about {0.05 * intervals:.0f} miss "
        f"the truth by chance alone.{far_behind(found)}",
    ]
    return "\n".join(lines)


def verdict_told(part: Measured) -> str:
    """The verdict, with its reason where it rests on no interval."""
    return part.why if part.effect.n > 1 and not part.effect.has_interval else part.verdict


def predicted(part: Measured) -> str:
    """The range that the claim predicts, in words."""
    return in_words(part.part.rule, part.part.limit(part.published), part.part.unit)


def sizes(found: dict) -> str:
    """The claims that were measured from this encoder, beside the same of the default one and the larger."""
    boards = {DEFAULT: read_scoreboard(), LARGER: read_scoreboard(bundle("results", f"claims_{LARGER}.json"))}
    table = sizes_table(boards | {found["encoder"]: entries(check_version(found))})
    lines = [table.header, ["---", "---:", *["---:", "---"] * ((len(table.header) - 2) // 2)], *table.rows]
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines]) + f"\n\n{table.caption}{far_behind(found)}"


def far_behind(found: dict) -> str:
    """The runs that ended far behind the others of their arm, and whose intervals they widen."""
    runs = list(_far_behind(found))
    if not runs:
        return ""
    first = {(arm, seed): value for _, arm, seed, value in reversed(runs)}  # of a run with several measures
    named = ", ".join(f"{arm} with seed {seed} ({value:.1f})" for (arm, seed), value in reversed(first.items()))
    claims = ", ".join(dict.fromkeys(name for name, *_ in runs))
    return (
        f" Runs from {found['encoder']} that ended more than {FAR_BEHIND} points behind the median of their five, and "
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
