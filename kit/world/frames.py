"""The table of `frames.txt` parsed and checked, and weighted choices by rank."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.world.lexicon import MANNERS, NOUNS, PLACES, VERBS
from kit.world.nouns import GARMENTS

GROUPS = {
    "@anyone": "man woman boy girl person child teenager",
    "@adult": "man woman person",
    "@youth": "boy girl teenager child",
    "@kid": "boy girl child toddler",
}
# A choice of subject, object, place or tool follows Zipf's law, 1 / rank; topics and frames, which
# are no words, hardly fall off, so that there is much to tell apart. All content words together then
# follow the law too, measured.
EXPONENT = 1.0


class Choice:
    """Draws items with a probability that falls with their rank as 1 / rank ** exponent."""

    def __init__(self, items: Sequence, exponent: float = EXPONENT) -> None:
        self.items = tuple(items)
        weights = (1 / (rank + 1) ** exponent for rank in range(len(self.items)))
        self.cumulative = list(accumulate(weights))
        self.total = self.cumulative[-1] if self.items else 0.0

    def __call__(self, rng: random.Random) -> Any:
        """One item; `rng` is asked for one number."""
        if not self.items:
            return None
        return self.items[bisect(self.cumulative, rng.random() * self.total)]

    def __bool__(self) -> bool:
        return bool(self.items)


@dataclass(slots=True, eq=False)
class Frame:
    """What plausibly goes together; see the head of `frames.txt`. The flags that are asked for often have a name."""

    topic: str
    subjects: Choice  # nouns
    verb: str | None
    objects: Choice  # (noun, "" | "=" | "+")
    tools: Choice
    places: Choice
    spots: Choice  # (posture or None, preposition or None, noun or None)
    manners: Choice  # dimensions
    companions: Choice
    flags: frozenset[str]
    wear: str | None  # a key of GARMENTS, "none", or None for what fits the place
    at: frozenset[str] = field(init=False)  # the places
    each: bool = field(init=False)
    has_spot: bool = field(init=False)

    def __post_init__(self) -> None:
        self.at = frozenset(self.places.items)
        self.each, self.has_spot = "each" in self.flags, "spot" in self.flags


def parse_frames(text: str) -> list[Frame]:
    """The frames of a table; raises KitError naming the line that holds an unknown word."""
    frames, topic = [], ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            topic = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            try:
                frames.append(_frame(topic, line))
            except (KeyError, ValueError) as problem:
                raise KitError(f"frames.txt, line {number}: {problem} in {line!r}.") from problem
    return frames


def _frame(topic: str, line: str) -> Frame:
    fields = [field.strip() for field in line.split("|")]
    fields += [""] * (8 - len(fields))
    who, verb, objects, tools, places, spots, manners, flags = (f.split() for f in fields)
    who = [noun for token in who for noun in GROUPS.get(token, token).split()]
    options = dict(flag.split("=") for flag in flags if "=" in flag)
    companions = options.get("co", "").split(",") if "co" in options else []
    action = None if verb == ["-"] else verb[0]
    frame = Frame(
        topic,
        Choice(list(dict.fromkeys(who))),
        action,
        Choice([_marked(token) for token in objects]),
        Choice([_marked(token)[0] for token in tools]),
        Choice(places),
        Choice([_spot(token) for token in spots]),
        Choice(manners),
        Choice(companions),
        frozenset(flag for flag in flags if "=" not in flag),
        options.get("wear"),
    )
    _check(frame)
    return frame


def _marked(token: str) -> tuple[str, str]:
    mark = token[0] if token[0] in "=+" else ""
    return token.removeprefix(mark), mark


def _spot(token: str) -> tuple[str | None, str | None, str | None]:
    posture, preposition, noun = (part or None for part in (token.split(":") + ["", ""])[:3])
    return posture, preposition and preposition.replace("_", " "), noun


def _check(frame: Frame) -> None:
    """Every name in a frame must be in the lexicon."""
    kin = [noun for noun in frame.companions.items if noun != "kin"]
    nouns = [*frame.subjects.items, *frame.tools.items, *kin]
    nouns += [noun for noun, _ in frame.objects.items]
    nouns += [noun for _, _, noun in frame.spots.items if noun]
    known = [(nouns, NOUNS), (frame.places.items, PLACES), (frame.manners.items, MANNERS)]
    known += [([frame.verb] if frame.verb else [], VERBS)]
    known += [([posture for posture, _, _ in frame.spots.items if posture], VERBS)]
    known += [([frame.wear] if frame.wear not in (None, "none") else [], GARMENTS)]
    for names, words in known:
        unknown = [name for name in names if name not in words]
        if unknown:
            raise ValueError(f"unknown {', '.join(unknown)}")


FRAMES = parse_frames(Path(__file__).with_name("frames.txt").read_text(encoding="utf-8"))
TOPICS = tuple(dict.fromkeys(frame.topic for frame in FRAMES))
BY_TOPIC = {topic: Choice([frame for frame in FRAMES if frame.topic == topic], 0.3) for topic in TOPICS}
TOPIC = Choice(TOPICS, 0.3)
BY_SUBJECT: dict[str, list[Frame]] = {}
for _frame_ in FRAMES:
    for _noun in _frame_.subjects.items:
        BY_SUBJECT.setdefault(_noun, []).append(_frame_)
