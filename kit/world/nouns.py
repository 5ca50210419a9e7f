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
animal [size]: fish(fish) turtle lion giraffe zebra penguin seal squirrel fox(foxes) mouse(mice)
animal []: insect
insect []: bee butterfly(butterflies)
dog [size fur]: puppy(puppies) terrier sheepdog
cat: kitten
horse: pony(ponies)
cow: calf(calves)
sheep: lamb
bird: duck seagull pigeon swan parrot hen owl goose(geese) eagle

* []: food~ drink!~
food []: fruit~ bread~ meat~ cheese~
food []: ice_cream~ chocolate~ breakfast^ lunch^ dinner^
food []: pizza soup~ pasta~ rice~ stew curry(curries) pie
food []: vegetable cake hot_dog jam~ butter~ sauce marshmallow nut sandwich egg pancake biscuit|cookie salad
food []: pastry(pastries) noodles+
food []: dough~ ham~ honey~
fruit []: apple banana orange strawberry(strawberries) peach pear lemon cherry(cherries)
fruit []: melon grapes+
vegetable: carrot potato(potatoes) tomato(tomatoes) onion pepper cucumber cabbage mushroom pumpkin
bread: loaf(loaves) bread_roll
meat: sausage steak chicken~
cake: birthday_cake wedding_cake cupcake
drink []: water~ coffee~ tea~ milk~ juice~ beer~ wine~ lemonade~ hot_chocolate~

* [colour_vehicle]: vehicle
vehicle: car bicycle|bike bus truck|lorry(lorries) motorcycle|motorbike van taxi scooter tractor
vehicle []: train tram plane helicopter
* [colour_vehicle size]: boat
* []: wheelchair pram shopping_trolley tricycle cart hospital_bed
boat: canoe sailing_boat=sailboat fishing_boat ferry(ferries) kayak
* []: wheel tyre engine carousel

* []: instrument=musical_instrument
instrument: guitar piano violin flute trumpet cello accordion saxophone harp clarinet banjo
instrument []: drums+
guitar []: electric_guitar
* []: song melody(melodies) tune music~ band choir orchestra audience

* [material]: furniture~
furniture: table chair bench bed sofa|couch desk shelf(shelves) stool cupboard
chair: armchair rocking_chair

* []: tool
tool []: hammer saw drill screwdriver wrench|spanner axe shovel|spade rake lawn_mower
tool []: brush broom mop sponge cloth paintbrush roller trowel scissors+ hose watering_can
tool []: knife(knives) needle javelin microscope telescope
brush: toothbrush
* []: ladder fishing_rod weights+ target

* [size material]: container!
container: box(boxes) basket bucket crate
container [size colour]: bottle vase
container [size colour]: bag suitcase backpack|rucksack
container [size]: parcel|package
container [colour size]: cup|mug bowl plate
container []: glass pot pan|frying_pan tray jar kettle
* []: spoon wooden_spoon fork whisk rolling_pin oven chopsticks+ dish

* []: device=electronic_device
device: phone|mobile_phone computer camera tablet television radio
computer: laptop desktop_computer
device []: headphones+ printer microphone keyboard screen charger
* []: video film|movie email message tv^=television|TV

* [colour size]: toy
toy: doll kite teddy_bear toy_car toy_train
* [colour]: ball balloon umbrella tent
ball: beach_ball
ball []: leather_ball=football tennis_ball
* []: sport game frisbee puzzle rope
sport: football^|soccer^ tennis^ basketball^ volleyball^ baseball^ rugby^ hockey^ badminton^
sport: golf^ cricket^ table_tennis^ ice_hockey^
game: chess^ pool_game^=pool darts^ board_game card_game video_game
* []: racket bat

* []: reading_matter!
reading_matter []: book
reading_matter []: newspaper magazine letter map menu report notebook contract chart passport timetable essay poem
book: novel textbook comic cookbook
* [size colour_art]: picture
picture: painting drawing portrait
picture []: photograph|photo poster
* []: statue story(stories) joke homework~ exam test sum equation lesson experiment rule medicine~

* []: plant
plant [size]: flower tree bush
plant []: seedling
flower [colour_flower]: rose tulip sunflower daisy(daisies) lily(lilies)
tree: apple_tree palm_tree oak_tree christmas_tree=Christmas_tree
* []: grass@~ leaf(leaves) hay~ seed firewood~ log branch bone stick stone lawn weed hedge wheat~ corn~ shell
* []: cliff rock ice_floe beehive

