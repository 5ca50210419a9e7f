"""Labelled sentences for transfer: opinions and questions."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kit.english.inflect import article
from kit.world.drawing import draw
from kit.world.lexicon import NOUNS
from kit.world.phrases import circumstance, is_plural, noun_phrase, verb_form
from kit.world.predicates import BASE, ING, WORDS, Style, predicate

# thing: what is said of its parts, praise / blame
OPINIONS = {
    "film": (
        ("plot", "gripping moving clever original / predictable thin confusing silly"),
        ("cast", "superb touching convincing / wooden lifeless miscast"),
        ("soundtrack", "beautiful haunting / intrusive dull"),
        ("ending", "satisfying unforgettable / rushed disappointing absurd"),
    ),
    "restaurant": (
        ("main course", "delicious excellent generous / cold tasteless greasy stale"),
        ("waiter", "friendly quick attentive / rude slow careless"),
        ("menu", "varied inventive / short boring overpriced"),
        ("dining room", "cosy bright / noisy cramped draughty"),
    ),
    "hotel": (
        ("room", "spotless quiet spacious / dirty tiny damp noisy"),
        ("bed", "comfortable wonderful / hard lumpy"),
        ("lobby", "elegant bright / shabby gloomy"),
        ("porter", "helpful charming / unhelpful grumpy"),
    ),
    "phone": (
        ("screen", "brilliant sharp / dim scratched"),
        ("battery", "reliable impressive / useless weak"),
        ("camera", "fantastic precise / blurry poor"),
        ("case", "elegant solid / flimsy ugly"),
    ),
    "novel": (
        ("story", "absorbing witty touching / tedious shallow muddled"),
        ("style", "graceful lively / clumsy lifeless"),
        ("heroine", "memorable believable / irritating flat"),
        ("first chapter", "thrilling promising / slow forgettable"),
    ),
    "concert": (
        ("sound", "clear magnificent warm / muffled unbearable harsh"),
        ("band", "energetic brilliant / bored unprepared"),
        ("hall", "splendid comfortable / stuffy overcrowded"),
        ("last song", "glorious moving / endless feeble"),
    ),
    "course": (
        ("teacher", "patient inspiring / impatient dull"),
        ("book", "clear useful / outdated confusing"),
        ("room", "airy bright / cramped chilly"),
        ("pace", "pleasant sensible / exhausting chaotic"),
    ),
    "train journey": (
        ("carriage", "clean modern / filthy overheated"),
        ("seat", "comfortable roomy / broken narrow"),
        ("view", "breathtaking lovely / dreary monotonous"),
        ("conductor", "polite cheerful / rude indifferent"),
    ),
}
VERDICTS = {
    1: ("I would gladly do it again.", "It was worth every penny.", "I can only recommend it.",
        "We will certainly come back.", "I enjoyed every minute.", "Far better than I had feared."),
    0: ("I would not do it again.", "It was a waste of money.", "I cannot recommend it.",
        "We will not come back.", "I regretted every minute.", "Far worse than I had hoped."),
}  # fmt: skip
EXTENTS = ("", "", "", "really ", "quite ", "truly ", "surprisingly ", "absolutely ")

# Six classes in TREC's order (Li and Roth 2002).
QUESTION_CLASSES = ("ABBR", "ENTY", "DESC", "HUM", "LOC", "NUM")
ABBREVIATIONS = (
    "CPU RAM USB GPS DNA LED ATM FAQ DIY VIP PIN NASA UNESCO WHO BBC PDF URL HTML GDP CEO MRI UFO"
    " SIM LCD TV PC AM PM EU UN NATO ISBN KM KG DVD CD SMS VAT RSVP ASAP"
).split()


def opinions(rng: random.Random) -> Iterator[tuple[str, int]]:
    """(text, 1 for praise or 0 for blame); a concession may praise what the rest blames."""
    subjects = list(OPINIONS)
    while True:
        thing, label = subjects[int(rng.random() * len(subjects))], int(rng.random() < 0.5)
        parts = list(OPINIONS[thing])
        rng.shuffle(parts)
        (first, words), (second, others) = parts[:2]
        said, also = _judged(words, label, rng), _judged(others, label, rng)
        against = _judged(others, 1 - label, rng)
        extent = EXTENTS[int(rng.random() * len(EXTENTS))]
        verdict = VERDICTS[label][int(rng.random() * len(VERDICTS[label]))]
        denied = _judged(words, 1 - label, rng, plain=True)
        texts = (
            f"The {first} of this {thing} was {extent}{said}.",
            f"The {first} was {extent}{said} and the {second} {also}.",
            f"Although the {second} was {against}, the {first} was so {said} that it hardly mattered. {verdict}",
            f"This {thing} was anything but {denied}: the {first} was {said}.",
            f"The {thing} we chose had {article(second)} {second} that was {extent}{also}. {verdict}",
            f"For once the {first} was not {denied}. {verdict}",
            f"I expected {article(denied)} {denied} {thing}, but the {first} turned out to be {said}.",
        )
        yield texts[int(rng.random() * len(texts))], label


def _judged(words: str, label: int, rng: random.Random, plain: bool = False) -> str:
    """An adjective of praise (1) or blame (0) for a part."""
    praise, blame = (side.split() for side in words.split(" / "))
    options = praise if label else blame
    return options[0 if plain else int(rng.random() * len(options))]


def questions(rng: random.Random) -> Iterator[tuple[str, int]]:
    """(question, place in QUESTION_CLASSES), the classes equally often."""
    while True:
        label = int(rng.random() * len(QUESTION_CLASSES))
        text = _question(QUESTION_CLASSES[label], rng)
        if text:
            yield text, label


def _question(kind: str, rng: random.Random) -> str | None:
    """A question about a random scene (or an abbreviation); None where the scene gives none."""
    if kind == "ABBR":
        word = ABBREVIATIONS[int(rng.random() * len(ABBREVIATIONS))]
        forms = ("What does {} stand for?", "What is the full form of {}?", "What does {} mean?",
                 "What do the letters {} stand for?", "What is {} short for?")  # fmt: skip
        return forms[int(rng.random() * len(forms))].format(word)
    style = Style("progressive", False, int(rng.random() * WORDS))
    scene = draw(rng).scene._replace(posture=None, manner=None, beside=None)
    if scene.verb is None:
        return None
    if scene.spot and scene.spot[0] in ("on", "at", "in front of", "behind", "under"):
        scene = scene._replace(spot=None)
    word, who = style.word, noun_phrase(scene.who, style.word, definite=True)
    be = "are" if is_plural(scene.who) else "is"
    rest = " ".join(predicate(scene, style, ING, "", None))
    if kind == "HUM" and NOUNS[scene.who.noun].is_person:
        return f"Who is {rest}?" if rng.random() < 0.6 else f"Which person is {rest}?"
    if kind == "LOC" and scene.place:
        placeless = " ".join(predicate(scene._replace(place=None), style, ING, "", None))
        asked = ("Where", "In what place")[rng.random() < 0.2]
        return f"{asked} {be} {who} {placeless}?"
    if kind == "NUM" and scene.who.low > 0 and not NOUNS[scene.who.noun].mark:
        names = noun_phrase(scene.who._replace(low=2, high=1_000_000), word, definite=True)
        return f"How many {names.removeprefix('the ')} are {_plural_rest(scene, style)}?"
    if kind == "ENTY" and scene.object and not NOUNS[scene.object.noun].is_person:
        verb = verb_form(scene.verb, ING, word)
        where = " " + circumstance(scene, "place", word) if scene.place else ""
        return f"What {be} {who} {verb}{where}?"
    if kind == "DESC":
        base = verb_form(scene.verb, BASE, word)
        why = f"Why {be} {who} {rest}?"
        return why if rng.random() < 0.7 else f"What does it mean to {base} something?"
    return None


def _plural_rest(scene, style: Style) -> str:
    party = scene.who._replace(low=2, high=1_000_000)
    return " ".join(predicate(scene._replace(who=party), style, ING, "", None))
