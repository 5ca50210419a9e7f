"""Pairs of sentences with a graded similarity from 0 to 5, read off their scenes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kit.world.drawing import Draft, draw
from kit.world.frames import BY_SUBJECT
from kit.world.hypotheses import sayable, tidy
from kit.world.operations import OPERATIONS
from kit.world.plausible import plausible
from kit.world.render import draw_style, render
from kit.world.scene import BESIDE, MANNER, OBJECT, PLACE, POSTURE, SPOT, TIME, TOOL, VERB, WEATHER, WHO, Party, Scene
from kit.world.scene_relations import noun_implies

# What is done weighs most, then who and what; every circumstance and adjective counts one.
PARTIES = ((WHO, 2.0), (OBJECT, 2.0), (TOOL, 1.0), (BESIDE, 1.0))
OTHERS = ((VERB, 3.0), *((role, 1.0) for role in (POSTURE, SPOT, PLACE, TIME, WEATHER, MANNER)))


def similarity(a: Scene, b: Scene) -> float:
    """The share of two scenes that they have in common, from 0 to 1; symmetric.

    sum of weight * match over all elements that either scene has, divided by the sum of
    their weights. Elements are the roles of a scene and every adjective or garment; weights
    are 3 for the action, 2 for subject and object, 1 for all else. match is 1 for the same,
    1/2 where one noun is a kind of the other, and half of that where the numbers differ.
    """
    shared = total = 0.0
    for role, weight in PARTIES:
        x, y = a[role], b[role]
        if x is None and y is None:
            continue
        total += weight
        told = [party.traits for party in (x, y) if party is not None and party.traits]
        total += len(set().union(*told)) if told else 0
        match = _match(x, y) if x is not None and y is not None else 0.0
        shared += weight * match
        if match and len(told) == 2:
            shared += len(set(x.traits) & set(y.traits))
    for role, weight in OTHERS:
        x, y = a[role], b[role]
        if x is not None or y is not None:
            total += weight
            shared += weight * (x == y)
    return shared / total


def _match(x: Party, y: Party) -> float:
    if x is y:
        return 1.0
    related = x.noun != y.noun and (noun_implies(x.noun, y.noun) or noun_implies(y.noun, x.noun))
    match = 1.0 if x.noun == y.noun else 0.5 if related else 0.0
    return match if (x.low, x.high) == (y.low, y.high) else match / 2


def graded_pairs(rng: random.Random) -> Iterator[tuple[str, str, float]]:
    """(sentence, sentence, score) without end, the six whole grades about equally often.

    Grade 5 says one scene twice, grade 0 two scenes of different topics that share nothing;
    between them one scene is changed step by step until the score comes near its grade.
    """
    while True:
        grade = int(rng.random() * 6)
        first = draw(rng, detail=1.2)
        second = _partner(first, grade, rng)
        if second is None:
            continue
        texts = render(first.scene, draw_style(rng)), render(second, draw_style(rng))
        if texts[0] != texts[1]:
            if rng.random() < 0.5:
                texts = texts[::-1]
            yield *texts, round(5 * similarity(first.scene, second), 3)


def _partner(first: Draft, grade: int, rng: random.Random) -> Scene | None:
    if grade == 5:
        return first.scene
    if grade == 0:
        other = draw(rng)
        apart = other.frame.topic != first.frame.topic and similarity(first.scene, other.scene) == 0
        return other.scene if apart else None
    scene = first.scene
    if grade == 1 and rng.random() < 0.7:  # the same people, something else
        frame = BY_SUBJECT[scene.who.noun][int(rng.random() * len(BY_SUBJECT[scene.who.noun]))]
        scene = draw(rng, frame.topic).scene.but(WHO, scene.who)
    for _ in range(12):
        score = 5 * similarity(first.scene, scene)
        if abs(score - grade) <= 0.5:
            return scene
        if score < grade:
            scene = first.scene
        label = int(rng.random() * 3)
        _, operation = OPERATIONS[label](rng)
        changed = operation(Draft(scene, first.frame), rng)
        if changed and not changed.negated and changed.who is not None and sayable(changed) and plausible(changed):
            scene = tidy(changed)
    return None
