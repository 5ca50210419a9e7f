"""The nouns of the world: a tree of kinds, and people with sex, age and occupation.

One line lists the direct kinds of its parent (`*` has no parent), the commonest first. Marks
after a word: `(plural)` irregular plural, `|word` a synonym, `~` mass noun, `+` plural only,
`^` no article ("football"), `@` always "the", `!` a node that is never said. `id=word` gives a
node a name of its own. Underscores are spaces. `[a b]` names the dimensions of `TRAITS` that
fit, inherited by the kinds below.
"""

from __future__ import annotations

THINGS = """
* [size fur]: animal
animal: dog cat horse
animal [size]: bird cow sheep(sheep) goat pig rabbit monkey elephant bear deer(deer) donkey
animal [size]: fish(fish) turtle lion
animal []: bee butterfly(butterflies)
dog [size fur wetness]: puppy(puppies) terrier sheepdog
cat: kitten
horse: pony(ponies)
bird: duck seagull pigeon swan parrot hen owl goose(geese)

* []: food~ drink!~
food [freshness]: fruit~ bread~ meat~ cheese~
food []: ice_cream~ chocolate~ breakfast^ lunch^ dinner^
food [heat]: pizza soup~ pasta~ rice~ stew curry(curries) pie
food [size]: vegetable cake sandwich egg pancake biscuit|cookie salad pastry(pastries) noodles+
food []: dough~ ham~ honey~
fruit [ripeness]: apple banana orange strawberry(strawberries) peach pear lemon cherry(cherries)
fruit [ripeness]: melon grapes+
vegetable: carrot potato(potatoes) tomato(tomatoes) onion pepper cucumber cabbage mushroom pumpkin
bread: loaf(loaves) bread_roll
meat: sausage steak chicken~
cake: birthday_cake cupcake
drink []: water~ coffee~ tea~ milk~ juice~ beer~ wine~ lemonade~ hot_chocolate~

* [colour age_thing]: vehicle
vehicle: car bicycle|bike bus truck|lorry(lorries) motorcycle|motorbike van taxi scooter tractor
vehicle []: train tram wheelchair
vehicle [colour size]: boat
boat: canoe sailing_boat=sailboat fishing_boat ferry(ferries) kayak
* []: wheel tyre engine

* [age_thing]: instrument=musical_instrument
instrument: guitar piano violin flute trumpet cello accordion saxophone harp clarinet banjo
instrument []: drums+
guitar []: electric_guitar
* []: song melody(melodies) tune

* [material colour]: furniture~
furniture: table chair bench bed sofa|couch desk shelf(shelves) stool cupboard
chair: armchair rocking_chair

* []: tool
tool [age_thing]: hammer saw drill screwdriver wrench|spanner axe shovel|spade rake lawn_mower
tool []: brush broom mop sponge cloth paintbrush roller trowel scissors+ hose watering_can
tool [size]: knife(knives) needle
brush: toothbrush
* []: ladder fishing_rod

* [size material]: container
container: box basket bucket bottle crate
container [size colour]: bag suitcase backpack|rucksack
container [size]: parcel|package
container [colour size]: cup|mug bowl plate
container []: glass pot pan|frying_pan tray jar kettle
* []: spoon wooden_spoon fork whisk rolling_pin oven chopsticks+ dish

* [age_thing]: device=electronic_device
device: phone|mobile_phone computer camera tablet television|TV radio
computer: laptop desktop_computer
device []: headphones+ printer microphone keyboard screen charger
* []: video film|movie email message

* [colour size]: toy
toy: doll kite teddy_bear toy_car toy_train
* [colour]: ball balloon umbrella tent
ball: leather_ball=football beach_ball tennis_ball
* []: sport game frisbee puzzle rope
sport: football^|soccer^ tennis^ basketball^ volleyball^ baseball^ rugby^ hockey^ badminton^
sport: golf^ cricket^
game: chess^ board_game card_game video_game
* []: racket bat

* []: reading_matter!
reading_matter [thickness]: book
reading_matter []: newspaper magazine letter map menu report notebook
book: novel textbook comic cookbook
* [size colour_art]: picture
picture: painting drawing portrait
picture []: photograph|photo poster
* []: statue story(stories) joke homework~ exam sum lesson medicine~

* [size]: plant
plant: flower tree bush seedling
flower [colour]: rose tulip sunflower daisy(daisies) lily(lilies)
tree: apple_tree palm_tree oak_tree
* []: grass@~ leaf(leaves) hay~ seed firewood~ log branch bone stick stone lawn weed

* [age_thing]: building
building: house church castle tower barn hut
* [colour]: wall door fence gate
* []: window bridge roof
* []: floor@ ground@ counter stairs@+ blackboard pavement@ path street_sign traffic_light fountain
* []: blanket carpet pillow campfire hill stone_wall pond puddle wave kerb sand@~ track rug
* [colour]: towel

* [cleanness]: clothing!
clothing: clothes+ shirt dress trousers+ sock sweater
* []: teeth+ hair~ hand face arm
* []: snow~ rain~ fog~ sun@ wind@ cloud lightning~ snowman(snowmen) snowball sandcastle sledge|sled
* []: money~ ticket bill present|gift candle net square trophy(trophies) flag rubbish~ dumbbell surfboard
* []: skateboard order brick plank pipe cable nail bandage rooftop field valley harbour city sea
* []: street customer_bill!
"""

