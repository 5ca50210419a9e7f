"""Changes that leave something out or make it more general."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from kit.world.drawing import Draft
from kit.world.lexicon import NOUNS, PLACES, VERBS
from kit.world.scene import MANY, Party, Scene

# What can be left out of a scene without changing who does what.
DETAILS = ("tool", "beside", "spot", "place", "time", "weather", "manner", "posture")


def one_of(options: Sequence, rng: random.Random) -> Any:
    """One of the options, or None where there is none."""
    return options[int(rng.random() * len(options))] if options else None


def same(draft: Draft, rng: random.Random) -> Scene:
    """Nothing changes but the words."""
    return draft.scene


def drop_detail(draft: Draft, rng: random.Random) -> Scene | None:
    """One circumstance, adjective or garment is left out."""
    scene = draft.scene
    present = [role for role in DETAILS if getattr(scene, role) is not None]
    present += [role for role in ("who", "object") if getattr(scene, role) and getattr(scene, role).traits]
    role = one_of(present, rng)
    return _without(scene, role) if role else None


def _without(scene: Scene, role: str) -> Scene:
    if role in ("who", "object"):
        return scene._replace(**{role: getattr(scene, role)._replace(traits=())})
    if role == "posture":
        return scene._replace(posture=None, spot=None)
    return scene._replace(**{role: None})


def drop_most(draft: Draft, rng: random.Random) -> Scene:
    """Only who does what is left, or one detail of it."""
    scene = draft.scene
    keep = one_of([role for role in DETAILS if getattr(scene, role) is not None], rng)
    for role in DETAILS:
        if role != keep and not (keep == "spot" and role == "posture"):
            scene = scene._replace(**{role: None})
    if scene.posture is None and keep != "spot" and scene.spot and draft.scene.posture:
        scene = scene._replace(spot=None)
    if rng.random() < 0.6:
        scene = scene._replace(who=scene.who._replace(traits=()))
    if scene.object:
        scene = scene._replace(object=scene.object._replace(traits=()))
    return scene if scene.verb or scene.posture else None


def hypernym(draft: Draft, rng: random.Random) -> Scene | None:
    """Somebody, something, some place or some action becomes more general."""
    scene = draft.scene
    if rng.random() < 0.5:
        scene = drop_most(draft, rng) or scene
    options = [role for role in ("who", "object", "place", "verb") if _general(scene, role)]
    role = one_of(options, rng)
    scene = scene._replace(**_general(scene, role)) if role else None
    if scene and rng.random() < 0.3:
        who = generalised(scene.who, 0)  # "a worker" rather than "a person"
        scene = scene._replace(who=who) if who else scene
    return scene


def _general(scene: Scene, role: str) -> dict | None:
    """The more general filling of a role, as arguments for `_replace`."""
    value = getattr(scene, role)
    if value is None:
        return None
    if role == "place":
        setting = PLACES[value].setting
        return {"place": setting} if setting and setting != value else None
    if role == "verb":
        parent = VERBS[value].parent
        if not parent or VERBS[parent].silent:
            return None
        if VERBS[parent].intransitive:
            return {"verb": parent, "object": None, "tool": None}
        return {"verb": parent}
    party = generalised(value)
    return {role: party} if party else None


def generalised(party: Party, which: int = -1) -> Party | None:
    """The party by a more general noun; adjectives that do not fit it go."""
    parents = NOUNS[party.noun].parents
    if not parents:
        return None
    parent = NOUNS[parents[which]]
    mass = "~" in parent.mark
    fitting = [t for t in party.traits if t[0] in parent.dimensions or t[0][:5] == "wear:"]
    low, high = (0, MANY) if mass else (party.low, party.high)
    return Party(parent.name, low, high, () if mass else tuple(fitting))


def loose_number(draft: Draft, rng: random.Random) -> Scene | None:
    """An exact number of people or animals becomes "some" or "several"."""
    who = draft.scene.who
    if who.low < 2 or (who.low == 2 and who.high == MANY):
        return None
    low = 2 if who.low == 2 or rng.random() < 0.4 else 3
    scene = (drop_detail(draft, rng) if rng.random() < 0.5 else None) or draft.scene
    return scene._replace(who=scene.who._replace(low=low, high=MANY))


def no_agent(draft: Draft, rng: random.Random) -> Scene | None:
    """The passive without "by": who does it is not said."""
    scene = draft.scene
    if not scene.object or scene.posture or scene.beside:
        return None
    manner = scene.manner if scene.manner and scene.manner[0] != "company" else None
    spot = scene.spot if scene.posture is None else None
    return scene._replace(who=None, manner=manner, spot=spot)


def state_only(draft: Draft, rng: random.Random) -> Scene | None:
    """Only where they are, what they wear, or what position they are in."""
    scene, who = draft.scene, draft.scene.who
    bare = who._replace(traits=())
    options = []
    if who.traits:
        options += [Scene(who), Scene(generalised(who) or who)]
    if scene.place:
        options += [Scene(bare, place=scene.place)]
        options += [Scene(bare, place=PLACES[scene.place].setting)] * bool(PLACES[scene.place].setting)
    if scene.posture:
        options += [Scene(bare, posture=scene.posture, spot=scene.spot), Scene(bare, posture=scene.posture)]
    return one_of(options, rng)
