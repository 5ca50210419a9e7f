"""Scenes drawn at random from the frames: plausible, detailed, frequent words often."""

from __future__ import annotations

import random
from typing import NamedTuple

from kit.world.frames import BY_TOPIC, TOPIC, Choice, Frame
from kit.world.lexicon import MANNERS, NOUNS, PLACES, TRAITS, VERBS
from kit.world.nouns import GARMENT_COLOURS, GARMENTS
from kit.world.places import DAY_ONLY, EVENING_ONLY, SNOWY, WARM_ONLY
from kit.world.plausible import MEALS, stands_there
from kit.world.scene import MANY, Party, Scene

# (low, high) of subjects and objects, from usual to rare
ONE, TWO, THREE, FOUR, FIVE, SIX, SOME, SEVERAL, GROUP = (
    (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (2, MANY), (4, MANY), (10, MANY),
)  # fmt: skip
MASS = (0, MANY)
# What seldom more than two do at one thing: nobody sees four people mend one telephone.
FEW = frozenset(
    """
    repair saw weld hammer knead bake fry cut peel grill roll_out decorate sew spread drill examine bandage groom shear
    weigh sketch carve hang_up mow fold stir mix change_tyre plough perform_trick hit make_pot check
    """.split()
)
FEW_NUMBERS = Choice([(1, 1)] * 3 + [(2, 2)], 0.3)
GOODS = frozenset(
    "sell weigh rake harvest lay_bricks collect water toast juggle build_sand count cut fry wash try_on".split()
)
# of these the object is said as it is: a bed that is made is not wooden, nor a house of blocks old
AS_IT_IS = frozenset("make_bed set_table raise_hand take_exam decorate build_blocks build_sand".split())
LONE = frozenset("grandfather grandmother father mother bride".split())  # nobody meets four grandfathers

NUMBERS = Choice([ONE] * 3 + [TWO, SOME, THREE, SEVERAL, FOUR, FIVE], 0.9)
BIG_NUMBERS = Choice([ONE] * 5 + [TWO, SOME, THREE, SEVERAL, GROUP, FOUR, FIVE, SIX], 0.8)
MANY_ONLY = Choice([TWO, THREE, SOME, SEVERAL, GROUP, FOUR, FIVE, SIX], 0.5)
PLURALS = Choice([SOME] * 4 + [TWO, SEVERAL, THREE], 0.3)

TRAIT = {dim: Choice([values[0] for values in words], 0.8) for dim, words in TRAITS.items()}
COLOUR = Choice(GARMENT_COLOURS.split(), 0.8)
MANNER = {dimension: Choice(words, 2.0) for dimension, words in MANNERS.items()}
ADULT_WEAR = {name: Choice(words.split(), 0.6) for name, words in GARMENTS.items()}
UNISEX_WEAR = {
    name: Choice([word for word in words.split() if not word.endswith("_f")], 0.6) for name, words in GARMENTS.items()
}
TIME = Choice(["morning", "evening", "night", "afternoon", "sunset"], 0.5)
DAYTIME = Choice(["morning", "afternoon", "noon"], 0.8)
WEATHER = Choice(["rain", "sun", "fog", "wind"], 0.6)
WINTER_WEATHER = Choice(["rain", "snow", "sun", "fog", "wind"], 0.5)
LATE = Choice(["evening", "night"], 0.3)
SNOWY_PLACES, WARM_PLACES, DAY_PLACES, LATE_PLACES = (
    frozenset(words.split()) for words in (SNOWY, WARM_ONLY, DAY_ONLY, EVENING_ONLY)
)

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
    if verb in NARROWER and chance() < 0.2:
        verb = narrower(verb, frame, rng) or verb
    object_ = None
    if frame.objects:
        choice = frame.objects(rng)
        if choice[0] == who.noun:  # a woman hugs a woman: rather somebody else
            choice = frame.objects.items[choice == frame.objects.items[0]]
        object_ = thing(choice, rng, several and "each" in frame.flags, detail, verb)
    if object_ and any(key == f"wear:{object_.noun}" for key, _ in who.traits):  # a woman in a hat sells a hat
        who = who._replace(traits=())
    tool = None
    if frame.tools and chance() < 0.3 * detail:
        tool = Party(frame.tools(rng), *(SOME if several else ONE))
        tool = tool._replace(low=0, high=MANY) if NOUNS[tool.noun].mark == "~" else tool
    posture, spot = None, None
    if frame.spots and (verb is None or "spot" in frame.flags or chance() < 0.42 * detail):
        posture, spot = where(frame, place, rng)
        if spot is None and (verb or "spot" in frame.flags):
            posture, place = None, place if verb else None
            if "spot" in frame.flags:  # without a spot it says too little
                place, (posture, *spot) = None, frame.spots(rng)
                spot = tuple(spot)
    time, weather = circumstances(frame, place, who, rng, detail)
    meal = MEALS.get(object_.noun) if object_ else None
    time = meal[0] if meal and time else time
    manner = None
    if frame.manners and chance() < 0.16 * detail:
        manner = manner_of(frame, who, rng)
    beside = None
    if frame.companions and not several and manner is None and chance() < 0.2 * detail:
        beside = Party(companion_of(who, frame, rng))
        beside = None if beside.noun == who.noun or NOUNS[who.noun].mark else beside
    return Scene(who, verb, object_, tool, beside, posture, spot, place, time, weather, manner)


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
    number = ONE
    if "many" in frame.flags:
        number = MANY_ONLY(rng)
    elif "one" not in frame.flags and noun not in LONE:
        number = (FEW_NUMBERS if frame.verb in FEW else NUMBERS if frame.objects else BIG_NUMBERS)(rng)
    if NOUNS[noun].mark in ("~", "@", "&"):
        number = {"~": MASS, "@": ONE, "&": TWO}[NOUNS[noun].mark]
    party = Party(noun, *number)
    roll = rng.random()
    if NOUNS[noun].is_person and roll < 0.24 * detail:
        garment = worn(frame, noun, place, rng)
        if garment:
            return party._replace(traits=(garment,))
    elif roll < 0.45 * detail and number[0] < 4:
        return described(party, rng)
    return party


def described(party: Party, rng: random.Random, skip: tuple[str, ...] = ()) -> Party:
    """The party with one adjective, where any fits."""
    dimensions = [d for d in NOUNS[party.noun].dimensions if d not in skip]
    if not dimensions:
        return party
    # the first dimensions are the most usual ones
    dimension = dimensions[int(len(dimensions) * rng.random() ** 1.6)]
    return party._replace(traits=(*party.traits, (dimension, TRAIT[dimension](rng))))


def worn(frame: Frame, noun: str, place: str | None, rng: random.Random) -> tuple[str, str] | None:
    """A garment that fits the frame, the place and the person."""
    wardrobe = frame.wear
    if wardrobe == "none" or noun == "baby":
        return None
    if wardrobe is None:
        setting = PLACES[place or (frame.places.items or ("street",))[0]].setting
        wardrobe = "indoors" if setting == "indoors" else "outdoors"
        wardrobe = "summer" if place in WARM_PLACES else wardrobe
    sets = ADULT_WEAR if NOUNS[noun].sex == "f" else UNISEX_WEAR
    garment = sets[wardrobe](rng).removesuffix("_f").rstrip("+")
    plain = garment in NEVER_COLOURED or (garment in TELLING and rng.random() < 0.4)
    return "wear:" + garment, "" if plain else COLOUR(rng)


NEVER_COLOURED = {"glasses", "sunglasses"}
# worth a word without a colour; nobody says "a man in a shirt"
TELLING = {"suit", "dress", "uniform", "apron", "helmet", "hat", "scarf", "coat", "vest", "cap", "headband"}


def thing(choice: tuple[str, str], rng: random.Random, each: bool, detail: float, verb: str | None) -> Party:
    """The object of a frame: which, how many, of what sort."""
    noun, mark = choice
    known = NOUNS[noun]
    if "~" in known.mark:
        number = MASS
    elif known.mark == "+":
        number = SOME
    elif known.mark in ("^", "@"):
        number = ONE
    elif mark == "+" or each:
        number = SOME if each or verb in GOODS else PLURALS(rng)
    else:
        number = ONE if mark == "=" or rng.random() < 0.7 else PLURALS(rng)
    party = Party(noun, *number)
    plain = known.mark in ("^", "@") or known.is_person or verb in AS_IT_IS
    if rng.random() < 0.2 * detail and not plain:
        return described(party, rng)
    return party


def circumstances(
    frame: Frame, place: str | None, who: Party, rng: random.Random, detail: float
) -> tuple[str | None, str | None]:
    """Time of day and weather that fit the place and each other."""
    roll = rng.random()
    outdoors = place is not None and PLACES[place].setting == "outdoors"
    if outdoors and "still" not in frame.flags and roll < 0.1 * detail:
        weather = (WINTER_WEATHER if place in SNOWY_PLACES else WEATHER)(rng)
        if place in WARM_PLACES:
            weather = "sun"
        light = any(key in SUMMER_CLOTHES for key, _ in who.traits)
        return None, "sun" if light and weather in ("snow", "rain") else weather
    if 0.1 * detail <= roll < 0.22 * detail:
        day = "day" in frame.flags or place in DAY_PLACES or NOUNS[who.noun].age == "child"
        if frame.verb is None or "timeless" in frame.flags:
            return None, None
        time = (LATE if place in LATE_PLACES else DAYTIME if day else TIME)(rng)
        return None if time == "sunset" and not outdoors else time, None
    return None, None


SUMMER_CLOTHES = {"wear:T-shirt", "wear:dress", "wear:shorts", "wear:shirt", "wear:skirt"}


def manner_of(frame: Frame, who: Party, rng: random.Random) -> tuple[str, str] | None:
    """How it is done; together only of several, alone only of one."""
    dimension = frame.manners(rng)
    if dimension == "company":
        return dimension, "alone" if who.high == 1 else "together"
    return dimension, MANNER[dimension](rng)
