"""Anchors with their hypotheses: text, scene, label and the operation behind each."""

from __future__ import annotations

import random
from typing import NamedTuple

from kit.world.balance import Balance, features_of
from kit.world.disputed import settled
from kit.world.drawing import Draft, draw
from kit.world.operations import OPERATIONS, Operation
from kit.world.plausible import plausible
from kit.world.predicates import Style, passivable
from kit.world.render import draw_style, render
from kit.world.scene import POSTURE, Scene
from kit.world.scene_relations import relation
from kit.world.shortening import details_of, shortened

# At most so many hypotheses per label: beyond, few anchors have that much to say.
AVAILABLE = {0: 8, 1: 6, 2: 8}
AGAIN = 6  # tries of one kind of change, so that those that seldom fit are not squeezed out by those that always do
MISSES = 6  # proposals in a row that will not do, after which an anchor is given up
ARTICLES = frozenset(("a", "an", "the", "some"))
TRIES = 6  # proposals per wanted hypothesis before an anchor is given up


class Hypothesis(NamedTuple):
    """One hypothesis: what it says, what it means, its label, and how it came about."""

    text: str
    label: int
    operation: str
    scene: Scene


class Explained(NamedTuple):
    """An anchor with its scene and its hypotheses."""

    anchor: str
    scene: Scene
    hypotheses: tuple[Hypothesis, ...]


def explained(rng: random.Random, wanted: dict[int, int], taken: set[str], balance: Balance) -> Explained:
    """An anchor whose text is not in `taken`, with `wanted[label]` hypotheses each, no two alike but for articles.

    `balance` knows the hypotheses so far, and learns of these.
    """
    while True:
        draft = draw(rng, detail=1.35)
        details = details_of(draft.scene)
        if len(details) < 2:
            continue
        style = draw_style(rng)
        anchor = render(draft.scene, style)
        if anchor in taken:
            continue
        found = _hypotheses(draft, details, style, anchor, rng, wanted, balance)
        if found is not None:
            taken.add(anchor)
            for hypothesis, features in found:
                balance.count(features, hypothesis.label)
            return Explained(anchor, draft.scene, tuple([hypothesis for hypothesis, _ in found]))


def _hypotheses(
    draft: Draft,
    details: list[int],
    style: Style,
    anchor: str,
    rng: random.Random,
    wanted: dict[int, int],
    balance: Balance,
) -> list[tuple[Hypothesis, list[str]]] | None:
    """So many of each label, no text twice, each with its features; None where the scene does not give enough."""
    used, found = {_without_articles(_words(anchor))}, []
    for label in sorted(wanted, key=(1, 2, 0).index):  # first what a poor anchor fails at
        count = wanted[label]
        missing, misses, seen = count, 0, set()
        for _ in range(TRIES * count + TRIES):
            if not missing or misses > MISSES:
                break
            name, operation = OPERATIONS[label](rng)
            if name in seen and rng.random() < 0.5:  # another kind of change first
                continue
            name, scene = _proposal(draft, details, label, name, operation, rng)
            if scene is None:
                misses += 1
                continue
            misses = 0
            text = render(scene, hypothesis_style(style, label, rng))
            words = _words(text)
            plain = _without_articles(words)
            if plain in used:
                continue
            features = features_of([word.rstrip(",") for word in words] if "," in text else words)
            if balance.takes(features, label, rng):
                used.add(plain)
                seen.add(name)
                found.append((Hypothesis(text, label, name, scene), features))
                missing -= 1
        if missing:
            return None
    return sorted(found, key=lambda pair: pair[0].label)


def _words(text: str) -> list[str]:
    return text[:-1].lower().split()  # without the full stop


def _without_articles(words: list[str]) -> str:
    return " ".join([word for word in words if word not in ARTICLES])


def _proposal(
    draft: Draft, details: list[int], label: int, name: str, operation: Operation, rng: random.Random
) -> tuple[str, Scene | None]:
    """One change of the scene, shortened, and its name; None in place of the scene where it will not do."""
    premise = draft.scene
    for _ in range(AGAIN):
        changed = operation(draft, rng)
        if changed is None:  # does not apply to this scene
            break
        checked = changed is not premise  # before anything is left out: dinner in the morning stays odd as "food"
        if checked and not plausible(changed):
            continue
        scene, shorter = shortened(changed, premise, details, label == 1, rng)
        scene = tidy(scene)
        fits = (checked and scene is changed) or (sayable(scene) and plausible(scene))
        if fits and relation(premise, scene) == label and settled(premise, scene, label):
            return shorter if name == "rephrase" and shorter else name, scene
    return name, None


def tidy(scene: Scene) -> Scene:
    """Without a posture that says too little: "is standing and frying an egg"."""
    if scene.posture is None or scene.spot or scene.place or scene.verb is None:
        return scene
    return scene.but(POSTURE, None)


def sayable(scene: Scene) -> bool:
    """Whether a changed scene can be put into words: no passive without its verb."""
    return scene.who is not None or passivable(scene)


def hypothesis_style(anchor: Style, label: int, rng: random.Random) -> Style:
    """How a hypothesis is said.

    Entailments are a little oftener said anew than contradictions, for a contradiction has a word of its own: so the
    share of common words does not tell them apart.
    """
    form, _, word = anchor if rng.random() < ANCHORS_WORDS[label] else draw_style(rng)
    if form == "picture":  # it tells what is so, no longer what is shown
        form = "progressive"
    return Style(form, rng.random() < 0.4, word)


ANCHORS_WORDS = {0: 0.05, 1: 0.3, 2: 0.75}  # how often a hypothesis of each label is said as its anchor is