* []: building
building: house church castle tower barn hut
* []: wall fence gate
* [colour]: door
* []: window bridge roof hole trench cement~ tap sink light_bulb mirror clock curtain string ramp pier
* []: floor@ ground@ counter stairs@+ blackboard pavement@ path street_sign traffic_light fountain
* []: blanket carpet pillow campfire hill stone_wall pond puddle wave kerb sand@~ track rug fire
* []: torch(torches) water_surface@=water tree_top@+=trees sea_top@=sea lake_top@=lake
* [colour]: towel

* [colour]: clothing!
clothing: clothes+ shirt dress trousers+ sock sweater coat jacket hat shoe scarf(scarves) laundry~
* []: teeth+ hair~ hand face arm leg eye
* []: snow~ rain~ fog~ sun@ wind@ cloud lightning~ snowman(snowmen) snowball sandcastle sledge|sled
* []: money~ ticket bill present|gift candle net square trophy(trophies) flag rubbish~ dumbbell surfboard
* []: skateboard order brick plank pipe cable nail bandage rooftop field valley harbour city sea
* []: street customer_bill! coin museum_building=museum confetti~ bouquet banner sign traffic~ liquid powder~ parade
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
- -: guitarist violinist pianist drummer singer dancer hiker climber tennis_player player neighbour
- -: boxer archer diver conductor juggler magician clown protester model
m -: son brother
f -: daughter sister
m adult: husband
f adult: wife bride
x adult: man_and_woman&=man_and_a_woman
x child: boy_and_girl&=boy_and_a_girl
f -: mother_and_daughter&=mother_and_her_daughter
m -: father_and_son&=father_and_his_son
- adult: musician athlete worker artist chef|cook baker butcher farmer gardener fisherman(fishermen)
- adult: nurse doctor dentist vet teacher librarian professor scientist
- adult: builder|construction_worker painter carpenter plumber electrician mechanic welder
- adult: driver bus_driver taxi_driver police_officer firefighter soldier postman(postmen) cleaner
- adult: shopkeeper cashier customer vendor|street_vendor tailor hairdresser photographer journalist
- adult: pilot lumberjack beekeeper potter politician programmer office_worker secretary(secretaries) manager
- adult: passenger tour_guide lifeguard
- adult: patient
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
worker: driver
student: pupil
traveller: tourist passenger
"""

# Dimension: its values, which exclude one another; a bar separates synonyms.
TRAITS = """
count: only
size: small|little large|big
fur: brown black white grey spotted
age: young old|elderly middle-aged
height: tall short
hair: dark-haired blond red-haired grey-haired
beard: bearded
mood: happy|cheerful sad|unhappy
energy: tired
colour: red blue white black green yellow grey orange brown purple pink
colour_vehicle: red blue white black green yellow grey
colour_flower: red white yellow pink purple orange
colour_art: colourful black-and-white
material: wooden metal plastic
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
    "outdoors": "jacket hat coat sunglasses+ shirt cap glasses+ scarf dress_f jeans+ boots+ hoodie",
    "indoors": "shirt glasses+ sweater T-shirt dress_f jeans+ cap skirt_f hoodie",
    "summer": "T-shirt hat sunglasses+ shirt cap dress_f shorts+ sandals+",
    "winter": "coat jacket hat scarf gloves+",
    "sport": "T-shirt shorts+ jersey cap headband",
    "boxing": "gloves+ shorts+",
    "lab": "uniform glasses+",
    "uniform": "uniform vest",
    "kitchen": "apron shirt hat",
    "work": "helmet vest jacket gloves+",
    "cleaning": "uniform apron gloves+",
    "office": "suit shirt jacket sweater dress_f",
    "smart": "suit shirt dress_f jacket hat glasses+",
    "helmet": "helmet jacket",
}
COLOURS_OF = {
    "jeans": "blue black grey", "boots": "black brown", "sandals": "brown black white",
    "suit": "black grey blue brown", "uniform": "blue black green grey white", "helmet": "white yellow red blue",
    "apron": "white black blue red", "gloves": "black red white blue", "vest": "yellow orange green blue",
    "hat": "black white brown red blue", "coat": "black brown grey red blue white",
}  # fmt: skip
GARMENT_COLOURS = "blue red white black green yellow grey brown orange purple pink"
