"""English inflection of nouns and verbs, and a or an, by rules and a table of irregular verbs."""

from __future__ import annotations

import re

VOWELS = "aeiou"
# Beginnings that are said with a vowel but not spelled with one, or that the second line would take; and the others.
SAID_WITH_VOWEL = re.compile(r"hour|honest|hono|heir|x-?ray|8|1[18](\d\d)?(?!\d)|uni(n|m|ll|rr|ron|ss|dent|diom)")
SAID_WITH_CONSONANT = re.compile(r"uni|unanim|us[aeiu]|ut[eio]|ubi|ur[aio]|ure[at]|uk|eu|ew[ei]|one(?!r)|once|u-")

# base: past, participle (the same where one is given); "-ing" where the rule fails
_IRREGULAR = """
sleep slept · take took taken · run ran run · swim swam swum · ride rode ridden · hit hit
drive drove driven · eat ate eaten · drink drank drunk · sing sang sung · come came come
speak spoke spoken · give gave given · read read · cut cut · build built · lay laid
sew sewed sewn · draw drew drawn · make made · write wrote written · hold held
throw threw thrown · catch caught · buy bought · sell sold · hang hung · choose chose chosen
pay paid · feed fed · dig dug · fly flew flown · stand stood · sit sat · lie lay lain
kneel knelt · lean leant · fall fell fallen · blow blew blown · shine shone · spread spread · sweep swept
strike struck
hide hid hidden · set set · put put · split split · light lit · fight fought · shear sheared shorn · swing swung
rise rose risen · find found · get got · go went gone · feel felt · see saw seen
"""
_DOUBLED = """
run swim jog chat nap cut mop chop stir pet wrap hug hit sit get dig stop drag scrub sip shovel travel unwrap
clap set put split snorkel knit plan
"""
DOUBLED = frozenset(_DOUBLED.split())
IRREGULAR = {
    base: tuple(rest)
    for entry in _IRREGULAR.replace("\n", " · ").split("·")
    if entry.strip()
    for base, *rest in [entry.split()]
}


def plural(word: str) -> str:
    """The regular plural of a noun or of the last word of a compound.

    >>> plural("box"), plural("city"), plural("toy"), plural("bread roll")
    ('boxes', 'cities', 'toys', 'bread rolls')
    """
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def third_person(verb: str) -> str:
    """ "He ...": goes, watches, carries, plays."""
    if verb == "be":
        return "is"
    return verb + "es" if verb.endswith("o") else plural(verb)


def past(verb: str) -> str:
    """The simple past: walked, carried, stopped, ate."""
    if verb in IRREGULAR:
        return IRREGULAR[verb][0]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return verb[:-1] + "ied"
    return (verb + verb[-1] if verb in DOUBLED else verb) + "ed"


def participle(verb: str) -> str:
    """The past participle: walked, eaten, drawn."""
    return IRREGULAR[verb][-1] if verb in IRREGULAR else past(verb)


def gerund(verb: str) -> str:
    """The -ing form: walking, lying, running, making."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    return (verb + verb[-1] if verb in DOUBLED else verb) + "ing"


def article(word: str) -> str:
    """ "a" or "an" by the sound of the next word, or of a number said in words.

    >>> article("apple"), article("hour"), article("uniform"), article("unimportant")
    ('an', 'an', 'a', 'an')
    """
    begun = word.lower()
    if SAID_WITH_VOWEL.match(begun):
        return "an"
    if SAID_WITH_CONSONANT.match(begun):
        return "a"
    return "an" if begun[0] in VOWELS else "a"
