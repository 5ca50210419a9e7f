"""Forms of a caption beside the plain sentence: "Sitting on a bench, a man ...", "It is raining, and ...".

Each takes a scene and a style and returns the sentence without its full stop, or None where the scene has not what the
form needs; `render` then takes a plain form.
"""

from __future__ import annotations

from collections.abc import Callable

from kit.world.lexicon import NOUNS, VERBS
from kit.world.phrases import circumstance, garment_phrase, is_plural, noun_phrase, verb_form
from kit.world.predicates import BASE, ING, THIRD, Style, around, core, joined, predicate, spot_part, subject_phrase
from kit.world.scene import Scene

SKIES = {
    "rain": ("it is raining", "rain is falling"), "snow": ("it is snowing", "snow is falling"),
    "sun": ("the sun is shining", "it is sunny"), "wind": ("it is windy", "the wind is blowing"),
    "fog": ("it is foggy", "there is fog"),
}  # fmt: skip
ONE_OF_WORK = {"work", "prepare", "clean", "garden", "make_art", "care_for"}
WITH_HANDS = ONE_OF_WORK | {
    "photograph",
    "film",
    "plant",
    "study",
    "repair",
    "paint_wall",
    "light_fire",
    "hang_picture",
}


def _subject(scene: Scene, style: Style) -> tuple[str, str, int]:
    """The subject, its "is" or "are", and the form of its verb in the present."""
    subject, plural = subject_phrase(scene, style, "wearing" if style.word % 2 else "in")
    return subject, "are" if plural else "is", BASE if plural else THIRD


def _action(scene: Scene, style: Style, which: int, be: str = "", skip: str | None = None) -> str:
    """The predicate, without the posture and its spot where these are said elsewhere."""
    bare = scene._replace(posture=None, spot=None) if scene.posture else scene
    return " ".join(predicate(bare, style, which, be, skip))


def _seat(scene: Scene, style: Style, which: int) -> str:
    return " ".join([verb_form(scene.posture, which, style.word), *spot_part(scene, style)])


def _sits(scene: Scene) -> bool:
    return bool(scene.verb and scene.posture and scene.spot)


def seated(scene: Scene, style: Style) -> str | None:
    """ "A man sits on a bench reading a newspaper in the park"."""
    if not _sits(scene):
        return None
    subject, be, present = _subject(scene, style)
    seat = f"{be} {_seat(scene, style, ING)}," if style.word % 2 else _seat(scene, style, present)
    return f"{subject} {seat} {_action(scene, style, ING)}"


def inverted(scene: Scene, style: Style) -> str | None:
    """ "On a bench in the park sits a man reading a newspaper"."""
    if (
        not _sits(scene)
        or scene.posture == "kneel"
        or joined(scene, style)
        or scene.spot[0] == "in front of"
        or scene.place in ("outdoors", "indoors")
    ):
        return None
    subject, _, present = _subject(scene, style._replace(definite=False))
    place = [circumstance(scene, "place", style.word)] if scene.place else []
    lead = " ".join([*spot_part(scene, style), *place])
    action = _action(scene, style, ING, "", "place")
    return f"{lead} {verb_form(scene.posture, present, style.word)} {subject} {action}"


def absolute(scene: Scene, style: Style) -> str | None:
    """ "Sitting on a bench, a man is reading"; "Dressed in a red coat, a woman is ..."."""
    if _sits(scene):
        subject, be, present = _subject(scene, style)
        lead = _seat(scene, style, ING)
        action = _action(scene, style, ING, be) if style.word % 2 else _action(scene, style, present)
        return f"{lead}, {subject} {action}"
    wear = [trait for trait in scene.who.traits if trait[0][:5] == "wear:"]
    if not (wear and scene.verb):
        return None
    bare = scene._replace(who=scene.who._replace(traits=tuple(t for t in scene.who.traits if t not in wear)))
    subject, be, _ = _subject(bare, style)
    clothes = " and ".join(garment_phrase(key, value, is_plural(scene.who)) for key, value in wear)
    return f"wearing {clothes}, {subject} {' '.join(predicate(bare, style, ING, be, None))}"


