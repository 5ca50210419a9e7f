"""Changes that put something else in its place, or deny it."""

from __future__ import annotations

import random
from functools import cache

from kit.world import drawing, looks
from kit.world.disputed import actions_apart
from kit.world.drawing import Draft
from kit.world.entailments import one_of
from kit.world.frames import BY_SUBJECT, FRAMES, Frame
from kit.world.lexicon import NOUNS, TIMES, VERBS
from kit.world.scene import MANY, OBJECT, PLACE, TIME, TOOL, WEATHER, WHO, Party, Scene
from kit.world.scene_relations import verbs_exclude


def other_action(draft: Draft, rng: random.Random) -> Scene | None:
    """They do something else: half of the time in the same place, if that is likely there."""
    scene = draft.scene
    who, place = scene.who, scene.place
    frames = other_frames(who.noun, scene.verb) if scene.verb else ()
    here = [frame for frame in frames if place in frame.at] if rng.random() < 0.5 else ()
    frame: Frame | None = one_of(here or frames, rng)
    if frame is None or (who.high == 1 and "many" in frame.flags):
        return None
    if (who.high > 1 and "one" in frame.flags) or (who.high > 2 and frame.verb in drawing.FEW):
        return None
    each = who.high > 1 and frame.each
    object_ = drawing.thing(frame.objects(rng), rng, each, 0.0, frame.verb) if frame.objects.items else None
    posture = spot = None
    moves = "b" in VERBS[frame.verb].uses and not VERBS[frame.verb].postures
    if not moves and (scene.posture, *(scene.spot or (None, None))) in frame.spots.items:
        posture, spot = scene.posture, scene.spot
    stays = place in frame.at
    weather = scene.weather if stays else None
    if not stays:
        place = frame.places(rng) if rng.random() < 0.6 else None
    return Scene(who, frame.verb, object_, None, None, posture, spot, place, scene.time, weather)


@cache
def other_frames(noun: str, verb: str) -> tuple[Frame, ...]:
    """What else the noun does that plainly excludes the action."""
    others = _plain_others(verb)
    return tuple([frame for frame in BY_SUBJECT.get(noun, ()) if frame.verb in others])


@cache
def _plain_others(verb: str) -> frozenset[str]:
    """The actions that plainly exclude this one."""
    return frozenset([other for other in ACTIONS if verbs_exclude(verb, other) and actions_apart(verb, other)])


ACTIONS = frozenset(frame.verb for frame in FRAMES if frame.verb)


def other_subject(draft: Draft, rng: random.Random) -> Scene | None:
    """Somebody else does it."""
    who = draft.scene.who
    noun = OPPOSITE.get(who.noun)
    if noun is None or rng.random() >= 0.6:
        noun = one_of([noun for noun in draft.frame.subjects.items if noun != who.noun], rng)
    if noun is None or NOUNS[noun].mark != NOUNS[who.noun].mark or (who.high > 1 and noun in drawing.LONE):
        return None
    fitting = NOUNS[noun].dimensions
    traits = tuple([trait for trait in who.traits if trait[0] in fitting or trait[0][:5] == "wear:"])
    return draft.scene.but(WHO, Party(noun, who.low, who.high, traits))


OPPOSITE = {"man": "woman", "woman": "man", "boy": "girl", "girl": "boy"}


def other_number(draft: Draft, rng: random.Random) -> Scene | None:
    """More or fewer of them."""
    scene, who = draft.scene, draft.scene.who
    if who.low == 0 or "one" in draft.frame.flags or NOUNS[who.noun].mark or who.noun in drawing.LONE:
        return None
    if scene.beside or (who.high >= MANY and who.low < 3):
        return None
    if who.high == 1 or rng.random() < 0.4:
        low, high = drawing.TWO if draft.frame.verb in drawing.FEW else drawing.MANY_ONLY(rng)
        each = "each" in draft.frame.flags and scene.object and not NOUNS[scene.object.noun].mark
        owned = scene.object._replace(low=2, high=MANY) if each else scene.object
        more = looks.seen_of(who._replace(low=low, high=high))
        return scene._replace(who=more, object=owned) if low > who.high else None
    low = high = who.low - 1 if who.low == who.high and rng.random() < 0.5 else 1
    only = (("count", "only"), *(trait for trait in who.traits if trait[0][:5] == "wear:"))
    each = high == 1 and "each" in draft.frame.flags and scene.object and not NOUNS[scene.object.noun].mark
    owned = scene.object._replace(low=1, high=1) if each else scene.object
    manner = None if scene.manner and scene.manner[0] == "company" else scene.manner  # no one does it together
    return scene._replace(who=who._replace(low=low, high=high, traits=only), object=owned, manner=manner)


