"""Lesson 04, temperature: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from kit.course.exercises.conditions import AUTOGRAD
from kit.course.exercises.drawn_inputs import normal, rows, uniform
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation

SCALE = Exercise(
    name="scale-to-temperature",
    lesson="04",
    title="A scale is a temperature",
    difficulty=1,
    minutes=2,
    prompt="A configuration file says `scale: 50`. Which temperature τ is that?",
    stub="tau_of_scale_50 = ...",
    hints=(
        "The library multiplies the scores by the scale; the papers divide them by τ. "
        "Which τ does the same to a score of 0.6?",
        "0.6 · 50 = 0.6 / τ. Solve for τ.",
    ),
    solution=0.02,
    because="Multiplying by 50 is dividing by 1/50 = 0.02.",
    remember="The scale is 1/τ.",
    mistakes=(
        Mistake(50, "50 is the scale itself: scores are multiplied by it, but divided by τ."),
        Mistake(0.05, "0.05 is the temperature of a scale of 20: here the scale is 50."),
        Mistake(2.5, "2.5 is 50 · 0.05, the scale times another temperature: take 1 over the scale."),
        Mistake(0.2, "0.2 is 10/50: take 1 over the scale."),
    ),
)


def smallest_loss(n, tau):
    """log(1 + (n − 1)·e^{−2/τ}): the positive at cosine 1, all others at −1."""
    return math.log(1 + (n - 1) * math.exp(-2 / tau))


def floor_cases():
    return [(2, 1.0), (8, 0.5), (64, 1.0), (64, 0.25), (512, 0.2)]


FLOOR = Exercise(
    name="smallest-loss",
    lesson="04",
    title="How low can it go?",
    difficulty=1,
    minutes=5,
    prompt="Write `smallest_loss(n, tau)`: the smallest loss that one anchor can have when it has `n` candidates (one "
    "of them its positive) and the similarities are cosines. Return a number; the logarithm is the natural one.",
    stub="import math\n\ndef smallest_loss(n, tau):\n    ...",
    hints=(
        "The loss is smallest where the positive is as similar as it can be and every negative as dissimilar as it "
        "can be: which two cosines are these?",
        "Minus the log of the positive's share is log(1 + (number of negatives) · e^{(s_n − s_p)/τ}); "
        "put in s_p = 1 and s_n = −1.",
    ),
    solution=smallest_loss,
    cases=floor_cases,
    tolerance=1e-5,  # of a logarithm near 0 in single precision
    because="The share of the positive is at most $e^{1/\\tau} / (e^{1/\\tau} + (n-1) e^{-1/\\tau})$. Minus its log is "
    "$\\log(1 + (n-1) e^{-2/\\tau})$, which is above 0 for every n above 1.",
    remember="Cosines end at 1 and −1, so the loss ends above zero.",
    mistakes=(
        Mistake(
            lambda n, tau: math.log(1 + (n - 1) * math.exp(-n / (n - 1) / tau)),
            "That is the best for a whole batch, whose n directions can only be equally far apart: a single anchor "
            "can have all its negatives at cosine −1.",
        ),
        Mistake(
            variation(smallest_loss, "(n - 1)", "n"),
            "You counted n negatives: one of the n candidates is the positive.",
        ),
        Mistake(
            variation(smallest_loss, "-2 / tau", "-1 / tau"),
            "Your negatives have cosine 0: a cosine can fall to −1, which is 2 below the positive.",
        ),
        Mistake(variation(smallest_loss, " / tau", ""), "You did not divide by τ: yours is the loss at τ = 1."),
        Mistake(variation(smallest_loss, "/ tau", "* tau"), "You multiplied by τ: similarities are divided by it."),
        Mistake(
            variation(smallest_loss, "math.log(", "math.log2("),
            "Your logarithm has another base: `math.log` is the natural one.",
            also=(variation(smallest_loss, "math.log(", "math.log10("),),
        ),
        Mistake(
            lambda n, tau: math.log(n),
            "log n is the loss where all candidates look alike: here the positive is as near, and the negatives "
            "are as far, as cosines allow.",
        ),
    ),
)


def weights_at(anchors, candidates, tau):
    """Cosines [A, C] over τ, then a softmax over the candidates of each anchor."""
    cosines = F.normalize(anchors, dim=1) @ F.normalize(candidates, dim=1).T
    return torch.softmax(cosines / tau, dim=1)


def weights_cases():
    """Drawn; a small and a large τ; one candidate; short vectors; equal candidates, and an anchor of zeros;
    a candidate of zeros."""
    three, five, four = 2 * normal(4, 3, 6), 2 * normal(5, 5, 6), 2 * normal(6, 4, 6)
    corners = rows([3.0, 4.0], [0.0, 0.0]), rows([6.0, 8.0], [3.0, 4.0], [-4.0, 3.0])
    drawn = [(three, five, 0.5), (four, five, 0.05), (four, three, 10.0), (three, five[:1], 0.2)]
    return [*drawn, (0.05 * three, 0.1 * five, 0.5), (*corners, 1.0), (three, 0 * three, 0.5)]


WEIGHTS = Exercise(
    name="softmax-weights",
    lesson="04",
    title="Softmax at temperature τ",
    difficulty=2,
    minutes=8,
    prompt="Write `weights_at(anchors, candidates, tau)`: for `anchors` [A, dim] and `candidates` [C, dim] the "
    "softmax weights of the candidates for each anchor, [A, C]. The similarity is the cosine; the vectors come in any "
    "length, and a vector of zeros has the cosine 0 with all.",
    stub="def weights_at(anchors, candidates, tau):\n    ...",
    hints=(
        "First make all vectors length 1 (`torch.nn.functional.normalize`); then one matrix product gives "
        "all cosines, [A, C].",
        "Divide by τ, then `torch.softmax(…, dim=…)`: every anchor shares out a whole 1 among its candidates, "
        "so each *row* must sum to 1.",
    ),
    solution=weights_at,
    cases=weights_cases,
    remember="Normalise, divide by τ, softmax along the candidates.",
    mistakes=(
        Mistake(variation(weights_at, " / tau", ""), "You did not divide by τ: yours are the weights at τ = 1."),
        Mistake(
            variation(weights_at, "/ tau", "* tau"), "You multiplied by τ: divide by it, so that a small τ sharpens."
        ),
        Mistake(
            lambda anchors, candidates, tau: torch.softmax(anchors @ candidates.T / tau, dim=1),
            "These are weights of dot products: make the vectors length 1 first.",
        ),
        Mistake(
            variation(weights_at, "tau, dim=1", "tau, dim=0"),
            "Your columns sum to 1: the softmax runs over the candidates of an anchor, `dim=1`.",
        ),
        Mistake(
            variation(weights_at, "torch.softmax(cosines / tau, dim=1)", "(cosines / tau).exp()"),
            "Your rows do not sum to 1: after e^{cos/τ} divide by the sum of the row.",
        ),
    ),
)


def nt_xent_by_hand(views, tau):
    """Every row against the 2N − 1 others; the right one is its neighbour: 1, 0, 3, 2, ..."""
    z = F.normalize(views, dim=1)
    logits = (z @ z.T / tau).masked_fill(torch.eye(len(z), dtype=torch.bool), -math.inf)
    partners = torch.arange(len(z)).view(-1, 2).flip(1).flatten()
    return F.cross_entropy(logits, partners)


@mistake(
    "That is MNRL: N anchors with N candidates. In NT-Xent all 2N rows are anchors, and the rows of an anchor's own "
    "side are candidates too."
)
def one_direction_only(views, tau):
    z = F.normalize(views, dim=1)
    return F.cross_entropy(z[0::2] @ z[1::2].T / tau, torch.arange(len(z) // 2))


@mistake(
    "That is MNRL in both directions: all rows are anchors, but each also has the rows of its own side as candidates."
)
def both_directions(views, tau):
    z = F.normalize(views, dim=1)
    scores, own = z[0::2] @ z[1::2].T / tau, torch.arange(len(z) // 2)
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2


@mistake("In yours only the first view of each sentence is an anchor: all 2N rows must be.")
def first_views_as_anchors(views, tau):
    z = F.normalize(views, dim=1)
    logits = (z @ z.T / tau).masked_fill(torch.eye(len(z), dtype=torch.bool), -math.inf)
    return F.cross_entropy(logits[0::2], torch.arange(1, len(z), 2))


def views_cases():
    """Drawn; at a small and a large τ; a batch of one sentence; two views that are equal, and two that are opposite, at
    a τ so small that −100 is no infinity."""
    drawn = [(2 * normal(44 + many, many, 5), tau) for many, tau in ((6, 0.5), (10, 0.05), (6, 2.0), (2, 0.1))]
    return [*drawn, (normal(45, 4, 3)[[0, 0, 1, 2]], 0.3), (rows([1.0, 0.0], [-1.0, 0.0]), 0.005)]


NT_XENT = Exercise(
    name="nt-xent-by-hand",
    lesson="04",
    title="NT-Xent, shuffled",
    difficulty=2,
    minutes=10,
    prompt="This batch is stacked in another way: in `views` [2N, dim], rows 0 and 1 are two views of the first "
    "sentence, rows 2 and 3 of the second, and so on. Write `nt_xent_by_hand(views, tau)` for it: every row is an "
    "anchor, and its candidates are the 2N − 1 other rows; the vectors come in any length. Return the mean over all "
    "anchors, a loss to train on.",
    stub="def nt_xent_by_hand(views, tau):\n    ...",
    hints=(
        "Only the partners differ from this section's NT-Xent by hand: normalise, all cosines in one product, divide "
        "by τ, take the diagonal out; the rest is a cross-entropy.",
        "The labels are the columns of the partners, for six rows 1, 0, 3, 2, 5, 4.",
        "`torch.arange(len(views)).view(-1, 2).flip(1).flatten()` makes these labels.",
    ),
    solution=nt_xent_by_hand,
    cases=views_cases,
    is_loss=True,
    remember="2N anchors with 2N − 1 candidates each, the diagonal out; the labels follow the order of the rows.",
    mistakes=(
        Mistake(
            variation(nt_xent_by_hand, ".masked_fill(torch.eye(len(z), dtype=torch.bool), -math.inf)", ""),
            "The diagonal is still in: every row has cosine 1 with itself, and that must not stand in the denominator.",
        ),
        one_direction_only,
        both_directions,
        first_views_as_anchors,
        Mistake(
            variation(nt_xent_by_hand, "(logits, partners)", '(logits, partners, reduction="sum")'),
            "You added the losses of the anchors: take their mean.",
        ),
        Mistake(
            variation(nt_xent_by_hand, ".view(-1, 2).flip(1).flatten()", ".roll(len(z) // 2)"),
            "You took the row N further on as the partner, as this section does by hand: here it is the neighbour.",
        ),
        Mistake(lambda views, tau: nt_xent_by_hand(views, 1 / tau), "You multiplied by τ: divide by it."),
        Mistake(lambda views, tau: nt_xent_by_hand(views, 1.0), "You did not divide by τ: yours is the loss at τ = 1."),
        Mistake(
            variation(nt_xent_by_hand, "F.normalize(views, dim=1)", "views"),
            "The N in NT-Xent stands for normalised: make the vectors length 1 first.",
        ),
    ),
)


def gradient_by_hand(scores, positive, tau):
    """(softmax − target) / τ."""
    target = torch.zeros_like(scores)
    target[positive] = 1
    return (torch.softmax(scores / tau, dim=0) - target) / tau


def gradient_cases():
    """Drawn; equal similarities; the positive the least similar; the only candidate; saturated."""
    drawn = [
        (2 * uniform(444 + n, n) - 1, positive, tau) for n, positive, tau in ((3, 0, 0.05), (5, 2, 0.5), (8, 7, 0.2))
    ]
    corners = [([0.3, 0.3, 0.3], 1, 0.1), ([0.9, -0.9], 1, 1.0), ([0.4], 0, 0.05), ([1.0, -1.0], 0, 0.01)]
    return [*drawn, *((rows(scores)[0], positive, tau) for scores, positive, tau in corners)]


GRADIENT = Exercise(
    name="similarity-gradient",
    lesson="04",
    title="Which way, how hard?",
    difficulty=1,
    minutes=3,
    prompt="Write `gradient_by_hand(scores, positive, tau)`: ∂ℓ/∂s of one anchor, where `scores` [C] are its "
    "similarities and `positive` is the index of its positive. Write the formula out, without autograd.",
    stub="def gradient_by_hand(scores, positive, tau):\n    ...",
    hints=(
        "What does the softmax say of each candidate, and what should it say? The gradient compares the two.",
        "The gradient is (what the softmax says − what it should say) / τ.",
        "It should say 1 at `positive` and 0 elsewhere: `torch.zeros_like(scores)`, then set one entry.",
    ),
    solution=gradient_by_hand,
    cases=gradient_cases,
    without=(AUTOGRAD,),
    remember="(softmax − target) / τ, and it sums to zero.",
    mistakes=(
        Mistake(
            variation(gradient_by_hand, "target) / tau", "target)"),
            "The 1/τ is missing: it is the inner derivative of s/τ.",
        ),
        Mistake(
            lambda scores, positive, tau: -gradient_by_hand(scores, positive, tau),
            "The sign is flipped: a step *against* the gradient must raise the positive, so its entry is below 0.",
        ),
        Mistake(
            variation(gradient_by_hand, " - target", ""),
            "You left out the target: the positive's entry is (weight − 1)/τ.",
        ),
        Mistake(
            lambda scores, positive, tau: gradient_by_hand(scores, positive, 1.0) / tau,
            "Your softmax has no τ: its weights are those of s/τ.",
        ),
    ),
)


def cosine_temperature(tau, anchor, candidate):
    """s/τ with s = ‖a‖‖c‖·cos is cos over τ/(‖a‖‖c‖)."""
    return tau / (anchor.norm() * candidate.norm())


def norms_cases():
    """Drawn; vectors of length 1; at a right angle."""
    drawn = [(tau, 2 * normal(seed, 8), 3 * normal(seed + 1, 8)) for seed, tau in ((50, 1.0), (52, 0.1), (54, 10.0))]
    return [*drawn, (0.05, *rows([0.6, 0.8], [1.0, 0.0])), (0.5, *rows([3.0, 0.0], [0.0, 2.0]))]


NORMS = Exercise(
    name="cosine-temperature",
    lesson="04",
    title="From dot product to cosine",
    difficulty=2,
    minutes=5,
    prompt="A loss takes dot products and divides them by `tau`. Write `cosine_temperature(tau, anchor, candidate)`: "
    "the temperature by which the *cosine* of these two vectors [dim] must be divided to give the same logit.",
    stub="def cosine_temperature(tau, anchor, candidate):\n    ...",
    hints=(
        "Write the dot product as length · length · cosine.",
        "‖a‖‖c‖·cos/τ = cos/τ′. Solve for τ′; `vector.norm()` is the length.",
    ),
    solution=cosine_temperature,
    cases=norms_cases,
    remember="τ for the cosine is τ for the dot product over ‖a‖‖c‖.",
    mistakes=(
        Mistake(
            lambda tau, anchor, candidate: tau * anchor.norm() * candidate.norm(),
            "You multiplied by the lengths: long vectors make *larger* logits, which is a *smaller* temperature.",
        ),
        Mistake(
            lambda tau, anchor, candidate: tau / anchor.norm(),
            "You divided by one length only: the dot product has both.",
        ),
        Mistake(
            lambda tau, anchor, candidate: tau / (anchor.norm() + candidate.norm()),
            "You added the lengths: in the dot product they are multiplied.",
        ),
        Mistake(
            lambda tau, anchor, candidate: tau / (anchor @ candidate),
            "You divided by the dot product: the cosine stays in the logit, only the lengths move into the "
            "temperature.",
        ),
    ),
)


COMPARE = Exercise(
    name="compare-losses",
    lesson="04",
    title="Whose loss is better?",
    difficulty=1,
    minutes=3,
    prompt="Ada trains MNRL on batches of 64 pairs, with cosines and τ = 0.05; her loss is 0.4. Ben trains on the "
    "same batches with τ = 1; his loss is 3.6. Whose encoder separates positives from negatives better?\n\n"
    "- **a** Ada's: her loss is lower.\n"
    "- **b** Ben's: a loss at τ = 1 is the stricter one.\n"
    "- **c** These two numbers cannot say: compute both losses at one τ.\n"
    "- **d** Ben's: 0.4 / 0.05 = 8 is more than 3.6 / 1.",
    stub='better = ...  # "a", "b", "c" or "d"',
    hints=(
        "At each of the two τ, what is the loss of the best batch of 64, and of an encoder that finds all alike?",
        "Take one fixed set of cosines and compute its loss at both τ: are the two numbers alike?",
    ),
    solution="c",
    choices=("a", "b", "c", "d"),
    because="The same cosines give different losses at different τ, and so do different numbers of candidates: losses "
    "can be compared only where both are the same. At τ = 1 even the best batch of 64 has a loss of "
    "$\\log(1 + 63 e^{-64/63})$, about 3.17; at τ = 0.05 it has nearly 0. (The 2.25 printed above is the best for a "
    "single anchor, and the anchors of a batch cannot all have it.)",
    remember="Compare losses at one τ and one number of candidates only.",
    mistakes=(
        Mistake(
            "a", "Lower at another τ is not lower: at τ = 1 no batch of 64 gets below 3.17, however good the encoder."
        ),
        Mistake(
            "b",
            "τ = 1 is not stricter: it can hardly tell cosines apart, and its loss stays high for every "
            "encoder, good or bad.",
        ),
        Mistake("d", "τ stands inside an exponential, so dividing a loss by its τ does not make losses comparable."),
    ),
)


EXERCISES = (SCALE, FLOOR, WEIGHTS, NT_XENT, GRADIENT, NORMS, COMPARE)
