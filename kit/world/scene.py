"""What a sentence means: a scene, that is one event with its participants and circumstances."""

from __future__ import annotations

from typing import NamedTuple

MANY = 1_000_000  # no upper bound on a number


class Party(NamedTuple):
    """Somebody or something that takes part.

    noun    a name in `lexicon.NOUNS`
    low     at least so many,
    high    and at most so many: (1, 1) is exactly one, (2, MANY) "some"; a mass noun is (0, MANY)
    traits  (dimension, value) pairs: ("size", "small"), ("wear:coat", "red"); a garment of
            unsaid colour is ("wear:coat", "")
    """

    noun: str
    low: int = 1
    high: int = 1
    traits: tuple[tuple[str, str], ...] = ()

    def looking(self, traits: tuple[tuple[str, str], ...]) -> Party:
        """The same, but for how they look."""
        return Party(self.noun, self.low, self.high, traits)


class Scene(NamedTuple):
    """One event, or the denial of one. Whatever is None is not said.

    who     the subject; None where it is left out ("A guitar is being played")
    verb    a name in `lexicon.VERBS`; None where only a posture, a place or a trait is said
    object  what the action is done to
    tool    what it is done with
    beside  who takes part besides the subject ("with her dog")
    posture sit, stand, lie, kneel, lean, hang or float
    spot    (preposition, noun): ("on", "bench")
    place   a name in `lexicon.PLACES`
    time    a name in `lexicon.TIMES`
    weather a name in `lexicon.WEATHERS`
    manner  (dimension, adverb): ("speed", "slowly")
    negated True for the claim that there is no such event
    """

    who: Party | None = None
    verb: str | None = None
    object: Party | None = None
    tool: Party | None = None
    beside: Party | None = None
    posture: str | None = None
    spot: tuple[str, str] | None = None
    place: str | None = None
    time: str | None = None
    weather: str | None = None
    manner: tuple[str, str] | None = None
    negated: bool = False

    def but(self, role: int, value: object) -> Scene:
        """The scene with something else in one role, which its place names: quicker than `_replace`."""
        parts = list(self)
        parts[role] = value
        return Scene._make(parts)


# where each role stands in a scene: what is changed in several steps is changed in a list of its parts
WHO, VERB, OBJECT, TOOL, BESIDE, POSTURE, SPOT, PLACE, TIME, WEATHER, MANNER, NEGATED = range(len(Scene._fields))
