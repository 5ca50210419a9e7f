"""Anchors with their hypotheses: text, scene, label and the operation behind each."""

from __future__ import annotations

import random
from typing import NamedTuple

from kit.world.balance import Balance
from kit.world.disputed import settled
from kit.world.drawing import Draft, draw
from kit.world.entailments import DETAILS
from kit.world.operations import OPERATIONS, Operation
from kit.world.plausible import plausible
from kit.world.predicates import Style, passivable
from kit.world.render import draw_style, render
from kit.world.scene import Scene
from kit.world.scene_relations import relation
from kit.world.shortening import shortened

# At most so many hypotheses per label: beyond, few anchors have that much to say.
AVAILABLE = {0: 8, 1: 6, 2: 8}
AGAIN = 6  # tries of one kind of change, so that those that seldom fit are not squeezed out by those that always do
MISSES = 6  # proposals in a row that will not do, after which an anchor is given up
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
        if _details(draft.scene) < 2:
            continue
        style = draw_style(rng)
        anchor = render(draft.scene, style)
        if anchor in taken:
            continue
        found = _hypotheses(draft, style, anchor, rng, wanted, balance)
        if found is not None:
            taken.add(anchor)
            for hypothesis in found:
                balance.count(hypothesis.text, hypothesis.label)
            return Explained(anchor, draft.scene, tuple(found))


def _details(scene: Scene) -> int:
    traits = [party for party in (scene.who, scene.object) if party and party.traits]
    return sum(getattr(scene, role) is not None for role in DETAILS) + len(traits)


def _hypotheses(
    draft: Draft, style: Style, anchor: str, rng: random.Random, wanted: dict[int, int], balance: Balance
) -> list[Hypothesis] | None:
    """So many of each label, no text twice; None where the scene does not give enough."""
    used, found = {_without_articles(anchor)}, []
    for label in sorted(wanted, key=(1, 2, 0).index):  # first what a poor anchor fails at
        count = wanted[label]
        missing, misses, seen = count, 0, set()
        for _ in range(TRIES * count + TRIES):
            if not missing or misses > MISSES:
                break
            name, operation = OPERATIONS[label](rng)
            if name in seen and rng.random() < 0.5:  # another kind of change first
                continue
            name, scene = _proposal(draft, label, name, operation, rng)
            misses = misses + 1 if scene is None else 0
            if scene is None:
                continue
            text = render(scene, hypothesis_style(style, label, rng))
            plain = _without_articles(text)
            if plain not in used and balance.takes(text, label, rng):
                used.add(plain)
                seen.add(name)
                found.append(Hypothesis(text, label, name, scene))
                missing -= 1
        if missing:
            return None
    return sorted(found, key=lambda hypothesis: hypothesis.label)


def _without_articles(text: str) -> str:
    return " ".join(word for word in text.lower().split() if word not in ("a", "an", "the", "some"))


def _proposal(
    draft: Draft, label: int, name: str, operation: Operation, rng: random.Random
) -> tuple[str, Scene | None]:
    """One change of the scene, shortened, and its name; None in place of the scene where it will not do."""
    for _ in range(AGAIN):
        changed = operation(draft, rng)
        if changed is None:  # does not apply to this scene
            break
        if changed is not draft.scene and not plausible(
            changed
        ):  # before anything is left out: dinner in the morning stays odd as "food"
            continue
        scene, shorter = shortened(changed, draft.scene, label == 1, rng)
        scene = tidy(scene)
        fits = sayable(scene) and plausible(scene) and relation(draft.scene, scene) == label
        if fits and settled(draft.scene, scene, label):
            return shorter if name == "rephrase" and shorter else name, scene
    return name, None


def tidy(scene: Scene) -> Scene:
    """Without a posture that says too little: "is standing and frying an egg"."""
    if scene.verb and scene.posture and not (scene.spot or scene.place):
        return scene._replace(posture=None)
    return scene


def sayable(scene: Scene) -> bool:
    """Whether a changed scene can be put into words: no passive without its verb."""
    if scene.who is None:
        return passivable(scene)
    return True


def hypothesis_style(anchor: Style, label: int, rng: random.Random) -> Style:
    """How a hypothesis is said.

    Entailments are a little oftener said anew than contradictions, for a contradiction has a word of its own: so the
    share of common words does not tell them apart.
    """
    own_words = {0: 0.05, 1: 0.3, 2: 0.75}[label]
    style = anchor if rng.random() < own_words else draw_style(rng)
    if style.form == "picture":  # it tells what is so, no longer what is shown
        style = style._replace(form="progressive")
    return style._replace(definite=rng.random() < 0.4)
