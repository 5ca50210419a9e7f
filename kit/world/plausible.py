"""What can stand where: no floor in a field, no tree in a kitchen, no breakfast at night.

A scene drawn from a frame, and a scene that an operation has changed, are both held to this.
"""

from __future__ import annotations

from kit.world.lexicon import NOUNS, PLACES
from kit.world.scene import Scene

# what one sits on, stands under or walks along: the places where there is one; what is not listed may be anywhere
WHERE = """
floor carpet curtain: INDOORS
sofa armchair: living_room bedroom hotel office library hospital
bed: bedroom hotel hospital
desk: office classroom bedroom library laboratory hotel
table: INDOORS cafe restaurant terrace garden market party wedding train_place
counter: kitchen shop supermarket cafe bakery restaurant market
shelf: shop supermarket library kitchen office
blackboard: classroom hall
mirror: bathroom bedroom shop hall
rocking_chair: living_room terrace garden
chair: INDOORS terrace garden stage party wedding beach pool bus_place train_place yard
stool: INDOORS terrace garden stage street market farm barn_place harbour lake river beach yard square park
bench: park garden station street bus_stop square playground museum gym lake river zoo harbour hospital
bench: stadium sports_hall
grass lawn: park garden field yard farm lake river campsite orchard playground mountains beach
ground: OUTDOORS
sand pier shell: beach
towel: beach pool park garden gym studio sports_hall
tree bush log tree_top branch: park garden yard field farm forest river lake campsite orchard zoo playground mountains
path: park garden forest mountains river lake field farm orchard campsite
track: stadium sports_ground
hill: park mountains field forest road farm
puddle: street park garden yard playground road forest field square farm
bridge: river park mountains forest harbour on_lake on_river garden
fountain statue: square park street garden
pavement: street square bus_stop
stone_wall: park garden street yard farm field square harbour
fence: farm field yard garden park playground zoo stadium beach
gate: farm yard garden park street
street_sign: street square
umbrella: beach market terrace park street square
wave: sea beach
net: stadium sports_ground sports_hall park beach
water_surface: pool sea lake_water beach
boat fishing_boat: sea lake_water harbour river on_lake on_river open_sea
rock: sea beach lake river mountains forest harbour zoo ice
ramp: park street square
campfire: campsite forest beach
stairs: INDOORS street stadium station park square harbour shop
wall: INDOORS street yard square park harbour garden
door: INDOORS street yard square
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
# a meal has its hour
MEALS = {
    "breakfast": ("morning",), "lunch": ("noon", "afternoon", "day"), "dinner": ("evening", "night", "sunset"),
}  # fmt: skip


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
    if spot is None or place is None or spot[1] not in PLACES_WITH:
        return True
    if place in PARTED and spot[1] in PARTED[place] and spot[0] == "on":
        return False
    places = PLACES_WITH[spot[1]]
    if place in ("indoors", "outdoors"):
        return bool(places & (INDOORS if place == "indoors" else OUTDOORS))
    return place in places


def plausible(scene: Scene) -> bool:
    """Whether a caption might tell this scene: spot, place, time and weather go together."""
    meal = scene.object and MEALS.get(scene.object.noun)
    if meal and scene.time not in (None, *meal):
        return False
    if scene.weather and scene.place and PLACES[scene.place].setting == "indoors":
        return False
    if scene.time == "sunset" and scene.place and PLACES[scene.place].setting != "outdoors":
        return False
    if scene.who and NOUNS[scene.who.noun].mark == "&" and scene.who.low != 2:
        return False
    if scene.verb is None and scene.posture is None and scene.weather and not (scene.place or scene.spot):
        return False  # "the man is in the rain"
    if scene.posture == "lie" and scene.spot is None and scene.verb:
        return False
    return stands_there(scene.spot, scene.place)
