"""What happens to every hypothesis, whatever its label: details left out, words made more general.

The label is made by one change (`operations`). All the rest is done alike for entailment, neutral and contradiction, so
that neither the length of a hypothesis nor a general word ("person", "outdoors") tells its label.
"""

from __future__ import annotations

import random
from itertools import compress
from operator import ne

from kit.world.entailments import CIRCUMSTANCES, can_be_general, generalise, one_of
from kit.world.lexicon import NOUNS, PLACES
from kit.world.predicates import passivable
from kit.world.scene import MANNER, NEGATED, OBJECT, PLACE, POSTURE, SPOT, VERB, WHO, Party, Scene

GENERAL, NO_AGENT, STATE = 0.34, 0.07, 0.14  # how often


def shortened(scene: Scene, premise: Scene, details: list[int], added: bool, rng: random.Random) -> tuple[Scene, str]:
    """The scene with less said, but for what the operation has changed; and what was done, in a word or two.

    `details` are those of the premise. Where something was `added`, one detail more makes room for it.
    """
    parts = list(scene)
    if parts[NEGATED]:
        _drop_details(parts, premise, details, added, rng)
        _make_plain(parts, premise, details, rng)
        return Scene._make(parts), ""
    roll = rng.random()
    if roll < STATE:
        state = _state(scene, premise, rng)
        if state:
            return state, "state"
    done = "drop detail" if _drop_details(parts, premise, details, added, rng) else ""
    if rng.random() < GENERAL:
        unchanged = [role for role in (WHO, OBJECT, PLACE, VERB) if scene[role] == premise[role]]
        role = one_of([role for role in unchanged if can_be_general(parts, role)], rng)
        if role is not None:
            generalise(parts, role)
            done = "hypernym"
    if roll > 1 - NO_AGENT and scene.who == premise.who and passivable(Scene._make(parts)):
        parts[WHO] = None
        if parts[MANNER] and parts[MANNER][0] == "company":
            parts[MANNER] = None
        done = "passive without agent"
    return (Scene._make(parts) if done else scene), done


def details_of(scene: Scene) -> list[int]:
    """What can be left out of it, as places in the scene: circumstances, and the looks of who or what has any."""
    looks = [role for role in (WHO, OBJECT) if scene[role] and scene[role].traits]
    return [role for role in CIRCUMSTANCES if scene[role] is not None] + looks


def _drop_details(parts: list, premise: Scene, details: list[int], added: bool, rng: random.Random) -> bool:
    """Whether `parts` lost any of the details that they share with the premise.

    How many go is drawn, all or none as likely as any other number.
    """
    common = [role for role in details if parts[role] == premise[role]]
    if SPOT in common and parts[POSTURE]:
        common.remove(SPOT)  # it goes with the posture
    left, dropped = len(common), False
    for _ in range(min(left, added + int(rng.random() * (left + 1)))):
        role = common.pop(int(rng.random() * left))
        left -= 1
        if role <= OBJECT and rng.random() < 0.5:  # looks are kept longer than circumstances
            continue
        _leave_out(parts, role)
        dropped = True
    return dropped


def _leave_out(parts: list, role: int) -> None:
    """Leaves out a circumstance, or how somebody or something looks."""
    if role <= OBJECT:
        noun, low, high, _ = parts[role]
        parts[role] = Party(noun, low, high)
        return
    parts[role] = None
    if role == POSTURE:
        parts[SPOT] = None


def _make_plain(parts: list, premise: Scene, details: list[int], rng: random.Random) -> None:
    """Leaves a denial nothing that it does not deny, but one circumstance.

    Nobody says "not walking his big dog at night".
    """
    common = [role for role in details if role > OBJECT and parts[role] == premise[role]]
    kept = one_of([role for role in common if role in (PLACE, SPOT) and not parts[POSTURE]], rng)
    for role in common:
        if role != kept:
            _leave_out(parts, role)
    if parts[OBJECT] and parts[OBJECT] == premise.object:
        _leave_out(parts, OBJECT)


def _state(scene: Scene, premise: Scene, rng: random.Random) -> Scene | None:
    """Only where they are, what they wear, or what position they are in; None where that leaves the change out."""
    who = scene.who
    changed = set(compress(range(len(scene)), map(ne, scene, premise)))
    bare = who if WHO in changed else Party(who.noun, who.low, who.high)
    options = []
    if who.traits and changed <= {WHO}:
        options.append(Scene(who))
    if scene.place and changed <= {PLACE, WHO}:
        setting = PLACES[scene.place].setting
        options.append(Scene(bare, place=scene.place))
        options += [Scene(bare, place=setting)] * (bool(setting) and PLACE not in changed)
    if scene.posture and scene.spot and changed <= {POSTURE, SPOT, WHO}:
        options.append(Scene(bare, posture=scene.posture, spot=scene.spot))
    return one_of(options, rng) if NOUNS[who.noun].mark != "~" else None
