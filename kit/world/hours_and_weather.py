"""When one does what: nobody shears sheep at night, paints a wall in the rain or drinks wine in the morning."""

from __future__ import annotations

from kit.world.lexicon import NOUNS, PLACES
from kit.world.places import WARM_ONLY
from kit.world.scene import Scene

# what has its hour; the first is the usual one
MEALS = {
    "breakfast": ("morning",), "lunch": ("noon", "afternoon", "day"), "dinner": ("evening", "night", "sunset"),
}  # fmt: skip
LATE = ("evening", "night", "sunset")
HOURS = MEALS | dict.fromkeys(("wine", "beer", "marshmallow", "steak", "pizza", "band", "darts", "pool_game"), LATE)
LATE_ACTIONS = frozenset("toast bowl cheer clap perform raise_glass perform_trick".split())
NOT_IN_THE_MORNING = frozenset("grill dance sing entertain juggle".split())
# what is done at night as well: indoors, and outdoors
NIGHT_INDOORS = frozenset(
    """
    cook bake eat serve drink watch listen_to read read_to type_on look_at stare_at talk_on talk_to write knit bandage
    rest box work_out lift_weights brush_teeth play_game mop perform play_music play_wind order_food sip taste
    practise hug push study argue play pour sleep nap sing clap dance cheer
    """.split()
)
NIGHT_OUTDOORS = frozenset(
    """
    walk stroll walk_dog drive cross wait_for sleep nap dance sing perform play_music play_wind take_selfie photograph
    run jog listen_to hug stop_person direct guard toast light_fire juggle perform_trick kiss put_out rescue
    look_at stare_at talk_on talk_to queue_for bark play_sport cheer ride rest hold eat cook grill fish_for take_out
    """.split()
)
SUNSET = frozenset(
    """
    walk stroll walk_dog drive cross photograph take_selfie run jog cycle ride rest row sail fish_for graze gallop hike
    surf paddle talk_to look_at play_music kiss dance do_yoga hug push herd hold fly march swim
    """.split()
)
# what one does in such weather; on a sunny day anything
FOUL_WEATHER = {
    "rain": "walk stroll walk_dog wait_for cross run jog cycle ride drive push hike march herd direct graze",
    "fog": "walk stroll walk_dog cross wait_for run jog cycle drive hike march herd graze row direct",
    "snow": "walk stroll walk_dog cross wait_for drive hike march",
    "wind": "walk stroll walk_dog cross wait_for run jog cycle sail fly_kite hike hang_up march surf",
}
FOUL = {weather: frozenset(verbs.split()) for weather, verbs in FOUL_WEATHER.items()}
FREEZING = frozenset("wear:T-shirt wear:dress wear:shorts wear:shirt wear:skirt wear:sandals wear:sunglasses".split())
WARM_PLACES = frozenset(WARM_ONLY.split())


def in_season(scene: Scene) -> bool:
    """Whether the time of day and the weather go with what is done, and with what is worn."""
    return (scene.time is None or _has_time(scene)) and (scene.weather is None or _has_weather(scene))


def _has_time(scene: Scene) -> bool:
    time, verb = scene.time, scene.verb
    hours = scene.object and HOURS.get(scene.object.noun)
    if (hours and time not in hours) or (verb in LATE_ACTIONS and time not in LATE):
        return False
    if verb in NOT_IN_THE_MORNING and time == "morning":
        return False
    if time not in ("night", "sunset") or verb is None:
        return True
    setting = PLACES[scene.place].setting if scene.place else ""
    if time == "sunset":
        return setting == "outdoors" and verb in SUNSET
    known = scene.who is None or NOUNS[scene.who.noun].age != "child" or verb in ("sleep", "nap")
    outdoors, indoors = verb in NIGHT_OUTDOORS and setting != "indoors", verb in NIGHT_INDOORS and setting != "outdoors"
    return known and (outdoors or indoors)


def _has_weather(scene: Scene) -> bool:
    if scene.place and PLACES[scene.place].setting == "indoors":
        return False
    if scene.weather == "sun":
        return True
    if scene.place in WARM_PLACES or (scene.verb and scene.verb not in FOUL[scene.weather]):
        return False
    return scene.who is None or not any(key in FREEZING for key, _ in scene.who.traits)
