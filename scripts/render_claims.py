"""Tables of docs/results.md on the papers' claims: from the bundled encoder, and at two sizes."""

from __future__ import annotations

from kit.course.papers.rule import in_words
from kit.course.papers.scoreboard import Measured, check_version, entries, read_scoreboard
from kit.encoder.find import DEFAULT
from kit.figures.scoreboard_figures import effect_shown, published_shown
from kit.figures.scoreboard_sizes import far_behind, sizes_table
from kit.paths import bundle

LARGER = "kit-bert-mini"


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
        f"the truth by chance alone.{_of_runs(found)}",
    ]
    return "\n".join(lines)


def _of_runs(found: dict) -> str:
    return f" {said}" if (said := far_behind(found)) else ""


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
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines]) + f"\n\n{table.caption}{_of_runs(found)}"
