"""The parts of a sentence: noun phrases, places, times, in the words a style picks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from kit.english.inflect import article
from kit.english.inflect import plural as make_plural
from kit.world.lexicon import NOUNS, PLACES, TIMES, TRAIT_WORDS, VERBS, WEATHERS
from kit.world.nouns import GARMENTS, PORTIONS
from kit.world.scene import MANY, Party, Scene

NUMBER_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
PLURAL_GARMENTS = {word[:-1] for words in GARMENTS.values() for word in words.split() if word[-1] == "+"}
# Opinion, size, age, ... is the order of English adjectives.
ADJECTIVES = (
    "mood", "energy", "size", "height", "thickness", "age", "freshness", "heat",
    "ripeness", "cleanness", "beard", "hair", "fur", "colour", "colour_vehicle", "colour_flower",
    "colour_art", "material",
)  # fmt: skip
ADJECTIVE_ORDER = {dimension: order for order, dimension in enumerate(ADJECTIVES)}
# One for each: "two women are sitting on chairs".
OWN_SPOTS = {
    "chair", "stool", "armchair", "ladder", "towel", "bed", "desk", "rocking_chair", "bench",
}  # fmt: skip


def pick(words: Sequence, style_word: int) -> str:
    """The first and commonest of the synonyms, or for a third of the styles another one."""
    if len(words) == 1 or (style_word + len(words[0])) % 3:
        return words[0]
    return words[1 + style_word % (len(words) - 1)]


def is_plural(party: Party | None) -> bool:
    """Whether the verb agrees in the plural."""
    if party is None:
        return False
    if party.high > 1 and party.low > 0:
        return True
    return NOUNS[party.noun].mark == "+"


def noun_phrase(party: Party, word: int, definite: bool = False, garments: str = "in") -> str:
    """ "two small dogs", "the woman in a red coat", "some bread".

    `garments` is "in" or "wearing" for how clothes are told, or "" to leave them out.
    """
    name, low, high, traits = party
    noun = NOUNS[name]
    if noun.mark == "&":  # "a man and a woman", "a mother and her daughter"
        name = noun.forms[0][0]
        pair = "the " + name.replace(" and a ", " and the ") if definite else "a " + name
        worn = [trait for trait in traits if trait[0][:5] == "wear:"]
        return pair + _garments(worn, garments, True) if worn and garments else pair
    forms = noun.forms[0] if len(noun.forms) == 1 else pick(noun.forms, word)
    if not traits and low == high == 1 and not noun.mark:  # the commonest
        if definite:
            return "the " + forms[0]
        if name == "person" and (word & 3) == 3:
            return "someone" if word & 4 else "somebody"
        return _with_article(forms[0])
    plural = is_plural(party)
    name = forms[1] if plural else forms[0]
    worn = [trait for trait in traits if trait[0][:5] == "wear:"]
    if len(worn) < len(traits):
        name = _adjectives(traits, word) + name
    name = _determined(party, noun.mark, name, definite, word)
    return name + _garments(worn, garments, plural) if worn and garments else name


@lru_cache(4096)
def _with_article(words: str) -> str:
    return f"{article(words)} {words}"


def _adjectives(traits: tuple[tuple[str, str], ...], word: int) -> str:
    said = [(ADJECTIVE_ORDER[key], value) for key, value in traits if value and key in ADJECTIVE_ORDER]
    return "".join([pick(TRAIT_WORDS[value], word) + " " for _, value in sorted(said)])


def _garments(worn: Iterable[tuple[str, str]], how: str, plural: bool) -> str:
    return f" {how} {' and '.join([garment_phrase(key, value, plural) for key, value in worn])}"


@cache
def garment_phrase(key: str, colour: str, plural: bool) -> str:
    """ "a red coat", "red coats", "black gloves"."""
    garment = key[5:]
    lead = colour + " " if colour else ""
    if garment in PLURAL_GARMENTS:
        return lead + garment
    if plural:
        return lead + ("scarves" if garment == "scarf" else make_plural(garment))
    return f"{article(lead or garment)} {lead}{garment}"


def _determined(party: Party, mark: str, name: str, definite: bool, word: int) -> str:
    _, low, high, traits = party
    if "^" in mark:
        return name
    if traits and ("count", "only") in traits:
        return f"only {NUMBER_WORDS.get(low, 'a few') if low == high else 'a few'} {name}"
    if "@" in mark:
        return "the " + name
    if "~" in mark or low == 0:
        if definite:
            return "the " + name
        return "some " + name if word % 4 == 2 and party.low == 0 else name
    if mark == "+":
        return ("the " if definite else "") + name
    if high == 1:
        return f"the {name}" if definite else _with_article(name)
    if low == high:
        if low == 2 and not definite and word % 5 == 4:
            return f"a couple of {name}"
        return f"{'the ' if definite else ''}{NUMBER_WORDS[low]} {name}"
    if low <= 2:
        return "the " + name if definite else "some " + name if word % 6 == 1 else name
    if low < 10:
        grouped = NOUNS[party.noun].is_person and word % 3 == 2
        return f"a group of {name}" if grouped else f"several {name}"
    crowd = NOUNS[party.noun].is_person and word % 3 == 1
    return f"a crowd of {name}" if crowd else f"many {name}"


def portion(party: Party, word: int) -> str | None:
    """ "a cup of coffee" for coffee, in some styles; None where there is no such measure."""
    if word % 4 != 1 or party.traits or party.noun not in PORTIONS:
        return None
    return f"{PORTIONS[party.noun]} {NOUNS[party.noun].forms[0][0]}"


def possessive(party: Party | None) -> str:
    """his, her, its or their."""
    if party is None or is_plural(party):
        return "their"
    noun = NOUNS[party.noun]
    if not noun.is_person:
        return "its"
    return {"m": "his", "f": "her"}.get(noun.sex, "their")


def spot_phrase(spot: tuple[str, str], who: Party | None, word: int) -> str:
    """ "on a bench", "on the grass", "on chairs"."""
    preposition, name = spot
    if name in OWN_SPOTS and is_plural(who) and (name != "bench" or who.high > 3) and preposition in ("on", "in", "at"):
        return f"{preposition} {NOUNS[name].forms[0][1]}"
    return _alone_at(preposition, name, (word + len(name)) % 3 == 0)


@cache
def _alone_at(preposition: str, name: str, definite: bool) -> str:
    if (preposition, name) == ("in", "bed"):
        return "in bed"
    plain = Party(name, 2, MANY) if NOUNS[name].mark == "+" else Party(name)
    return f"{preposition} {noun_phrase(plain, 0, definite)}"


def circumstance(scene: Scene, role: str, word: int) -> str:
    """Where, when, or in what weather."""
    value = getattr(scene, role)
    if role == "place":
        return pick(PLACES[value].phrases, word)
    if role == "time":
        return pick(TIMES[value][1], word)
    return pick(WEATHERS[value], word)


def companion(scene: Scene) -> str:
    """ "her dog", "his son", "a friend"."""
    party = scene.beside
    if party.noun != "friend":
        return f"{possessive(scene.who)} {NOUNS[party.noun].forms[0][0]}"
    return noun_phrase(party, 1)


def verb_form(verb: str, which: int, word: int) -> str:
    """Form 0 base, 1 third person, 2 past, 3 participle, 4 -ing of a verb."""
    forms = VERBS[verb].forms
    return (forms[0] if len(forms) == 1 else pick(forms, word))[which]
