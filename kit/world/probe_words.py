"""Probing one word of a sentence: the tense of the verb, the number of a noun, an object that does not fit.

After Conneau et al. 2018, section 2, as kit.world.probe_forms. The words in question, the
`targets`, are to occur in one split only, so that a classifier cannot learn them by heart. The other
words must not tell either: where the grammar would repeat the answer ("two", "are", "their"), such
sentences are left out or evened out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from zlib import crc32

from kit.world.drawing import draw
from kit.world.frames import FRAMES
from kit.world.lexicon import NOUNS, VERBS
from kit.world.phrases import is_plural, noun_phrase, verb_form
from kit.world.predicates import BASE, PAST, Style, object_phrase
from kit.world.probe_forms import Candidate
from kit.world.render import draw_style
from kit.world.scene import MANY, Party, Scene
from kit.world.scene_relations import noun_implies
from kit.world.trees import clause, noun, replaced, sentence
from kit.world.verbs import LOOSE, PORTIONED, TAKES_OWN, TAKES_THE

OWN_ARTICLE = PORTIONED | TAKES_OWN | TAKES_THE  # verbs that choose the article of their object
# One may watch, carry or buy anything: with these no object is odd.
ANY_OBJECT = LOOSE | set(
    "look_at watch photograph film carry buy sell choose draw paint push pull point_at wait_for raise kick throw hit"
    " catch wash wipe deliver load weigh sort pack wrap unwrap pay_for order_online stare_at study sketch carve"
    " admire visit land_on wave_at talk_to scrub repair guard cover open measure solve stack explain blow_out"
    " decorate".split()
)
NOT_ODD = ANY_OBJECT | OWN_ARTICLE
WAITING = 20  # sentences kept for a partner
SPLITS = ("train", "train", "train", "validation", "test")  # of the words that may be in one split only


def split_of(word: str) -> str:
    """The split to which a target word belongs, the same whatever the seed."""
    return SPLITS[crc32(word.encode()) % len(SPLITS)]


def tenses(rng: random.Random) -> Iterator[Candidate]:
    """Tense: is the verb in the present (0) or the past (1)? It is the only verb, without an auxiliary."""
    while True:
        scene, style = draw(rng).scene, draw_style(rng)
        if scene.verb is None or scene.who.low == 0:
            continue
        wear = style.word & ~1  # even: "in a coat", not "wearing a coat"
        base, past = (verb_form(scene.verb, which, wear).split()[0] for which in (BASE, PAST))
        if base == past or base == "lay":  # "they lay": which of the two is it?
            continue
        label = int(rng.random() < 0.5)
        bare = scene._replace(posture=None, spot=None, weather=None, beside=None)
        text = sentence(clause(bare, Style("past" if label else "simple", style.definite, wear)))
        yield Candidate(text, label, (is_plural(scene.who), len(text.split())), (base,))


def subjects(rng: random.Random) -> Iterator[Candidate]:
    """SubjNum: one (0) or several (1)? Neither an article, nor a number, nor the form of the verb tells."""
    while True:
        draft, style = draw(rng), draw_style(rng)._replace(form="past", definite=True)
        scene, who = draft.scene, _one_or_some(draft.scene.who, rng)
        if who is None or scene.verb is None or draft.frame.flags & {"one", "many"} or scene.verb in TAKES_OWN:
            continue
        if scene.manner and scene.manner[0] == "company":  # "alone", "together"
            continue
        plain = who._replace(traits=tuple(pair for pair in who.traits if pair[0][:5] != "wear:"))
        thing = scene.object and (_one_or_some(scene.object, rng) or scene.object)
        bare = Scene(plain, scene.verb, thing, place=scene.place, time=scene.time, manner=scene.manner)
        text = sentence(clause(bare, style))
        yield Candidate(text, int(is_plural(who)), len(text.split()), (_said(who, style.word),))


def objects(rng: random.Random) -> Iterator[Candidate]:
    """ObjNum: one (0) or several (1)? The object has "the" in either number; its verb does not change."""
    while True:
        scene, style = draw(rng).scene, draw_style(rng)._replace(form="progressive")
        if scene.object is None or scene.verb is None or scene.verb in OWN_ARTICLE:
            continue
        thing = _one_or_some(scene.object, rng)
        if thing is None:
            continue
        told = scene._replace(object=thing)
        usual, definite = (
            noun(text) for text in (object_phrase(told, style), noun_phrase(thing, style.word, definite=True))
        )
        text = sentence(replaced(clause(told, style), usual, definite))
        yield Candidate(text, int(is_plural(thing)), len(text.split()), (_said(thing, style.word),))


def odd_ones(rng: random.Random) -> Iterator[Candidate]:
    """SOMO: does the object fit its verb (0), or is it that of another sentence (1)?

    Sentences come in pairs whose objects would be odd in each other's place; half of the pairs
    exchange them. So every word is as frequent among the odd as among the fitting. Odd is what
    the world's table has neither for this verb nor for a kind of it.
    """
    waiting: dict[tuple, list[tuple[Scene, Style]]] = {}
    while True:
        scene, style = draw(rng).scene, draw_style(rng)._replace(form="progressive")
        thing = scene.object
        if thing is None or scene.verb is None or scene.verb in NOT_ODD:
            continue
        if NOUNS[thing.noun].mark or thing.traits:
            continue
        kind = split_of(_said(thing, style.word)), thing.low, thing.high, noun_phrase(thing, style.word).split()[0]
        others = waiting.setdefault(kind, [])
        before = next((one for one in others if _are_odd(scene, one[0])), None)
        if before is None:
            others[:] = [*others[-WAITING:], (scene, style)]
            continue
        others.remove(before)
        odd, pair = rng.random() < 0.5, (before, (scene, style))
        targets = tuple(_said(one.object, how.word) for one, how in pair)
        for (one, how), (other, _) in zip(pair, pair[::-1]):
            told = one._replace(object=other.object) if odd else one
            yield Candidate(sentence(clause(told, how)), int(odd), None, targets)


def _one_or_some(party: Party, rng: random.Random) -> Party | None:
    """The party in the one number or the other; None where the noun does not show it."""
    noun = NOUNS[party.noun]
    if noun.mark or party.low == 0 or any(one == many for one, many in noun.forms):
        return None
    return party._replace(low=1, high=1) if rng.random() < 0.5 else party._replace(low=2, high=MANY)


def _said(party: Party, word: int) -> str:
    """The noun as a sentence of this style says it, in the singular; of "toy car" the second word."""
    return noun_phrase(Party(party.noun), word, definite=True).split()[-1]


@cache
def fitting(verb: str) -> frozenset[str]:
    """The objects that the table has for a verb, for its kinds, and for what it is a kind of."""
    near = {name for name in VERBS if verb in VERBS[name].path or name in VERBS[verb].path}
    return frozenset(noun for frame in FRAMES if frame.verb in near for noun, _ in frame.objects.items)


def _are_odd(one: Scene, other: Scene) -> bool:
    """Whether each object would be odd in the place of the other."""
    return _is_odd(one.verb, other.object.noun) and _is_odd(other.verb, one.object.noun)


@cache
def _is_odd(verb: str, thing: str) -> bool:
    return thing not in fitting(verb) and not any(
        noun_implies(thing, other) or noun_implies(other, thing) for other in fitting(verb)
    )
