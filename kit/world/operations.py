"""Hypotheses about a scene: each operation changes the scene, and so the label, in one way.

An operation takes a draft and a random generator, and proposes a changed scene, or None where it does not apply. What
label a proposal has is not decided here but by `scene_relations.relation`; a proposal that turns out otherwise, or on
which readers would differ (`disputed`), is thrown away. What all hypotheses have in common, whatever their label, comes
after it: details left out, kinds made more general (`shortening`).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from kit.world import drawing
from kit.world.contradictions import (
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
from kit.world.lexicon import NOUNS, PLAIN
from kit.world.plausible import goes_without_saying
from kit.world.scene import MANY, Party, Scene
from kit.world.scene_relations import noun_excludes, noun_implies

Operation = Callable[[Draft, random.Random], Scene | None]


def not_otherwise(draft: Draft, rng: random.Random) -> Scene | None:
    """The denial of something that is not so: true words with "not" in them."""
    change = one_of([other_action, other_action, other_posture, other_place], rng)
    scene = change(draft, rng)
    if scene is None:
        return None
    who = countable(scene.who._replace(traits=()))
    bare = Scene(who)
    if change is other_place:
        return bare._replace(place=scene.place, negated=True)
    if change is other_posture:
        return bare._replace(posture=scene.posture, negated=True)
    return bare._replace(verb=scene.verb, object=scene.object, negated=True)


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
        garment = NOUNS[scene.who.noun].is_person and drawing.worn(frame, scene.who.noun, scene.place, rng)
        described = drawing.described(scene.who, rng)
        options += [{"who": described}] * (described != scene.who and rng.random() < 0.5)
        options += [{"who": scene.who._replace(traits=(garment,))}] * bool(garment)
    plain = scene.object is None or NOUNS[scene.object.noun].is_person or scene.verb in drawing.AS_IT_IS
    if not plain and not scene.object.traits:
        described = drawing.described(scene.object, rng)
        options += [{"object": described}] * (described != scene.object and not NOUNS[scene.object.noun].mark)
    if scene.time is None and scene.weather is None and (not options or rng.random() < 0.15):
        # kept rare: else every second addition would be one of these
        options += [{role: getattr(more, role)} for role in ("time", "weather") if getattr(more, role)]
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
        return scene.who.high == 1
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


def denied_detail(draft: Draft, rng: random.Random) -> Scene | None:
    """The denial of what the premise leaves open: "The man is not wearing a hat"."""
    scene = add_detail(draft, rng)
    if scene is None or scene.who.low == 0:
        return None
    if any(getattr(scene, role) != getattr(draft.scene, role) for role in ("time", "weather", "manner")):
        return None  # "nobody is slowly swimming" is no caption
    who = countable(scene.who)
    if rng.random() < 0.25 and scene.who == draft.scene.who and not NOUNS[who.noun].mark:  # "no man is ... at night"
        noun = "person" if NOUNS[who.noun].is_person and rng.random() < 0.5 else who.noun
        return scene._replace(who=Party(noun, 1, MANY), beside=None, negated=True)
    if scene.who != draft.scene.who:
        return Scene(who, negated=True)
    if scene.place != draft.scene.place:  # a bench or a sofa tells where they are not
        return None
    if scene.posture != draft.scene.posture:
        return Scene(who._replace(traits=()), posture=scene.posture, spot=scene.spot, negated=True)
    return None if scene.object != draft.scene.object else scene._replace(who=who, negated=True)


# label -> (name, operation), the commonest first
OPERATIONS: dict[int, Choice] = {
    0: Choice(
        [("rephrase", same)] * 6 + [("looser number", loose_number), ("denial of something else", not_otherwise)], 0.2,
    ),
    1: Choice(
        [("added detail", add_detail)] * 4
        + [("more specific", more_specific)] * 2
        + [("open denial", denied_detail)],
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
