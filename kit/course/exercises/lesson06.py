"""Lesson 06, λ: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import torch

from kit.course.exercises.drawn_inputs import normal, rows
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def features_of_pairs(u, v):
    """(u, v, |u − v|) side by side."""
    return torch.cat([u, v, (u - v).abs()], dim=1)


def features_cases():
    """Drawn; one pair; one dimension; two equal vectors."""
    drawn = [tuple(normal(6 + pairs, 2, pairs, dim)) for pairs, dim in ((3, 5), (1, 4), (6, 2), (2, 1))]
    return [*drawn, (normal(60, 2, 3), normal(60, 2, 3))]


FEATURES = Exercise(
    name="pair-features",
    lesson="06",
    title="What the classifier reads",
    difficulty=1,
    minutes=4,
    prompt="Write `features_of_pairs(u, v)`: what SBERT's classifier gets for `u` and `v` [N, dim], one row per pair, "
    "[N, 3·dim].",
    stub="def features_of_pairs(u, v):\n    ...",
    hints=(
        "Three blocks of width dim stand side by side: the first vector, the second, and a difference that does "
        "not know which of them came first.",
        "`torch.cat([…, …, …], dim=1)`; the last block is `(u - v).abs()`.",
    ),
    solution=features_of_pairs,
    cases=features_cases,
    remember="(u, v, |u − v|): the absolute difference is the only place where the two meet before the weights.",
    mistakes=(
        Mistake(
            variation(features_of_pairs, "(u - v).abs()", "u - v"),
            "Your difference has a sign: SBERT takes the absolute value, so that v − u gives the same.",
        ),
        Mistake(lambda u, v: (u - v).abs(), "You give only |u − v|: u and v themselves stand before it."),
        Mistake(
            variation(features_of_pairs, "(u - v).abs()", "u * v"),
            "You multiplied the two: u∗v is PAUSE's fourth block (lesson 08), SBERT takes |u − v|.",
        ),
        Mistake(
            variation(features_of_pairs, "(u - v).abs()", "(u - v) ** 2"),
            "You squared the difference: SBERT takes its absolute value.",
        ),
        Mistake(
            variation(features_of_pairs, "[u, v,", "[v, u,"),
            "Your first two blocks are swapped: u stands first, then v.",
        ),
        Mistake(
            variation(features_of_pairs, "dim=1", "dim=0"),
            "You stacked the blocks as more rows: one pair is one row, so join them along `dim=1`.",
        ),
    ),
)


def positives_of_a_batch(premise_ids, labels):
    """True where hypothesis j was written for premise i and follows from it: [P, H]."""
    premises = torch.arange(premise_ids.max() + 1)
    return (premises[:, None] == premise_ids[None, :]) & (labels == 0)


def mask_cases():
    """Premises with none, one, two and more positives; one without any hypothesis; a single pair."""
    batches = [
        ([0, 0, 1, 1, 1], [0, 2, 0, 1, 0]),
        ([0, 1, 1, 2, 2, 2, 0], [1, 0, 2, 0, 0, 2, 1]),
        ([0, 0, 0, 1], [0, 0, 1, 2]),
        ([0, 0, 3, 3, 3, 0], [0, 1, 0, 0, 2, 0]),
        ([0], [0]),
        ([2, 0, 0], [0, 0, 0]),
    ]
    return [(torch.tensor(premises), torch.tensor(labels)) for premises, labels in batches]


MASK = Exercise(
    name="positives-mask",
    lesson="06",
    title="Who is whose positive?",
    difficulty=2,
    minutes=6,
    prompt="Write `positives_of_a_batch(premise_ids, labels)`: `premise_ids` [H] says for which premise (0, 1, …) each "
    "hypothesis was written, `labels` [H] is 0 entailed, 1 neutral, 2 contradicted. Return True where "
    "hypothesis j is a positive of premise i, [P, H] with P the highest id + 1; a premise that entails nothing has a "
    "row of False.",
    stub="def positives_of_a_batch(premise_ids, labels):\n    ...",
    hints=(
        "Two things must hold at once: the hypothesis is this premise's, and it is entailed.",
        "`torch.arange(P)[:, None] == premise_ids[None, :]` compares every premise with every hypothesis; "
        "P is `premise_ids.max() + 1`.",
        "Join the two conditions with `&`.",
    ),
    solution=positives_of_a_batch,
    cases=mask_cases,
    remember="Same premise and entailed: everything else in the batch is a negative, the premise's own neutrals "
    "included.",
    mistakes=(
        Mistake(
            variation(positives_of_a_batch, "torch.arange(premise_ids.max() + 1)", "premise_ids.unique()"),
            "A premise that no hypothesis of the batch belongs to has no row in yours: take all from 0 to the highest.",
            also=(variation(positives_of_a_batch, "premise_ids.max() + 1", "len(premise_ids.unique())"),),
        ),
        Mistake(
            variation(positives_of_a_batch, " & (labels == 0)", ""),
            "You look at the premise only: its neutral and contradicted hypotheses are negatives, its hardest.",
        ),
        Mistake(
            lambda premise_ids, labels: (labels == 0).repeat(int(premise_ids.max()) + 1, 1),
            "You look at the label only: what another premise entails is a negative of this one.",
        ),
        Mistake(
            variation(positives_of_a_batch, "labels == 0", "labels != 2"),
            "You let the neutral hypotheses in: in SCL only label 0 is a positive.",
        ),
        Mistake(
            variation(positives_of_a_batch, "labels == 0", "labels == 2"),
            "Label 2 is a contradiction: entailed is label 0.",
        ),
        Mistake(
            lambda premise_ids, labels: positives_of_a_batch(premise_ids, labels).T,
            "Yours is transposed: one row per premise (the anchors), one column per hypothesis.",
        ),
    ),
)


def scl_of_anchor(scores, positive, tau):
    """The mean of −log softmax over the positives; all candidates stand in the denominator."""
    return -torch.log_softmax(scores / tau, dim=0)[positive].mean()


@mistake("You left the other positives out of the denominator: that is SupMPN. In SCL siblings are shared.")
def scl_without_siblings(scores, positive, tau):
    logits = scores / tau
    terms = []
    for chosen in positive.nonzero().flatten():
        kept = ~positive
        kept[chosen] = True
        terms.append(torch.logsumexp(logits[kept], dim=0) - logits[chosen])
    return torch.stack(terms).mean()


@mistake("Only negatives stand in your denominator: the positives belong in it as well.")
def scl_against_negatives_only(scores, positive, tau):
    logits = scores / tau
    return (torch.logsumexp(logits[~positive], dim=0) - logits[positive]).mean()


def anchor_cases():
    """Drawn; one positive; all positives; one hypothesis; equal products; products that are large."""
    t, f = True, False
    masks = ([t, t, f, f], [f, t, t, f, t, f], [t, t, t, f, f], [f, f, t], [t, t, t], [t])
    drawn = [
        (3 * normal(66 + place, len(mask)), torch.tensor(mask), tau)
        for place, (mask, tau) in enumerate(zip(masks, (2.0, 0.5, 3.0, 1.0, 1.0, 1.0)))
    ]
    corners = [([1.5, 1.5, 1.5, 1.5], 1.0), ([40.0, 38.0, 41.0, 20.0], 2.0)]
    return [*drawn, *((rows(scores)[0], torch.tensor([t, f, t, f]), tau) for scores, tau in corners)]


ANCHOR = Exercise(
    name="scl-of-one-anchor",
    lesson="06",
    title="Two positives, one anchor",
    difficulty=2,
    minutes=8,
    prompt="Write `scl_of_anchor(scores, positive, tau)`: the SCL of one anchor, where `scores` [H] are its dot "
    "products with all hypotheses of the batch and `positive` [H] is True for those it entails "
    "(one or several). Return a tensor of one number, a loss to train on.",
    stub="def scl_of_anchor(scores, positive, tau):\n    ...",
    hints=(
        "Each positive gets a term of its own: minus the log of its share among *all* hypotheses. "
        "How are several terms put together?",
        "`torch.log_softmax(scores / tau, dim=0)` has all logs of shares; `[positive]` picks, then take the mean.",
    ),
    solution=scl_of_anchor,
    cases=anchor_cases,
    is_loss=True,
    because="The sum over the positives stands outside the logarithm and is divided by their number; "
    "the sum in the denominator runs over positives and negatives alike.",
    remember="Mean of the logs, outside; all candidates in the denominator, the siblings too.",
    mistakes=(
        scl_without_siblings,
        Mistake(
            lambda scores, positive, tau: -torch.softmax(scores / tau, dim=0)[positive].sum().log(),
            "You added the shares before the log: then one near positive is enough. Take the log of each, then "
            "the mean.",
        ),
        Mistake(
            variation(scl_of_anchor, ".mean()", ".sum()"),
            "You summed over the positives: the formula divides by their number, as otherwise an anchor with many "
            "weighs more.",
        ),
        Mistake(variation(scl_of_anchor, "/ tau", "* tau"), "You multiplied by τ: divide by it."),
        Mistake(variation(scl_of_anchor, " / tau", ""), "You did not divide by τ: yours is the loss at τ = 1."),
        scl_against_negatives_only,
    ),
)


def contrast_share(gradient_ce, gradient_scl, lam):
    """λ‖∇SCL‖ of (1 − λ)‖∇CE‖ + λ‖∇SCL‖."""
    contrast = lam * gradient_scl.norm()
    return contrast / ((1 - lam) * gradient_ce.norm() + contrast)


@mistake("You added squares: add the lengths themselves.")
def share_of_squares(gradient_ce, gradient_scl, lam):
    contrast = (lam * gradient_scl.norm()) ** 2
    return contrast / (((1 - lam) * gradient_ce.norm()) ** 2 + contrast)


@mistake(
    "You divided by the length of the *sum* of the two pulls, which is shorter where they disagree: "
    "divide by the sum of their lengths."
)
def share_of_the_step(gradient_ce, gradient_scl, lam):
    return lam * gradient_scl.norm() / ((1 - lam) * gradient_ce + lam * gradient_scl).norm()


SCALES_AND_SHARES = ((0.2, 0.3), (3.0, 0.3), (1.0, 0.8), (1.0, 0.0), (2.0, 1.0))


def share_cases():
    """Drawn; λ = 0 and λ = 1; two pulls that oppose each other, and one of nothing."""
    drawn = [(scale * normal(666 + i, 5), normal(676 + i, 5), lam) for i, (scale, lam) in enumerate(SCALES_AND_SHARES)]
    pull = normal(686, 3)
    return [*drawn, (pull, -2 * pull, 0.5), (pull, 0 * pull, 0.3)]


SHARE = Exercise(
    name="contrast-share",
    lesson="06",
    title="Is λ the share?",
    difficulty=2,
    minutes=5,
    prompt="Write `contrast_share(gradient_ce, gradient_scl, lam)`: what share of the pull on a sentence comes from "
    "the contrast, given the two gradients on its vector ([dim] each) and λ = `lam`? A pull is as long as its "
    "weighted gradient; the share is taken of the sum of both lengths.",
    stub="def contrast_share(gradient_ce, gradient_scl, lam):\n    ...",
    hints=(
        "Weigh each gradient as the loss weighs its term, then take lengths with `.norm()`.",
        "λ‖∇SCL‖ / ((1 − λ)‖∇CE‖ + λ‖∇SCL‖).",
    ),
    solution=contrast_share,
    cases=share_cases,
    remember="λ weighs the losses; the share of the step also depends on how steep each of them is.",
    mistakes=(
        Mistake(
            lambda gradient_ce, gradient_scl, lam: torch.tensor(lam, dtype=torch.float64),
            "λ is the weight of the loss, not its share of the pull: a steep term pulls harder than a flat one.",
        ),
        Mistake(
            lambda gradient_ce, gradient_scl, lam: contrast_share(gradient_ce, gradient_scl, 0.5),
            "You compare the bare gradients: weigh them with 1 − λ and λ first.",
        ),
        Mistake(
            lambda gradient_ce, gradient_scl, lam: contrast_share(gradient_ce, gradient_scl, 1 - lam),
            "Your weights are swapped: λ belongs to the contrast, 1 − λ to the cross-entropy.",
        ),
        Mistake(
            variation(contrast_share, "(1 - lam) * gradient_ce", "gradient_ce"),
            "You weighed the contrast alone: the gradient of the cross-entropy has the weight 1 − λ.",
        ),
        Mistake(
            lambda gradient_ce, gradient_scl, lam: 1 - contrast_share(gradient_ce, gradient_scl, lam),
            "That is the share of the cross-entropy: the contrast has the rest.",
        ),
        share_of_squares,
        share_of_the_step,
    ),
)


NO_ANCHOR = Exercise(
    name="batch-without-entailment",
    lesson="06",
    title="A batch that entails nothing",
    difficulty=1,
    minutes=2,
    prompt="A small last batch has no entailed hypothesis at all. Its loss, as the kit computes it with λ = 0.3, is "
    "0.63. What is its cross-entropy?",
    stub="cross_entropy_without_an_anchor = ...",
    hints=(
        "Without an entailed hypothesis there is no anchor. What is the SCL of a batch without anchors?",
        "The weight 1 − λ stays where it was: (1 − 0.3) · CE + 0.3 · SCL = 0.63.",
    ),
    solution=0.9,
    because="No anchor, so SCL is 0 and has no gradient: $(1 - 0.3) \\cdot \\mathrm{CE} + 0.3 \\cdot 0 = 0.63$, and "
    "$0.63 / 0.7 = 0.9$.",
    remember="Nothing to contrast gives 0, not NaN, and the classifier keeps its weight.",
    mistakes=(
        Mistake(0.63, "0.63 is the whole loss: in it 1 − λ stays in front of the cross-entropy."),
        Mistake(0.441, "You multiplied by 1 − λ: the loss has that factor already, so divide by it."),
        Mistake(0.63 / 0.3, "You divided by λ, which is the contrast's weight: the cross-entropy has 1 − λ."),
        Mistake(0.33 / 0.7, "You took 1 for the SCL (0.63 − 0.3, then divided): without an anchor it is 0."),
    ),
)


def companions(hypotheses, batch, rows):
    """Each of the other hypotheses is in the batch with probability (batch − 1)/(rows − 1)."""
    return (hypotheses - 1) * (batch - 1) / (rows - 1)


def companions_cases():
    """Also with everybody in one batch, with batches of one, and for a premise with one hypothesis."""
    return [(3, 4, 12), (3, 64, 8960), (6, 32, 640), (5, 10, 10), (4, 1, 50), (1, 32, 640)]


SHUFFLED = Exercise(
    name="shuffled-companions",
    lesson="06",
    title="Alone among strangers",
    difficulty=3,
    minutes=8,
    prompt="A premise has `hypotheses` hypotheses; all `rows` pairs of the training set are shuffled and cut into "
    "batches of `batch`, all of them full. Write `companions(hypotheses, batch, rows)`: how many *other* hypotheses of "
    "its own premise does a row meet in its batch, on average?",
    stub="def companions(hypotheses, batch, rows):\n    ...",
    hints=(
        "Sit in one row: how many other places are in your batch, and how many other rows could sit in them?",
        "Each of your hypotheses − 1 relatives sits in your batch with the same probability; averages add up.",
        "That probability is (batch − 1) / (rows − 1).",
    ),
    solution=companions,
    cases=companions_cases,
    because="Your row is fixed; batch − 1 of the rows − 1 others share its batch, and each relative is one of them "
    "with the same probability.",
    remember="Shuffled, relatives meet with probability (batch − 1)/(rows − 1): in a large training set, hardly ever.",
    mistakes=(
        Mistake(
            variation(companions, "(hypotheses - 1)", "hypotheses"),
            "You counted the row itself among its relatives: it has hypotheses − 1 others.",
        ),
        Mistake(
            lambda hypotheses, batch, rows: hypotheses - 1,
            "That is how many it meets when premises are kept whole: shuffled, each is there only by chance.",
        ),
        Mistake(
            lambda hypotheses, batch, rows: (batch - 1) / (rows - 1),
            "That is the chance of one relative: there are hypotheses − 1 of them.",
        ),
        Mistake(
            lambda hypotheses, batch, rows: (hypotheses - 1) * batch / rows,
            "A row cannot meet itself: its own place is taken, so take 1 off both, the batch and the rows.",
            also=(variation(companions, "(batch - 1)", "batch"), variation(companions, "(rows - 1)", "rows")),
        ),
    ),
)


MORE_PAIRS = Exercise(
    name="more-pairs",
    lesson="06",
    title="Is it just more pairs?",
    difficulty=2,
    minutes=3,
    prompt="A colleague drops the contrast and gives the classifier more pairs instead: every premise with every "
    "hypothesis of the batch, strangers labelled *neutral*. What is true of this cross-entropy?\n\n"
    "- **a** A vector added to all embeddings need not change it: the cosines stay free.\n"
    "- **b** It is the same as SCL: a premise meets the same hypotheses in both of them.\n"
    "- **c** It now needs the cosines: strangers must be told from relatives.\n"
    "- **d** Its gradient on a premise is zero: the labels of strangers are constant.",
    stub='true_of_more_pairs = ...  # "a", "b", "c" or "d"',
    hints=(
        "Every one of the new pairs goes through the same features (u, v, |u − v|). What does a common shift do "
        "to each block?",
        "The head's bias can take up what the shift does to the first two blocks, and it takes up the same "
        "amount for every pair.",
    ),
    solution="a",
    choices=("a", "b", "c", "d"),
    because="Each pair passes through (u, v, |u − v|) and one linear map. A shift leaves |u − v| alone, and what it "
    "adds through u and v is one constant per class, whatever the pair: the bias takes it up.",
    remember="More pairs are more of the same question; SCL asks another one: which of these?",
    mistakes=(
        Mistake(
            "b",
            "The same sentences meet, but not against each other: the classifier judges each pair by itself, "
            "SCL makes the candidates of an anchor compete for one share.",
        ),
        Mistake(
            "c",
            "Strangers can be told from relatives by |u − v| alone; the page shows a shift that changes the "
            "cosines and no logit.",
        ),
        Mistake("d", "A constant label does not make a constant loss: the logits still depend on the premise."),
    ),
)


EXERCISES = (FEATURES, MASK, ANCHOR, SHARE, NO_ANCHOR, SHUFFLED, MORE_PAIRS)
