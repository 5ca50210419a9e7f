"""Hypotheses about a scene: each operation changes the scene, and so the label, in one way.

An operation takes a draft, the style of its sentence and a random generator, and proposes a
changed scene, or None where it does not apply. What label a proposal has is not decided here
but by `relations.relation`; a proposal that turns out otherwise is thrown away.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from kit.data.world import draw as drawing
from kit.data.world.draw import Draft
from kit.data.world.frames import BY_SUBJECT, Choice, Frame
from kit.data.world.lexicon import NOUNS, PLACES, TIMES, VERBS
from kit.data.world.scene import MANY, Party, Scene

Operation = Callable[[Draft, random.Random], Scene | None]
# What can be left out of a scene without changing who does what.
DETAILS = ("tool", "beside", "spot", "place", "time", "weather", "manner", "posture")


def _one_of(options: list, rng: random.Random):
    return options[int(rng.random() * len(options))] if options else None


# --- entailments --------------------------------------------------------------------------


def same(draft: Draft, rng: random.Random) -> Scene:
    """Nothing changes but the words."""
    return draft.scene


def drop_detail(draft: Draft, rng: random.Random) -> Scene | None:
    """One circumstance, adjective or garment is left out."""
    scene = draft.scene
    present = [role for role in DETAILS if getattr(scene, role) is not None]
    present += [role for role in ("who", "object") if getattr(scene, role) and getattr(scene, role).traits]
    role = _one_of(present, rng)
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
    keep = _one_of([role for role in DETAILS if getattr(scene, role) is not None], rng)
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
    role = _one_of(options, rng)
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
    return _one_of(options, rng)


def not_otherwise(draft: Draft, rng: random.Random) -> Scene | None:
    """The denial of something that is not so: true words with "not" in them."""
    change = _one_of([other_action, other_action, other_posture, other_place], rng)
    scene = change(draft, rng)
    if scene is None:
        return None
    who = _countable(scene.who._replace(traits=()))
    bare = Scene(who)
    if change is other_place:
        return bare._replace(place=scene.place, negated=True)
    if change is other_posture:
        return bare._replace(posture=scene.posture, negated=True)
    return bare._replace(verb=scene.verb, object=scene.object, negated=True)


def _countable(who: Party) -> Party:
    """The number as "the ..." can say it: exact, or simply several."""
    return who if who.high == who.low or who.low == 0 else who._replace(low=2, high=MANY)


# --- contradictions -----------------------------------------------------------------------


def other_action(draft: Draft, rng: random.Random) -> Scene | None:
    """They do something else, in the same place where that is likely there."""
    scene = draft.scene
    if scene.verb is None or scene.who.noun not in BY_SUBJECT:
        return None
    frames = BY_SUBJECT[scene.who.noun]
    for _ in range(6):
        frame: Frame = frames[int(rng.random() * len(frames))]
        fits = scene.place is None or scene.place in frame.places.items
        if frame.verb and frame.verb != scene.verb and fits and "many" not in frame.flags:
            break
    else:
        return None
    if scene.who.high > 1 and "one" in frame.flags:
        return None
    each = scene.who.high > 1 and "each" in frame.flags
    object_ = drawing.thing(frame.objects(rng), rng, each, 0.0, frame.verb) if frame.objects else None
    posture = spot = None
    moves = "b" in VERBS[frame.verb].uses
    if not moves and (scene.posture, *(scene.spot or (None, None))) in frame.spots.items:
        posture, spot = scene.posture, scene.spot
    return scene._replace(
        verb=frame.verb, object=object_, tool=None, beside=None, manner=None, posture=posture, spot=spot
    )


def other_subject(draft: Draft, rng: random.Random) -> Scene | None:
    """Somebody else does it."""
    who = draft.scene.who
    others = [noun for noun in draft.frame.subjects.items if noun != who.noun]
    opposite = {"man": "woman", "woman": "man", "boy": "girl", "girl": "boy"}.get(who.noun)
    noun = opposite if opposite and rng.random() < 0.6 else _one_of(others, rng)
    if noun is None or NOUNS[noun].mark != NOUNS[who.noun].mark:
        return None
    traits = tuple(t for t in who.traits if t[0] in NOUNS[noun].dimensions or t[0][:5] == "wear:")
    return draft.scene._replace(who=who._replace(noun=noun, traits=traits))


def other_number(draft: Draft, rng: random.Random) -> Scene | None:
    """More or fewer of them."""
    scene, who = draft.scene, draft.scene.who
    if who.low == 0 or "one" in draft.frame.flags or NOUNS[who.noun].mark:
        return None
    low, high = drawing.MANY_ONLY(rng) if who.high == 1 else (1, 1)
    if who.low == who.high and who.high > 1 and rng.random() < 0.6:
        low = high = _one_of([n for n in (2, 3, 4) if n != who.low], rng)
    return scene._replace(who=who._replace(low=low, high=high))


def other_place(draft: Draft, rng: random.Random) -> Scene | None:
    """It happens somewhere else."""
    scene = draft.scene
    others = [place for place in draft.frame.places.items if place != scene.place]
    place = _one_of(others, rng) if scene.place else None
    return scene._replace(place=place, weather=None) if place else None


def other_thing(draft: Draft, rng: random.Random) -> Scene | None:
    """It is done to, or with, something else."""
    scene, frame = draft.scene, draft.frame
    if scene.tool and rng.random() < 0.3:
        tool = _one_of([t for t in frame.tools.items if t != scene.tool.noun], rng)
        return scene._replace(tool=scene.tool._replace(noun=tool)) if tool else None
    if not scene.object:
        return None
    choice = _one_of([c for c in frame.objects.items if c[0] != scene.object.noun], rng)
    if choice is None:
        return None
    other = drawing.thing(choice, rng, scene.object.high > 1, 0.0, scene.verb)
    return scene._replace(object=other)


def other_trait(draft: Draft, rng: random.Random) -> Scene | None:
    """Another colour, the opposite adjective."""
    scene = draft.scene
    roles = [role for role in ("who", "object") if getattr(scene, role) and getattr(scene, role).traits]
    role = _one_of(roles, rng)
    if role is None:
        return None
    party = getattr(scene, role)
    dimension, value = party.traits[-1]
    values = drawing.COLOUR if dimension[:5] == "wear:" else drawing.TRAIT[dimension]
    other = _one_of([item for item in values.items if item != value], rng)
    traits = (*party.traits[:-1], (dimension, other))
    return scene._replace(**{role: party._replace(traits=traits)})


def other_posture(draft: Draft, rng: random.Random) -> Scene | None:
    """Sitting instead of standing, or standing where the body moves."""
    scene = draft.scene
    if not NOUNS[scene.who.noun].is_person or scene.verb is None:
        return None
    if scene.posture is None and "b" not in VERBS[scene.verb].uses:
        return None
    options = [p for p in ("sit", "stand", "lie", "kneel") if p != scene.posture]
    posture = _one_of(options, rng)
    return Scene(scene.who, posture=posture, place=scene.place, time=scene.time)


def other_time(draft: Draft, rng: random.Random) -> Scene | None:
    """Another time of the day, or other weather."""
    scene = draft.scene
    if scene.weather:
        others = [w for w in drawing.WINTER_WEATHER.items if w != scene.weather]
        return scene._replace(weather=_one_of(others, rng))
    times = [time for time in TIMES if time != scene.time]
    return scene._replace(time=_one_of(times, rng)) if scene.time else None


def other_manner(draft: Draft, rng: random.Random) -> Scene | None:
    """Slowly instead of quickly."""
    scene = draft.scene
    if scene.manner is None or scene.manner[0] == "company":
        return None
    values = drawing.MANNER[scene.manner[0]].items
    other = values[values[0] == scene.manner[1]]
    return scene._replace(manner=(scene.manner[0], other))


def negation(draft: Draft, rng: random.Random) -> Scene | None:
    """The same with "not", or with "no" or "nobody" as the subject."""
    scene = draft.scene
    if rng.random() < 0.5:
        scene = drop_detail(draft, rng) or scene
    who = scene.who
    if rng.random() < 0.5 and who.low > 0 and not NOUNS[who.noun].mark:
        noun = "person" if NOUNS[who.noun].is_person and rng.random() < 0.5 else who.noun
        return scene._replace(who=Party(noun, 1, MANY), beside=None, negated=True)
    return scene._replace(who=_countable(who), negated=True)


# --- neutrals -----------------------------------------------------------------------------


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
    change = _one_of(options, rng)
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
    kind = _one_of(kinds, rng)
    if kind is None or party.low == 0:
        return None
    return scene._replace(**{role: party._replace(noun=kind)})


def also_does(draft: Draft, rng: random.Random) -> Scene | None:
    """Another action that may well go with the first, or may not."""
    return other_action(draft, rng)


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
        [("added detail", add_detail), ("more specific", more_specific), ("other action", also_does)],
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
