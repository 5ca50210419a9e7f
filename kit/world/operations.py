"""Hypotheses about a scene: each operation changes the scene, and so the label, in one way.

An operation takes a draft and a random generator, and proposes a changed scene, or None where it does not apply. What
label a proposal has is not decided here but by `scene_relations.relation`; a proposal that turns out otherwise, or on
which readers would differ (`disputed`), is thrown away. What all hypotheses have in common, whatever their label, comes
after it: details left out, kinds made more general (`shortening`).
"""

from __future__ import annotations

import random
from collections.abc import Callable

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
from kit.world.frames import Choice
from kit.world.hours_and_weather import in_season
from kit.world.lexicon import NOUNS, PLACES, PLAIN
from kit.world.plausible import goes_without_saying
from kit.world.scene import Scene
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
    scene, frame = draft.scene, draft.frame
    more = drawing.fill(frame, rng, 2.2, scene.who, scene.place)
    options: list[dict] = []
    for role in ADDED:
        value = getattr(more, role)
        if getattr(scene, role) is None and value is not None and _heard(role, draft, value):
            if role == "posture":
                options += [{"posture": more.posture, "spot": more.spot}] * (scene.spot is None and bool(more.spot))
            elif role != "spot" or (more.posture is None and not goes_without_saying(scene, value[1])):
                options.append({role: value})
    if not scene.who.traits and scene.who.low < 4:
        several = scene.who.high > 1
        garment = NOUNS[scene.who.noun].is_person and looks.worn(frame, scene.who.noun, scene.place, rng, several)
        described = looks.described(scene.who, rng, looks.not_seen(frame))
        options += [{"who": described}] * (described != scene.who and rng.random() < 0.5)
        options += [{"who": scene.who._replace(traits=(garment,))}] * bool(garment)
    plain = scene.object is None or NOUNS[scene.object.noun].is_person or scene.verb in drawing.AS_IT_IS
    if not plain and not scene.object.traits:
        described = looks.described(scene.object, rng)
        options += [{"object": described}] * (described != scene.object and not NOUNS[scene.object.noun].mark)
    if scene.time is None and scene.weather is None and (not options or rng.random() < 0.06):
        # kept rare: else every second addition would be one of these
        time, weather = drawing.circumstances(frame, scene.place, scene.who, rng, 2.2)
        if (time or weather) and in_season(scene._replace(time=time, weather=weather)):
            options.append({"time": time, "weather": weather})
    change = one_of(options, rng)
    return scene._replace(**change) if change else None


ADDED = tuple(role for role in DETAILS if role not in ("time", "weather"))
UNHEARD = (
    ("noise", "quietly"),
    ("company", "alone"),
    ("company", "together"),
    ("care", "carefully"),
)  # goes without saying, or so it is read


def _heard(role: str, draft: Draft, value: object) -> bool:
    """Whether a detail is worth saying, and goes with what the scene has."""
    scene = draft.scene
    if role == "beside":
        return scene.who.high == 1 and scene.manner is None
    if role == "manner":
        return scene.beside is None and value not in UNHEARD
    return role != "tool" or len(draft.frame.tools.items) > 1


def more_specific(draft: Draft, rng: random.Random) -> Scene | None:
    """A special kind of the person or thing in the premise."""
    scene, frame = draft.scene, draft.frame
    role = "object" if scene.object and rng.random() < 0.3 else "who"
    party = getattr(scene, role)
    here = frame.subjects.items if role == "who" else [noun for noun, _ in frame.objects.items]
    if role == "who" and party.noun not in PLAIN:
        here = ["man", "woman"]
    kinds = [name for name in here if name != party.noun and not NOUNS[name].mark]
    if role == "who":
        told = BY_ACTION | TEENS
        kinds = [name for name in kinds if name not in told and not noun_excludes(party.noun, name)]
        kinds = [name for name in kinds if not noun_implies(party.noun, name)]
    else:
        kinds = [name for name in kinds if party.noun in NOUNS[name].kind[:-1]]
    kind = one_of(kinds, rng)
    if kind is None or party.low == 0 or (party.high > 1 and kind in drawing.LONE):
        return None
    known = NOUNS[kind].dimensions
    traits = tuple(trait for trait in party.traits if trait[0] in known or trait[0][:5] == "wear:")
    return scene._replace(**{role: party._replace(noun=kind, traits=traits)})


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