def doing(scene: Scene, style: Style) -> str | None:
    """ "The man repairing a car is wearing a red hat"."""
    wear = [trait for trait in scene.who.traits if trait[0][:5] == "wear:"]
    if not wear or not scene.verb or scene.posture or scene.time or scene.weather or scene.beside or scene.manner:
        return None
    bare = scene.who._replace(traits=tuple(t for t in scene.who.traits if t not in wear))
    subject = noun_phrase(bare, style.word, definite=True)
    be = "are" if is_plural(scene.who) else "is"
    clothes = " and ".join(garment_phrase(key, value, is_plural(scene.who)) for key, value in wear)
    return f"{subject} {_action(scene, style, ING)} {be} wearing {clothes}"


def picture(scene: Scene, style: Style) -> str | None:
    """ "This is a picture of two dogs running on the beach"; "We see two dogs ..."."""
    if not scene.verb:
        return None
    subject, _, _ = _subject(scene, style._replace(definite=False))
    lead = ("a picture of", "we see", "this is a photo of", "you can see", "here we see", "a photo of")[style.word % 6]
    return f"{lead} {subject} {' '.join(predicate(scene, style, ING, '', None))}"


def sky(scene: Scene, style: Style) -> str | None:
    """ "It is raining, and a man is walking his dog"."""
    if not (scene.weather and scene.verb):
        return None
    subject, be, _ = _subject(scene, style)
    said = SKIES[scene.weather][style.word % 2]
    return f"{said}, and {subject} {' '.join(predicate(scene, style, ING, be, 'weather'))}"


def as_they(scene: Scene, style: Style) -> str | None:
    """ "A woman reads a novel as she sits on a bench"."""
    if not _sits(scene):
        return None
    subject, be, present = _subject(scene, style)
    they = "they" if be == "are" or joined(scene, style) else {"m": "he", "f": "she"}.get(NOUNS[scene.who.noun].sex)
    if they is None:
        return None
    which = BASE if they == "they" else THIRD
    bare = scene._replace(posture=None, spot=None)
    seat = f"as {they} {_seat(scene, style, which)}"
    return " ".join([subject, core(bare, style, present), seat, *around(bare, style)])


def purpose(scene: Scene, style: Style) -> str | None:
    """ "A plumber is kneeling on the floor to repair a pipe"."""
    works = scene.verb and WITH_HANDS & set(VERBS[scene.verb].path)
    if not (_sits(scene) and works and scene.posture in ("kneel", "stand", "lie")):
        return None
    subject, be, present = _subject(scene, style)
    seat = f"{be} {_seat(scene, style, ING)}" if style.word % 2 else _seat(scene, style, present)
    return f"{subject} {seat} to {_action(scene, style, BASE)}"


def busy(scene: Scene, style: Style) -> str | None:
    """ "Two women are busy cleaning a window"."""
    if not scene.verb or scene.posture or scene.manner or not ONE_OF_WORK & set(VERBS[scene.verb].path[:1]):
        return None
    subject, be, _ = _subject(scene, style)
    return f"{subject} {be} busy {_action(scene, style, ING)}"


def noun_first(scene: Scene, style: Style) -> str | None:
    """ "Two dogs on the beach, chasing a ball"."""
    if not (scene.verb and scene.place) or scene.posture or scene.place in ("outdoors", "indoors"):
        return None
    subject, _, _ = _subject(scene, style)
    return f"{subject} {circumstance(scene, 'place', style.word)}, {_action(scene, style, ING, '', 'place')}"


def there_who(scene: Scene, style: Style) -> str | None:
    """ "There is a man in the park who is reading a book"."""
    if not (scene.verb and scene.place) or scene.posture or not NOUNS[scene.who.noun].is_person:
        return None
    if joined(scene, style):
        return None
    subject, be, _ = _subject(scene, style._replace(definite=False))
    is_ = "is" if subject.startswith(("a group", "a crowd")) else be
    place = circumstance(scene, "place", style.word)
    return f"there {is_} {subject} {place} who {be} {_action(scene, style, ING, '', 'place')}"


CAPTION_FORMS: dict[str, Callable[[Scene, Style], str | None]] = {
    "seated": seated, "inverted": inverted, "absolute": absolute, "doing": doing, "picture": picture, "sky": sky,
    "as": as_they, "purpose": purpose, "busy": busy, "noun first": noun_first, "there who": there_who,
}  # fmt: skip
