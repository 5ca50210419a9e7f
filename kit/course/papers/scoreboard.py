"""The scoreboard as it was measured: data/results/claims.json, read with a check of its version.

The file is written by scripts/claims.py. Nothing in it is taken on trust that can be computed again: the
published effects from the tables, the verdicts from the effects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kit.course.papers.claims import CLAIMS, VERSION, Claim, Part
from kit.course.papers.rule import Effect, verdict, weakest
from kit.errors import KitError
from kit.paths import bundle

AGAIN = "run make claims once for all of them"


@dataclass(frozen=True)
class Measured:
    """One comparison as measured. values: the effect of every seed, where they were kept."""

    part: Part
    effect: Effect
    published: float | None
    verdict: str
    values: tuple[float, ...] = ()


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
        """The part that gives the verdict: the first of the weakest."""
        return next(part for part in self.parts if part.verdict == self.verdict)


def read_scoreboard(path: Path | None = None) -> dict[str, Entry]:
    """Claim id → entry, in the order of the claims; a claim that was not run yet is not there.

    Errors: `KitError`, one sentence each, where the file is missing, no JSON, of another version, or
    holds claims, parts or verdicts that the rule of this version does not give. Lesson 11.
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
    """The content, if it is of this version and of these claims. Errors: `KitError` otherwise."""
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
    """The names of an entry's parts; None for what is no whole entry."""
    if not isinstance(entry, dict) or not {"verdict", "command", "differs"} <= entry.keys():
        return None
    parts = entry.get("parts")
    whole = isinstance(parts, list) and all(isinstance(part, dict) for part in parts)
    return [part.get("name") for part in parts] if whole else None


def entries(content: Mapping) -> dict[str, Entry]:
    """The entries of a checked file. Errors: `KitError` where a verdict is not the rule's."""
    found = {}
    for key in (key for key in CLAIMS if key in content["claims"]):
        told, claim = content["claims"][key], CLAIMS[key]
        parts = tuple(_part(part, of, key) for part, of in zip(claim.parts, told["parts"]))
        if told["verdict"] != weakest(part.verdict for part in parts):
            raise KitError(
                f"expected the verdict of {key} to be the weakest of its parts, got {told['verdict']!r}: "
                f"the file was changed or is of another version, so {AGAIN}."
            )
        found[key] = Entry(claim, parts, told["verdict"], told["command"], told["differs"])
    return found


def _part(part: Part, told: Mapping, key: str) -> Measured:
    try:
        effect = Effect(told["mean"], told["low"], told["high"], told["n"], told["sd"])
        found = verdict(part.rule, effect, part.margin)
        if (told["verdict"], told["rule"], told["margin"]) != (found, part.rule, part.margin):
            raise KitError(
                f"expected {key}, {part.name}, to be judged by the rule of this version ({found}), got "
                f"{told['verdict']!r}: {AGAIN}."
            )
        return Measured(part, effect, told["published"], found, tuple(told["values"] or ()))
    except (KeyError, TypeError):
        raise KitError(
            f"expected mean, low, high, n and verdict of {key}, {part.name}, but something is missing: {AGAIN}."
        ) from None


def summary(board: Mapping[str, Entry]) -> str:
    """One sentence: how many claims there are and how they fared."""
    if not board:
        return f"None of the {len(CLAIMS)} claims was run yet."
    counts: dict[str, list[str]] = {}
    for key, entry in board.items():
        counts.setdefault(entry.verdict, []).append(key)
    words = {
        "replicates": ("replicates", "replicate"),
        "same sign": ("shows the same sign", "show the same sign"),
        "does not replicate": ("does not replicate", "do not replicate"),
    }
    told = [
        f"{len(counts[name])} {forms[len(counts[name]) > 1]} ({', '.join(counts[name])})"
        for name, forms in words.items()
        if name in counts
    ]
    missing = [key for key in CLAIMS if key not in board]
    rest = f"; not run yet: {', '.join(missing)}" if missing else ""
    return f"Of {len(board)} claims, {', '.join(told)}{rest}."
