"""Hypotheses about a scene: each operation changes the scene, and so the label, in one way.

An operation takes a draft and a random generator, and proposes a changed scene, or None where it does not apply. What
label a proposal has is not decided here but by `scene_relations.relation`; a proposal that turns out otherwise, or on
which readers would differ (`disputed`), is thrown away. What all hypotheses have in common, whatever their label, comes
after it: details left out, kinds made more general (`shortening`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from kit.world import drawing, looks
from kit.world.contradictions import (
    DENIALS,
    alive,
    countable,
    negation,
    other_action,
    other_manner,
    other_number,
    other_place,
    other_posture,
    other_subject,
    other_thing,
    other_time,
    other_trait,
)
from kit.world.disputed import BY_ACTION, TEENS
from kit.world.drawing import Draft
from kit.world.entailments import DETAILS, loose_number, one_of, same
from kit.world.frames import Choice, Frame
from kit.world.hours_and_weather import in_season
from kit.world.lexicon import NOUNS, PLACES, PLAIN
from kit.world.plausible import goes_without_saying
from kit.world.scene import BESIDE, MANNER, OBJECT, POSTURE, SPOT, TIME, TOOL, WEATHER, WHO, Party, Scene
from kit.world.scene_relations import noun_excludes, noun_implies

Operation = Callable[[Draft, random.Random], Scene | None]


def not_otherwise(draft: Draft, rng: random.Random) -> Scene | None:
    """The denial of a plain state that is not so: true words with "not" in them."""
    scene = draft.scene
    if rng.random() > DENIALS or not alive(scene.who):
        return None
    bare = Scene(countable(scene.who._replace(traits=())), negated=True)
    states = [{"verb": "sleep"}, {"posture": "sit"}, {"posture": "lie"}]
    states += [{"place": other} for here, other in OTHER_SIDE if scene.place and PLACES[scene.place].setting == here]
    return bare._replace(**one_of(states, rng))


OTHER_SIDE = (("outdoors", "indoors"), ("indoors", "outdoors"))


def add_detail(draft: Draft, rng: random.Random) -> Scene | None:
    """A circumstance or adjective that the premise does not give."""
    scene, frame = draft
    more = drawing.fill(frame, rng, 2.2, scene.who, scene.place)
    options = [*_circumstances(draft, more), *_looks(draft, rng)]
    if scene.time is None and scene.weather is None and (not options or rng.random() < 0.06):
        # kept rare: else every second addition would be one of these
        time, weather = drawing.circumstances(frame, scene.place, scene.who, rng, 2.2)
        if (time or weather) and in_season(scene._replace(time=time, weather=weather)):
            options.append(((TIME, time), (WEATHER, weather)))
    change = one_of(options, rng)
    if change is None:
        return None
    parts = list(scene)
    for role, value in change:
        parts[role] = value
    return Scene._make(parts)


Change = tuple[tuple[int, object], ...]  # roles, as places in a scene, and what fills them


def _circumstances(draft: Draft, more: Scene) -> list[Change]:
    """The circumstances of another scene of the frame that the premise does not give."""
    scene = draft.scene
    options: list[Change] = []
    for role in ADDED:
        value = more[role]
        if value is None or scene[role] is not None or not _heard(role, draft, value):
            continue
        if role == POSTURE:
            if scene.spot is None and more.spot:
                options.append(((POSTURE, value), (SPOT, more.spot)))
        elif role != SPOT or (more.posture is None and not goes_without_saying(scene, value[1])):
            options.append(((role, value),))
    return options


def _looks(draft: Draft, rng: random.Random) -> list[Change]:
    """Adjectives and garments of who or what has none."""
    scene, frame = draft
    who, thing = scene.who, scene.object
    options: list[Change] = []
    if not who.traits and who.low < 4:
        garment = NOUNS[who.noun].is_person and looks.worn(frame, who.noun, scene.place, rng, who.high > 1)
        described = looks.described(who, rng, looks.not_seen(frame.verb))
        if described is not who and rng.random() < 0.5:
            options.append(((WHO, described),))
        if garment:
            options.append(((WHO, who.looking((garment,))),))
    if thing is None or thing.traits or scene.verb in drawing.AS_IT_IS or NOUNS[thing.noun].is_person:
        return options
    described = looks.described(thing, rng)
    if described is not thing and not NOUNS[thing.noun].mark:
        options.append(((OBJECT, described),))
    return options


# in the order in which they are offered
ADDED = tuple(Scene._fields.index(role) for role in DETAILS if role not in ("time", "weather"))
UNHEARD = (
    ("noise", "quietly"),
    ("company", "alone"),
    ("company", "together"),
    ("care", "carefully"),
)  # goes without saying, or so it is read


def _heard(role: int, draft: Draft, value: object) -> bool:
    """Whether a detail is worth saying, and goes with what the scene has."""
    scene = draft.scene
    if role == BESIDE:
        return scene.who.high == 1 and scene.manner is None
    if role == MANNER:
        return scene.beside is None and value not in UNHEARD
    return role != TOOL or len(draft.frame.tools.items) > 1


def more_specific(draft: Draft, rng: random.Random) -> Scene | None:
    """A special kind of the person or thing in the premise."""
    scene, frame = draft
    role = OBJECT if scene.object and rng.random() < 0.3 else WHO
    party = scene[role]
    kind = one_of(_kinds_of_thing(party.noun, frame) if role == OBJECT else _kinds_of_people(party.noun, frame), rng)
    if kind is None or party.low == 0 or (party.high > 1 and kind in drawing.LONE):
        return None
    known = NOUNS[kind].dimensions
    traits = tuple([trait for trait in party.traits if trait[0] in known or trait[0][:5] == "wear:"])
    return scene.but(role, Party(kind, party.low, party.high, traits))


@cache
def _kinds_of_thing(noun: str, frame: Frame) -> list[str]:
    """What the frame has that is a kind of the thing."""
    names = [name for name, _ in frame.objects.items if name != noun and not NOUNS[name].mark]
    return [name for name in names if noun in NOUNS[name].kind[:-1]]


@cache
def _kinds_of_people(noun: str, frame: Frame) -> list[str]:
    """Who may stand for the person or animal, and is not called after what the scene tells of them."""
    here = frame.subjects.items if noun in PLAIN else ["man", "woman"]
    names = [name for name in here if name != noun and not NOUNS[name].mark and name not in TOLD]
    return [name for name in names if not noun_excludes(noun, name) and not noun_implies(noun, name)]


TOLD = BY_ACTION | TEENS


def denied_garment(draft: Draft, rng: random.Random) -> Scene | None:
    """The denial of what the premise leaves open: "The man is not wearing a hat"."""
    who = draft.scene.who
    dressed = draft.frame.wear != "none" and NOUNS[who.noun].is_person and not NOUNS[who.noun].mark
    if rng.random() > 3 * DENIALS or not dressed or who.traits:
        return None
    garment = looks.worn(draft.frame, who.noun, draft.scene.place, rng, who.high > 1)
    if garment is None or garment[0][5:] not in TAKEN_OFF:
        return None
    return Scene(countable(who._replace(traits=((garment[0], ""),))), negated=True)


# what one may well be without: a cook "is not wearing a shirt" is another story
TAKEN_OFF = frozenset("hat cap coat jacket glasses sunglasses scarf gloves helmet apron".split())

# label -> (name, operation), the commonest first
OPERATIONS: dict[int, Choice] = {
    0: Choice(
        [("rephrase", same)] * 6 + [("looser number", loose_number), ("denial of something else", not_otherwise)], 0.2,
    ),
    1: Choice(
        [("added detail", add_detail)] * 9
        + [("more specific", more_specific)] * 3
        + [("open denial", denied_garment)],
        0.2,
    ),
    2: Choice(
        [
            ("other action", other_action), ("other action", other_action), ("other thing", other_thing),
            ("other thing", other_thing), ("other thing", other_thing), ("other subject", other_subject),
            ("other subject", other_subject), ("other place", other_place), ("other attribute", other_trait),
            ("other time or weather", other_time), ("other posture", other_posture), ("opposite manner", other_manner),
            ("other number", other_number), ("negation", negation),
        ], 0.4,
    ),
}  # fmt: skip
