"""Scenes drawn at random from the frames: plausible, detailed, frequent words often."""

from __future__ import annotations

import random
from typing import NamedTuple

from kit.world.frames import BY_TOPIC, TOPIC, Choice, Frame
from kit.world.hours_and_weather import HOURS, in_season
from kit.world.lexicon import MANNERS, NOUNS, PLACES, VERBS
from kit.world.looks import described, not_seen, worn
from kit.world.places import DAY_ONLY, EVENING_ONLY, SNOWY
from kit.world.plausible import ill_seated, stands_there
from kit.world.scene import MANY, Party, Scene

# (low, high) of subjects and objects, from usual to rare
ONE, TWO, THREE, FOUR, FIVE, SIX, SOME, SEVERAL, GROUP = (
    (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (2, MANY), (4, MANY), (10, MANY),
)  # fmt: skip
MASS = (0, MANY)
# What seldom more than two do at one thing: nobody sees four people mend one telephone.
FEW = frozenset(
    """
    play_with solve clean sweep make_bed mop prune plant walk_dog feed cook taste study chop_wood light_fire
    herd push wash print climb type_on wrap iron paint_wall serve set_table water take_out hang_picture plough
    repair saw weld hammer knead bake fry cut peel grill roll_out decorate sew spread drill examine bandage groom shear
    weigh sketch carve hang_up mow fold stir mix change_tyre pass stop_at pour do_experiment perform_trick hit
    make_pot check
    """.split()
)
FEW_NUMBERS = Choice([(1, 1)] * 5 + [(2, 2)] * 2, 0.2)
GOODS = frozenset(
    "sell weigh rake harvest lay_bricks collect water toast juggle build_sand count cut fry wash try_on".split()
)
# of these the object is said as it is: a bed that is made is not wooden, nor a house of blocks old
AS_IT_IS = frozenset(
    """
    make_bed set_table raise_hand take_exam decorate build_blocks build_sand wait_for drill milk_animal shear type_on
    carve make_pot rescue pet
    """.split()
)
LONE = frozenset("grandfather grandmother father mother bride".split())  # nobody meets four grandfathers

NUMBERS = Choice([ONE] * 3 + [TWO, SOME, THREE, SEVERAL, FOUR, FIVE], 0.9)
BIG_NUMBERS = Choice([ONE] * 5 + [TWO, SOME, THREE, SEVERAL, GROUP, FOUR, FIVE, SIX], 0.8)
MANY_ONLY = Choice([TWO, THREE, SOME, SEVERAL, GROUP, FOUR, FIVE, SIX], 0.5)
PLURALS = Choice([SOME] * 4 + [TWO, SEVERAL, THREE], 0.3)
UNCOUNTED = Choice([SOME] * 4 + [SEVERAL], 0.3)  # nobody sees that it is three emails

MANNER = {dimension: Choice(words, 2.0) for dimension, words in MANNERS.items()}
TIME = Choice(["morning", "evening", "night", "afternoon", "sunset"], 0.5)
DAYTIME = Choice(["morning", "afternoon", "morning", "afternoon", "noon"], 0.3)
WEATHER = Choice(["rain", "sun", "fog", "wind"], 0.6)
WINTER_WEATHER = Choice(["rain", "snow", "sun", "fog", "wind"], 0.5)
LATE = Choice(["evening", "night"], 0.3)
SNOWY_PLACES, DAY_PLACES, LATE_PLACES = (frozenset(words.split()) for words in (SNOWY, DAY_ONLY, EVENING_ONLY))

# Actions whose kinds have no frame of their own but fit wherever the action does.
NARROWER = {
    "walk": ("stroll",), "sleep": ("nap",), "drink": ("sip",), "look_at": ("stare_at",), "cut": ("slice", "chop"),
    "clean": ("wipe", "scrub"),
}  # fmt: skip


class Draft(NamedTuple):
    """A scene with the frame it was drawn from, which knows plausible alternatives."""

    scene: Scene
    frame: Frame


def draw(rng: random.Random, topic: str | None = None, detail: float = 1.0) -> Draft:
    """A random scene, of `topic` where one is named; `detail` scales how much is told."""
    frame = BY_TOPIC[topic or TOPIC(rng)](rng)
    return Draft(fill(frame, rng, detail), frame)


def fill(
    frame: Frame, rng: random.Random, detail: float = 1.0, who: Party | None = None, place: str | None = None
) -> Scene:
    """A scene of `frame`, with `who` and `place` given or drawn."""
    chance = rng.random
    if place is None and chance() < 0.62 * detail:
        place = frame.places(rng)
    if who is None:
        who = subject(frame, rng, place, detail)
    several = who.high > 1 and who.low > 0
    verb = frame.verb
    if verb in NARROWER and chance() < 0.2 and NOUNS[who.noun].is_person:
        verb = narrower(verb, frame, rng) or verb
    object_ = None
    if frame.objects.items:
        choice = frame.objects(rng)
        if choice[0] == who.noun:  # a woman hugs a woman: rather somebody else
            choice = frame.objects.items[choice == frame.objects.items[0]]
        object_ = thing(choice, rng, several and frame.each, detail, verb)
        if who.traits and f"wear:{object_.noun}" in dict(who.traits):  # a woman in a hat sells a hat
            who = who._replace(traits=())
    tool = None
    if frame.tools.items and chance() < 0.3 * detail:
        noun = frame.tools(rng)
        low, high = MASS if NOUNS[noun].mark == "~" else SOME if several else ONE
        tool = Party(noun, low, high)
    posture, spot = None, None
    if frame.spots.items and (verb is None or frame.has_spot or chance() < 0.42 * detail):
        posture, spot = where(frame, place, rng)
        if spot is None and (verb or frame.has_spot):
            posture, place = None, place if verb else None
            if frame.has_spot:  # without a spot it says too little
                place, (posture, *spot) = None, frame.spots(rng)
                spot = tuple(spot)
        if spot and spot[1] and ill_seated(spot[1], who, object_):
            posture, spot = None, None
    time = weather = None
    if spot is None or place is None or chance() < 0.5:  # more were too much for one sentence
        time, weather = circumstances(frame, place, who, rng, detail)
    if time and object_ and object_.noun in HOURS:
        time = HOURS[object_.noun][0]
    manner = None
    if frame.manners.items and not (spot and place) and chance() < 0.16 * detail:
        manner = manner_of(frame, who, rng)
    beside = None
    if frame.companions.items and not several and manner is None and chance() < 0.2 * detail:
        noun = companion_of(who, frame, rng)
        beside = None if noun == who.noun or NOUNS[who.noun].mark else Party(noun)
    scene = Scene(who, verb, object_, tool, beside, posture, spot, place, time, weather, manner)
    if (time or weather) and not in_season(scene):  # rather by day, or on a sunny day
        scene = scene._replace(time=time and "afternoon", weather=weather and "sun")
        scene = scene if in_season(scene) else scene._replace(time=None, weather=None)
    return scene


def where(frame: Frame, place: str | None, rng: random.Random) -> tuple[str | None, tuple[str, str] | None]:
    """Posture and spot of a frame, such as there are at the place; (None, None) after some misses."""
    for _ in range(4):
        posture, preposition, noun = frame.spots(rng)
        spot = (preposition, noun) if preposition else None
        if stands_there(spot, place):
            return posture, spot
    return None, None


KIN = {
    "man": ("son", "wife", "daughter", "father"), "woman": ("daughter", "husband", "son", "mother"),
    "boy": ("father", "mother", "sister", "brother"), "girl": ("mother", "father", "brother", "sister"),
    "child": ("mother", "father", "brother"), "teenager": ("friend", "brother", "father"),
}  # fmt: skip


def companion_of(who: Party, frame: Frame, rng: random.Random) -> str:
    """A noun for who goes along: of a family, where the frame says kin."""
    noun = frame.companions(rng)
    if noun == "kin":
        family = KIN.get(who.noun, ("friend",))
        noun = family[int(len(family) * rng.random())]
    return noun


def narrower(verb: str, frame: Frame, rng: random.Random) -> str | None:
    """A more specific action that fits the frame, if there is one."""
    if verb == "cut" and NOUNS[frame.objects.items[0][0]].kind[0] != "food":
        return None  # hair is cut, not chopped
    kinds = [kind for kind in NARROWER.get(verb, ()) if verb in VERBS[kind].path]
    return kinds[int(rng.random() * len(kinds))] if kinds else None


def subject(frame: Frame, rng: random.Random, place: str | None, detail: float) -> Party:
    """Who it is, how many, and what they look like."""
    noun = frame.subjects(rng)
    known = NOUNS[noun]
    low, high = ONE
    if "many" in frame.flags:
        low, high = MANY_ONLY(rng)
    elif "one" not in frame.flags and noun not in LONE:
        low, high = (FEW_NUMBERS if frame.verb in FEW else NUMBERS if frame.objects.items else BIG_NUMBERS)(rng)
    if known.mark in NUMBER_BY_MARK:
        low, high = NUMBER_BY_MARK[known.mark]
    party = Party(noun, low, high)
    roll = rng.random()
    if known.is_person and roll < 0.24 * detail:
        garment = worn(frame, noun, place, rng, high > 1)
        if garment:
            return Party(noun, low, high, (garment,))
    elif roll < 0.45 * detail and low < 4:
        return described(party, rng, not_seen(frame.verb))
    return party


NUMBER_BY_MARK = {"~": MASS, "@": ONE, "&": TWO}
SEEN_AT_A_GLANCE = frozenset("person animal vehicle boat container furniture picture".split())


def thing(choice: tuple[str, str], rng: random.Random, each: bool, detail: float, verb: str | None) -> Party:
    """The object of a frame: which, how many, of what sort."""
    noun, mark = choice
    known = NOUNS[noun]
    low, high = ONE
    if "~" in known.mark:
        low, high = MASS
    elif known.mark == "+":
        low, high = SOME
    elif known.mark not in ALWAYS_ONE:
        several = mark == "+" or each
        if several and (each or verb in GOODS):
            low, high = SOME
        elif several or (mark != "=" and rng.random() >= 0.7):
            low, high = (PLURALS if known.kind[0] in SEEN_AT_A_GLANCE else UNCOUNTED)(rng)
    party = Party(noun, low, high)
    if rng.random() < 0.2 * detail and not (known.mark in ALWAYS_ONE or known.is_person or verb in AS_IT_IS):
        return described(party, rng)
    return party


ALWAYS_ONE = ("^", "@")


def circumstances(
    frame: Frame, place: str | None, who: Party, rng: random.Random, detail: float
) -> tuple[str | None, str | None]:
    """Time of day and weather that fit the place and each other."""
    roll = rng.random()
    if roll >= 0.3 * detail:
        return None, None
    outdoors = place is not None and PLACES[place].setting == "outdoors"
    if roll < 0.1 * detail:
        if outdoors and "still" not in frame.flags:
            return None, (WINTER_WEATHER if place in SNOWY_PLACES else WEATHER)(rng)
        return None, None
    if frame.verb is None or "timeless" in frame.flags:
        return None, None
    day = "day" in frame.flags or place in DAY_PLACES or NOUNS[who.noun].age == "child"
    time = (LATE if place in LATE_PLACES else DAYTIME if day else TIME)(rng)
    return None if time == "sunset" and not outdoors else time, None


def manner_of(frame: Frame, who: Party, rng: random.Random) -> tuple[str, str] | None:
    """How it is done; together only of several, alone only of one."""
    dimension = frame.manners(rng)
    if dimension == "company":
        return dimension, "alone" if who.high == 1 else "together"
    return dimension, MANNER[dimension](rng)
