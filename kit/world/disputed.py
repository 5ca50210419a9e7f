"""Pairs on whose label careful readers differ. The world makes none of them.

One rule for each way of being in doubt; `settled` holds a premise and a hypothesis to all.

- Number. A caption counts all who take part, so "two dogs" are not three and "a dog" is alone. Yet of three dogs
  one may truly say "a dog": a hypothesis with fewer says "only".
- Whole and part. Somebody who is with another stays the subject: "a man with his son" are not "two people" here.
- People. A teenager may pass for a child or an adult; of two occupations one may have both; who is called after
  what they do (a swimmer who swims) is nothing new.
- Actions. One who waits may phone, and one who films may ask: two actions exclude each other for a reader where both
  take the whole body or both hands, and neither is general ("play") or a shade of the other ("doze").
- Places, times, weather. Where one may lie in the other (a terrace of a restaurant), or one run into the other
  (evening and night, rain and wind), nothing is claimed; nor that a farm is outdoors, for it has a barn.
- Things. A parcel may be a box, a dinner has soup in it, and who carries a bag may carry a box too (`shades`).
- Somebody else. "A cake is being baked" and "there are women in a restaurant" may be told of others than the premise.
- What goes without saying (a silent reader, a standing cook) is no news: it is not added.
"""

from __future__ import annotations

from functools import cache

from kit.world.lexicon import NOUNS, PLAIN, VERBS
from kit.world.scene import Party, Scene
from kit.world.scene_relations import incompatible, noun_excludes, noun_implies
from kit.world.shades import SEVERAL_AT_ONCE, actions_shade, places_apart, things_apart

TEENS = frozenset(["teenager", "student", "pupil"])
BY_ACTION = frozenset(
    """
    swimmer runner cyclist skier skater surfer singer dancer player guitarist violinist pianist drummer hiker
    climber tennis_player passenger customer photographer driver boxer archer diver tourist traveller
    protester model conductor juggler magician painter builder gardener cleaner worker athlete musician friend
    neighbour patient chef baker farmer fisherman artist postman welder potter pilot vendor beekeeper lumberjack
    waiter waitress hairdresser
    """.split()
)
CLEAR_TIMES = {
    frozenset(pair)
    for pair in (
        ("morning", "evening"), ("morning", "night"), ("morning", "afternoon"), ("morning", "sunset"),
        ("noon", "night"), ("noon", "evening"), ("noon", "sunset"), ("afternoon", "night"), ("day", "night"),
        ("noon", "morning"),
    )
}  # fmt: skip
CLEAR_WEATHER = {frozenset(("sun", other)) for other in ("rain", "snow", "fog")}
# adjectives that shade into each other
SHADES = {
    frozenset(("young", "middle-aged")), frozenset(("old", "middle-aged")), frozenset(("sad", "angry")),
    frozenset(("brown", "spotted")), frozenset(("white", "spotted")), frozenset(("black", "spotted")),
    frozenset(("grey", "spotted")), frozenset(("orange", "red")), frozenset(("orange", "yellow")),
    frozenset(("purple", "pink")), frozenset(("purple", "blue")), frozenset(("pink", "red")),
    frozenset(("black", "grey")), frozenset(("white", "grey")), frozenset(("orange", "brown")),
    frozenset(("blond", "red-haired")), frozenset(("blond", "grey-haired")), frozenset(("yellow", "orange")),
}  # fmt: skip
MEN_BY_NAME = frozenset(("fisherman", "postman"))  # read as men, though the word says no more than the work
NOT_PLAINLY_OTHER = MEN_BY_NAME | TEENS
KIN_OR_PLAIN = frozenset((*PLAIN, "father", "mother", "grandfather", "grandmother", "baby", "toddler"))
OPEN_ACTIONS = frozenset("hold wait_for queue_for visit guard look_at talk_on listen_to use".split())
POSTURES_APART = {
    frozenset(("sit", "stand")), frozenset(("lie", "stand")), frozenset(("kneel", "stand")),
    frozenset(("lie", "kneel")),
}  # fmt: skip


def settled(premise: Scene, hypothesis: Scene, label: int) -> bool:
    """Whether careful readers agree on the label of the pair."""
    if not _places_settled(premise, hypothesis, label) or not _people_settled(premise, hypothesis, label):
        return False
    if label == 0:
        return hypothesis.negated is False or actions_apart(premise.verb, hypothesis.verb)
    if label == 2:
        return _same_event(premise, hypothesis) and _apart(premise, hypothesis)
    verb = hypothesis.verb
    return verb is None or verb == premise.verb or premise.verb is None or verb in VERBS[premise.verb].path


