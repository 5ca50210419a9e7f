"""A scene said in English. One scene has many renderings; a style picks one of them."""

from __future__ import annotations

import random

from kit.world.caption_forms import CAPTION_FORMS
from kit.world.lexicon import NOUNS, TRAIT_WORDS
from kit.world.phrases import circumstance, garment_phrase, is_plural, noun_phrase, pick, verb_form
from kit.world.predicates import (
    BASE,
    FORM,
    ING,
    PARTICIPLE,
    PAST,
    THIRD,
    WORDS,
    Style,
    around,
    passivable,
    predicate,
    spot_part,
    subject_phrase,
)
from kit.world.scene import Scene

WET = {None, "sea", "open_sea", "lake_water"}  # "a man in the lake is rowing" would be wet


def draw_style(rng: random.Random) -> Style:
    """A random style; usual forms often."""
    return Style(FORM(rng), rng.random() < 0.12, int(rng.random() * WORDS))


def render(scene: Scene, style: Style) -> str:
    """The sentence of `scene` in `style`; a form that does not fit becomes a plain one."""
    form = style.form
    if scene.negated:
        text = _denial(scene, style)
    elif scene.who is None or (form == "passive" and passivable(scene)):
        text = _passive(scene, style)
    else:
        told = CAPTION_FORMS[form](scene, style) if form in CAPTION_FORMS else None
        text = told or _active(scene, style)
    return text[0].upper() + text[1:] + "."


def _active(scene: Scene, style: Style) -> str:
    form, word = style.form, style.word
    lead, fronted = "", None
    if form == "front":
        stated = scene.verb is None and scene.posture is None  # "in the park, a man is" says nothing
        fronted = next((r for r in ("time", "place", "weather") if getattr(scene, r)), None)
        if fronted and not stated:
            lead = circumstance(scene, fronted, word) + ", "
    garments = "wearing" if word % 2 else "in"
    wear = [pair for pair in scene.who.traits if pair[0][:5] == "wear:"] if scene.who.traits else []
    if scene.verb is None and scene.posture is None:
        return _state(scene, style, None, wear)
    subject, plural = subject_phrase(scene, style, "" if form == "relative" else garments)
    if form == "relative":
        subject += _relative_clause(scene, plural, wear)
    elif form == "postmodified" and scene.spot and scene.posture and scene.verb and not wear:
        modifier = [verb_form(scene.posture, ING, word), *spot_part(scene, style)]
        subject += " " + " ".join(modifier)
        scene = scene._replace(posture=None, spot=None)
    elif form == "postmodified" and scene.place not in WET and not (wear or scene.posture) and scene.verb:
        subject += " " + circumstance(scene, "place", word)
        scene = scene._replace(place=None)
    return _finite(scene, style, lead, subject, plural, fronted)


def _relative_clause(scene: Scene, plural: bool, wear: list) -> str:
    if not wear:
        return ""
    clothes = " and ".join(garment_phrase(key, value, is_plural(scene.who)) for key, value in wear)
    return f" who {'are' if plural else 'is'} wearing {clothes}"


def _finite(scene: Scene, style: Style, lead: str, subject: str, plural: bool, fronted: str | None) -> str:
    """Subject and predicate in the tense of the form."""
    form = style.form
    be, which = ("are" if plural else "is"), ING
    if form in UNLIKE_PROGRESSIVE:
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
        elif "@" not in NOUNS[scene.who.noun].mark:  # there
            one = subject.startswith(("a group", "a crowd"))
            be, subject = "", f"there {'is' if one else be} {subject}"
    tail = " ".join(predicate(scene, style, which, be, fronted))
    return f"{lead}{subject} {tail}"


UNLIKE_PROGRESSIVE = frozenset(("simple", "past", "pastprogressive", "fragment", "seen", "there"))


def _state(scene: Scene, style: Style, fronted: str | None, wear: list) -> str:
    """No action: where the subject is, what it wears, what it is like, or that it is there."""
    plural = is_plural(scene.who)
    be = "were" if style.form.startswith("past") else "are"
    if not plural:
        be = "was" if be == "were" else "is"
    rest = around(scene, style, fronted)
    said = rest or scene.spot
    if not fronted and ((style.form == "there" and said) or not (said or scene.who.traits)):
        subject = noun_phrase(scene.who, style.word)
        be = "is" if be == "are" and subject.startswith(("a group", "a crowd")) else be
        return " ".join([f"there {be} {subject}", *spot_part(scene, style), *rest])
    if scene.who.traits and not (rest or scene.spot):
        return _is_like(scene, style, be, plural, wear)
    subject = noun_phrase(scene.who, style.word, style.definite)
    return " ".join([subject, be, *spot_part(scene, style), *rest])


def _is_like(scene: Scene, style: Style, be: str, plural: bool, wear: list) -> str:
    """The last trait as the predicate: "the dog is brown", "a man is wearing a hat"."""
    rest = wear[-1] if wear else scene.who.traits[-1]
    who = scene.who._replace(traits=tuple(t for t in scene.who.traits if t != rest))
    subject = noun_phrase(who, style.word, definite=not wear or style.definite)
    if wear:
        return f"{subject} {be} wearing {garment_phrase(*rest, plural)}"
    return f"{subject} {be} {pick(TRAIT_WORDS[rest[1]], style.word)}"


def _passive(scene: Scene, style: Style) -> str:
    """The object as the subject; the agent, where there is one, comes with "by"."""
    thing = noun_phrase(scene.object, style.word, style.definite)
    be = "are being" if is_plural(scene.object) else "is being"
    parts = [thing, be, verb_form(scene.verb, PARTICIPLE, style.word)]
    if scene.manner and scene.manner[0] != "company":
        parts.insert(2, scene.manner[1])
    if scene.who is not None:
        parts.append("by " + noun_phrase(scene.who, style.word))
    if scene.manner and scene.manner[0] == "company":
        parts.append(scene.manner[1])
    if scene.tool is not None:
        parts.append("with " + noun_phrase(scene.tool, style.word))
    return " ".join([*parts, *spot_part(scene, style), *around(scene, style)])


def _denial(scene: Scene, style: Style) -> str:
    """ "No dog is running", "Nobody is singing", "The man is not sleeping"."""
    word, who = style.word | 1, scene.who  # odd: a companion is told with "with"
    none = who.low == 1 and who.high > 1  # not one of them
    if none:
        who = who._replace(high=1)
    positive = scene._replace(who=who, negated=False)
    subject = noun_phrase(who, word, definite=True)
    be = "are not" if is_plural(who) else "is not"
    if none:
        plain = who.noun == "person" and not who.traits
        subject = "nobody" if plain else "no " + subject.removeprefix("the ")
        be = "is"
    plain_style = Style("progressive", True, word)
    if scene.verb or scene.posture:
        return " ".join([subject, *predicate(positive, plain_style, ING, be, None)])
    where = [*spot_part(positive, plain_style), *around(positive, plain_style)]
    if where:
        return " ".join([subject, be, *where])
    if who.traits and not none:  # "the man is not tall"
        rest = who.traits[-1]
        subject = noun_phrase(who._replace(traits=who.traits[:-1]), word, definite=True)
        if rest[0][:5] == "wear:":
            return f"{subject} {be} wearing {garment_phrase(*rest, is_plural(who))}"
        return f"{subject} {be} {pick(TRAIT_WORDS[rest[1]], word)}"
    thing = noun_phrase(who, word, definite=True).removeprefix("the ")
    return f"there {be.removesuffix(' not')} no {thing}"
