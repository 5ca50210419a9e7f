"""Probing the outside and the build of a sentence: length, words, tree, order.

Each generator draws labelled sentences without end, after Conneau, Kruszewski, Lample, Barrault
and Baroni 2018, "What you can cram into a single $&!#* vector", section 2. What would betray a
label to somebody who does not look for what is asked stands in `group`; `probing` evens it out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from kit.world.drawing import draw, fill
from kit.world.frames import BY_SUBJECT
from kit.world.lexicon import NOUNS
from kit.world.phrases import is_plural
from kit.world.predicates import Style
from kit.world.render import draw_style, render
from kit.world.trees import TREE_FORMS, Tree, clause, depth, has_tree, phrase, sentence, top_constituents

LENGTHS = ((3, 5), (6, 7), (8, 9), (10, 11), (12, 14), (15, 19))  # words, both ends included
DEPTHS = (4, 5, 6, 7, 8)
TOPS = ("NP VP", "PP NP VP", "ADVP NP VP", "NP ADVP VP", "SBAR NP VP", "S CC S", "CC NP VP", "V NP VP")
KEPT_WORDS = 30  # classes of word content; Conneau et al. have 1,000
SKIPPED_WORDS = 15  # the commonest nouns, which are in too many sentences
# How often each is tried: a scene seldom has an adverb, and two clauses are seldom as short as one.
TOP_TRIES = (*TOPS, *("NP ADVP VP",) * 5, *("SBAR NP VP", "S CC S") * 2)
LEADS = ("meanwhile", "later", "sometimes", "today", "now")
LINKS = ("and", "but")
HOURS = ("morning", "noon", "afternoon", "evening", "night")
PRONOUNS = {"m": "he", "f": "she"}


class Candidate(NamedTuple):
    """A sentence with its label, a place among the classes of its task.

    group    the labels are to occur equally often in each group
    targets  words that may occur in one split only
    """

    text: str
    label: int
    group: Any = None
    targets: tuple[str, ...] = ()


def one_of(options, rng: random.Random):
    """Each equally often; one number of `rng`."""
    return options[int(rng.random() * len(options))]


def plain_words(text: str) -> list[str]:
    """The words in lower case, without commas and the mark at the end."""
    return text.lower().rstrip(".?").replace(",", "").split()


def lengths(rng: random.Random) -> Iterator[Candidate]:
    """SentLen: in which of LENGTHS is the number of words?"""
    while True:
        text = render(draw(rng).scene, draw_style(rng))
        words = len(text.split())
        for label, (low, high) in enumerate(LENGTHS):
            if low <= words <= high:
                yield Candidate(text, label)


def contents(rng: random.Random) -> Iterator[Candidate]:
    """WC: which one of `kept_words` is in the sentence?"""
    places = {word: place for place, word in enumerate(kept_words())}
    while True:
        text = render(draw(rng).scene, draw_style(rng))
        found = [places[word] for word in plain_words(text) if word in places]
        if len(found) == 1:
            yield Candidate(text, found[0])


@cache
def kept_words() -> tuple[str, ...]:
    """KEPT_WORDS nouns of middling frequency, the same whatever the seed."""
    rng, counts = random.Random("word content"), Counter()
    nouns = {form[0] for noun in NOUNS.values() for form in noun.forms}
    for _ in range(5000):
        counts.update(nouns & set(plain_words(render(draw(rng).scene, draw_style(rng)))))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return tuple(sorted(ranked[SKIPPED_WORDS : SKIPPED_WORDS + KEPT_WORDS]))


def depths(rng: random.Random) -> Iterator[Candidate]:
    """TreeDepth: how deep is the tree? Told apart within sentences of one length."""
    while True:
        tree = _tree(rng)
        if tree and depth(tree) in DEPTHS:
            text = sentence(tree)
            yield Candidate(text, DEPTHS.index(depth(tree)), len(text.split()))


def tops(rng: random.Random) -> Iterator[Candidate]:
    """TopConst: which phrases stand right below the sentence? Also within one length."""
    while True:
        kind = one_of(TOP_TRIES, rng)
        tree = _top(kind, rng)
        if tree and top_constituents(tree) == kind:
            text = sentence(tree, "?" if kind == "V NP VP" else ".")
            yield Candidate(text, TOPS.index(kind), len(text.split()))


def _top(kind: str, rng: random.Random) -> Tree | None:
    """A sentence that may be of that kind; None where the scene drawn does not give one."""
    form = {"PP NP VP": "front", "NP ADVP VP": "simple", "V NP VP": "progressive"}.get(kind)
    double = kind in ("SBAR NP VP", "S CC S")
    tree = _tree(rng, form, 0.4 if double else 1.0)
    if tree is None or form in ("front", "simple"):
        return tree
    if top_constituents(tree) != "NP VP":
        return None
    if kind == "V NP VP":
        subject, said = tree.children
        auxiliary, *rest = said.children
        return Tree("S", (Tree("V", (auxiliary,)), subject, Tree("VP", (*rest,))))
    if kind == "ADVP NP VP":
        return Tree("S", (phrase(one_of(LEADS, rng)), ",", *tree.children))
    link = Tree("CC", (one_of(LINKS, rng),))
    if kind == "CC NP VP":
        return Tree("S", (link, *tree.children))
    if not double:
        return tree
    other = _tree(rng, None, 0.4)
    if other is None or top_constituents(other) != "NP VP":
        return None
    if kind == "S CC S":
        return Tree("S", (tree, ",", link, other))
    return Tree("S", (Tree("SBAR", ("while", tree)), ",", *other.children))


def shifts(rng: random.Random) -> Iterator[Candidate]:
    """BShift: have two neighbouring words changed places? All words stay; so do the first and the last."""
    while True:
        scene = draw(rng).scene._replace(manner=None)  # "slowly walking" is as good as "walking slowly"
        text = render(scene, draw_style(rng))
        words, swapped = text[:-1].split(), rng.random() < 0.5
        if len(words) < 5 or "," in text:
            continue
        place = 1 + int(rng.random() * (len(words) - 3))
        if words[place] == words[place + 1]:
            continue
        if swapped:
            words[place : place + 2] = words[place + 1], words[place]
        yield Candidate(" ".join(words) + ".", int(swapped), len(words))


def inversions(rng: random.Random) -> Iterator[Candidate]:
    """CoordInv: do two clauses stand in their order (0), or have they changed places (1)?

    What tells the order is a pronoun for somebody named before, or the hours of the day.
    """
    known: list[tuple[int, str]] = []  # clauses with their hour, for a partner
    for turn in count():
        pair = None
        while pair is None:
            pair = _earlier_then_later(known, rng) if turn % 2 else _named_then_pronoun(rng)
        inverted = rng.random() < 0.5
        first, second = pair[::-1] if inverted else pair
        text = f"{first[0].upper()}{first[1:]}, {one_of(LINKS, rng)} {second}."
        yield Candidate(text, int(inverted), (turn % 2, len(text.split())))


def _named_then_pronoun(rng: random.Random) -> tuple[str, str] | None:
    """ "a nurse is reading", "she is drinking tea": one person, two actions."""
    scene, style = draw(rng, detail=0.6).scene, Style("progressive", False, draw_style(rng).word)
    if not has_tree(scene, style) or not NOUNS[scene.who.noun].is_person or scene.beside:
        return None
    pronoun = "they" if is_plural(scene.who) else PRONOUNS.get(NOUNS[scene.who.noun].sex)
    frame = one_of(BY_SUBJECT[scene.who.noun], rng)
    next_ = fill(frame, rng, 0.6, scene.who._replace(traits=()))._replace(beside=None)
    if pronoun is None or not next_.verb or next_.verb == scene.verb or "one" in frame.flags:
        return None
    _, said = clause(next_, style).children
    return " ".join(clause(scene, style).words()), f"{pronoun} {' '.join(said.words())}"


def _earlier_then_later(known: list[tuple[int, str]], rng: random.Random) -> tuple[str, str] | None:
    """ "a man is working in the morning", "two women are dancing at night"."""
    scene, style = draw(rng, detail=0.6).scene, Style("progressive", False, draw_style(rng).word)
    if not has_tree(scene, style) or scene.time not in HOURS:
        return None
    told = HOURS.index(scene.time), " ".join(clause(scene, style).words())
    if not known or known[0][0] == told[0]:
        known[:] = [told]
        return None
    earlier, later = sorted([known.pop(), told])
    return earlier[1], later[1]


def _tree(rng: random.Random, form: str | None = None, detail: float = 1.0) -> Tree | None:
    """The tree of a random sentence, if it has one."""
    scene = draw(rng, detail=detail).scene
    style = draw_style(rng)._replace(form=form or one_of(TREE_FORMS, rng))
    return clause(scene, style) if has_tree(scene, style) else None
