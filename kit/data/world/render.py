"""A scene said in English. One scene has many renderings; a style picks one of them."""

from __future__ import annotations

import random
from typing import NamedTuple

from kit.data.world.frames import Choice
from kit.data.world.lexicon import NOUNS, PLAIN, TRAIT_WORDS
from kit.data.world.phrases import (
    circumstance,
    companion,
    garment_phrase,
    is_plural,
    noun_phrase,
    pick,
    portion,
    possessive,
    spot_phrase,
    verb_form,
)
from kit.data.world.scene import Scene
from kit.data.world.verbs import NO_PASSIVE, PORTIONED, TAKES_OWN, TAKES_THE

BASE, THIRD, PAST, PARTICIPLE, ING = range(5)
# progressive  A man is reading.            simple   A man reads.
# fragment     A man reading.               there    There is a man reading.
# front        In the park, a man is ...    passive  A book is being read by a man.
# postmodified A man in the park is ...     relative A man who is in the park is ...
# seen         A man can be seen reading.   past     A man read. / pastprogressive A man was ...
FORMS = (
    "progressive", "simple", "fragment", "there", "postmodified", "front", "passive", "relative",
    "seen",
)  # fmt: skip
FORM = Choice(FORMS, 0.75)
WORDS = 60  # styles of word choice: lcm of the small numbers that pick synonyms


WET = {None, "sea", "open_sea", "lake_water"}  # "a man in the lake is rowing" would be wet


class Style(NamedTuple):
    """How a scene is said: the form, the article of the subject, the choice of words."""

    form: str = "progressive"
    definite: bool = False
    word: int = 1


def draw_style(rng: random.Random) -> Style:
    """A random style; usual forms often."""
    return Style(FORM(rng), rng.random() < 0.12, int(rng.random() * WORDS))


def render(scene: Scene, style: Style) -> str:
    """The sentence of `scene` in `style`; a form that does not fit becomes a plain one."""
    form = style.form
    if scene.negated:
        text = _denial(scene, style)
    elif form == "passive" and passivable(scene):
        text = _passive(scene, style, "is", "are", " being")
    elif scene.who is None:
        text = _passive(scene, style, "is", "are", " being")
    else:
        text = _active(scene, style)
    return text[0].upper() + text[1:] + "."


def passivable(scene: Scene) -> bool:
    """Whether the object can be made the subject."""
    if scene.object is None or scene.verb in NO_PASSIVE or scene.beside is not None:
        return False
    mark = NOUNS[scene.object.noun].mark
    return scene.posture is None and "^" not in mark


# --- parts --------------------------------------------------------------------------------


def subject_phrase(scene: Scene, style: Style, garments: str) -> tuple[str, bool]:
    """The subject and whether it is plural; the companion joins it in some styles."""
    definite = style.definite and style.form != "there"
    phrase = noun_phrase(scene.who, style.word, definite, garments).removeprefix("some ")
    if joined(scene, style):
        return f"{phrase} and {companion(scene)}", True
    return phrase, is_plural(scene.who)


def joined(scene: Scene, style: Style) -> bool:
    """Whether the companion is said with the subject: "a man and his dog"."""
    return scene.beside is not None and not scene.who.traits and style.word % 2 == 0


def core(scene: Scene, style: Style, which: int, auxiliary: str = "") -> str:
    """Verb, object, tool and manner: "is carefully cutting bread with a knife"."""
    word = style.word
    parts = [auxiliary] if auxiliary else []
    adverb = scene.manner[1] if scene.manner else None
    early = adverb is not None and scene.manner[0] != "company" and word % 3 == 0
    if early:
        parts.append(adverb)
    parts.append(verb_form(scene.verb, which, word))
    if scene.object is not None:
        parts.append(object_phrase(scene, style))
    if adverb and not early:
        parts.append(adverb)
    if scene.tool is not None:
        parts.append("with " + noun_phrase(scene.tool, word))
    return " ".join(parts)


