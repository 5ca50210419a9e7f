"""The verbs of the world: a tree of actions, what they occupy, and their irregular forms.

`parent [uses] postures: kinds`. `uses` says which part of the one who acts is busy, for one part
does one thing at a time: b body (goes somewhere or moves as a whole), h hands, m mouth, e eyes.
Two actions exclude each other when they share a part and neither is a kind of the other.
`postures` are those a moving body may still have (to drive is to sit). `id=phrase` gives a
meaning its words (the first is inflected), `|` separates synonyms, `-` marks a parent that takes
no object ("playing chess" is "playing"), `!` one that is never said.
"""

from __future__ import annotations

VERBS = """
* [bhme] lie,sit: rest-
rest: sleep nap=take_a_nap|nap doze
* [b]: move-
move: walk- run- swim climb jump- crawl skate ski surf dance march hop
walk: stroll hike wander cross
run: jog sprint race gallop chase
jump: leap dive
* [bh] sit: travel-
travel: ride drive sail row paddle cycle
* [hm]: eat
eat: devour nibble|nibble_on bite=bite_into taste chew
* [hm]: drink
drink: sip
* [m]: speak- sing laugh cheer bark whistle- lick
* [m]: blow_out
speak: talk_to=talk_to|chat_with whisper=whisper_to shout=shout_at
* [m]: explain order_food=order argue=argue_with
speak: talk_on=talk_on teach read_to=read_to greet interview lecture=give_a_lecture_to
* [e]: watch look_at=look_at|gaze_at read
look_at: admire study=study|examine stare_at=stare_at
* [h]: prepare clean work- make_art-=make_art|create_art make_music-=make_music
prepare: cook cut mix knead decorate peel spread
cook: fry boil bake grill roast stir
cut: chop slice
clean: wash wipe sweep mop scrub polish dust vacuum
work: repair=repair|fix|mend build paint_wall=paint weld saw hammer lay_bricks=lay measure
work: load unload deliver sort=sort|sort_out weigh sew sharpen stack
make_art: draw paint carve
draw: sketch
make_music: play_music=play practise
make_music [hm]: play_wind=play
* [he]: use photograph=photograph|take_a_picture_of film aim_at=aim_at
use: type_on=type_on|work_on tap=tap_on
* [h]: write hold push=push pull=pull|drag throw catch kick hit buy serve sell open close pack
* [h]: wave_at=wave_at|wave_to hug=hug|embrace point_at wrap unwrap
* [h]: charge fold iron sign_paper=sign choose=choose|pick_out pay_for
* [h]: raise=raise|lift pour dig_snow=shovel bandage
hold: carry
buy: order_online=order
* [h]: garden-
garden: plant water rake mow prune pick dig weed_bed=weed
* [h]: care_for=look_after|take_care_of
care_for: feed groom=groom|brush pet=pet|stroke treat
* [h]: play-
play: play_sport=play play_game=play play_with build_sand=build fly_kite=fly solve=solve
* [h]: exercise- lift_weights=lift
exercise: stretch train
* []: wait- smile- look_for=look_for|search_for visit guard
wait: wait_for queue_for=queue_for|stand_in_line_for
* [b]: board leave
* [bm] stand: graze
* [b]: fly land_on=land_on|settle_on swim_animal=swim herd follow dig_hole=dig
* [b]: fall=fall_on cover drift=drift_over|float_over shine=shine_on|shine_over blow=blow_across
* [b]: strike rise=rise_over|come_up_over pass=drive_past|pass stop_at
"""

# base: past, participle (the same where one is given); "-ing" where the rule fails
IRREGULAR = """
sleep slept · take took taken · run ran run · swim swam swum · leap leapt · ride rode ridden
drive drove driven · eat ate eaten · bite bit bitten · drink drank drunk · sing sang sung
speak spoke spoken · tell told · give gave given · teach taught · read read · cut cut
build built · lay laid · sew sewed sewn · draw drew drawn · make made · write wrote written
hold held · throw threw thrown · catch caught · hit hit · buy bought · sell sold
hang hung · choose chose chosen · pay paid · feed fed · cast cast · pour poured · dig dug
fly flew flown · stand stood · sit sat · lie lay lain · kneel knelt · lean leant · leave left
fall fell fallen · blow blew blown · shine shone · strike struck · rise rose risen
spread spread · be was been
get got · go went gone · come came · see saw seen · find found · bring brought · meet met
say said · think thought · feel felt · wear wore worn · have had
"""
DOUBLED = (
    "run swim jog chat nap cut mop chop stir hop pet wrap hug hit sit get dig tap plan skip slip"
    " stop pat grab hum rub step knit drag scrub sip put win set shut spin shovel travel unwrap"
)

# The object of these is "the" ("plays the violin") or belongs to the subject ("his teeth").
TAKES_THE = {
    "play_music", "play_wind", "practise", "mow", "stir", "board", "climb", "cross", "rise",
    "shine", "blow", "drift", "fall", "cover",
}  # fmt: skip
TAKES_OWN = {"pack", "charge", "hug", "talk_on"}
# Food and drink come by the cup or the piece with these.
PORTIONED = {"eat", "devour", "taste", "drink", "sip", "serve", "order_food", "pour"}
NO_PASSIVE = {
    "ride", "climb", "wait_for", "queue_for", "look_for", "run", "cross", "stare_at", "board",
    "talk_on", "tap", "leave", "cast", "aim_at", "look_at", "drink", "sip", "walk", "jump",
    "play_with", "pose", "talk_to", "whisper", "shout", "call", "argue", "fall", "drift", "shine",
    "blow", "rise", "pass", "stop_at", "land_on", "cover", "point_at",
    "type_on", "taste", "visit", "greet", "bite", "wave_at", "order_online", "buy", "choose",
    "nibble", "row", "sail", "play_wind", "catch", "lick", "laugh", "cheer", "lecture", "read_to",
    "swim", "dance", "practise", "point_out", "smile", "bark", "follow", "tell", "study", "surf",
}  # fmt: skip

# Too general to exclude anything: one may play and kick, work and weld.
LOOSE = {"work", "play", "hold", "use", "exercise", "prepare", "move", "care_for", "garden", "clean"}
LOOSE |= {"make_art", "make_music", "rest", "wait", "speak"}
# Actions that may be the same event although they share a part; with all their kinds.
ALIKE = """
play kick throw hit catch chase run jump · look_at read watch film photograph use order_online
speak sing cheer laugh order_food · buy choose pay_for order_online hold weigh queue_for
feed pet groom hug care_for · wash wipe scrub polish dust mop clean · sell weigh wrap serve open
serve pour hold · work paint_wall repair weld saw hammer lay_bricks measure · lay_bricks hold
hold load unload deliver stack push pull · water plant pick dig rake mow prune hold
cook stir cut peel · knead decorate bake · wash hold · pack fold · carve cut saw · climb hike board
cross walk run march · wave_at hold · unwrap open hold · write sign_paper type_on draw
raise hold · surf swim paddle jump · swim_animal fly land_on · ride cycle · row paddle
sort stack hold pack · exercise run swim cycle lift_weights dance · treat bandage · fold hold
build_sand dig_snow play · herd walk run follow · rest wait · pass stop_at · work type_on write
"""

# What a body can be in one of, moving nowhere.
POSTURES = ("sit", "stand", "lie", "kneel", "lean", "hang", "float")

# Dimension of manner: adverbs that exclude one another.
MANNERS = """
speed: slowly quickly
care: carefully carelessly
noise: quietly loudly
touch: gently roughly
skill: skilfully clumsily
mind: patiently impatiently
zeal: eagerly reluctantly
company: alone together
"""
