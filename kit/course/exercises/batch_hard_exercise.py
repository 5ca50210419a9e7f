"""The exercise of lesson 03 on BatchHard."""

from __future__ import annotations

import torch

from kit.course.exercises.conditions import LOOP
from kit.course.exercises.drawn_inputs import normal, rows
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def batch_hard_by_hand(distances, labels, margin):
    """Farthest row of the own class against the nearest of another, averaged over the anchors."""
    same = labels[:, None] == labels[None, :]
    farthest = distances.masked_fill(~same, -torch.inf).max(dim=1).values  # oneself is at 0: never the farthest
    nearest = distances.masked_fill(same, torch.inf).min(dim=1).values
    return (farthest - nearest + margin).relu().mean()


@mistake("That is the *easiest* triplet of each anchor: take the farthest positive and the nearest negative.")
def batch_easy(distances, labels, margin):
    same, itself = labels[:, None] == labels[None, :], torch.eye(len(labels), dtype=torch.bool)
    nearest = distances.masked_fill(~same | itself, torch.inf).min(dim=1).values
    farthest = distances.masked_fill(same, -torch.inf).max(dim=1).values
    return (nearest - farthest + margin).relu().mean()


@mistake("You multiplied by a mask: what is left out becomes 0, and 0 is the nearest of all. Fill with ∞.")
def batch_hard_masked_with_zeros(distances, labels, margin):
    same = labels[:, None] == labels[None, :]
    return ((distances * same).max(dim=1).values - (distances * ~same).min(dim=1).values + margin).relu().mean()


def batch_all(distances, labels, margin):
    same, itself = labels[:, None] == labels[None, :], torch.eye(len(labels), dtype=torch.bool)
    losses = (distances[:, :, None] - distances[:, None, :] + margin).relu()  # [anchor, positive, negative]
    return losses[(same & ~itself)[:, :, None] & ~same[:, None, :]].mean()


def batch_hard_cases():
    """Drawn twice; some anchors easy; all easy; two equal sentences in a class, and in two classes; all far apart."""
    three, two = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 2]), torch.tensor([0, 0, 1, 1])
    mixed = torch.tensor([0, 1, 0, 1, 2, 2, 0, 1])
    drawn, spread = normal(3333, 9, 3), normal(3334, 8, 3)
    centres = rows([0.0, 0.0, 9.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0])
    equal = normal(3335, 4, 3)
    equal[1], twins = equal[0], equal[[0, 2, 0, 3]]
    batches = [
        (drawn, three, 2.5),
        (spread, mixed, 1.0),
        (drawn + 0.25 * centres[three], three, 1.0),
        (drawn + centres[three], three, 0.5),
        (equal, two, 0.3),
        (twins, two, 0.3),
        (1e6 * drawn, three, 2.5e6),
    ]
    return [(torch.cdist(points, points), labels, margin) for points, labels, margin in batches]


HARD = Exercise(
    name="batch-hard-by-hand",
    lesson="03",
    title="BatchHard from distances",
    difficulty=3,
    minutes=10,
    prompt="Write `batch_hard_by_hand(distances, labels, margin)`: `distances` [n, n] are those between all sentences "
    "of a batch (0 on the diagonal), `labels` [n] their classes, each with at least two sentences. Return BatchHard, "
    "the mean over all n anchors, a loss to train on, without a loop.",
    stub="def batch_hard_by_hand(distances, labels, margin):\n    ...",
    hints=(
        "`labels[:, None] == labels[None, :]` says who shares a class with whom, [n, n].",
        "To look for a maximum among some entries only, `masked_fill` the others with −∞; for a minimum, with ∞.",
        "Farthest of its own class, nearest of the others, one number per row; then the hinge, then the mean.",
    ),
    solution=batch_hard_by_hand,
    cases=batch_hard_cases,
    without=(LOOP,),
    is_loss=True,
    smooth_cases=(0, 2),  # all hinges open; some closed
    remember="Farthest positive, nearest negative: the others are filled with ∓∞ and never chosen.",
    mistakes=(
        Mistake(
            variation(batch_hard_by_hand, ".relu()", ""),
            "The hinge is missing: an anchor that is far enough from its nearest negative gives 0, not less.",
        ),
        Mistake(
            variation(batch_hard_by_hand, ".relu().mean()", ".mean().relu()"),
            "Your hinge is around the mean: easy anchors then pay for hard ones. Each anchor needs its own.",
        ),
        Mistake(
            variation(
                batch_hard_by_hand,
                "return (farthest - nearest + margin).relu().mean()",
                "losses = (farthest - nearest + margin).relu(); return losses.sum() / (losses > 0).sum().clamp(min=1)",
            ),
            "You took the mean over the active anchors only: this mean runs over all n, and the easy ones count as 0.",
            also=(
                variation(
                    batch_hard_by_hand,
                    "return (farthest - nearest + margin).relu().mean()",
                    "losses = farthest - nearest + margin; return losses[losses > 0].mean()",
                ),
            ),
        ),
        Mistake(
            variation(
                batch_hard_by_hand, "~same, -torch.inf).max", "~same | torch.eye(len(same)).bool(), torch.inf).min"
            ),
            "Your positive is the nearest: the hard one is the farthest of its own class.",
        ),
        batch_easy,
        Mistake(
            batch_all,
            "That is BatchAll, the mean over all triplets: BatchHard takes one for each anchor, its farthest positive "
            "with its nearest negative.",
            also=(variation(batch_all, "losses[(same", "losses[(losses > 0) & (same"),),
        ),
        Mistake(
            variation(batch_hard_by_hand, "same, torch.inf).min", "same, -torch.inf).max"),
            "Your negative is the farthest: the hard one is the nearest.",
        ),
        Mistake(
            variation(batch_hard_by_hand, "(same, torch.inf)", "(torch.eye(len(same)).bool(), torch.inf)"),
            "Your nearest negative may come from the anchor's own class: only other classes count.",
        ),
        batch_hard_masked_with_zeros,
        Mistake(variation(batch_hard_by_hand, ".mean()", ".sum()"), "You summed over the anchors: take the mean."),
    ),
)
