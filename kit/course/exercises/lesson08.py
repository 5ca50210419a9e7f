"""Lesson 08, few labels: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import torch

from kit.course.exercises.conditions import AUTOGRAD
from kit.course.exercises.drawn_inputs import normal, rows
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def priors_of(labels, classes):
    """The share of each class among the rows that have a label."""
    counts = torch.bincount(labels[labels >= 0], minlength=classes)
    return counts / counts.sum()


@mistake("A class with no label left drops out of yours: its prior is 0, so give `bincount` its `minlength`.")
def priors_up_to_the_last(labels, classes):
    return torch.bincount(labels[labels >= 0]) / (labels >= 0).sum()


@mistake("`unique` lists the classes that occur: one that does not occur has the prior 0 and must have its place.")
def priors_of_those_that_occur(labels, classes):
    return labels[labels >= 0].unique(return_counts=True)[1] / (labels >= 0).sum()


def priors_cases():
    """Some labels hidden, none, all but one; the last class absent, one in the middle, and all but one."""
    batches = [
        ([0, -1, 1, -1, 0, 2, -1, 0], 3),
        ([1, -1, -1, 0, 2, 2, 1, 1, -1, 1], 3),
        ([-1, 0, 0, -1, -1, 1], 2),
        ([0, 0, 1, -1], 3),
        ([2, -1, 0, 0, 2], 3),
        ([1, 0, 1], 2),
        ([-1, 3, -1], 4),
    ]
    return [(torch.tensor(labels), classes) for labels, classes in batches]


PRIORS = Exercise(
    name="priors-of-what-is-left",
    lesson="08",
    title="How frequent is a class?",
    difficulty=1,
    minutes=4,
    prompt="Write `priors_of(labels, classes)`: `labels` [N] holds class numbers, and −1 where the label is hidden. "
    "Return the prior π of each class, [classes], as far as the remaining labels can tell.",
    stub="def priors_of(labels, classes):\n    ...",
    hints=(
        "Labels were hidden at random within each class. So in which rows are the classes as frequent as in all rows?",
        "`torch.bincount(…, minlength=classes)` counts; leave the −1 out, then divide by what you counted.",
    ),
    solution=priors_of,
    cases=priors_cases,
    remember="If labels are hidden at random, those that remain have the same proportions: divide by the labelled "
    "rows alone.",
    mistakes=(
        priors_up_to_the_last,
        priors_of_those_that_occur,
        Mistake(
            lambda labels, classes: torch.bincount(labels[labels >= 0], minlength=classes) / len(labels),
            "You divided by all rows: then π shrinks with every hidden label. How many rows have a label is one "
            "question, how frequent a class is another.",
        ),
        Mistake(
            lambda labels, classes: (torch.bincount(labels + 1, minlength=classes + 1) / len(labels))[:classes],
            "You counted the hidden ones as a class of their own: −1 is not a class but the lack of a label.",
        ),
        Mistake(
            lambda labels, classes: torch.full((classes,), 1 / classes),
            "You took 1/C for each: that is the released code's number for NLI, here the classes are not even.",
        ),
        Mistake(variation(priors_of, " / counts.sum()", ""), "These are counts: divide by their sum."),
    ),
)


BY_HEART = Exercise(
    name="learnt-by-heart",
    lesson="08",
    title="Below zero",
    difficulty=1,
    minutes=3,
    prompt="A class has the prior π = 0.3. A classifier knows the labelled pairs by heart: their score is very high. "
    "It calls most of the others negative, but not all: taken for negatives, the unlabelled cost 0.1 on average. What "
    "is the naive risk R⁺ + R⁻?",
    stub="risk_learnt_by_heart = ...",
    hints=(
        "Three means: ℓ(f, +1) over the labelled, ℓ(f, −1) over the unlabelled, ℓ(f, −1) over the labelled. One is "
        "given, and each of the others is 0 or 1.",
        "The labelled are all right (0), the unlabelled cost 0.1, and, called negatives, the labelled would all be "
        "wrong (1): 0.3 · 0 + 0.1 − 0.3 · 1.",
    ),
    solution=-0.2,
    because="$\\pi \\cdot 0 + (0.1 - \\pi \\cdot 1) = -0.2$. Nothing below −π is possible, as no mean is below 0 or "
    "above 1, and the naive risk gets there as the last unlabelled pairs are called negative.",
    remember="Once the labels are learnt by heart, the naive risk sinks towards −π: it rewards exactly what should be "
    "avoided.",
    mistakes=(
        Mistake(-0.3, "That is the lowest that is possible, −π: here the unlabelled cost 0.1."),
        Mistake(0.2, "That is nnPU's answer, −R⁻; the naive one goes below zero."),
        Mistake(0.1, "You left out what R⁻ subtracts: π times the mean of the labelled as negatives, which is 1."),
        Mistake(-0.5, "You subtracted π twice: R⁺ is π times a mean of 0."),
        Mistake(-0.9, "The third mean is 1, and π stands in front of it."),
    ),
)


def nn_pu_of_a_class(scores, labelled, prior):
    """R⁺ + R⁻, or −R⁻ alone where R⁻ is below zero."""
    positive = prior * torch.sigmoid(-scores[labelled]).mean()
    negative = torch.sigmoid(scores[~labelled]).mean() - prior * torch.sigmoid(scores[labelled]).mean()
    return positive + negative if negative >= 0 else -negative


def risk_cases():
    """R⁻ above zero, twice; below it, twice (the labelled scored high, the others low); below it with R⁺ + R⁻ still
    above; barely below it, where −R⁻ is less than R⁺ + R⁻; exactly zero; one labelled row."""
    cases = []
    for seed, (size, known, shift, prior) in enumerate(
        ((8, 3, 0.0, 0.3), (12, 4, 0.5, 0.5), (9, 3, 4.0, 0.4), (15, 5, 3.0, 0.6))
    ):
        labelled = torch.arange(size) < known
        cases.append((normal(80 + seed, size) + shift * (2.0 * labelled - 1), labelled, prior))
    labelled = torch.tensor([True, True, False, False, False])
    between, barely = ((rows([0.4, 0.4, *3 * [others]])[0], labelled, 0.4) for others in (-2.2, -1.16))
    zero = rows([0.0, -40.0, 0.0])[0], torch.tensor([False, False, True]), 0.5
    return [*cases, between, barely, zero, (rows([1.0, 0.5, -0.5])[0], torch.tensor([False, True, False]), 0.2)]


RISK = Exercise(
    name="nn-pu-risk",
    lesson="08",
    title="The risk with its switch",
    difficulty=2,
    minutes=8,
    prompt="Write `nn_pu_of_a_class(scores, labelled, prior)`: `scores` [N] are the logits of one class, `labelled` "
    "[N] is True for pairs labelled with it and False for pairs without any label. Return $R_c$, the risk "
    "with its switch and the sigmoid loss, a loss to train on.",
    stub="def nn_pu_of_a_class(scores, labelled, prior):\n    ...",
    hints=(
        "ℓ(f, +1) is `torch.sigmoid(-f)`, ℓ(f, −1) is `torch.sigmoid(f)`. Make R⁺ and R⁻ first, then decide.",
        "R⁻ is a mean over the unlabelled, less π times a mean over the labelled. When it is below zero, what is left "
        "of R⁺?",
        "`… if negative >= 0 else -negative`",
    ),
    solution=nn_pu_of_a_class,
    cases=risk_cases,
    is_loss=True,
    smooth_cases=(0, 2),  # either side of the switch
    remember="R⁺ + R⁻ while R⁻ ≥ 0; else −R⁻, and the positive part is dropped.",
    mistakes=(
        Mistake(
            variation(nn_pu_of_a_class, "negative >= 0", "positive + negative >= 0"),
            "Your switch is on the whole, R⁺ + R⁻: it belongs to R⁻, which can be below zero while the whole is not.",
        ),
        Mistake(
            variation(nn_pu_of_a_class, " if negative >= 0 else -negative", ""),
            "That is the naive risk: where R⁻ is below zero, it keeps falling.",
        ),
        Mistake(
            variation(nn_pu_of_a_class, "negative if negative >= 0 else -negative", "negative.clamp(min=0)"),
            "You cut R⁻ at zero: then the labelled go on being learnt by heart. Below zero, return −R⁻ alone.",
        ),
        Mistake(
            variation(nn_pu_of_a_class, "negative if negative >= 0 else -negative", "negative.abs()"),
            "Below zero you keep R⁺: it is dropped there, so that the step only undoes.",
        ),
        Mistake(
            variation(nn_pu_of_a_class, "else -negative", "else negative"),
            "Below zero you return R⁻ itself, so a step drives it further down: return −R⁻.",
        ),
        Mistake(
            variation(
                nn_pu_of_a_class,
                "positive + negative if negative >= 0 else -negative",
                "torch.maximum(positive + negative, -negative)",
            ),
            "You take the larger of R⁺ + R⁻ and −R⁻: the switch is at R⁻ = 0, and just below it −R⁻ is the smaller.",
        ),
        Mistake(
            lambda scores, labelled, prior: nn_pu_of_a_class(-scores, labelled, prior),
            "Your signs are flipped: ℓ(f, y) = 1/(1 + e^{fy}) is small where f and y agree, so ℓ(f, +1) is σ(−f).",
        ),
        Mistake(
            variation(nn_pu_of_a_class, " - prior * torch.sigmoid(scores[labelled]).mean()", ""),
            "You count every unlabelled pair as a negative: subtract what the positives among them cost.",
        ),
        Mistake(
            variation(nn_pu_of_a_class, "scores[~labelled]", "scores"),
            "Your mean runs over all rows: R⁻ starts from the unlabelled ones alone.",
        ),
    ),
)


def gradient_of_the_risk(scores, labelled, prior):
    """∂(R⁺ + R⁻)/∂score of every row, R⁻ being above zero."""
    slope = torch.sigmoid(scores) * torch.sigmoid(-scores)
    return torch.where(labelled, -2 * prior * slope / labelled.sum(), slope / (~labelled).sum())


def gradient_cases():
    """Those with R⁻ above zero, with one labelled row, and with scores that are decided."""
    decided = rows([9.0, 8.0, 7.0, -9.0, 8.0])[0], torch.tensor([True, True, False, False, False]), 0.1
    return [*risk_cases()[:2], risk_cases()[-1], decided]


GRADIENT = Exercise(
    name="pu-gradient",
    lesson="08",
    title="Who is pushed where?",
    difficulty=3,
    minutes=8,
    prompt="Write `gradient_of_the_risk(scores, labelled, prior)`: ∂(R⁺ + R⁻)/∂score of every row, [N], while R⁻ is "
    "above zero. `labelled` [N] is True for pairs of the class, False for pairs without a label. Write the formula "
    "out, without autograd.",
    stub="def gradient_of_the_risk(scores, labelled, prior):\n    ...",
    hints=(
        "The derivative of σ(f) is σ(f)·σ(−f), and that of σ(−f) is the same with a minus.",
        "A labelled row stands in R⁺ *and* in R⁻: what do the two add up to? An unlabelled row stands in R⁻ only.",
        "`torch.where(labelled, …, …)`, each divided by the number of such rows.",
    ),
    solution=gradient_of_the_risk,
    cases=gradient_cases,
    without=(AUTOGRAD,),
    remember="Labelled pairs pull their score up twice as hard as π alone would; unlabelled ones push theirs down.",
    mistakes=(
        Mistake(
            variation(gradient_of_the_risk, "-2 * prior", "-prior"),
            "A labelled row is in R⁺ and again in R⁻: both have the same slope, so it counts twice.",
        ),
        Mistake(
            lambda scores, labelled, prior: -gradient_of_the_risk(scores, labelled, prior),
            "All signs are flipped: a higher score of a labelled row makes the risk smaller.",
        ),
        Mistake(
            variation(
                gradient_of_the_risk, "-2 * prior * slope / labelled.sum(), ", "prior * slope / labelled.sum(), -"
            ),
            "Those are the signs below the switch: here R⁻ is above zero, and R⁺ counts, too.",
        ),
        Mistake(
            variation(gradient_of_the_risk, "slope = torch.sigmoid(scores) * torch.sigmoid(-scores)", "slope = 1"),
            "The slope σ(f)·σ(−f) is missing: rows that are decided already hardly move.",
        ),
        Mistake(
            variation(gradient_of_the_risk, "/ labelled.sum(), slope / (~labelled).sum()", ", slope"),
            "Each sum is a mean: divide by the number of its rows.",
        ),
        Mistake(
            lambda scores, labelled, prior: gradient_of_the_risk(scores, labelled, 1.0),
            "π weighs the labelled rows: it is missing.",
        ),
    ),
)


def prior_from_scores(scores, labelled, threshold):
    """How many of the unlabelled score so high, for each labelled positive that does; at most 1."""
    high = (scores >= threshold).double()
    return (high[~labelled].mean() / high[labelled].mean()).clamp(max=1)


def threshold_cases():
    """Drawn, the labelled among the others; the unlabelled higher; scores on the threshold."""
    draw = torch.Generator().manual_seed(88)
    cases = []
    for size, known, threshold in ((40, 9, 1.0), (60, 15, 1.5), (25, 5, 0.5), (12, 8, -9.0)):
        labelled = torch.arange(size) < known
        scores = torch.randn(size, generator=draw, dtype=torch.float64)
        scores = torch.where(labelled, scores + 1.2, 2 * scores)  # the unlabelled are a mixture
        cases.append((scores.roll(size // 4), labelled.roll(size // 4), threshold))
    scores = torch.tensor([0.5, 2.0, 1.0, 3.0, 2.5], dtype=torch.float64)  # the unlabelled score higher: cut at 1
    on_it = rows([1.0, 2.0, 1.0, 0.5, 0.2, 0.1])[0], torch.arange(6) < 2, 1.0
    return [*cases, (scores, torch.tensor([True, True, False, False, False]), 1.0), on_it]


REPAIRED = Exercise(
    name="prior-from-scores",
    lesson="08",
    title="Repair the prior",
    difficulty=3,
    minutes=8,
    prompt="Nobody tells you π. But if a classifier orders pairs well, there are few negatives among those that it "
    "scores very high. Suppose that there are none: all unlabelled pairs up there are positives. If a share $r$ of all "
    "positives score that high, what share of the unlabelled does? Solve for π.\n\n"
    "Write `prior_from_scores(scores, labelled, threshold)`: `scores` [N] of pairs that were *not* trained on, "
    "`labelled` [N] True for labelled positives, False without a label; a score of `threshold` or more is very high, "
    "which some labelled pair has. Take $r$ from the labelled, suppose that no negative scores so high, and return π; "
    "at most 1.",
    stub="def prior_from_scores(scores, labelled, threshold):\n    ...",
    hints=(
        "If half of all positives score so high, and a fifth of the unlabelled do, how many of those are positive?",
        "Of the unlabelled a share π is positive, and r of those score so high: so π · r of the unlabelled do.",
        "Two shares, each a mean of `scores >= threshold` over its rows; their ratio; no prior is above 1.",
    ),
    solution=prior_from_scores,
    cases=threshold_cases,
    because="Of the unlabelled, π · (share of positives up there) + (1 − π) · (share of negatives up there) score so "
    "high. Divided by the first share that is π, plus something that is small where few negatives score so high: "
    "it tends to be too high.",
    remember="A prior can be measured on new pairs: the share of the unlabelled that is up there, divided by the share "
    "of the labelled.",
    mistakes=(
        Mistake(
            lambda scores, labelled, threshold: (scores[~labelled] >= threshold).double().mean(),
            "That counts only the positives above the threshold: divide by the part of all positives that is up there.",
        ),
        Mistake(
            lambda scores, labelled, threshold: 1 / prior_from_scores(scores, labelled, threshold),
            "Your ratio is upside down: the unlabelled above, the labelled below.",
            also=(
                variation(
                    prior_from_scores,
                    "high[~labelled].mean() / high[labelled]",
                    "high[labelled].mean() / high[~labelled]",
                ),
                variation(
                    prior_from_scores,
                    "(high[~labelled].mean() / high[labelled].mean()).clamp(max=1)",
                    "high[labelled].mean() / high[~labelled].mean()",
                ),
            ),
        ),
        Mistake(
            variation(prior_from_scores, "high =", "labelled = torch.arange(len(labelled)) < labelled.sum(); high ="),
            "You took the first rows for the labelled ones: `labelled` says which they are, `scores[labelled]`.",
        ),
        Mistake(
            variation(prior_from_scores, ".clamp(max=1)", ""),
            "A prior is a share: where the ratio is above 1, return 1.",
        ),
        Mistake(
            variation(prior_from_scores, ".mean()", ".sum()"),
            "You divided two counts: there are more unlabelled pairs than labelled ones, so take the share of each.",
        ),
        Mistake(
            variation(prior_from_scores, "high[~labelled]", "high"),
            "Your upper share runs over all pairs: the labelled positives are not part of the mixture.",
        ),
    ),
)


def pu_weight(step, steps, alpha):
    """(t/T)^α, where the first step, number 0, is t = 1."""
    return ((step + 1) / steps) ** alpha


def weight_cases():
    """Also a run of one step, and α = 1."""
    return [(0, 10, 3.0), (4, 10, 3.0), (9, 10, 2.0), (49, 200, 2.5), (0, 1, 2.0), (3, 8, 1.0)]


WEIGHT = Exercise(
    name="annealed-weight",
    lesson="08",
    title="Let it in late",
    difficulty=1,
    minutes=3,
    prompt="Write `pu_weight(step, steps, alpha)`: the weight $(t/T)^\\alpha$ of the PU risk at a step, when the "
    "program counts its steps from 0 to `steps` − 1 and the paper counts t from 1 to T.",
    stub="def pu_weight(step, steps, alpha):\n    ...",
    hints=(
        "The last step of the program is `steps - 1`; the paper's last t is T, and its weight is 1.",
        "t is `step + 1`; a share to the power of α.",
    ),
    solution=pu_weight,
    cases=weight_cases,
    remember="(t/T)^α with t over the whole run: nearly nothing at first, 1 at the end.",
    mistakes=(
        Mistake(variation(pu_weight, "(step + 1)", "step"), "Yours is a step late, never 1: the first step is t = 1."),
        Mistake(
            lambda step, steps, alpha: (step / (steps - 1)) ** alpha,
            "Yours runs from 0 to 1, and the first step has no weight: the first t is 1, so the weights begin at 1/T.",
        ),
        Mistake(lambda step, steps, alpha: alpha * (step + 1) / steps, "You multiplied by α: it is an exponent."),
        Mistake(
            lambda step, steps, alpha: (1 - (step + 1) / steps) ** alpha,
            "Yours falls: the PU risk is let in late, so its weight grows.",
        ),
        Mistake(lambda step, steps, alpha: (step + 1) / steps, "That is α = 1: raise the share to the power of α."),
    ),
)


OTHERS = Exercise(
    name="labels-of-others",
    lesson="08",
    title="A neutral pair and the class “entailment”",
    difficulty=2,
    minutes=3,
    prompt="A pair is labelled *neutral*. What does the PU risk of the class *entailment* do with it?\n\n"
    "- **a** It is a negative: neutral is not entailed.\n"
    "- **b** It counts as unlabelled.\n"
    "- **c** It takes no part.\n"
    "- **d** It counts as a positive with the weight of its prior.",
    stub='neutral_pair = ...  # "a", "b", "c" or "d"',
    hints=(
        "Which rows stand in the formulas of R⁺ and R⁻?",
        "There are two kinds: those labelled with this class, and those without any label.",
    ),
    solution="c",
    choices=("a", "b", "c", "d"),
    because="R⁺ and R⁻ hold pairs of the class and pairs without a label, nothing else. The cross-entropy does use "
    "the label: there neutral competes with entailment.",
    remember="For the PU risk of a class the labels of other classes do not exist; classes compete in the "
    "cross-entropy.",
    mistakes=(
        Mistake("a", "That would be sensible, and is not what the formula does: R⁻ has no mean over known negatives."),
        Mistake("b", "The unlabelled rows stand for the whole mixture; a row known to be neutral would distort it."),
        Mistake("d", "Only pairs labelled *entailment* are its positives; a prior weighs a class, not a pair."),
    ),
)


ALL_LABELS = Exercise(
    name="all-labels",
    lesson="08",
    title="With every label",
    difficulty=2,
    minutes=3,
    prompt="You keep 100 % of the labels, and the data has no ambiguous pair, so that no pair is without a label. "
    "What does PAUSE train on, as the kit implements it?\n\n- **a** As always: the PU risk uses all pairs a second "
    "time, as unlabelled ones.\n- **b** The PU risk alone, as its weight ends at 1.\n- **c** "
    "Cross-entropy alone: no pair is unlabelled, so there is no PU risk.\n"
    "- **d** Nothing: the risk is not defined and becomes NaN.",
    stub='trains_on = ...  # "a", "b", "c" or "d"',
    hints=(
        "Over which rows is the first mean of R⁻ taken?",
        "There are none. What does the kit do with the mean of nothing?",
    ),
    solution="c",
    choices=("a", "b", "c", "d"),
    because="R⁻ begins with a mean over unlabelled pairs. Without any the class is left out, for every class; the PU "
    "risk is 0 and has no gradient. In the paper ambiguous NLI pairs are unlabelled even at 100 %.",
    remember="At 100 % the curve of few labels begins with plain cross-entropy: any gain of PU must show below it.",
    mistakes=(
        Mistake("a", "It could be done that way, but in PAUSE a labelled pair does not count as unlabelled."),
        Mistake("b", "The weight belongs to a risk that is 0 here."),
        Mistake("d", "The kit leaves out what cannot be estimated: 0, never NaN."),
    ),
)


EXERCISES = (PRIORS, BY_HEART, RISK, GRADIENT, REPAIRED, WEIGHT, OTHERS, ALL_LABELS)
