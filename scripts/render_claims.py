"""Tables of docs/results.md on the papers' claims: from the bundled encoder, and at two sizes."""

from __future__ import annotations

from collections.abc import Mapping

from kit.course.papers.rule import in_words
from kit.course.papers.scoreboard import Entry, Measured, check_version, entries, read_scoreboard
from kit.encoder.find import DEFAULT
from kit.figures.scoreboard_figures import effect_shown, published_shown
from kit.figures.scoreboard_rows import not_in_picture
from kit.figures.scoreboard_sizes import different, far_behind, sizes_table, without_pairs
from kit.paths import bundle

LARGER = "kit-bert-mini"
CLAIMS_SAY = {
    "replicates": "replicate",
    "contradicted": "are contradicted",
    "undecided": "are undecided",
    "not comparable": "are not comparable",
}


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
    intervals = len(different(found))
    lines += [
        "",
        f"{len(board)} claims: {counted(board)}. Encoder {found['encoder']}, paired by seed; points of "
        "Spearman ×100 or of accuracy where no other unit is named. What differs from the papers "
        f"stands in the file with each claim. Of {intervals} different intervals of 95 %, about "
        f"{0.05 * intervals:.0f} miss the truth by chance alone.{_of_runs(found)}",
    ]
    return "\n".join(lines)


def counted(board: Mapping[str, Entry]) -> str:
    """How many claims have which verdict."""
    verdicts = [entry.verdict for entry in board.values()]
    return ", ".join(f"{verdicts.count(kind)} × {kind}" for kind in CLAIMS_SAY if kind in verdicts)


def _of_runs(found: dict) -> str:
    """What the runs were, what hangs on how they are read, and what the picture leaves out."""
    told = (far_behind(found), without_pairs(found), machines_kept(found))
    return "".join(f" {said}" for said in told if said) + not_in_picture(entries(check_version(found)))


def machines_kept(found: dict) -> str:
    """Which claims do not say on which machine they were run; "" where all do."""
    silent = [name for name, claim in found["claims"].items() if not claim.get("hardware")]
    if not silent:
        return ""
    days = sorted(found["claims"][name]["date"] for name in silent)
    which = "its claims ran" if len(silent) == len(found["claims"]) else f"{', '.join(silent)} ran"
    return f"On which machine {which}, from {days[0]} to {days[-1]}, was not kept."


def verdict_told(part: Measured) -> str:
    """The verdict, with its reason where it rests on no interval."""
    return part.verdict if part.effect.has_interval else part.why


def predicted(part: Measured) -> str:
    """The range that the claim predicts, in words."""
    return in_words(part.part.rule, part.part.limit(part.published), part.part.unit)


def sizes(found: dict) -> str:
    """The claims that were measured from this encoder, beside the same of the default one and the larger."""
    boards = {DEFAULT: read_scoreboard(), LARGER: read_scoreboard(bundle("results", f"claims_{LARGER}.json"))}
    table = sizes_table(boards | {found["encoder"]: entries(check_version(found))})
    lines = [table.header, ["---", "---:", *["---:", "---"] * ((len(table.header) - 2) // 2)], *table.rows]
    told = f"{table.caption} From {found['encoder']}: {counted(entries(found))}.{_of_runs(found)}"
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines]) + f"\n\n{told}"
