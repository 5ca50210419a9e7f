"""Anchors with their hypotheses: text, scene, label and the operation behind each."""

from __future__ import annotations

import random
from typing import NamedTuple

from kit.world.drawing import Draft, draw
from kit.world.entailments import DETAILS
from kit.world.operations import OPERATIONS
from kit.world.predicates import Style, passivable
from kit.world.render import draw_style, render
from kit.world.scene import Scene
from kit.world.scene_relations import relation

# At most so many hypotheses per label: beyond, few anchors have that much to say.
AVAILABLE = {0: 8, 1: 6, 2: 8}
TRIES = 14  # proposals per wanted hypothesis before an anchor is given up


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


def explained(rng: random.Random, wanted: dict[int, int], taken: set[str]) -> Explained:
    """An anchor whose text is not in `taken`, with `wanted[label]` distinct hypotheses each."""
    while True:
        draft = draw(rng, detail=1.35)
        if _details(draft.scene) < 2:
            continue
        style = draw_style(rng)
        anchor = render(draft.scene, style)
        if anchor in taken:
            continue
        found = _hypotheses(draft, style, anchor, rng, wanted)
        if found is not None:
            taken.add(anchor)
            return Explained(anchor, draft.scene, tuple(found))


def _details(scene: Scene) -> int:
    traits = [party for party in (scene.who, scene.object) if party and party.traits]
    return sum(getattr(scene, role) is not None for role in DETAILS) + len(traits)


def _hypotheses(
    draft: Draft, style: Style, anchor: str, rng: random.Random, wanted: dict[int, int]
) -> list[Hypothesis] | None:
    """So many of each label, no text twice; None where the scene does not give enough."""
    used, found = {anchor}, []
    for label, count in wanted.items():
        operations = OPERATIONS[label]
        missing, seen = count, set()
        for _ in range(TRIES * count + TRIES):
            if not missing:
                break
            name, operation = operations(rng)
            if name in seen and rng.random() < 0.6:  # another operation first
                continue
            scene = operation(draft, rng)
            scene = scene and tidy(scene)
            if scene is None or not sayable(scene) or relation(draft.scene, scene) != label:
                continue
            text = render(scene, hypothesis_style(style, label, rng))
            if text not in used:
                used.add(text)
                seen.add(name)
                found.append(Hypothesis(text, label, name, scene))
                missing -= 1
        if missing:
            return None
    return found


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

    Entailments are mostly said anew; contradictions mostly in the anchor's own words. So the
    share of common words points the wrong way, and only meaning separates the two.
    """
    own_words = {0: 0.25, 1: 0.5, 2: 0.8}[label]
    style = anchor if rng.random() < own_words else draw_style(rng)
    return style._replace(definite=rng.random() < 0.4)
