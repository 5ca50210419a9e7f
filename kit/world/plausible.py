"""What can stand where: no floor in a field, no tree in a kitchen, no breakfast at night.

A scene drawn from a frame, and a scene that an operation has changed, are both held to this.
"""

from __future__ import annotations

from functools import cache

from kit.world.hours_and_weather import in_season
from kit.world.lexicon import NOUNS, PLACES
from kit.world.scene import Party, Scene

# what one sits on, stands under or walks along: the places where there is one; what is not listed may be anywhere
WHERE = """
floor carpet curtain: INDOORS
sofa armchair: living_room bedroom hotel office hospital
bed: hotel hospital
desk: office classroom bedroom library laboratory hotel
table: INDOORS cafe restaurant terrace garden market party wedding train_place
counter: kitchen shop supermarket cafe bakery restaurant market
shelf: shop supermarket library kitchen office
blackboard: classroom hall
mirror: bathroom bedroom shop hall
rocking_chair: living_room terrace garden
chair: INDOORS terrace garden stage party wedding beach pool yard
stool: INDOORS terrace garden stage street market farm barn_place harbour lake river yard square
bench: park garden station street bus_stop square playground museum gym lake river zoo harbour hospital
bench: stadium sports_hall
grass: park garden field yard farm lake river campsite orchard
lawn: park garden yard
ground: OUTDOORS
sand pier shell: beach
towel: beach pool park garden gym studio sports_hall
tree bush log tree_top branch: park garden yard field farm forest campsite zoo playground
path: park garden forest mountains river lake field farm orchard campsite
track: stadium sports_ground
hill: park mountains field forest farm
puddle: street park garden yard playground road forest field square farm
bridge: park mountains forest harbour on_river
fountain statue: square park garden
pavement: bus_stop
stone_wall: park garden yard farm field
fence: farm field yard garden park playground zoo
gate: farm yard garden park
street_sign: square
umbrella: beach market terrace
wave: sea beach
net: stadium sports_ground sports_hall park beach
water_surface: pool
boat fishing_boat: sea lake_water harbour river on_lake on_river open_sea
rock: sea beach lake river mountains forest harbour zoo ice
ramp: park street square
campfire: campsite
stairs: station stadium office hotel museum hall library
wall: INDOORS yard garden
door: INDOORS
rope: playground park yard gym garden sports_hall
"""
GROUPS = {
    setting.upper(): [name for name, place in PLACES.items() if place.setting == setting]
    for setting in ("indoors", "outdoors")
}


def _where() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in WHERE.strip().splitlines():
        nouns, _, names = line.partition(":")
        places = {place for name in names.split() for place in GROUPS.get(name, [name])}
        for noun in nouns.split():
            found[noun] = found.get(noun, frozenset()) | places - {"outdoors", "indoors"}
    return found


PLACES_WITH = _where()
# who stands on one of these is not "on the street" as well, or it is said twice
PARTED = {
    place: frozenset(("bridge", "pavement", "ground"))
    for place in ("street", "road", "bridge_place", "square", "harbour", "station", "market")
}
INDOORS, OUTDOORS = (frozenset(GROUPS[name]) for name in ("INDOORS", "OUTDOORS"))

# what one moves over wherever one does this, or is there: no news
GROUND_OF = {
    "slope": "hill", "sea": "water_surface", "pool": "water_surface", "lake_water": "water_surface", "beach": "sand",
    "ski": "hill", "snowboard": "hill", "sledge_down": "hill", "dive": "water_surface", "stadium": "track",
    "surf": "wave", "splash": "water_surface", "work_out": "floor", "mountains": "hill", "climb": "cliff",
    "toast": "campfire",
}  # fmt: skip


def goes_without_saying(scene: Scene, ground: str) -> bool:
    """Whether who does this there is on such ground: "skiing" is down a hill."""
    return ground in (GROUND_OF.get(scene.place), GROUND_OF.get(scene.verb))


def stands_there(spot: tuple[str, str] | None, place: str | None) -> bool:
    """Whether a place has such a spot; where either is not said, it has."""
    return spot is None or place is None or spot[1] not in PLACES_WITH or _has_spot(place, *spot)


@cache
def _has_spot(place: str, preposition: str, noun: str) -> bool:
    if place in PARTED and noun in PARTED[place] and preposition == "on":
        return False
    places = PLACES_WITH[noun]
    if place in ("indoors", "outdoors"):
        return bool(places & (INDOORS if place == "indoors" else OUTDOORS))
    return place in places


# seats and footholds for one
FOR_ONE = frozenset("stool ladder armchair rocking_chair chair rock".split())


def ill_seated(seat: str, who: Party | None, thing: Party | None, beside: Party | None = None) -> bool:
    """Whether the seat is named as the thing too, or several share a seat, a ladder or a laptop that is for one."""
    if (thing and thing.noun == seat) or (beside and seat in FOR_ONE):
        return True
    alone = seat in SCARCE or (seat == "desk" and thing is not None and thing.high == 1)
    return alone and who is not None and who.high > 1 and who.low > 0


SCARCE = frozenset("ladder rock rocking_chair mirror microphone blackboard street_sign".split())


def plausible(scene: Scene) -> bool:
    """Whether a caption might tell this scene: spot, place, time and weather go together."""
    who, verb, thing, _, beside, posture, spot, place, time, weather, _, _ = scene
    if (time is not None or weather is not None) and not in_season(scene):
        return False
    if who is not None and NOUNS[who.noun].mark == "&" and who.low != 2:
        return False
    if spot is None:
        if verb is None:  # "the man is in the rain"
            return posture is not None or weather is None or place is not None
        return posture != "lie"
    return stands_there(spot, place) and not ill_seated(spot[1], who, thing, beside)