def object_phrase(scene: Scene, style: Style) -> str:
    """The object with the determiner its verb asks for."""
    party, verb = scene.object, scene.verb
    if verb in PORTIONED:
        measured = portion(party, style.word)
        if measured:
            return measured
    plain = noun_phrase(party, style.word)
    if party.high != 1 or party.low != 1 or NOUNS[party.noun].mark:
        return plain
    if verb in TAKES_OWN and scene.who is not None and party.noun not in PLAIN:
        return f"{possessive(scene.who)} {plain.split(' ', 1)[1]}"
    if verb in TAKES_THE and not party.traits:
        return f"the {plain.split(' ', 1)[1]}"
    return plain


def _around(scene: Scene, style: Style, skip: str | None = None) -> list[str]:
    """Companion, place, weather, time: what stands at the end of a sentence."""
    parts = []
    if scene.beside is not None and not joined(scene, style):
        parts.append("with " + companion(scene))
    for role in ("place", "weather", "time"):
        if role != skip and getattr(scene, role) is not None:
            parts.append(circumstance(scene, role, style.word))
    return parts


def _spot(scene: Scene, style: Style) -> list[str]:
    return [spot_phrase(scene.spot, scene.who, style.word)] if scene.spot else []


# --- sentences ----------------------------------------------------------------------------


def _active(scene: Scene, style: Style) -> str:
    form, word = style.form, style.word
    lead, fronted = "", None
    if form == "front":
        fronted = next((r for r in ("time", "place", "weather") if getattr(scene, r)), None)
        if fronted:
            lead = circumstance(scene, fronted, word) + ", "
    garments = "wearing" if word % 2 else "in"
    wear = [pair for pair in scene.who.traits if pair[0][:5] == "wear:"]
    if scene.verb is None and scene.posture is None:
        return lead + _state(scene, style, fronted, wear)
    subject, plural = subject_phrase(scene, style, "" if form == "relative" else garments)
    if form == "relative":
        subject += _relative_clause(scene, plural, wear)
    elif form == "postmodified" and scene.spot and scene.posture and scene.verb and not wear:
        modifier = [verb_form(scene.posture, ING, word), *_spot(scene, style)]
        subject += " " + " ".join(modifier)
        scene = scene._replace(posture=None, spot=None)
    elif form == "postmodified" and scene.place not in WET and not wear and scene.verb:
        subject += " " + circumstance(scene, "place", word)
        scene = scene._replace(place=None)
    return _finite(scene, style, lead, subject, plural, fronted)


def _relative_clause(scene: Scene, plural: bool, wear: list) -> str:
    if not wear:
        return ""
    clothes = " and ".join(garment_phrase(key, value, is_plural(scene.who)) for key, value in wear)
    return f" who {'are' if plural else 'is'} wearing {clothes}"


def _finite(
    scene: Scene, style: Style, lead: str, subject: str, plural: bool, fronted: str | None
) -> str:
    """Subject and predicate in the tense of the form."""
    form = style.form
    be, which = ("are" if plural else "is"), ING
    if form == "simple":
        be, which = "", BASE if plural else THIRD
    elif form == "past":
        be, which = "", PAST
    elif form == "pastprogressive":
        be = "were" if plural else "was"
    elif form == "fragment":
        be = ""
    elif form == "seen":
        be = "can be seen"
    elif form == "there" and "@" not in NOUNS[scene.who.noun].mark:
        be, subject = "", f"there {be} {subject}"
    tail = " ".join(_predicate(scene, style, which, be, fronted))
    return f"{lead}{subject} {tail}"


def _predicate(
    scene: Scene, style: Style, which: int, be: str, fronted: str | None
) -> list[str]:
    spot, around = _spot(scene, style), _around(scene, style, fronted)
    auxiliary = [be] if be else []
    if scene.verb is None:
        return [*auxiliary, verb_form(scene.posture, which, style.word), *spot, *around]
    if scene.posture is None:
        return [core(scene, style, which, be), *spot, *around]
    if not spot or style.word % 3 == 0 or (which != ING and style.word % 3 == 1):
        # sits on a bench in the park and reads a newspaper in the evening
        position = [*auxiliary, verb_form(scene.posture, which, style.word), *spot]
        if scene.place and fronted != "place":
            place = circumstance(scene, "place", style.word)
            position.append(place)
            around.remove(place)
        return [*position, "and", core(scene, style, which), *around]
    position = ["while", verb_form(scene.posture, ING, style.word), *spot]
    return [core(scene, style, which, be), *position, *around]


