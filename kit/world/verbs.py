"""The verbs of the world: a tree of actions, and what they occupy.

`parent [uses] postures: kinds`. `uses` says which part of the one who acts is busy, for one part
does one thing at a time: b body (moves, or has to stay where it is), h hands, m mouth, e eyes.
Two actions exclude each other when they share a part and neither is a kind of the other.
`postures` are those a busy body may have: to drive is to sit; `still` is any but moving.
`id=phrase` gives a meaning its words (the first is inflected), `|` separates synonyms, `-` marks
a parent that takes no object ("playing chess" is "playing"), `!` one that is never said.
"""

from __future__ import annotations

VERBS = """
* [b] lie,sit: rest-
rest [bhme] lie,sit: sleep
sleep: nap=take_a_nap doze
rest [bm] lie: sunbathe
* [b]: move-!
move: walk- run- swim climb jump- skate ski surf dance march swing slide_down=go_down_a_slide splash=splash_around
move: roller_skate=skate|roller-skate skateboard box dive snorkel go_water_skiing=go_water_skiing sledge_down=sledge
move: snowboard roll_about hide cross
walk: stroll hike wander walk_dog=walk
run: jog sprint chase gallop
* [bh] sit: travel-!
travel: ride drive sail row paddle cycle
* [hm]: eat drink
eat: devour nibble=nibble|nibble_on
* [hm]: taste chew
drink: sip
* [m]: speak- sing cheer bark kiss pray clap
* [bm] stand: give_speech=give_a_speech
* [m]: blow_out explain order_food=order argue=argue_with
speak: talk_to=talk_to|chat_with whisper_to talk_on read_to interview lecture=give_a_lecture_to
* [e]: watch look_at read look_through
* []: listen_to examine help rescue entertain
look_at: admire study stare_at
* [bhe] still: prepare work- make_art-=make_art|create_art make_music- garden-
* [bh] still: clean
prepare: cook cut knead decorate peel spread stir mix roll_out set_table=set toast
cook: fry bake grill
cut: chop slice cut_cake=cut
clean: wash wipe sweep mop scrub vacuum
work: repair=repair|fix|mend paint_wall=paint weld saw hammer lay_bricks=lay measure
work: drill chop_wood=chop|split change_tyre=change change_bulb=change hang_picture=hang milk_animal=milk shear
work: plough harvest print count make_pot=make
work: load deliver sort=sort|sort_out weigh sew stack
make_art: draw paint carve
draw: sketch
make_music: play_music=play practise
make_music [bhme] still: play_wind=play
garden: plant water rake mow prune pick collect
* [bhe] still: photograph=photograph|take_a_picture_of film
* [he]: use
use: type_on
* [bhe] still: write sign_paper=sign solve pour take_exam=take|sit write_on do_experiment=do_an_experiment aim_at
* [bhe] still: perform_trick=perform_a_magic_trick|do_a_magic_trick juggle conduct knit take_selfie=take_a_selfie
* [bh] still: buy serve sell pack wrap unwrap fold iron dig_snow=shovel hang_up make_bed=make light_fire=light shave
* [bh] still: brush_teeth=brush comb bathe fill_up check try_on blow_bubbles give_blood
* [h]: put_out take_out direct spray raise_hand=raise raise_glass=raise shake_hands=shake_hands_with borrow
* [h]: stop_person=stop
* [h]: hold push=push pull=pull|drag throw kick hit open raise=raise|lift charge
* [h]: wave_at=wave_at|wave_to hug=hug|embrace point_at choose=choose|pick_out pay_for catch
hold: carry
buy [h]: order_online=order
* [h]: care_for=look_after|take_care_of
care_for [bh] still: feed groom=groom|brush treat bandage
care_for: pet=pet|stroke
* [h]: play-
play: play_with fly_kite=fly
* [b]: bowl
play [bhe]: play_sport=play
play [bhe] still: build_sand=build build_blocks=build play_game=play
* [h]: exercise-
exercise [bh] still: stretch lift_weights=lift do_yoga work_out
* []: wait- visit guard
wait: wait_for queue_for=queue_for|stand_in_line_for
* [b]: board
* [bm] stand: graze
* [m]: lick fight_over perform
* [bhe] sit: fly_plane=fly
* [bhe] still: fish_for=fish
* [b]: fly land_on=land_on|settle_on swim_animal=swim herd dig_hole=dig
* [b]: fall=fall_on cover drift=drift_over|float_over shine=shine_on|shine_over blow=blow_across
* [b]: strike rise=rise_over|come_up_over pass=drive_past|pass stop_at
"""

