"""What follows from what: entailment and contradiction decided on scenes.

The convention is that of SNLI (Bowman et al. 2015): premise and hypothesis describe the same
event, so its parts correspond. Then a scene is a conjunction of facts, one per role:

- Numbers are exact: "two dogs" are not three, and "a dog" is alone; plurals are two or more.
- One event has one place, one time, one weather; one body part does one thing at a time, so
  sleeping excludes reading, while sitting does not. Different tools or objects of the same
  action exclude each other; different companions do not.
- Kinds of things exclude each other unless one is a kind of the other; occupations do not.
- Adjectives of one dimension exclude each other; a garment may have one colour.

Nothing here knows how sentences or hypotheses are made.
"""

from __future__ import annotations

from functools import cache

from kit.world.lexicon import NOUNS, PLACES, TIMES, VERBS
from kit.world.places import ANYWHERE, OVERLAPS
from kit.world.scene import Party, Scene
from kit.world.verbs import ALIKE, LOOSE

LABELS = ("entailment", "neutral", "contradiction")


def relation(premise: Scene, hypothesis: Scene) -> int:
    """The label of the pair: 0 entailment, 1 neutral, 2 contradiction."""
    if implies(premise, hypothesis):
        return 0
    return 2 if incompatible(premise, hypothesis) else 1


def implies(a: Scene, b: Scene) -> bool:
    """Whether every event that `a` describes is one that `b` describes."""
    if b.negated:
        other = b._replace(negated=False)
        if a.negated:  # fewer events fit `a`'s denial than `b`'s
            return implies(other, a._replace(negated=False))
        return incompatible(a, other)
    if a.negated:
        return False
    return (  # most of a hypothesis is the same object as in its premise: then nothing is asked
        (a.who is b.who or _party_implies(a.who, b.who))
        and (b.verb is None or b.verb == a.verb or (a.verb is not None and _verb_implies(a.verb, b.verb)))
        and (a.object is b.object or _party_implies(a.object, b.object))
        and (a.tool is b.tool or _party_implies(a.tool, b.tool))
        and (a.beside is b.beside or _party_implies(a.beside, b.beside))
        and (b.posture is None or b.posture == a.posture)
        and (b.spot is None or _spot_implies(a.spot, b.spot))
        and (b.place is None or _place_implies(_place(a), b.place))
        and (b.time is None or (a.time is not None and _time_implies(a.time, b.time)))
        and (b.weather is None or b.weather == a.weather)
        and (b.manner is None or b.manner == a.manner)
    )


def incompatible(a: Scene, b: Scene) -> bool:
    """Whether no event fits both descriptions; symmetric."""
    if a.negated and b.negated:
        return False  # both hold where nothing happens
    if a.negated or b.negated:
        denial, claim = (a, b) if a.negated else (b, a)
        return implies(claim, denial._replace(negated=False))
    return (
        (a.who is not b.who and _parties_exclude(a.who, b.who))
        or (a.verb is not None and b.verb is not None and _actions_exclude(a, b))
        or _posture_excludes(a, b)
        or (a.spot is not None and b.spot is not None and _spots_exclude(a, b))
        or (a.place != b.place and _places_exclude(_place(a), _place(b)))
        or _times_exclude(a, b)
        or (a.weather is not None and b.weather is not None and a.weather != b.weather)
        or (a.manner is not None and b.manner is not None and _same_key_differs(a.manner, b.manner))
    )


# --- who and what -------------------------------------------------------------------------


def _party_implies(a: Party | None, b: Party | None) -> bool:
    if b is None:
        return True
    if a is None or not (b.low <= a.low and a.high <= b.high) or not noun_implies(a.noun, b.noun):
        return False
    if not b.traits:
        return True
    known = dict(a.traits)
    return all(key in known and value in ("", known[key]) for key, value in b.traits)


def _parties_exclude(a: Party | None, b: Party | None) -> bool:
    if a is None or b is None:
        return False
    if a.high < b.low or b.high < a.low or noun_excludes(a.noun, b.noun):
        return True
    if not (a.traits and b.traits):
        return False
    known = dict(a.traits)
    return any(value and known.get(key) and known[key] != value for key, value in b.traits)


@cache
def noun_implies(a: str, b: str) -> bool:
    """Whether every `a` is a `b`."""
    x, y = NOUNS[a], NOUNS[b]
    return (
        x.kind[: len(y.kind)] == y.kind
        and y.sex in ("", x.sex)
        and y.age in ("", x.age)
        and y.occupations <= x.occupations
    )


