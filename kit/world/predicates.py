"""The predicate of a sentence: action, object, tool, posture and circumstances in order."""

from __future__ import annotations

from typing import NamedTuple

from kit.world.frames import Choice
from kit.world.lexicon import NOUNS, PLACES, PLAIN, TIMES, WEATHERS
from kit.world.phrases import (
    circumstance,
    companion,
    is_plural,
    noun_phrase,
    pick,
    portion,
    possessive,
    spot_phrase,
    verb_form,
)
from kit.world.scene import Scene
from kit.world.verbs import NO_PASSIVE, PORTIONED, TAKES_OWN, TAKES_THE

BASE, THIRD, PAST, PARTICIPLE, ING = range(5)
# progressive  A man is reading.            simple   A man reads.
# fragment     A man reading.               there    There is a man reading.
# front        In the park, a man is ...    passive  A book is being read by a man.
# postmodified A man in the park is ...     relative A man who is in the park is ...
# seen         A man can be seen reading.   past     A man read. / pastprogressive A man was ...
# the others   see caption_forms
FORMS = (
    "progressive", "simple", "seated", "fragment", "there", "postmodified", "front", "passive", "noun first",
    "absolute",
    "relative", "purpose", "seen", "as", "busy", "doing", "sky", "there who", "inverted", "picture",
)  # fmt: skip
FORM = Choice(FORMS, 0.6)
WORDS = 60  # styles of word choice: lcm of the small numbers that pick synonyms


FAMILY = frozenset("son daughter brother sister wife husband".split())


class Style(NamedTuple):
    """How a scene is said: the form, the article of the subject, the choice of words."""

    form: str = "progressive"
    definite: bool = False
    word: int = 1


def passivable(scene: Scene) -> bool:
    """Whether the object can be made the subject."""
    if scene.object is None or scene.verb in NO_PASSIVE or scene.beside is not None:
        return False
    if scene.who is not None and (scene.manner or any(key[:5] == "wear:" for key, _ in scene.who.traits)):
        return False
    mark = NOUNS[scene.object.noun].mark
    return scene.posture is None and "^" not in mark


def subject_phrase(scene: Scene, style: Style, garments: str) -> tuple[str, bool]:
    """The subject and whether it is plural; the companion joins it in some styles."""
    definite = style.definite and style.form != "there"
    phrase = noun_phrase(scene.who, style.word, definite, garments).removeprefix("some ")
    if scene.beside is not None and joined(scene, style):
        return f"{phrase} and {companion(scene)}", True
    return phrase, is_plural(scene.who)


def joined(scene: Scene, style: Style) -> bool:
    """Whether the companion is said with the subject: "a man and his dog"."""
    return scene.beside is not None and not scene.who.traits and style.word % 2 == 0


def core(scene: Scene, style: Style, which: int, auxiliary: str = "") -> str:
    """Verb, object, tool and manner: "is carefully cutting bread with a knife"."""
    word = style.word
    parts = [auxiliary, verb_form(scene.verb, which, word)] if auxiliary else [verb_form(scene.verb, which, word)]
    if scene.object is not None:
        parts.append(object_phrase(scene, style))
    if scene.manner is not None:
        dimension, adverb = scene.manner
        if dimension != "company" and word % 3 == 0:
            parts.insert(bool(auxiliary), adverb)
        else:
            parts.append(adverb)
    if scene.tool is not None:
        parts.append("with " + noun_phrase(scene.tool, word).removeprefix("some "))
    return " ".join(parts)


def object_phrase(scene: Scene, style: Style) -> str:
    """The object with the determiner its verb asks for."""
    party, verb = scene.object, scene.verb
    if verb in PORTIONED and not is_plural(scene.who) and (scene.who is None or NOUNS[scene.who.noun].is_person):
        measured = portion(party, style.word)
        if measured:
            return measured
    plain = noun_phrase(party, style.word)
    mark = NOUNS[party.noun].mark
    if mark or party.high != 1 or party.low != 1:
        if is_plural(scene.who):
            plain = plain.removeprefix("some ")
        if verb in TAKES_OWN and mark in ("~", "+") and scene.who is not None and not party.traits:
            return f"{possessive(scene.who)} {plain.removeprefix('some ')}"
        return plain
    looked_at = verb == "look_at" and NOUNS[party.noun].kind[0] != "device"  # "his phone", but "a statue"
    own = (verb in TAKES_OWN and not looked_at) or party.noun in FAMILY
    if own and scene.who is not None and party.noun not in PLAIN:
        return f"{possessive(scene.who)} {plain.split(' ', 1)[1]}"
    if verb in TAKES_THE and not party.traits:
        return f"the {plain.split(' ', 1)[1]}"
    return plain


def around(scene: Scene, style: Style, skip: str | None = None) -> list[str]:
    """Companion, place, weather, time: what stands at the end of a sentence."""
    parts = []
    if scene.beside is not None and not joined(scene, style):
        parts.append("with " + companion(scene))
    if scene.place is not None and skip != "place":
        parts.append(pick(PLACES[scene.place].phrases, style.word))
    if scene.weather is not None and skip != "weather":
        parts.append(pick(WEATHERS[scene.weather], style.word))
    if scene.time is not None and skip != "time":
        parts.append(pick(TIMES[scene.time][1], style.word))
    return parts


def spot_part(scene: Scene, style: Style) -> list[str]:
    return [spot_phrase(scene.spot, scene.who, style.word)] if scene.spot else []


def predicate(scene: Scene, style: Style, which: int, be: str, fronted: str | None) -> list[str]:
    spot, rest = spot_part(scene, style), around(scene, style, fronted)
    if scene.posture is None and scene.verb is not None:
        return [core(scene, style, which, be), *spot, *rest]
    auxiliary = [be] if be else []
    if scene.verb is None:
        down = ["down"] if scene.posture in ("sit", "lie", "kneel") and not spot else []
        return [*auxiliary, verb_form(scene.posture, which, style.word), *down, *spot, *rest]
    if not spot or style.word % 3 == 0 or (which != ING and style.word % 3 == 1):
        # sits on a bench in the park and reads a newspaper in the evening
        position = [*auxiliary, verb_form(scene.posture, which, style.word), *spot]
        if scene.place and fronted != "place":
            place = circumstance(scene, "place", style.word)
            position.append(place)
            rest.remove(place)
        return [*position, "and", core(scene, style, which), *rest]
    position = ["while", verb_form(scene.posture, ING, style.word), *spot]
    return [core(scene, style, which, be), *position, *rest]