# The object of these is "the" ("plays the violin") or belongs to the subject ("his teeth").
TAKES_THE = {
    "play_music", "play_wind", "practise", "mow", "stir", "board", "cross", "rise",
    "shine", "blow", "drift", "fall", "cover", "set_table", "make_bed", "mop", "sweep", "direct",
}  # fmt: skip
TAKES_OWN = {"pack", "hug", "talk_on", "walk_dog", "brush_teeth", "comb", "look_at"}
# Food and drink come by the cup or the piece with these.
PORTIONED = {"eat", "devour", "taste", "drink", "sip", "serve", "order_food", "pour"}
NO_PASSIVE = frozenset(
    """
    admire aim_at argue bandage bark bathe blow board borrow brush_teeth buy care_for catch charge chase check
    cheer chew choose climb comb count cover cross devour drift drink eat examine explain fall fight_over
    fly_plane help hold hug kick land_on lecture lick listen_to look_at look_through nibble order_food
    order_online pass pay_for photograph play_game play_music play_sport play_wind play_with point_at practise
    pull queue_for raise raise_glass raise_hand read_to ride rise row sail shake_hands shave shine sip sketch
    solve spray stare_at stir stop_at study surf take_exam talk_on talk_to taste throw toast try_on type_on
    use visit wait_for walk_dog wash watch wave_at whisper_to write_on
    """.split()
)

# Too general to exclude anything: one may play and kick, work and weld.
LOOSE = {
    "work", "play", "hold", "use", "exercise", "prepare", "move", "care_for", "garden", "clean",
    "make_art", "make_music", "rest", "wait", "speak",
}  # fmt: skip
# Actions that may be the same event although they share a part; with all their kinds.
ALIKE = """
play_sport play_with kick throw hit catch chase · play_sport run · play_sport jump · kick run
look_at watch · look_at film photograph · look_at read write · film photograph type_on order_online
read type_on · watch film · speak order_food argue explain · explain lecture read_to · sing cheer
buy choose pay_for order_online weigh queue_for carry · sell weigh wrap serve open pour
feed pet groom hug treat · treat bandage · wash wipe scrub mop · mop sweep · wash carry · push wash
repair weld saw hammer measure · repair paint_wall · lay_bricks measure hammer · repair open
sew repair · load stack carry push pull · deliver carry push · plant water · pick choose carry
cook stir cut peel spread · knead decorate bake · serve cook · unwrap open · pack fold carry
carve cut saw · climb board · walk board · climb walk · walk march · mow walk push · sweep walk
write sign_paper · write type_on · write solve · paint draw · practise play_music play_wind
surf jump · swim jump · raise carry wave_at · fly land_on · ride cycle · sort stack pack
lift_weights raise · dig_snow dig_hole · herd walk · herd run · pass stop_at · carry throw catch
carry point_at open · nap doze · fall drift blow cover
"""

# What a body can be in one of, moving nowhere.
POSTURES = ("sit", "stand", "lie", "kneel", "lean", "hang", "float")
STILL = "sit,stand,lie,kneel,lean"

# Dimension of manner: adverbs that exclude one another.
MANNERS = """
speed: slowly quickly
care: carefully
noise: quietly loudly
touch: gently roughly
mind: patiently impatiently
company: alone together
"""
