"""Words that careful readers do not hold apart: what may be the same thing, the same action, or the same spot.

One group a line or between dots. Within a group nothing is claimed: neither that the one excludes the other, nor, of a
denial, that the one is not the other. `disputed` asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kit.world.lexicon import NOUNS, PLACES, VERBS
from kit.world.places import OVERLAPS

# Places that lie in one another or run into one another, beside those of `places.OVERLAPS`.
SAME_SPOT = """
kitchen restaurant bakery cafe hotel pub · kitchen living_room · restaurant cafe pub hotel terrace park garden
street square cafe restaurant terrace bakery shop market · street train_place bus_place station bus_stop
street airport · street road yard garage garden hotel · street hospital · garden yard park playground field farm
terrace yard · terrace square · terrace campsite beach · beach river lake lake_water on_lake on_river harbour
beach playground sports_ground · beach mountains forest field · farm field garden orchard market shop zoo lake
farm mountains park yard barn_place stadium · field sports_ground park playground · forest park zoo
bridge_place road street square park harbour · building_site yard garage workshop garden living_room street road
cafe library museum theatre cinema train_place station · church_place concert_hall theatre stage
classroom laboratory studio library hall museum office · concert_hall studio theatre stadium park
gym sports_hall studio stadium hall · harbour river lake lake_water on_lake on_river sea open_sea park yard square
hall hospital office hotel supermarket living_room bedroom kitchen street theatre barn_place
hospital clinic office park · hotel bedroom living_room airport street yard stadium · ice zoo park
lake lake_water on_lake river on_river zoo park · sea zoo open_sea · market shop supermarket square street
office shop workshop studio living_room bedroom · shop workshop street studio · museum church_place studio
square playground park market · train_place bedroom · workshop yard garage barn_place
stadium sports_ground street square park sports_hall
"""
# Nothing is claimed of them being indoors or outdoors: there are such and such.
EITHER_WAY = frozenset(
    "farm market stadium zoo terrace building_site petrol_station restaurant cafe hotel airport pub theatre".split()
)

# Things of which one may be called by the other's name, hold it, or come with it.
SAME_THING = """
parcel box present bag basket · present book teddy_bear · suitcase backpack bag · statue fountain
castle bridge tower church museum_building · street bridge square · ball dog puppy · string mouse
tree ladder rope stone_wall cliff · board_game card_game chess video_game · stone rock
soup stew curry noodles sauce · pasta noodles · steak salad · juice lemonade · milk hot_chocolate · cake pie cupcake
dish plate glass pan bowl cup · butter jam honey · orchestra choir band · child audience · music radio band song
roof rooftop · swimmer surfer child wave · video film · rose bush hedge tree · flower rose seedling plant leaf
tree seedling plant · tulip seedling · potato seedling · car taxi van truck bus tram
motorcycle scooter bicycle tricycle · plank log branch firewood · hole trench · wall house · door house
fence house gate · door gate · pipe tap sink · cable television printer radio · laptop keyboard computer
ticket passport timetable · train tram · email message letter · story essay poem
story lesson sum experiment rule map · exam test · sum equation puzzle · money coin · lawn grass
picture painting portrait poster drawing · picture map · picture tree · picture house · picture horse
picture flower · picture sun · portrait photograph statue · canoe kayak · fishing_boat sailing_boat ferry
clothes shirt towel laundry coat blanket dress · carpet floor sofa ground grass sand · baby toddler child
candle fire · pot vase bowl · arm hand · eye patient woman child · car driver motorcycle · screen map chart
customer dress · crate box · gate castle tower bridge · shovel bucket · sponge cloth hose
bench chair stool stone_wall armchair rocking_chair rock · desk table counter · wall fence · puppy terrier sheepdog
donkey horse pony · duck swan goose · dress jacket hat shoe · letter report contract · phone tablet · stick bone
sheep goat
"""
# Verbs of which one event may have several such objects: who carries a bag may carry a box as well.
SEVERAL_AT_ONCE = frozenset(
    """
    hold carry buy sell choose order_food order_online pay_for pass cover fall drift blow shine rise guard point_at
    deliver explain visit serve listen_to weigh
    """.split()
)
MEALS = frozenset("breakfast lunch dinner".split())

# Actions of one event, or shades of one another.
SAME_DOING = """
walk stroll hike march wander cross run jog cycle ride drive skate skateboard roller_skate push walk_dog board
run jog sprint chase gallop · sleep nap doze rest sunbathe · eat nibble taste chew · drink sip
look_at stare_at watch admire study · jump dive splash swim snorkel surf go_water_skiing paddle
talk_to whisper_to interview · climb hike · draw paint sketch paint_wall decorate · cut chop slice peel
skate roller_skate dance · work_out stretch lift_weights do_yoga box run jog sprint swim row cycle climb dance skate
eat drink order_food cook serve toast · wait_for queue_for · ride cycle · play_music practise
buy choose pay_for try_on weigh check order_online sell · throw catch kick hit play_sport
run kick play_sport throw · perform play_music sing · draw write solve take_exam type_on write_on sign_paper read
photograph film
take_selfie walk hike wander stroll cross run jog ride cycle swim dance sunbathe drive ski climb photograph
carry load push pull pack stack · guard march · saw chop_wood chop cut carve make_pot
dig_hole plant dig_snow plough · wrap unwrap fold pack decorate · knit sew · roll_out knead bake spread decorate
fish_for catch row sail paddle · entertain juggle perform_trick conduct sing dance · cheer watch · graze walk
rest lie sit · hide run jump climb chase play_with · check buy board pack · set_table serve decorate clean wipe
wipe clean wash bathe groom comb · swing play_with jump · change_tyre repair · measure mix do_experiment · feed walk
pour mix stir cook spread set_table toast bake fry grill cut peel · drill hang_picture hammer repair weld saw
change_bulb repair clean
climb paint_wall pick prune change_bulb hang_picture hammer carry lay_bricks put_out rescue
drive plough harvest mow load herd ride · rake collect pick harvest sweep load · dig_snow sweep · chop_wood collect
hang_up iron fold make_bed wash · light_fire grill cook toast · solve play_game play_with
build_sand build_blocks dig_hole · slide_down sledge_down
jump skateboard snowboard ski roller_skate skate ride run jog surf dance splash cycle · herd walk run ride drive
shear groom · do_yoga dance · row paddle sail · play_game play_with
"""


def _grouped(text: str) -> list[frozenset[str]]:
    return [frozenset(group.split()) for group in text.replace("\n", " · ").split("·") if group.strip()]


def _groups_of(names: Iterable[str], text: str) -> dict[str, frozenset[int]]:
    """Of each name the numbers of the groups that it stands in; raises ValueError for a word that is no name."""
    groups = _grouped(text)
    unknown = frozenset().union(*groups) - frozenset(names)
    if unknown:
        raise ValueError(f"unknown {', '.join(sorted(unknown))}")
    return {name: frozenset(number for number, group in enumerate(groups) if name in group) for name in names}


_PLACES = _groups_of(PLACES, SAME_SPOT + OVERLAPS)
_THINGS = _groups_of(NOUNS, SAME_THING)
_ACTIONS = _groups_of(VERBS, SAME_DOING)


@cache
def places_apart(a: str, b: str) -> bool:
    """Whether nobody would take one place for the other, or for a part of it."""
    if {a, b} & {"indoors", "outdoors"}:
        return not {a, b} & EITHER_WAY
    return _PLACES[a].isdisjoint(_PLACES[b])


def things_apart(a: str, b: str) -> bool:
    """Whether nobody would call one thing by the other's name, or expect it with the other."""
    edible = [NOUNS[name].kind[0] in ("food", "drink") for name in (a, b)]
    if all(edible) and (a in MEALS) != (b in MEALS):  # a dinner is soup and wine
        return False
    return _THINGS[a].isdisjoint(_THINGS[b])


def actions_shade(a: str, b: str) -> bool:
    """Whether one action may be part of the other, or be called so."""
    return not _ACTIONS[a].isdisjoint(_ACTIONS[b])
