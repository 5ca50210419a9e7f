"""The exercises of lesson 04, temperature; the answers to its functions stand in answers04.py."""

from __future__ import annotations

from kit.course.exercises import answers04 as answers
from kit.course.exercises.exercise import Exercise, Mistake

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

FLOOR = Exercise(
    name="smallest-loss",
    lesson="04",
    title="How low can it go?",
    difficulty=1,
    minutes=5,
    prompt="Write `smallest_loss(n, tau)`: the least that the loss of one anchor can be when it has `n` candidates "
    "(one of them its positive) and the similarities are cosines. A number; the logarithm is the natural one.",
    stub="import math\n\ndef smallest_loss(n, tau):\n    ...",
    hints=(
        "The loss is smallest where the positive is as similar as it can be and every negative as dissimilar: "
        "which two cosines are these?",
        "Minus the log of the positive's share is log(1 + (number of negatives) · e^{(s_n − s_p)/τ}); "
        "put in s_p = 1 and s_n = −1.",
    ),
    solution=answers.smallest_loss,
    cases=answers.floor_cases,
    because="The share of the positive is at most $e^{1/\\tau} / (e^{1/\\tau} + (n-1) e^{-1/\\tau})$. Minus its log is "
    "$\\log(1 + (n-1) e^{-2/\\tau})$, which is above 0 for every n above 1.",
    remember="Cosines end at 1 and −1, so the loss ends above zero.",
    mistakes=(
        Mistake(
            answers.every_candidate_a_negative, "You counted n negatives: one of the n candidates is the positive."
        ),
        Mistake(
            answers.negatives_at_right_angles,
            "Your negatives have cosine 0: a cosine can fall to −1, which is 2 below the positive.",
        ),
        Mistake(answers.floor_with_tau_multiplied, "You multiplied by τ: similarities are divided by it."),
        Mistake(
            answers.all_candidates_alike,
            "log n is the loss where all candidates look alike: here the positive is as near, and the negatives "
            "are as far, as cosines allow.",
        ),
    ),
)

WEIGHTS = Exercise(
    name="softmax-weights",
    lesson="04",
    title="Softmax at temperature τ",
    difficulty=2,
    minutes=8,
    prompt="Write `weights_at(anchors, candidates, tau)`: for `anchors` [A, dim] and `candidates` [C, dim] the "
    "softmax weights of the candidates for each anchor, [A, C]. The similarity is the cosine; "
    "the vectors come in any length.",
    stub="def weights_at(anchors, candidates, tau):\n    ...",
    hints=(
        "First make all vectors length 1 (`torch.nn.functional.normalize`); then one matrix product gives "
        "all cosines, [A, C].",
        "Divide by τ, then `torch.softmax(…, dim=…)`: every anchor shares out a whole 1 among its candidates, "
        "so each *row* must sum to 1.",
    ),
    solution=answers.weights_at,
    cases=answers.weights_cases,
    remember="Normalise, divide by τ, softmax along the candidates.",
    mistakes=(
        Mistake(answers.weights_with_tau_multiplied, "You multiplied by τ: divide by it, so that a small τ sharpens."),
        Mistake(answers.weights_of_dot_products, "These are weights of dot products: make the vectors length 1 first."),
        Mistake(
            answers.weights_over_anchors,
            "Your columns sum to 1: the softmax runs over the candidates of an anchor, `dim=1`.",
        ),
        Mistake(
            answers.weights_that_do_not_sum_to_one,
            "Your rows do not sum to 1: after e^{cos/τ} divide by the sum of the row.",
        ),
    ),
)

NT_XENT = Exercise(
    name="nt-xent-by-hand",
    lesson="04",
    title="NT-Xent, shuffled",
    difficulty=2,
    minutes=10,
    prompt="Somebody stacked the batch in another way: in `views` [2N, dim], rows 0 and 1 are two views of the first "
    "sentence, rows 2 and 3 of the second, and so on. Write `nt_xent_by_hand(views, tau)` for that: every row "
    "is an anchor, its candidates are the 2N − 1 other rows; return the mean over all anchors.",
    stub="def nt_xent_by_hand(views, tau):\n    ...",
    hints=(
        "All but one line is as in the cell above: normalise, all cosines in one product, divide by τ, "
        "take the diagonal out, cross-entropy.",
        "The labels are the columns of the partners, for six rows 1, 0, 3, 2, 5, 4.",
        "`torch.arange(len(views)).view(-1, 2).flip(1).flatten()` makes these labels.",
    ),
    solution=answers.nt_xent_by_hand,
    cases=answers.views_cases,
    remember="2N anchors with 2N − 1 candidates each, the diagonal out; the labels follow the order of the rows.",
    mistakes=(
        Mistake(
            answers.nt_xent_with_itself,
            "The diagonal is still in: every row has cosine 1 with itself, and that must not stand in the denominator.",
        ),
        Mistake(
            answers.one_direction_only,
            "That is MNRL: N anchors with N candidates. In NT-Xent all 2N rows are anchors, and the rows of "
            "the own side are candidates too.",
        ),
        Mistake(
            answers.partners_half_a_batch_away,
            "You took the row N further on as the partner, as in the cell above: here it is the neighbour.",
        ),
        Mistake(answers.nt_xent_with_tau_multiplied, "You multiplied by τ: divide by it."),
        Mistake(
            answers.nt_xent_of_dot_products, "The N in NT-Xent stands for normalised: make the vectors length 1 first."
        ),
    ),
)