def other_place(draft: Draft, rng: random.Random) -> Scene | None:
    """It happens somewhere else."""
    scene = draft.scene
    if not scene.place:
        return None
    place = one_of([place for place in draft.frame.places.items if place != scene.place], rng)
    if place is None:
        return None
    elsewhere = scene.but(PLACE, place)
    return elsewhere if scene.weather is None else elsewhere.but(WEATHER, None)


def other_thing(draft: Draft, rng: random.Random) -> Scene | None:
    """It is done to, or with, something else."""
    scene, frame = draft.scene, draft.frame
    if scene.tool and rng.random() < 0.3:
        tool = one_of([t for t in frame.tools.items if t != scene.tool.noun], rng)
        return scene.but(TOOL, scene.tool._replace(noun=tool)) if tool else None
    if not scene.object:
        return None
    choice = one_of([c for c in frame.objects.items if c[0] != scene.object.noun], rng)
    if choice is None:
        return None
    several = scene.object.high > 1 and scene.object.low > 0
    other = drawing.thing(choice, rng, several, 0.0, scene.verb)
    return scene.but(OBJECT, other)


def other_trait(draft: Draft, rng: random.Random) -> Scene | None:
    """Another colour, the opposite adjective."""
    scene = draft.scene
    roles = [role for role in (WHO, OBJECT) if scene[role] and scene[role].traits]
    role = one_of(roles, rng)
    if role is None:
        return None
    party = scene[role]
    dimension, value = party.traits[-1]
    values = looks.colours(dimension) if dimension[:5] == "wear:" else looks.TRAIT[dimension]
    other = one_of([item for item in values.items if item != value], rng)
    if party.high > 1 and other in looks.OF_ONE:
        return None
    traits = (*party.traits[:-1], (dimension, other))
    return scene.but(role, Party(party.noun, party.low, party.high, traits))


def other_posture(draft: Draft, rng: random.Random) -> Scene | None:
    """Sitting instead of standing, or standing where the body moves."""
    scene = draft.scene
    if not NOUNS[scene.who.noun].is_person or scene.verb is None:
        return None
    if scene.posture is None and "b" not in VERBS[scene.verb].uses:
        return None
    options = [p for p in ("sit", "stand", "lie") if p != scene.posture]
    posture = one_of(options, rng)
    return Scene(scene.who, posture=posture, place=None if posture == "lie" else scene.place, time=scene.time)


def other_time(draft: Draft, rng: random.Random) -> Scene | None:
    """Another time of the day, or other weather."""
    scene = draft.scene
    if scene.weather:
        others = [w for w in drawing.WINTER_WEATHER.items if w != scene.weather]
        return scene.but(WEATHER, one_of(others, rng))
    times = [time for time in TIMES if time != scene.time]
    return scene.but(TIME, one_of(times, rng)) if scene.time else None


def other_manner(draft: Draft, rng: random.Random) -> Scene | None:
    """Slowly instead of quickly."""
    scene = draft.scene
    if scene.manner is None or scene.manner[0] == "company":
        return None
    values = drawing.MANNER[scene.manner[0]].items
    if len(values) < 2:
        return None
    other = values[values[0] == scene.manner[1]]
    return scene._replace(manner=(scene.manner[0], other))


def negation(draft: Draft, rng: random.Random) -> Scene | None:
    """The same with "not", or with "no" or "nobody" as the subject; of what one wears, that one does not."""
    scene = draft.scene
    who = scene.who
    if rng.random() > DENIALS or not alive(who) or scene.verb is None:
        return None
    if who.traits and who.traits[0][0][:5] == "wear:" and rng.random() < 0.7:
        return Scene(countable(who._replace(traits=((who.traits[0][0], ""),))), negated=True)
    scene = scene._replace(posture=None, spot=None, place=None, who=who._replace(traits=()))
    if rng.random() < 0.5 and who.low > 0 and not NOUNS[who.noun].mark:
        noun = "person" if NOUNS[who.noun].is_person and rng.random() < 0.5 else who.noun
        return scene._replace(who=Party(noun, 1, MANY), beside=None, negated=True)
    return scene._replace(who=countable(scene.who), negated=True)


DENIALS = 0.1  # seldom tried: people seldom write down what is not so


def alive(who: Party) -> bool:
    """Whether it is a person or an animal."""
    return NOUNS[who.noun].kind[0] in ("person", "animal")


def countable(who: Party) -> Party:
    """The number as "the ..." can say it: exact, or simply several."""
    return who if who.high == who.low or who.low == 0 else who._replace(low=2, high=MANY)
