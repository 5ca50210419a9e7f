"""What people, animals and things look like, and what is worn where."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from kit.world.frames import Choice, Frame
from kit.world.hours_and_weather import WARM_PLACES
from kit.world.lexicon import NOUNS, PLACES, TRAITS
from kit.world.nouns import COLOURS_OF, GARMENT_COLOURS, GARMENTS
from kit.world.scene import Party

TRAIT = {dim: Choice([values[0] for values in words], 0.8) for dim, words in TRAITS.items()}
TRAIT["height"] = Choice(["tall", "tall", "tall", "short"], 0.8)
TRAIT["mood"] = Choice(["happy", "happy", "happy", "sad"], 0.8)
# what one may look tired at; nobody writes that of a dancer
TIRING = frozenset(
    """
    walk hike carry study read look_at wait_for rest sleep type_on write mop clean pack push repair load stack climb
    dig_hole dig_snow harvest plant rake chop_wood wash cook feed drink sweep talk_on hold sew run jog queue_for
    """.split()
)
# whose height one notices
UPRIGHT = frozenset("walk wait_for dance play_sport shake_hands hold carry hang_picture march box".split())
WORN_ALIKE = frozenset("uniform helmet jersey vest suit apron coat jacket T-shirt shirt glasses sunglasses".split())
COLOUR = Choice(GARMENT_COLOURS.split(), 0.8)
COLOUR_OF = {name: Choice(words.split(), 0.8) for name, words in COLOURS_OF.items()}
NEVER_COLOURED = {"glasses", "sunglasses"}
# worth a word without a colour; nobody says "a man in a shirt"
TELLING = {"suit", "dress", "uniform", "apron", "helmet", "hat", "scarf", "coat", "vest", "cap", "headband"}


def _wardrobe(fits: Callable[[str], bool]) -> dict[str, Choice]:
    """Of each set of garments those that fit, as (key of the trait, garment)."""
    found = {}
    for name, words in GARMENTS.items():
        garments = [word.removesuffix("_f").rstrip("+") for word in words.split() if fits(word)]
        found[name] = Choice([("wear:" + garment, garment) for garment in garments], 0.6)
    return found


ADULT_WEAR = _wardrobe(lambda word: True)
UNISEX_WEAR = _wardrobe(lambda word: not word.endswith("_f"))
ALIKE_WEAR = _wardrobe(lambda word: word.rstrip("+") in WORN_ALIKE)


@cache
def not_seen(verb: str | None) -> tuple[str, ...]:
    """The dimensions of which nothing is said of who does this."""
    if verb in DARING:
        return ("age", "energy", "height")
    height = () if verb in UPRIGHT else ("height",)
    return height if verb in TIRING else ("energy", *height)


DARING = frozenset(
    "go_water_skiing surf snorkel dive sprint box skateboard snowboard ski climb jump lift_weights work_out".split()
)


def seen_of(party: Party) -> Party:
    """The party with such looks only as several people may have in common."""
    alike = (t for t in party.traits if t[1] not in OF_ONE and (t[0][:5] != "wear:" or t[0][5:] in WORN_ALIKE))
    return party._replace(traits=tuple(alike))


def described(party: Party, rng: random.Random, skip: tuple[str, ...] = ()) -> Party:
    """The party with one adjective, where any fits."""
    noun, low, high, traits = party
    dimensions = _dimensions(noun, high > 1, skip)
    if not dimensions:
        return party
    # the first dimensions are the most usual ones
    dimension = dimensions[int(len(dimensions) * rng.random() ** 1.6)]
    value = TRAIT[dimension](rng)
    if high > 1 and value in OF_ONE:
        value = TRAIT[dimension].items[0]
    return Party(noun, low, high, (*traits, (dimension, value)))


@cache
def _dimensions(noun: str, several: bool, skip: tuple[str, ...]) -> tuple[str, ...]:
    """What can be said of the looks of one, or of several."""
    fitting = [d for d in NOUNS[noun].dimensions if d not in skip]
    return tuple(d for d in fitting if not (several and d in DIMENSIONS_OF_ONE))


DIMENSIONS_OF_ONE = frozenset("energy height hair beard".split())
OF_ONE = frozenset("sad tired middle-aged blond dark-haired red-haired grey-haired bearded tall short".split())


def worn(
    frame: Frame, noun: str, place: str | None, rng: random.Random, several: bool = False
) -> tuple[str, str] | None:
    """A garment that fits the frame, the place and the person; of several one such as they all have."""
    wardrobe = frame.wear
    if wardrobe == "none" or noun == "baby":
        return None
    if wardrobe is None:
        setting = PLACES[place or (frame.places.items or ("street",))[0]].setting
        wardrobe = "indoors" if setting == "indoors" else "outdoors"
        wardrobe = "summer" if place in WARM_PLACES else wardrobe
    sets = ALIKE_WEAR if several else ADULT_WEAR if NOUNS[noun].sex == "f" else UNISEX_WEAR
    chosen = sets[wardrobe](rng)
    if chosen is None:
        return None
    key, garment = chosen
    plain = garment in NEVER_COLOURED or (garment in TELLING and rng.random() < 0.4)
    return key, "" if plain else colours(key)(rng)


def colours(key: str) -> Choice:
    """The colours of a garment: jeans are not orange."""
    return COLOUR_OF.get(key[5:], COLOUR)