@cache
def noun_excludes(a: str, b: str) -> bool:
    """Whether nothing is both an `a` and a `b`."""
    x, y = NOUNS[a], NOUNS[b]
    shared = min(len(x.kind), len(y.kind))
    return (
        x.kind[:shared] != y.kind[:shared]
        or (x.sex != y.sex and bool(x.sex and y.sex))
        or (x.age != y.age and bool(x.age and y.age))
    )


# --- what is done -------------------------------------------------------------------------


def _actions_exclude(a: Scene, b: Scene) -> bool:
    """Whether the actions do, or what one of a kind is done to or with.

    Stirring soup and frying pancakes are both preparing food, and so not the same food.
    """
    if a.verb != b.verb:
        if verbs_exclude(a.verb, b.verb):
            return True
        if VERBS[a.verb].path[0] != VERBS[b.verb].path[0]:
            return False
    if a.object is not b.object and _parties_exclude(a.object, b.object):
        return True
    return a.tool is not b.tool and _parties_exclude(a.tool, b.tool)


@cache
def _verb_implies(a: str, b: str) -> bool:
    return b in VERBS[a].path


def verbs_exclude(a: str, b: str) -> bool:
    """Whether nobody does both at once."""
    x, y = VERBS[a], VERBS[b]
    if x.uses.isdisjoint(y.uses) or a in LOOSE or b in LOOSE or a in y.path or b in x.path:
        return False
    return ALIKE_OF[a].isdisjoint(ALIKE_OF[b])


def _posture_excludes(a: Scene, b: Scene) -> bool:
    if a.posture and b.posture:
        return a.posture != b.posture
    if a.posture and b.verb:
        return _keeps_from(a.posture, b.verb)
    return bool(b.posture and a.verb) and _keeps_from(b.posture, a.verb)


@cache
def _keeps_from(posture: str, verb: str) -> bool:
    """Whether nobody does it in such a posture."""
    return "b" in VERBS[verb].uses and posture not in VERBS[verb].postures and verb not in LOOSE


def _same_key_differs(a: tuple[str, str], b: tuple[str, str]) -> bool:
    return a[0] == b[0] and a[1] != b[1]


# --- where and when -----------------------------------------------------------------------


def _spot_implies(a: tuple[str, str] | None, b: tuple[str, str]) -> bool:
    return a is b or (a is not None and a[0] == b[0] and noun_implies(a[1], b[1]))


def _spots_exclude(a: Scene, b: Scene) -> bool:
    """One body rests on, under or at one thing; those who move pass many."""
    if a.spot is b.spot or a.posture is None or a.posture != b.posture:
        return False
    return a.spot[0] == b.spot[0] and noun_excludes(a.spot[1], b.spot[1])


def _place(scene: Scene) -> str | None:
    """The place, or outdoors where there is weather."""
    return scene.place or ("outdoors" if scene.weather else None)


@cache
def _place_implies(a: str | None, b: str) -> bool:
    return a is not None and (a == b or (b in ("outdoors", "indoors") and PLACES[a].setting == b))


@cache
def _places_exclude(a: str | None, b: str | None) -> bool:
    if a is None or b is None or a == b:
        return False
    x, y = PLACES[a].setting, PLACES[b].setting
    if x and y and x != y:
        return True
    general = {a, b} & {"outdoors", "indoors"}
    return not general and not {a, b} & ANYWHERE and frozenset((a, b)) not in OVERLAPPING


ALIKE_GROUPS = [frozenset(group.split()) for group in ALIKE.replace("\n", " · ").split("·") if group.strip()]
ALIKE_OF = {  # of each action the groups that it or what it is a kind of stands in
    name: frozenset(number for number, group in enumerate(ALIKE_GROUPS) if not group.isdisjoint(verb.path))
    for name, verb in VERBS.items()
}
OVERLAPPING = {frozenset(pair.split()) for pair in OVERLAPS.replace("\n", " · ").split("·") if pair.strip()}


def _time_implies(a: str, b: str) -> bool:
    return b in TIMES[a][0]


def _times_exclude(a: Scene, b: Scene) -> bool:
    """Different times, or sunshine at night."""
    if a.time is None and b.time is None:
        return False
    if "night" in (a.time, b.time) and "sun" in (a.weather, b.weather):
        return True
    if a.time is None or b.time is None or a.time == b.time:
        return False
    return not (_time_implies(a.time, b.time) or _time_implies(b.time, a.time))
