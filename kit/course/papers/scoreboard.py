"""The measured scoreboard: data/results/claims.json, written by scripts/claims.py.

Reading checks the version, and computes the verdicts again from the effects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kit.course.papers.claims import CLAIMS, VERSION, Claim, Part
from kit.course.papers.rule import CONTRADICTED, NOT_COMPARABLE, REPLICATES, UNDECIDED, Effect, no_effect, weakest
from kit.errors import KitError
from kit.paths import bundle

AGAIN = "run make claims once for all of them"


@dataclass(frozen=True)
class Measured:
    """One measured comparison. values: the effect of each seed, if the file has them."""

    part: Part
    effect: Effect
    published: float | None
    verdict: str
    values: tuple[float, ...] = ()

    @property
    def why(self) -> str:
        """The verdict, with its reason where that is not the interval against the range."""
        if self.part.instead:
            return f"{self.verdict}: {self.part.instead}"
        nothing = no_effect(self.part.rule, self.effect, self.part.limit(self.published))
        told = f"{self.verdict}: no effect" if nothing else self.verdict
        values = "equal values" if self.effect.n > 1 else "one value"
        return told if self.effect.has_interval else f"{told}, by {values} without an interval"


@dataclass(frozen=True)
class Entry:
    """One claim of the scoreboard."""

    claim: Claim
    parts: tuple[Measured, ...]
    verdict: str
    command: str
    differs: str

    @property
    def deciding(self) -> Measured:
        """The part that decides the verdict: the first of the weakest."""
        return next(part for part in self.parts if part.verdict == self.verdict)


def read_scoreboard(path: Path | None = None) -> dict[str, Entry]:
    """Claim id → entry, in the order of the claims, without those that were not run yet.

    Raises `KitError` if the file is missing, not JSON, or of another version, or if its claims, parts
    or verdicts are not those of this version. Lessons 10 and 11.
    """
    path = path or bundle("results", "claims.json")
    if not path.is_file():
        raise KitError(f"expected the measured claims in {path.name}, but there is no such file yet: {AGAIN}.")
    try:
        content = json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError:
        raise KitError(f"expected {path.name} to be JSON, but it cannot be read: {AGAIN}.") from None
    return entries(check_version(content, path.name))


def check_version(content: object, name: str = "claims.json") -> dict:
    """Return the content, or raise `KitError` if its version or its claims are not the current ones."""
    if not isinstance(content, dict) or not isinstance(content.get("claims"), dict):
        raise KitError(f"expected {name} to hold a scoreboard with claims, got something else: {AGAIN}.")
    if content.get("version") != VERSION:
        raise KitError(
            f"expected {name} of version {VERSION}, got version {content.get('version')}: "
            f"its claims or its rule are others, so {AGAIN}."
        )
    for key, entry in content["claims"].items():
        known = [part.name for part in CLAIMS[key].parts] if key in CLAIMS else None
        if known is None or _names(entry) != known:
            raise KitError(
                f"expected {name} to hold the comparisons that this version makes, but those of {key!r} "
                f"are others: {AGAIN}."
            )
    return content


def _names(entry: object) -> list | None:
    """The names of an entry's parts; None if the entry is incomplete."""
    if not isinstance(entry, dict) or not {"verdict", "command", "differs"} <= entry.keys():
        return None
    parts = entry.get("parts")
    whole = isinstance(parts, list) and all(isinstance(part, dict) for part in parts)
    return [part.get("name") for part in parts] if whole else None


def entries(content: Mapping) -> dict[str, Entry]:
    """The entries of a checked file. Raises `KitError` for a verdict that the rule does not give."""
    board = {}
    for key in (key for key in CLAIMS if key in content["claims"]):
        stored, claim = content["claims"][key], CLAIMS[key]
        parts = tuple(_part(part, of, key) for part, of in zip(claim.parts, stored["parts"]))
        if stored["verdict"] != weakest(part.verdict for part in parts):
            raise KitError(
                f"expected the verdict of {key} to be the weakest of its parts, got {stored['verdict']!r}: "
                f"the file was changed or is of another version, so {AGAIN}."
            )
        board[key] = Entry(claim, parts, stored["verdict"], stored["command"], stored["differs"])
    return board


def _part(part: Part, stored: Mapping, key: str) -> Measured:
    try:
        effect = Effect(*(float(stored[name]) for name in ("mean", "low", "high")), stored["n"], stored["sd"])
        expected, limit = part.judge(effect, stored["published"]), part.limit(stored["published"])
        if (stored["verdict"], stored["rule"], stored["margin"]) != (expected, part.rule, limit):
            raise KitError(
                f"expected {key}, {part.name}, to be judged by the rule of this version ({expected}), got "
                f"{stored['verdict']!r}: {AGAIN}."
            )
        return Measured(part, effect, stored["published"], expected, tuple(stored["values"] or ()))
    except (KeyError, TypeError):
        raise KitError(
            f"expected mean, low, high, n and verdict of {key}, {part.name}, but something is missing: {AGAIN}."
        ) from None


def summary(board: Mapping[str, Entry]) -> str:
    """One sentence: how many claims were measured, with which verdicts."""
    if not board:
        return f"None of the {len(CLAIMS)} claims was run yet."
    counts: dict[str, list[str]] = {}
    for key, entry in board.items():
        counts.setdefault(entry.verdict, []).append(key)
    words = {
        REPLICATES: ("replicates", "replicate"),
        CONTRADICTED: ("is contradicted", "are contradicted"),
        UNDECIDED: ("is undecided", "are undecided"),
        NOT_COMPARABLE: ("is not comparable", "are not comparable"),
    }
    counted = [
        f"{len(counts[name])} {forms[len(counts[name]) > 1]} ({', '.join(counts[name])})"
        for name, forms in words.items()
        if name in counts
    ]
    missing = [key for key in CLAIMS if key not in board]
    rest = f"; not run yet: {', '.join(missing)}" if missing else ""
    return f"Of {len(board)} claims, {', '.join(counted)}{rest}."
