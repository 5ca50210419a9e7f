"""Hypotheses about a scene: each operation changes the scene, and so the label, in one way.

An operation takes a draft, the style of its sentence and a random generator, and proposes a
changed scene, or None where it does not apply. What label a proposal has is not decided here
but by `relations.relation`; a proposal that turns out otherwise is thrown away.
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
from kit.world.drawing import Draft
from kit.world.entailments import (
    DETAILS,
    drop_detail,
    drop_most,
    hypernym,
    loose_number,
    no_agent,
    one_of,
    same,
    state_only,
)
from kit.world.frames import Choice
from kit.world.lexicon import NOUNS
from kit.world.scene import Scene

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
    more = drawing.fill(frame, rng, 2.0, scene.who, scene.place)
    options = []
    for role in DETAILS:
        if getattr(scene, role) is None and getattr(more, role) is not None:
            if role == "posture":
                options += [{"posture": more.posture, "spot": more.spot}] * (scene.spot is None)
            elif role != "spot" or more.posture is None:
                options.append({role: getattr(more, role)})
    described = drawing.described(scene.who, rng)
    if not scene.who.traits and described != scene.who:
        options += [{"who": described}] * 2
    change = one_of(options, rng)
    if change is None:
        return None
    if ("weather" in change and scene.time) or ("time" in change and scene.weather):
        return None
    if ("beside" in change and scene.who.high > 1) or ("manner" in change and scene.beside):
        return None
    base = scene
    if rng.random() < 0.5:
        base = drop_detail(draft, rng) or scene
    return base._replace(**change)


def more_specific(draft: Draft, rng: random.Random) -> Scene | None:
    """A special kind of the person, thing or action in the premise."""
    scene, frame = draft.scene, draft.frame
    if scene.verb in drawing.NARROWER and rng.random() < 0.5:
        verb = drawing.narrower(scene.verb, frame, rng)
        return scene._replace(verb=verb) if verb else None
    role = "object" if scene.object and rng.random() < 0.5 else "who"
    party = getattr(scene, role)
    kinds = [name for name in KINDS_OF.get(party.noun, ()) if not NOUNS[name].mark]
    if role == "who":
        kinds = [name for name in frame.subjects.items if name != party.noun]
    kind = one_of(kinds, rng)
    if kind is None or party.low == 0:
        return None
    return scene._replace(**{role: party._replace(noun=kind)})


KINDS_OF: dict[str, list[str]] = {}
for _noun in NOUNS.values():
    for _parent in _noun.parents:
        KINDS_OF.setdefault(_parent, []).append(_noun.name)

# label -> (name, operation), the commonest first
OPERATIONS: dict[int, Choice] = {
    0: Choice(
        [
            ("drop detail", drop_detail), ("hypernym", hypernym), ("rephrase", same),
            ("drop most details", drop_most), ("passive without agent", no_agent),
            ("state", state_only), ("looser number", loose_number),
            ("denial of something else", not_otherwise),
        ], 0.35,
    ),
    1: Choice(
        [("added detail", add_detail), ("more specific", more_specific), ("other action", other_action)],
        0.5,
    ),
    2: Choice(
        [
            ("other action", other_action), ("other subject", other_subject),
            ("other thing", other_thing), ("other place", other_place), ("negation", negation),
            ("other number", other_number), ("other attribute", other_trait),
            ("other time or weather", other_time), ("other posture", other_posture),
            ("opposite manner", other_manner),
        ], 0.25,
    ),
}  # fmt: skip
