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
    return (
        _party_implies(a.who, b.who)
        and (b.verb is None or (a.verb is not None and _verb_implies(a.verb, b.verb)))
        and _party_implies(a.object, b.object)
        and _party_implies(a.tool, b.tool)
        and _party_implies(a.beside, b.beside)
        and b.posture in (None, a.posture)
        and _spot_implies(a.spot, b.spot)
        and (b.place is None or _place_implies(_place(a), b.place))
        and (b.time is None or (a.time is not None and _time_implies(a.time, b.time)))
        and b.weather in (None, a.weather)
        and b.manner in (None, a.manner)
    )


def incompatible(a: Scene, b: Scene) -> bool:
    """Whether no event fits both descriptions; symmetric."""
    if a.negated and b.negated:
        return False  # both hold where nothing happens
    if a.negated or b.negated:
        denial, claim = (a, b) if a.negated else (b, a)
        return implies(claim, denial._replace(negated=False))
    # stirring soup and frying pancakes are both preparing food, and so not the same food
    same_action = a.verb and b.verb and VERBS[a.verb].path[0] == VERBS[b.verb].path[0]
    return (
        _parties_exclude(a.who, b.who)
        or bool(a.verb and b.verb and verbs_exclude(a.verb, b.verb))
        or _posture_excludes(a, b)
        or bool(same_action and _parties_exclude(a.object, b.object))
        or bool(same_action and _parties_exclude(a.tool, b.tool))
        or _spots_exclude(a, b)
        or _places_exclude(_place(a), _place(b))
        or _times_exclude(a, b)
        or (None not in (a.weather, b.weather) and a.weather != b.weather)
        or _same_key_differs(a.manner, b.manner)
    )


# --- who and what -------------------------------------------------------------------------


def _party_implies(a: Party | None, b: Party | None) -> bool:
    if b is None:
        return True
    if a is None or not noun_implies(a.noun, b.noun) or not (b.low <= a.low and a.high <= b.high):
        return False
    known = dict(a.traits)
    return all(key in known and value in ("", known[key]) for key, value in b.traits)


def _parties_exclude(a: Party | None, b: Party | None) -> bool:
    if a is None or b is None:
        return False
    if noun_excludes(a.noun, b.noun) or a.high < b.low or b.high < a.low:
        return True
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


@cache
def _verb_implies(a: str, b: str) -> bool:
    return b in VERBS[a].path


@cache
def verbs_exclude(a: str, b: str) -> bool:
    """Whether nobody does both at once."""
    x, y = VERBS[a], VERBS[b]
    if a in y.path or b in x.path or a in LOOSE or b in LOOSE or not x.uses & y.uses:
        return False
    return ALIKE_OF[a].isdisjoint(ALIKE_OF[b])


def _posture_excludes(a: Scene, b: Scene) -> bool:
    if a.posture and b.posture:
        return a.posture != b.posture
    for one, other in ((a, b), (b, a)):
        if one.posture and other.verb:
            verb = VERBS[other.verb]
            if "b" in verb.uses and one.posture not in verb.postures and other.verb not in LOOSE:
                return True
    return False


def _same_key_differs(a: tuple[str, str] | None, b: tuple[str, str] | None) -> bool:
    return a is not None and b is not None and a[0] == b[0] and a[1] != b[1]


# --- where and when -----------------------------------------------------------------------


def _spot_implies(a: tuple[str, str] | None, b: tuple[str, str] | None) -> bool:
    return b is None or (a is not None and a[0] == b[0] and noun_implies(a[1], b[1]))


def _spots_exclude(a: Scene, b: Scene) -> bool:
    """One body rests on, under or at one thing; those who move pass many."""
    if not (a.spot and b.spot and a.posture and a.posture == b.posture):
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
    if "sun" in (a.weather, b.weather) and "night" in (a.time, b.time):
        return True
    if a.time is None or b.time is None or a.time == b.time:
        return False
    return not (_time_implies(a.time, b.time) or _time_implies(b.time, a.time))