GRADIENT = Exercise(
    name="similarity-gradient",
    lesson="04",
    title="Which way, how hard?",
    difficulty=2,
    minutes=8,
    prompt="Write `gradient_by_hand(scores, positive, tau)`: ∂ℓ/∂s of one anchor, where `scores` [C] are its "
    "similarities and `positive` is the index of its positive. Without autograd.",
    stub="def gradient_by_hand(scores, positive, tau):\n    ...",
    hints=(
        "The gradient is (what the softmax says − what it should say) / τ.",
        "It should say 1 at `positive` and 0 elsewhere: `torch.zeros_like(scores)`, then set one entry.",
    ),
    solution=answers.gradient_by_hand,
    cases=answers.gradient_cases,
    remember="(softmax − target) / τ, and it sums to zero.",
    mistakes=(
        Mistake(answers.gradient_without_tau, "The 1/τ is missing: it is the inner derivative of s/τ."),
        Mistake(
            answers.gradient_turned_round,
            "The sign is turned: a step *against* the gradient must raise the positive, so its entry is below 0.",
        ),
        Mistake(answers.gradient_without_target, "You left out the target: the positive's entry is (weight − 1)/τ."),
        Mistake(answers.gradient_of_a_plain_softmax, "Your softmax has no τ: its weights are those of s/τ."),
    ),
)

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
    solution=answers.cosine_temperature,
    cases=answers.norms_cases,
    remember="τ for the cosine is τ for the dot product over ‖a‖‖c‖.",
    mistakes=(
        Mistake(
            answers.temperature_times_norms,
            "You multiplied by the lengths: long vectors make *larger* logits, which is a *smaller* temperature.",
        ),
        Mistake(answers.temperature_over_one_norm, "You divided by one length only: the dot product has both."),
        Mistake(answers.temperature_over_added_norms, "You added the lengths: in the dot product they are multiplied."),
        Mistake(
            answers.temperature_over_dot_product,
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
    prompt="Ada trains with τ = 0.05, 64 candidates and cosines; her loss is 0.4. Ben trains on the same batches with "
    "τ = 1; his loss is 2.9. Whose encoder separates positives from negatives better?\n\n"
    "- **a** Ada's: her loss is lower.\n"
    "- **b** Ben's: a loss at τ = 1 is the stricter one.\n"
    "- **c** These two numbers cannot say: compute both losses at one τ.\n"
    "- **d** Ben's: 0.4 / 0.05 = 8 is more than 2.9 / 1.",
    stub='better = ...  # "a", "b", "c" or "d"',
    hints=(
        "With 64 candidates, what is the least that Ben's loss can be? And Ada's?",
        "Take one fixed set of cosines and compute its loss at both τ: are the two numbers alike?",
    ),
    solution="c",
    choices=("a", "b", "c", "d"),
    because="The same cosines give different losses at different τ. At τ = 1 even a perfect encoder cannot get below "
    "$\\log(1 + 63 e^{-2})$, about 2.25.",
    remember="Compare losses at one τ and one number of candidates only.",
    mistakes=(
        Mistake("a", "Lower at another τ is not lower: with 64 candidates no encoder gets below 2.25 at τ = 1."),
        Mistake(
            "b",
            "τ = 1 is not stricter: it can hardly tell cosines apart, and its loss stays high for every "
            "encoder, good or bad.",
        ),
        Mistake("d", "τ stands inside an exponential, so dividing a loss by its τ does not make losses comparable."),
    ),
)

EXERCISES = (SCALE, FLOOR, WEIGHTS, NT_XENT, GRADIENT, NORMS, COMPARE)