def _state(scene: Scene, style: Style, fronted: str | None, wear: list) -> str:
    """No action: where the subject is, what it wears, what it is like, or that it is there."""
    plural = is_plural(scene.who)
    be = "were" if style.form.startswith("past") else "are"
    if not plural:
        be = "was" if be == "were" else "is"
    around = _around(scene, style, fronted)
    if not fronted and (style.form == "there" or not (around or scene.spot or scene.who.traits)):
        subject = noun_phrase(scene.who, style.word)
        return " ".join([f"there {be} {subject}", *_spot(scene, style), *around])
    if scene.who.traits and not (around or scene.spot):
        return _is_like(scene, style, be, plural, wear)
    subject = noun_phrase(scene.who, style.word, style.definite)
    return " ".join([subject, be, *_spot(scene, style), *around])


def _is_like(scene: Scene, style: Style, be: str, plural: bool, wear: list) -> str:
    """The last trait as the predicate: "the dog is brown", "a man is wearing a hat"."""
    rest = wear[-1] if wear else scene.who.traits[-1]
    who = scene.who._replace(traits=tuple(t for t in scene.who.traits if t != rest))
    subject = noun_phrase(who, style.word, definite=not wear or style.definite)
    if wear:
        return f"{subject} {be} wearing {garment_phrase(*rest, plural)}"
    return f"{subject} {be} {pick(TRAIT_WORDS[rest[1]], style.word)}"


def _passive(scene: Scene, style: Style, singular: str, plural: str, being: str) -> str:
    """The object as the subject; the agent, where there is one, comes with "by"."""
    thing = noun_phrase(scene.object, style.word, style.definite)
    be = plural if is_plural(scene.object) else singular
    parts = [thing, be + being, verb_form(scene.verb, PARTICIPLE, style.word)]
    if scene.manner and scene.manner[0] != "company":
        parts.insert(2, scene.manner[1])
    if scene.who is not None:
        parts.append("by " + noun_phrase(scene.who, style.word))
    if scene.manner and scene.manner[0] == "company":
        parts.append(scene.manner[1])
    if scene.tool is not None:
        parts.append("with " + noun_phrase(scene.tool, style.word))
    return " ".join([*parts, *_spot(scene, style), *_around(scene, style)])


def _denial(scene: Scene, style: Style) -> str:
    """ "No dog is running", "Nobody is singing", "The man is not asleep"."""
    word = style.word
    who, positive = scene.who, scene._replace(negated=False)
    nobody = (who.low, who.high) != (1, 1) and who.low == 1
    if nobody:
        plain = who.noun == "person" and not who.traits
        subject, plural = "nobody" if plain else "no " + noun_phrase(
            who._replace(low=1, high=1), word, definite=True
        ).removeprefix("the "), False
        be = "is"
    else:
        subject, plural = noun_phrase(who, word, definite=True), is_plural(who)
        be = "are not" if plural else "is not"
    if scene.verb is None and scene.posture is None:
        wear = [pair for pair in who.traits if pair[0][:5] == "wear:"]
        around = _around(positive, style)
        if not around and who.traits:
            rest = wear[-1] if wear else who.traits[-1]
            bare = who._replace(traits=tuple(t for t in who.traits if t != rest))
            subject = noun_phrase(bare, word, definite=True)
            if wear:
                return f"{subject} {be} wearing {garment_phrase(*rest, plural)}"
            return f"{subject} {be} {pick(TRAIT_WORDS[rest[1]], word)}"
        return " ".join([subject, be, *_spot(positive, style), *around])
    plain = style._replace(definite=True, word=word | 1 if word < WORDS - 1 else word)
    return " ".join([subject, *_predicate(positive, plain, ING, be, None)])

