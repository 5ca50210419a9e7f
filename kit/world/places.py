"""Places, times of the day and weather, with the phrases that say them."""

from __future__ import annotations

# setting: place = phrase | phrase; the commonest first.
PLACES = """
outdoors: park=in the park|in a park street=on the street|in the street
outdoors: beach=on the beach|at the beach garden=in the garden|in a garden
outdoors: market=at the market field=in a field|in the field
outdoors: forest=in the forest|in the woods road=on the road
outdoors: playground=in the playground|at the playground square=in the square|in the town square
outdoors: farm=on a farm|on the farm lake=by the lake|at the lake river=by the river|at the river
outdoors: yard=in the yard|in the back yard mountains=in the mountains stadium=in the stadium
outdoors: harbour=in the harbour|at the harbour building_site=at a building site|on a building site
outdoors: sports_ground=on the sports ground|at the sports ground campsite=at a campsite
outdoors: slope=on a snowy slope terrace=on the terrace orchard=in an orchard
outdoors: zoo=at the zoo ice=on the frozen lake sea=in the sea|in the ocean
outdoors: lake_water=in the lake open_sea=out at sea on_lake=on the lake|on a lake on_river=on the river|on a river
outdoors: bridge_place=on the bridge|on a bridge petrol_station=at a petrol station|at the petrol station
indoors: kitchen=in the kitchen|in a kitchen living_room=in the living room
indoors: office=in the office|in an office bedroom=in the bedroom restaurant=in a restaurant|at a restaurant
indoors: classroom=in the classroom|in a classroom cafe=in a cafe|at a cafe
indoors: library=in the library|at the library shop=in a shop|in a store
indoors: supermarket=in the supermarket gym=in the gym|at the gym workshop=in the workshop
indoors: garage=in the garage hospital=in the hospital|in a hospital museum=in the museum
indoors: studio=in the studio|in a studio concert_hall=in the concert hall theatre=in the theatre
indoors: bathroom=in the bathroom hall=in the hall bakery=in the bakery
indoors: laboratory=in the laboratory barn_place=in the barn hotel=in a hotel
indoors: clinic=at the clinic|in the clinic airport=at the airport|in the airport sports_hall=in the sports hall
indoors: bowling_alley=in the bowling alley|at the bowling alley pub=in a pub|in the pub
indoors: church_place=in a church|in the church cinema=at the cinema|in a cinema
either: station=at the train station|at a train station train_place=on a train|on the train
either: bus_place=on a bus|on the bus pool=at the swimming pool|at the pool
either: stage=on a stage|on stage bus_stop=at a bus stop party=at a party wedding=at a wedding
either: circus=at the circus|at a circus
"""

# Places that may be the same spot; all others with two different names exclude each other.
OVERLAPS = """
garden yard · park playground · park lake · park river · forest mountains · forest river
forest lake · mountains lake · mountains river · mountains slope · farm field · farm yard
street market · square market · square street · street road · street building_site
road building_site · field river · field lake · sports_ground park · sports_ground stadium
shop bakery · shop supermarket · garage workshop · restaurant hotel · cafe hotel · cafe bakery
terrace garden · orchard farm · orchard garden · campsite forest · campsite lake
campsite river · campsite mountains · campsite field · farm barn_place · gym sports_hall
hall concert_hall · hall theatre · hall sports_hall · hall party · hall wedding
concert_hall theatre · beach sea · sea open_sea · harbour sea · lake lake_water · lake ice
park ice · farm garden · farm orchard · restaurant bakery · restaurant cafe · studio workshop
cafe terrace · road mountains · road forest · road farm · road field · street river
street harbour · park square · park garden · harbour market · hospital laboratory
farm river · beach harbour · stadium pool · square harbour · mountains road · field mountains
field forest · orchard field · river harbour · cafe station · shop station · shop airport
street bus_stop · square terrace · playground yard · playground garden · living_room studio
campsite beach · street terrace · farm forest · beach road · lake road · river road
lake on_lake · river on_river · lake_water on_lake · on_lake on_river · sea on_lake · harbour on_river · harbour on_lake
street bridge_place · road bridge_place · river bridge_place · park bridge_place · square bridge_place
harbour bridge_place · mountains bridge_place · forest bridge_place · garden bridge_place · beach bridge_place
river lake · on_river bridge_place · on_lake bridge_place · road petrol_station · street petrol_station
restaurant terrace · hotel terrace · hospital clinic · theatre concert_hall · pub restaurant · pub cafe
open_sea on_lake · on_lake campsite · on_river campsite · on_lake park · on_river park · harbour open_sea
forest mountains · forest on_lake · garage street · garage yard · yard street · garden street · garden road
street playground · street park · park stadium · park road · road yard · beach hotel · square harbour
building_site yard · building_site road · building_site field · street field · farm street · park playground
library classroom · office library · classroom hall · hotel office · hotel hall · shop hotel · shop cafe
supermarket bakery · supermarket cafe · museum cafe · museum library · studio living_room · studio bedroom
bedroom living_room · zoo park · zoo garden · zoo playground · market park · market beach
market farm · stadium street · slope forest · slope field · slope park · park mountains · park beach · park campsite
"""
# Where a party, a stage or a stop is, is anybody's guess.
ANYWHERE = {"stage", "party", "wedding", "bus_stop", "station", "pool", "circus"}

# time of day: phrases; a kind of the first word of its path
TIMES = """
day: during the day
day/morning: in the morning
day/afternoon: in the afternoon
day/noon: at noon|at midday
evening: in the evening
night: at night
evening/sunset: at sunset
"""
WEATHERS = """
sun: on a sunny day|in the sunshine
rain: in the rain|while it rains
snow: while it snows|in the falling snow
wind: on a windy day
fog: in the fog|on a foggy day
"""

# Places with weather or hours of their own; elsewhere outdoors all but snow, and any time.
SNOWY = "park street garden field forest road square farm yard mountains slope ice"
WARM_ONLY = "beach on_lake on_river sea lake_water campsite terrace orchard open_sea"
EVENING_ONLY = "concert_hall theatre stage party"
DAY_ONLY = (
    "classroom playground office farm building_site market zoo orchard slope field bakery"
    " laboratory library yard workshop supermarket museum"
)
