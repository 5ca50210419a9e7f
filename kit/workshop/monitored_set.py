"""The sentences on which live training is monitored: those of the sphere, and scored pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kit.errors import KitError
from kit.workshop.sphere_view import COSINES, SphereView, cosine_shares, mean_direction, nearest, plane_round, unit
from kit.workshop.validation import PairEvaluation, measure_pairs

LEAST = 3  # premises on the sphere


@dataclass(frozen=True)
class MonitoredSet:
    """Sentences for the sphere, of premises that are left out of training, and pairs that people scored.

    A hypothesis of the sphere, and a scored sentence, may still stand under another premise, which is trained on.
    premise [n]: which premise a sentence of the sphere belongs to; roles [n]: "premise",
    "entailed" or "contradicted".
    """

    sentences: list[str]
    premise: list[int]
    roles: list[str]
    sentences1: list[str]
    sentences2: list[str]
    scores: list[float]


def split_monitored(groups: Sequence, task, premises: int = 40, pairs: int = 120) -> tuple[MonitoredSet, list]:
    """Split `groups` into a monitored set and the groups left to train on, all others.

    The sphere shows the first groups with an entailed and a contradicted hypothesis, a quarter of them, and three at
    least. The scored pairs, at most `pairs`, are spread evenly over the task. Errors: `KitError` where there are not
    enough such groups or scored pairs.
    """
    able = [g for g in groups if g.positives and g.negatives]
    if len(able) < 2 * LEAST or len(task) < 10:
        raise KitError(
            f"expected {2 * LEAST} premises with an entailed and a contradicted hypothesis and 10 scored pairs to "
            f"monitor and to train on, got {len(able)} and {len(task)}: load more rows."
        )
    chosen = able[: min(premises, max(LEAST, len(able) // 4))]
    taken = {id(g) for g in chosen}
    at = spread_rows(len(task), pairs)
    monitored = MonitoredSet(
        [s for g in chosen for s in (g.anchor, g.positives[0], g.negatives[0])],
        [i for i in range(len(chosen)) for _ in range(3)],
        ["premise", "entailed", "contradicted"] * len(chosen),
        [task.sentences1[i] for i in at],
        [task.sentences2[i] for i in at],
        [task.scores[i] for i in at],
    )
    return monitored, [g for g in groups if id(g) not in taken]


def spread_rows(rows: int, most: int) -> list[int]:
    """At most `most` of `rows` places, spread evenly: a file may be sorted, as STS-B's is by genre."""
    kept = min(rows, most)
    return [i * rows // kept for i in range(kept)]


def look(encoder, monitored: MonitoredSet) -> PairEvaluation:
    """What the encoder makes of the monitored sentences now."""
    return measure_pairs(encoder, monitored, monitored.sentences)


def first_view(seen: PairEvaluation) -> SphereView:
    """The view of a training that begins here: the pole is the mean direction of the scored sentences' vectors."""
    pole = mean_direction(seen.vectors)
    return SphereView(pole, plane_round(pole, unit(seen.other_vectors)))


def frame_of(seen: PairEvaluation, view: SphereView) -> dict:
    """The numbers of one frame: mean cosine, effective rank, uniformity, alignment, Spearman × 100, and the sphere.

    theta, phi [n]: the monitored sentences' places in the view; neighbours [n][3]: the nearest of each among them;
    histogram: shares of the cosines between `COSINES` of the scored sentences, in thousandths.
    """
    space, points = seen.geometry, unit(seen.other_vectors)
    return {
        "mean_cosine": space.mean_cosine,
        "effective_rank": space.effective_rank,
        "uniformity": space.uniformity,
        "alignment": space.alignment,
        "sts": seen.spearman,
        **view.places(points),
        "neighbours": nearest(points),
        "histogram": cosine_shares(seen.vectors, COSINES),
    }