def _places_settled(a: Scene, b: Scene, label: int) -> bool:
    """Whether the places are the same, or plainly not; told of an action, another place may be of another event."""
    if a.place == b.place:
        return True
    here, there = a.place or (a.weather and "outdoors"), b.place or (b.weather and "outdoors")
    if here is None or there is None or here == there:
        return True
    if label == 2 and a.verb and b.verb and a.verb != b.verb and b.verb not in VERBS[a.verb].path:
        return True  # the actions exclude each other wherever they are
    return places_apart(here, there)


def _same_event(a: Scene, b: Scene) -> bool:
    """Whether a reader takes a contradiction for one, and not for something else that is going on as well."""
    if b.negated:
        return True
    if b.who is None:
        return a.verb is not None and b.verb in VERBS[a.verb].path and not noun_excludes(a.object.noun, b.object.noun)
    if b.verb or b.posture:
        return True
    counts_differ = b.who.high < a.who.low or a.who.high < b.who.low
    return not (counts_differ or (b.place and incompatible(Scene(a.who), Scene(b.who))))


def _people_settled(premise: Scene, hypothesis: Scene, label: int) -> bool:
    one, other = premise.who, hypothesis.who
    if label == 0 or one is other or one is None or other is None:
        return True
    if one.noun != other.noun and not noun_implies(one.noun, other.noun):
        if one.noun in NOT_PLAINLY_OTHER or other.noun in NOT_PLAINLY_OTHER:
            return False
        if label == 1 and not (one.noun in PLAIN or other.noun in PLAIN):
            return False
        if label == 1 and other.noun in BY_ACTION:
            return False
        if label == 2 and _grown_up_child(one.noun, other.noun):
            return False
        if label == 2 and not noun_excludes(one.noun, other.noun) and one.low <= other.high and other.low <= one.high:
            return True  # something else excludes them
    if one.high != other.high and premise.beside and NOUNS[premise.beside.noun].is_person:
        return False
    return label != 2 or not _fewer(one, other) or ("count", "only") in other.traits or hypothesis.negated


def _grown_up_child(a: str, b: str) -> bool:
    """Whether only age parts them and one is called after what they do: a girl may be a gardener."""
    x, y = NOUNS[a], NOUNS[b]
    return x.age != y.age and not (x.sex and y.sex and x.sex != y.sex) and not {a, b} <= KIN_OR_PLAIN


def _fewer(one: Party, other: Party) -> bool:
    return other.high < one.low or (other.high == 1 and one.high > 1)


def _apart(a: Scene, b: Scene) -> bool:
    """Whether every part that differs is one on which two captions plainly exclude each other."""
    if b.negated or a.negated:
        return True
    if a.verb and b.verb and a.verb != b.verb and b.verb not in VERBS[a.verb].path:
        return actions_apart(a.verb, b.verb)
    if a.verb and b.posture and not a.posture:  # "walks", "sits"
        seated = a.verb == "swing" or "h" in VERBS[a.verb].uses
        return not (b.posture == "stand" or (b.posture == "sit" and seated))
    if a.posture and b.posture and a.posture != b.posture:
        return frozenset((a.posture, b.posture)) in POSTURES_APART
    if a.time and b.time and a.time != b.time:
        return frozenset((a.time, b.time)) in CLEAR_TIMES
    if a.weather and b.weather and a.weather != b.weather:
        return frozenset((a.weather, b.weather)) in CLEAR_WEATHER
    return _parties_apart(a, b) and _traits_apart(a.who, b.who) and _traits_apart(a.object, b.object)


def _parties_apart(a: Scene, b: Scene) -> bool:
    """Whether the people and things that are exchanged are nothing that comes together."""
    for one, other in ((a.who, b.who), (a.object, b.object), (a.tool, b.tool)):
        if one is not other and one and other and _confused(one.noun, other.noun):
            return False
    exchanged = a.verb in SEVERAL_AT_ONCE and a.object and b.object
    return not (exchanged and noun_excludes(a.object.noun, b.object.noun))


@cache
def _confused(a: str, b: str) -> bool:
    """Whether they are two things, but such as come together or are called by each other's name."""
    return noun_excludes(a, b) and not things_apart(a, b)


def _traits_apart(a: Party | None, b: Party | None) -> bool:
    if a is b or a is None or b is None or not b.traits:
        return True
    known = dict(a.traits)
    return not any(frozenset((known.get(key, value), value)) in SHADES for key, value in b.traits)


def actions_apart(a: str | None, b: str | None) -> bool:
    """Whether nobody would take one action for part of the other."""
    if a is None or b is None:
        return True
    if a in OPEN_ACTIONS or b in OPEN_ACTIONS or actions_shade(a, b):
        return False
    x, y = VERBS[a], VERBS[b]
    both = x.uses & y.uses
    return "b" in both or ("h" in both and "m" in both) or "sleep" in x.path or "sleep" in y.path