# sex, age: words; a dash where the word does not say. Children keep their own adjectives.
PEOPLE = """
- -: person(people)
m adult: man(men) father grandfather waiter actor
f adult: woman(women) mother grandmother waitress actress
m child: boy
f child: girl
- child: child(children)|kid toddler baby(babies) pupil|schoolchild(schoolchildren)
- -: teenager student friend tourist|sightseer traveller swimmer runner cyclist skier skater surfer
- -: guitarist violinist pianist drummer singer dancer hiker climber tennis_player player
- adult: musician athlete worker artist chef|cook baker butcher farmer gardener fisherman(fishermen)
- adult: nurse doctor dentist vet teacher librarian professor scientist
- adult: builder|construction_worker painter carpenter plumber electrician mechanic welder
- adult: driver bus_driver taxi_driver police_officer firefighter soldier postman(postmen) cleaner
- adult: shopkeeper cashier customer vendor|street_vendor tailor hairdresser photographer journalist
- adult: programmer office_worker secretary(secretaries) manager passenger tour_guide lifeguard
- adult: bride_guest=wedding_guest patient
"""

# occupation: its kinds. Two occupations never exclude each other: a nurse may be a singer.
OCCUPATIONS = """
musician: guitarist violinist pianist drummer singer
athlete: runner swimmer cyclist skier skater surfer tennis_player climber
worker: builder carpenter plumber electrician mechanic welder farmer gardener cleaner office_worker
worker: nurse doctor dentist vet teacher chef baker butcher police_officer firefighter painter
worker: waiter waitress postman cashier
office_worker: programmer secretary manager
driver: bus_driver taxi_driver
student: pupil
traveller: tourist passenger
"""

# Dimension: its values, which exclude one another; a bar separates synonyms.
TRAITS = """
size: small|little large|big
fur: brown black white grey spotted
age: young old|elderly middle-aged
height: tall short
hair: dark-haired blond red-haired grey-haired
beard: bearded clean-shaven
mood: happy|cheerful sad|unhappy angry
energy: tired lively|energetic
wetness: wet dry
colour: red blue white black green yellow grey orange brown purple pink
colour_art: colourful black-and-white
age_thing: old new
material: wooden metal plastic
freshness: fresh stale
ripeness: ripe unripe
heat: hot cold
thickness: thick thin
cleanness: clean dirty
"""

# How a mass noun is portioned: "a cup of coffee".
PORTIONS = {
    "coffee": "a cup of", "tea": "a cup of", "water": "a glass of", "juice": "a glass of",
    "milk": "a glass of", "beer": "a glass of", "wine": "a glass of", "lemonade": "a glass of",
    "hot_chocolate": "a mug of", "bread": "a slice of", "cheese": "a piece of",
    "soup": "a bowl of", "pasta": "a plate of", "rice": "a bowl of", "fruit": "a piece of",
}  # fmt: skip

# Garments by where they fit, the commonest first; `+` plural, `_f` for women and girls only.
GARMENTS = {
    "outdoors": "jacket hat coat shirt cap scarf dress_f jeans+ boots+",
    "indoors": "shirt sweater T-shirt dress_f jeans+ cap skirt_f",
    "summer": "T-shirt hat shirt cap dress_f shorts+",
    "winter": "coat jacket hat scarf gloves+",
    "sport": "T-shirt shorts+ jersey cap",
    "kitchen": "apron shirt hat",
    "work": "helmet vest jacket gloves+",
    "cleaning": "uniform apron gloves+",
    "office": "suit shirt jacket sweater dress_f",
    "smart": "suit shirt dress_f jacket hat",
    "helmet": "helmet jacket",
}
GARMENT_COLOURS = "blue red white black green yellow grey brown orange purple pink"
