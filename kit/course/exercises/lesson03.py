"""Lesson 03, margins: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from kit.course.exercises.batch_hard_exercise import HARD
from kit.course.exercises.conditions import AUTOGRAD
from kit.course.exercises.drawn_inputs import normal, rows, uniform
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def distance_from_cosine(cosine):
    """On unit vectors d² = 2 − 2·cos."""
    return (2 - 2 * cosine) ** 0.5


def cosine_cases():
    """Drawn; 1, 0 and −1; one number; a matrix."""
    corners = torch.tensor([1.0, 0.5, 0.0, -1.0], dtype=torch.float64)
    return [(2 * uniform(3, 6) - 1,), (corners,), (corners[1],), (2 * uniform(4, 2, 3) - 1,)]


DISTANCE = Exercise(
    name="distance-from-cosine",
    lesson="03",
    title="One distance from the other",
    difficulty=1,
    minutes=3,
    prompt="Write `distance_from_cosine(cosine)`: the Euclidean distance of two vectors of length 1 whose cosine is "
    "`cosine` (a tensor, any shape).",
    stub="def distance_from_cosine(cosine):\n    ...",
    hints=(
        "Write out ‖u − v‖² for two vectors of length 1: which of its three terms do you know?",
        "The square of the distance is 1 + 1 − 2·(the cosine). Do not forget the last step.",
    ),
    solution=distance_from_cosine,
    cases=cosine_cases,
    remember="On unit vectors d² = 2 − 2·cos, so 0, √2 and 2 are the distances at cosine 1, 0 and −1.",
    mistakes=(
        Mistake(lambda cosine: 2 - 2 * cosine, "That is the squared distance: take the root."),
        Mistake(
            lambda cosine: 1 - cosine,
            "1 − cos is the cosine distance, half of the squared Euclidean one: another number.",
        ),
        Mistake(
            lambda cosine: cosine.arccos(),
            "That is the angle, the way along the sphere: the Euclidean distance is the straight line between the two.",
        ),
        Mistake(
            lambda cosine: (1 - cosine) ** 0.5,
            "A factor is missing under the root: at cosine 0 two unit vectors are √2 apart, not 1.",
        ),
        Mistake(
            lambda cosine: (2 + 2 * cosine) ** 0.5, "The sign is flipped: a high cosine must give a small distance."
        ),
    ),
)


def triplet_by_hand(anchors, positives, negatives, margin):
    """Mean over the rows of max(0, d⁺ − d⁻ + m)."""
    near = (anchors - positives).norm(dim=1)
    far = (anchors - negatives).norm(dim=1)
    return (near - far + margin).relu().mean()


def triplet_cases():
    """Drawn, all hinges open and some closed; all easy; one semi-hard row; a small margin; a positive that is the
    anchor."""
    drawn = [(*normal(33 + seed, 3, rows, 4), margin) for seed, (rows, margin) in enumerate(((6, 1.0), (4, 0.2)))]
    origin = torch.zeros(3, 4, dtype=torch.float64)
    easy = origin, origin + 0.1, origin + 5, 1.0
    semi_hard = rows([0.0, 0.0]), rows([1.0, 0.0]), rows([0.0, 1.2]), 1.0
    same_text = normal(36, 2, 3), normal(36, 2, 3), normal(37, 2, 3), 3.0
    return [*drawn, easy, semi_hard, (*normal(38, 3, 5, 4), 0.05), same_text]


TRIPLET = Exercise(
    name="triplet-by-hand",
    lesson="03",
    title="The triplet loss",
    difficulty=1,
    minutes=5,
    prompt="Write `triplet_by_hand(anchors, positives, negatives, margin)` with Euclidean distances: all three are "
    "[N, dim], with one triplet per row. Return the mean over the N triplets, a loss to train on.",
    stub="def triplet_by_hand(anchors, positives, negatives, margin):\n    ...",
    hints=(
        "Two distances per row: `(anchors - positives).norm(dim=1)` is one of them.",
        "Each row has its own hinge, `.relu()`; the mean comes after it.",
    ),
    solution=triplet_by_hand,
    cases=triplet_cases,
    is_loss=True,
    smooth_cases=(0, 1),  # all hinges open; some closed
    remember="max(0, d⁺ − d⁻ + m) row by row, and only then the mean.",
    mistakes=(
        Mistake(
            lambda anchors, positives, negatives, margin: triplet_by_hand(anchors, negatives, positives, margin),
            "Positive and negative are swapped: the distance of the positive must raise the loss.",
        ),
        Mistake(
            variation(triplet_by_hand, "anchors - negatives", "positives - negatives"),
            "Your second distance is between the positive and the negative: both distances must be the anchor's.",
        ),
        Mistake(
            variation(triplet_by_hand, ".relu()", ""),
            "The hinge is missing: a triplet that is far enough apart must give 0, not less.",
        ),
        Mistake(
            variation(triplet_by_hand, ".relu().mean()", ".mean().relu()"),
            "Your hinge is around the mean: easy triplets then pay for hard ones. Each row needs its own.",
        ),
        Mistake(
            variation(triplet_by_hand, ".norm(dim=1)", ".square().sum(dim=1)"),
            "You squared the distances: that is FaceNet's loss; here it is ‖a − p‖.",
        ),
        Mistake(
            variation(triplet_by_hand, "+ margin", "- margin"),
            "You subtracted the margin: it is added, so that a negative must be farther by that much.",
        ),
        Mistake(variation(triplet_by_hand, ".mean()", ".sum()"), "You summed the triplets: take the mean."),
    ),
)


def gradient_on_the_anchor(anchor, positive, negative, margin):
    """Unit vectors from both sides, or nothing where the triplet is easy."""
    from_positive, from_negative = anchor - positive, anchor - negative
    if from_positive.norm() - from_negative.norm() + margin <= 0:
        return torch.zeros_like(anchor)
    return from_positive / from_positive.norm() - from_negative / from_negative.norm()


@mistake("An easy triplet has no gradient: look at the hinge before you compute the arrows.")
def gradient_never_zero(anchor, positive, negative, margin):
    return F.normalize(anchor - positive, dim=0) - F.normalize(anchor - negative, dim=0)


@mistake(
    "You ask only whether the negative is farther away: a triplet is easy when it is farther *by the margin*. In "
    "between it is semi-hard, and has a gradient."
)
def gradient_without_the_margin(anchor, positive, negative, margin):
    if (anchor - negative).norm() > (anchor - positive).norm():
        return torch.zeros_like(anchor)
    return gradient_never_zero.answer(anchor, positive, negative, margin)


def gradient_cases():
    """Hard, semi-hard and easy; exactly at the margin; in one dimension and in five."""
    origin, right = rows([0.0, 0.0])[0], rows([1.0, 0.0])[0]
    corners = [(rows([0.0, height])[0], 1.0) for height in (0.5, 1.2, 1.9, 2.0, 2.5)]
    one = [rows([place])[0] for place in (0.0, 2.0, -1.0)]
    return [
        (*normal(333, 3, 5), 5.0),
        *((origin, right, negative, margin) for negative, margin in corners),
        (*one, 0.5),
        (*normal(335, 3, 5), 0.0),
    ]


GRADIENT = Exercise(
    name="gradient-on-the-anchor",
    lesson="03",
    title="Two arrows",
    difficulty=1,
    minutes=5,
    prompt="Write `gradient_on_the_anchor(anchor, positive, negative, margin)`: the gradient of the triplet loss "
    "(Euclidean) with respect to the anchor, [dim], written out, without autograd. The three are different vectors; a "
    "triplet exactly at the margin is easy.",
    stub="def gradient_on_the_anchor(anchor, positive, negative, margin):\n    ...",
    hints=(
        "The derivative of ‖a − p‖ with respect to a has length 1 whatever the distance: which way does it point?",
        "First ask whether the triplet is active; if not, `torch.zeros_like(anchor)` is the answer.",
        "Active: the unit vector from the positive to the anchor, minus the unit vector from the negative to it.",
    ),
    solution=gradient_on_the_anchor,
    cases=gradient_cases,
    without=(AUTOGRAD,),
    remember="Two unit arrows while the triplet is active, nothing once it is easy.",
    mistakes=(
        gradient_without_the_margin,
        gradient_never_zero,
        Mistake(
            variation(
                gradient_on_the_anchor,
                "from_positive / from_positive.norm() - from_negative / from_negative.norm()",
                "from_positive - from_negative",
            ),
            "Your arrows are as long as the distances: the derivative of ‖a − p‖ has length 1, so divide by it.",
        ),
        Mistake(
            variation(
                gradient_on_the_anchor,
                "from_positive.norm() - from_negative /",
                "from_positive.norm() + from_negative /",
            ),
            "You added the two arrows: the negative's distance stands in the loss with a minus.",
        ),
        Mistake(
            variation(
                gradient_on_the_anchor,
                "from_positive / from_positive.norm() - from_negative / from_negative.norm()",
                "2 * (from_positive - from_negative)",
            ),
            "That is the gradient of squared distances, 2(n − p): here each arrow has length 1.",
        ),
        Mistake(
            lambda *triplet: -gradient_on_the_anchor(*triplet),
            "The sign is flipped: that is the direction of the step, and the step goes against the gradient.",
        ),
        Mistake(
            variation(gradient_on_the_anchor, " - from_negative / from_negative.norm()", ""),
            "You left out the negative: the anchor moves away from it as well.",
        ),
    ),
)


LARGEST = Exercise(
    name="largest-margin",
    lesson="03",
    title="A margin nobody can reach",
    difficulty=1,
    minutes=2,
    prompt="Somebody changes the distance of a triplet loss to the *angle* between two vectors, in radians, and keeps "
    "the library's margin of 5. No triplet can ever be easy then. What is the largest margin for which one still can?",
    stub="import math\n\nlargest_margin = ...",
    hints=(
        "How small can d⁺ be, and how large d⁻, when both are angles?",
        "The triplet is easy when d⁻ − d⁺ is at least the margin: take the largest difference there is.",
    ),
    solution=math.pi,
    written="math.pi",
    tolerance=1e-3,  # two decimals are enough
    because="The best triplet has its positive at angle 0 and its negative on the other side of the sphere, at angle "
    "$\\pi$. With a margin of 5 the loss never falls below $5 - \\pi \\approx 1.86$, and every triplet stays active "
    "for ever.",
    remember="A margin has the unit of its distance: angles end at π, 1 − cos ends at 2.",
    mistakes=(
        Mistake(2.0, "2 is where 1 − cos and the Euclidean distance on the sphere end: an angle goes further."),
        Mistake(4.0, "4 is the largest *squared Euclidean* distance on the sphere: an angle ends earlier."),
        Mistake(math.pi / 2, "That is a right angle, cosine 0: a negative can lie on the other side."),
        Mistake(2 * math.pi, "That is once around: the angle between two vectors is the shorter way."),
        Mistake(180.0, "That is in degrees: the margin of 5 is in radians."),
        Mistake(5.0, "With a margin of 5 the loss is at least 5 − π: no triplet is ever easy."),
        Mistake(5 - math.pi, "That is the least loss there is with a margin of 5: the question is about the margin."),
    ),
)


def number_of_triplets(classes, each):
    """Anchors · other rows of the class · rows of the other classes."""
    return classes * each * (each - 1) * (classes - 1) * each


def triplets_cases():
    """Also with nothing to count: classes of one sentence, and a single class."""
    return [(2, 2), (4, 4), (18, 4), (32, 2), (5, 3), (6, 1), (1, 5)]


COUNT = Exercise(
    name="number-of-triplets",
    lesson="03",
    title="How many triplets?",
    difficulty=2,
    minutes=5,
    prompt="A batch holds `classes` classes with `each` sentences in every one. Write `number_of_triplets(classes, "
    "each)`: how many triplets (anchor, positive, negative) it has. The order counts: an anchor and a positive that "
    "change places make another triplet.",
    stub="def number_of_triplets(classes, each):\n    ...",
    hints=(
        "Every sentence is an anchor. How many positives does it have, and how many negatives?",
        "Positives: the others of its class, one less than `each`. Negatives: every sentence of the other classes.",
    ),
    solution=number_of_triplets,
    cases=triplets_cases,
    remember="n · (k − 1) · (n − k) for n sentences in classes of k.",
    mistakes=(
        Mistake(
            variation(number_of_triplets, "(each - 1)", "each"),
            "You let an anchor be its own positive: it has `each` − 1 of them.",
        ),
        Mistake(
            variation(number_of_triplets, "(each - 1)", "(each - 1) // 2"),
            "You counted each pair of a class once: either of the two can be the anchor.",
        ),
        Mistake(
            lambda classes, each: classes * each * (each - 1) * (classes - 1),
            "You counted one negative per other class: each of its sentences is one.",
        ),
        Mistake(
            lambda classes, each: classes * each * (each - 1) * (classes * each - 1),
            "Your negatives are all other sentences: those of the anchor's own class do not count, so n − k are left.",
        ),
        Mistake(
            lambda classes, each: math.comb(classes * each, 3),
            "You counted any three sentences: the first two must share a class and the third must not.",
        ),
    ),
)


REDUCTION = Exercise(
    name="two-means",
    lesson="03",
    title="Which mean?",
    difficulty=1,
    minutes=3,
    prompt="A batch has 1,000 triplets. 20 of them are active, and their losses add up to 4. What does `mean` "
    "report, and what does `mean_active`? Give the two numbers in this order.",
    stub="reported = ...  # mean, mean_active",
    hints=(
        "Both divide the same sum; what do they divide it by?",
        "One counts every triplet, the other only those whose loss is above 0.",
    ),
    solution=(0.004, 0.2),
    because="4 / 1000 = 0.004 and 4 / 20 = 0.2. The gradients differ by the same factor of 50.",
    remember="The loss of mean_active can stay high while nearly everything is already easy.",
    mistakes=(
        Mistake((0.2, 0.004), "The order is reversed: the mean over all triplets is the smaller one."),
        Mistake((0.2, 0.2), "`mean` divides by all 1,000 triplets, including those whose loss is 0."),
        Mistake((0.004, 0.004), "`mean_active` divides by the 20 active triplets only."),
        Mistake((4, 0.2), "4 is the sum: `mean` divides it by 1,000."),
    ),
)


STUCK = Exercise(
    name="stuck-at-the-margin",
    lesson="03",
    title="Exactly the margin",
    difficulty=2,
    minutes=4,
    prompt="Ada trains with BatchHard, Euclidean distance and margin 5. After an hour the loss is 5.0003 and does not "
    "move; the mean distance of two sentences is 0.0004. What should she do?\n\n"
    "- **a** Go on from this checkpoint with a larger batch, so that BatchHard finds harder triplets.\n"
    "- **b** Go on from this checkpoint with smaller steps, with negatives that are farther than the positive.\n"
    "- **c** Set the margin to 1: a loss of 1 is better than one of 5.\n"
    "- **d** Go back to the pretrained weights and take smaller steps, with negatives that are farther than the "
    "positive.",
    stub='remedy = ...  # "a", "b", "c" or "d"',
    hints=(
        "If all sentences have the same vector, what are d⁺ and d⁻, and what is the loss?",
        "The margin is what is left when both distances are 0. Which of the answers gives the sentences back "
        "their distances, and what the encoder knew of them?",
    ),
    solution="d",
    choices=("a", "b", "c", "d"),
    because="All distances are close to 0: the space has collapsed to a point, and much of what the encoder knew is "
    "lost. The steps were too large, and with the hardest triplets shrinking may even have been downhill. So the "
    "remedy must come before the collapse.",
    remember="Loss = margin and distances = 0 is a collapse: look at the distance, not at the loss.",
    mistakes=(
        Mistake(
            "a", "In a space that is one point no triplet is harder than another, and what the encoder knew is lost."
        ),
        Mistake("c", "The loss would be 1 then, and the space still a point: the margin is all that is left of it."),
        Mistake(
            "b",
            "The right remedy, too late: it may spread the space out again, but much of what the encoder knew of "
            "sentences was lost on the way to the point.",
        ),
    ),
)


EXERCISES = (DISTANCE, TRIPLET, GRADIENT, LARGEST, COUNT, HARD, REDUCTION, STUCK)
