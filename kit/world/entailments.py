"""Steps that leave something out or make it more general."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from kit.world.drawing import Draft
from kit.world.lexicon import NOUNS, PLACES, VERBS
from kit.world.scene import MANY, OBJECT, PLACE, TOOL, VERB, Party, Scene
from kit.world.verbs import TAKES_OWN

# Actions that are not made more general: who sews a shirt or pets a dog need not be at work or looking after it.
PLAIN_AS_SAID = frozenset(
    """
    sew hang_picture count measure weigh sort make_pot change_bulb print load stack deliver repair decorate set_table
    bake pick collect rake pet feed bandage carry build_sand nibble read_to order_online knead roll_out spread
    """.split()
)
# Actions whose object is not: "making the furniture", "waiting for a vehicle", "raising a container".
OWN_OBJECT = TAKES_OWN | frozenset(
    """
    make_bed set_table raise_hand raise_glass take_exam wait_for board fly_kite knead roll_out spread decorate ride
    push fly_plane play_music play_wind practise toast blow_out listen_to look_through sign_paper stop_at type_on
    cut_cake climb plant milk_animal shear build
    """.split()
)
# Nor the subject of these: "an animal is galloping".
OWN_SUBJECT = frozenset({"gallop", "graze", "bark"})
# What can be left out of a scene without changing who does what; the same as places in a scene.
DETAILS = ("tool", "beside", "spot", "place", "time", "weather", "manner", "posture")
CIRCUMSTANCES = tuple(sorted(map(Scene._fields.index, DETAILS)))
GENERAL_PLACE = {name: place.setting for name, place in PLACES.items() if place.setting not in ("", name)}
GENERAL_ACTION = {
    name: verb.parent
    for name, verb in VERBS.items()
    if verb.parent and not VERBS[verb.parent].silent and name not in PLAIN_AS_SAID
}


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
    return without(scene, role) if role else None


def without(scene: Scene, role: str) -> Scene:
    if role in ("who", "object"):
        return scene._replace(**{role: getattr(scene, role)._replace(traits=())})
    if role == "posture":
        return scene._replace(posture=None, spot=None)
    return scene._replace(**{role: None})


def can_be_general(parts: Sequence, role: int) -> bool:
    """Whether a more general word could stand for that of a role; `parts` are those of a scene."""
    value = parts[role]
    if value is None:
        return False
    if role == PLACE:
        return value in GENERAL_PLACE
    if role == VERB:
        thing = parts[OBJECT]
        return value in GENERAL_ACTION and not (thing and thing.noun == "hair")  # cut, but not prepared
    if parts[VERB] in (OWN_OBJECT if role == OBJECT else OWN_SUBJECT):
        return False
    return bool(NOUNS[value.noun].parents)


def generalise(parts: list, role: int) -> None:
    """Puts the more general word for that of a role that `can_be_general`."""
    value = parts[role]
    if role == PLACE:
        parts[role] = GENERAL_PLACE[value]
    elif role == VERB:
        parts[role] = GENERAL_ACTION[value]
        if VERBS[parts[role]].intransitive:
            parts[OBJECT] = parts[TOOL] = None
    else:
        parts[role] = generalised(value)


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
