"""What happens to every hypothesis, whatever its label: details left out, words made more general.

The label is made by one change (`operations`). All the rest is done alike for entailment, neutral and contradiction, so
that neither the length of a hypothesis nor a general word ("person", "outdoors") tells its label.
"""

from __future__ import annotations

import random

from kit.world.entailments import DETAILS, general, one_of, without
from kit.world.lexicon import NOUNS, PLACES
from kit.world.predicates import passivable
from kit.world.scene import Scene

GENERAL, NO_AGENT, STATE = 0.34, 0.07, 0.14  # how often


def shortened(scene: Scene, premise: Scene, added: bool, rng: random.Random) -> tuple[Scene, str]:
    """The scene with less said, but for what the operation has changed; and what was done, in a word or two.

    Where something was `added`, one detail more makes room for it.
    """
    if scene.negated:
        return _plain_denial(_fewer_details(scene, premise, added, rng), premise, rng), ""
    changed = {
        role for role, new, old in zip(Scene._fields, scene, premise, strict=True) if new is not old and new != old
    }
    roll, done = rng.random(), ""
    if roll < STATE:
        state = _state(scene, changed, rng)
        if state:
            return state, "state"
    short = _fewer_details(scene, premise, added, rng)
    if short != scene:
        scene, done = short, "drop detail"
    if rng.random() < GENERAL:
        roles = [r for r in ("who", "object", "place", "verb") if r not in changed and general(scene, r)]
        role = one_of(roles, rng)
        if role:
            scene, done = scene._replace(**general(scene, role)), "hypernym"
    if roll > 1 - NO_AGENT and "who" not in changed and not scene.beside and passivable(scene):
        manner = scene.manner if scene.manner and scene.manner[0] != "company" else None
        scene, done = scene._replace(who=None, manner=manner), "passive without agent"
    return scene, done


def _fewer_details(scene: Scene, premise: Scene, added: bool, rng: random.Random) -> Scene:
    """Some of the details that both have are left out; how many is drawn, all or none as likely as any other number."""
    pairs = zip(Scene._fields, scene, premise, strict=True)
    common = [role for role, new, old in pairs if new is not None and role in DETAILS and (new is old or new == old)]
    if "posture" in common and "spot" in common:
        common.remove("spot")  # it goes with the posture
    elif "spot" in common and scene.posture:
        common.remove("spot")
    for role in ("who", "object"):
        party = getattr(scene, role)
        if party and party.traits and party == getattr(premise, role):
            common.append(role)
    for _ in range(min(len(common), added + int(rng.random() * (len(common) + 1)))):
        role = common.pop(int(rng.random() * len(common)))
        if role in ("who", "object") and rng.random() < 0.5:  # looks are kept longer than circumstances
            continue
        scene = without(scene, role)
    return scene


def _plain_denial(scene: Scene, premise: Scene, rng: random.Random) -> Scene:
    """A denial without what it does not deny, but one circumstance: nobody says "not walking his big dog at night"."""
    pairs = zip(Scene._fields, scene, premise, strict=True)
    common = [role for role, new, old in pairs if role in DETAILS and new is not None and new == old]
    kept = one_of([role for role in common if role in ("place", "spot") and not scene.posture], rng)
    for role in common:
        if role != kept and getattr(scene, role) is not None:
            scene = without(scene, role)
    if scene.object and scene.object == premise.object:
        scene = without(scene, "object")
    return scene


def _state(scene: Scene, changed: set[str], rng: random.Random) -> Scene | None:
    """Only where they are, what they wear, or what position they are in; None where that leaves the change out."""
    who = scene.who
    bare = who if "who" in changed else who._replace(traits=())
    options = []
    if who.traits and changed <= {"who"}:
        options.append(Scene(who))
    if scene.place and changed <= {"place", "who"}:
        setting = PLACES[scene.place].setting
        options.append(Scene(bare, place=scene.place))
        options += [Scene(bare, place=setting)] * (bool(setting) and "place" not in changed)
    if scene.posture and scene.spot and changed <= {"posture", "spot", "who"}:
        options.append(Scene(bare, posture=scene.posture, spot=scene.spot))
    return one_of(options, rng) if NOUNS[who.noun].mark != "~" else None
