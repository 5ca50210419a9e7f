"""Lesson 05, many positives and negatives: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import math

import torch

from kit.course.exercises.drawn_inputs import normal, uniform
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def positives_of(labels):
    """bool [n, n]: the other rows of the same class."""
    same = labels[:, None] == labels[None, :]
    return same & ~torch.eye(len(labels), dtype=torch.bool)


def labels_cases():
    """Anchors with none, one, two and more positives; no positive at all; one row."""
    batches = ([0, 0, 1, 1], [2, 0, 2, 1, 2, 0], [0, 1, 2], [5, 5, 5, 5, 1], [7])
    return [(torch.tensor(labels),) for labels in batches]


POSITIVES = Exercise(
    name="supcon-positives",
    lesson="05",
    title="Who is a positive in SupCon?",
    difficulty=1,
    minutes=5,
    prompt="In SupCon every row of a batch has a class, and all other rows of its class are its positives. Write "
    "`positives_of(labels)` for `labels` [n]: [n, n], True where row j is a positive of row i.",
    stub="import torch\n\ndef positives_of(labels):\n    ...",
    hints=(
        "`labels[:, None] == labels[None, :]` compares every row with every row. It says True a little too often.",
        "What does the diagonal say? `torch.eye(n, dtype=torch.bool)` is a diagonal, `~` swaps True and False, `&` "
        "keeps what both say.",
    ),
    solution=positives_of,
    cases=labels_cases,
    remember="Same class, and not the row itself.",
    mistakes=(
        Mistake(
            variation(positives_of, " & ~torch.eye(len(labels), dtype=torch.bool)", ""),
            "The diagonal is still in: a row would be its own positive, and with cosine 1 the easiest of all.",
        ),
        Mistake(
            lambda labels: (labels[:, None] == labels[None, :]).triu(diagonal=1),
            "Each pair occurs only once: i is a positive of j, and j one of i, so both cells are True.",
        ),
        Mistake(
            lambda labels: labels[:, None] != labels[None, :],
            "These are the negatives, the rows of other classes: the question is about the positives.",
        ),
        Mistake(
            lambda labels: positives_of(labels) & (positives_of(labels).cumsum(dim=1) == 1),
            "You keep one positive per row: in SupCon *all* other rows of the class are positives.",
        ),
    ),
)


DENOMINATORS = Exercise(
    name="count-denominators",
    lesson="05",
    title="How many stand in the denominator?",
    difficulty=2,
    minutes=5,
    prompt="A batch has N = 64 anchors. How many sentences stand in *one* denominator D(i, p), the positive p itself "
    "included? Give four numbers: for NT-Xent over the 64 pairs, for MNRL, for MNRL with one hard negative for "
    "each anchor, and for SupMPN with P = 5 positives and Q = 5 hard negatives for each anchor.",
    stub="sizes = ...  # (NT-Xent, MNRL, MNRL with a hard negative, SupMPN)",
    hints=(
        "Count columns of the board's matrix: in the row of one anchor, the green cell of p and all orange-red cells.",
        "NT-Xent: all 128 rows but itself. MNRL: the positives of all. A hard negative is shared by all anchors. "
        "SupMPN: one own positive, the five of each of the 63 others, and all negatives.",
    ),
    solution=(127, 64, 128, 636),
    because="NT-Xent: $2 \\cdot 64 - 1$. MNRL: 64. With a hard negative each: $64 + 64$. "
    "SupMPN: $1 + 63 \\cdot 5 + 64 \\cdot 5 = 636$.",
    remember="Negatives are shared by the whole batch; SupMPN leaves out only the anchor's own other positives.",
    mistakes=(
        Mistake((128, ..., ..., ...), "NT-Xent has 128 rows, but an anchor is not its own candidate: 127."),
        Mistake((126, 63, 127, 635), "You counted the negatives: the positive itself stands in the denominator too."),
        Mistake((127, 64, 65, 636), "A hard negative is shared: every anchor meets those of all 64, not only its own."),
        Mistake(
            (127, 64, 128, 640),
            "640 is all positives and all negatives: in SupMPN the anchor's four other positives stay out.",
        ),
        Mistake(
            (127, 64, 128, 321), "321 has only the anchor's own five negatives: those of the other 63 stand there too."
        ),
        Mistake(
            (127, 64, 128, 11),
            "11 is one anchor with its own five and five: the positives and negatives of the others are missing.",
        ),
        Mistake((64, ..., ..., ...), "In NT-Xent both views of all 64 are rows, and all rows but the anchor count."),
        Mistake((..., 63, ..., ...), "MNRL has 64 candidates: with 63 you left out the positive itself."),
        Mistake((..., ..., 127, ...), "With a hard negative each, MNRL has 64 + 64: the positive itself counts."),
        Mistake((..., ..., ..., 635), "You counted SupMPN's negatives: the positive itself stands there too."),
    ),
)


def supmpn_term(own, others, tau):
    """−log [e^{p/τ} / (e^{p/τ} + Σ e^{other/τ})] for each positive p, and their mean."""
    rivals, shares = (others / tau).exp().sum(), (own / tau).exp()
    return -(shares / (shares + rivals)).log().mean()


def term_cases():
    """Drawn; one positive; one negative; equal cosines; nothing to push away, where the loss is 0."""
    drawn = [
        (uniform(5 + p, p), 2 * uniform(15 + n, n) - 1, tau)
        for p, n, tau in ((2, 4, 0.5), (5, 9, 0.2), (3, 2, 1.0), (1, 6, 0.1), (4, 1, 0.3), (2, 0, 0.5))
    ]
    return [*drawn, (torch.full((3,), 0.5).double(), torch.full((2,), 0.5).double(), 0.2)]


TERM = Exercise(
    name="supmpn-term",
    lesson="05",
    title="SupMPN for one anchor",
    difficulty=2,
    minutes=8,
    prompt="Write `supmpn_term(own, others, tau)`: the loss of one anchor. `own` [P] are its cosines with its own "
    "positives, `others` [M], which may be empty, its cosines with everything that is a negative. Return a tensor "
    "of one number, "
    "a loss to train on.",
    stub="import torch\n\ndef supmpn_term(own, others, tau):\n    ...",
    hints=(
        "First the part that all P denominators have in common: the sum of e^(s/τ) over `others`, one number.",
        "Each positive adds only itself to that sum. So `own` [P] and the common sum give P fractions: minus log, "
        "then the mean. (At a very small τ e^(s/τ) overflows; `torch.logsumexp` of the s/τ gives the log of a sum "
        "without computing it.)",
    ),
    solution=supmpn_term,
    cases=term_cases,
    is_loss=True,
    remember="Each positive against the negatives, without its siblings; then the mean.",
    mistakes=(
        Mistake(
            variation(supmpn_term, "shares + rivals", "shares.sum() + rivals"),
            "The siblings are in the denominator: that is SCL. In SupMPN each positive adds only itself.",
        ),
        Mistake(
            variation(supmpn_term, "shares + rivals", "shares + rivals + len(own) - 1"),
            "Your denominators are larger by P − 1: a left-out sibling must add nothing, not e⁰ = 1.",
        ),
        Mistake(
            variation(supmpn_term, "shares + rivals", "rivals"),
            "The positive itself is missing in its denominator: without it the fraction is no share.",
        ),
        Mistake(
            variation(supmpn_term, ".mean()", ".sum()"), "You added the terms: take their mean over the positives."
        ),
        Mistake(
            variation(supmpn_term, ".log().mean()", ".mean().log()"),
            "You took the mean of the shares and then the log: first the log of each, then the mean.",
        ),
        Mistake(
            lambda own, others, tau: supmpn_term(own, others, 1 / tau),
            "You multiplied by τ: cosines are divided by it.",
        ),
        Mistake(
            lambda own, others, tau: supmpn_term(own, others, 1.0),
            "You did not divide by τ: yours is the loss at τ = 1.",
        ),
    ),
)


FLOOR = Exercise(
    name="shared-floor",
    lesson="05",
    title="The floor of SupCon",
    difficulty=2,
    minutes=5,
    prompt="SupCon is trained on batches with eight sentences of each class. Training goes as well as it can, and no "
    "negative has any weight left. Which number does the loss approach? (`math.log` is the natural logarithm.)",
    stub="import math\n\nfloor = ...",
    hints=(
        "How many positives does one anchor have in a class of eight?",
        "They share out a weight of 1 among themselves. What is the weight of each at best, and what is minus its log?",
    ),
    solution=math.log(7),
    written="math.log(7)",
    tolerance=5e-3,
    because="An anchor has seven positives (it is not its own). At best each has the weight 1/7, and $-\\log "
    "\\frac{1}{7} = \\log 7$, about 1.946.",
    remember="With siblings in the denominator the loss ends at log P.",
    mistakes=(
        Mistake(
            0.0,
            "Zero would need a weight of 1 for each positive: but they share one softmax, so their weights sum to 1.",
        ),
        Mistake(math.log(8), "log 8 counts the anchor as its own positive: in a class of eight it has seven."),
        Mistake(7.0, "7 is the number of positives: the loss is minus the log of the share of each."),
        Mistake(math.log2(7), "That is the logarithm to base 2: the loss takes the natural one."),
        Mistake(math.log10(7), "That is the logarithm to base 10: the loss takes the natural one."),
    ),
)


def true_negatives(anchors, candidates, positive):
    """bool [A, C]: neither a positive, nor of the text of one, nor of the anchor's own text."""
    same = candidates[:, None] == candidates[None, :]  # [C, C]
    friend = (positive.int() @ same.int()) > 0  # [A, C]: has the text of one of its positives
    return ~positive & ~friend & (anchors[:, None] != candidates[None, :])


@mistake(
    "You take out every text that is any anchor's positive: those of the *other* anchors are the negatives of this "
    "one, unless the texts are equal."
)
def the_positives_of_everybody(anchors, candidates, positive):
    anyones = torch.isin(candidates, candidates[positive.any(dim=0)])  # [C]
    return ~positive & ~anyones[None, :] & (anchors[:, None] != candidates[None, :])


def twins_of_the_first(anchors, candidates, positive):
    first = candidates[positive.int().argmax(dim=1)]
    return ~positive & (candidates[None, :] != first[:, None]) & (candidates[None, :] != anchors[:, None])


@mistake(
    "You take out the twins of the first positive only: an anchor can have several, and a twin of any of them is a "
    "false negative.",
    also=(twins_of_the_first,),
)
def twins_of_the_first_if_any(anchors, candidates, positive):
    return true_negatives(anchors, candidates, positive & (positive.cumsum(dim=1) == 1)) & ~positive


def twins_cases():
    """Texts as numbers: a positive that occurs twice, an anchor among the candidates, both; an anchor with two
    positives of which the second has a twin; one with none; a single candidate; two equal positives with a twin that
    is none; drawn ones."""
    eye = torch.eye(3, dtype=torch.bool)
    none = torch.zeros(3, 2, dtype=torch.bool)
    two = torch.tensor([[True, True, False, False], [False, False, False, True], [False] * 4])
    anchors, candidates = (torch.tensor(texts) for texts in ([1, 2, 6], [5, 6, 6, 7]))
    drawn = [(10 * uniform(seed, size)).long() for seed, size in ((51, 5), (52, 9))]
    return [
        (*drawn, normal(53, 5, 9) > 0.8),
        (torch.tensor([1, 2, 3]), torch.tensor([7, 7, 8]), eye),
        (torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6, 1, 9]), torch.cat([eye, none], dim=1)),
        (torch.tensor([1, 1, 2]), torch.tensor([5, 6, 5, 2, 7]), torch.cat([eye, none], dim=1)),
        (anchors, candidates, two),
        (torch.tensor([3]), torch.tensor([4]), torch.tensor([[True]])),
        (torch.tensor([1]), torch.tensor([5, 5, 5, 6]), torch.tensor([[True, True, False, False]])),
    ]


TWINS = Exercise(
    name="true-negatives",
    lesson="05",
    title="Masking known false negatives",
    difficulty=3,
    minutes=10,
    prompt="Texts are given as numbers, equal for equal texts: `anchors` [A], `candidates` [C]; `positive` bool [A, "
    "C] says which candidates are positives of which anchor. Write `true_negatives(anchors, candidates, positive)`, a "
    "mask bool [A, C] whose row i is True for the true negatives of anchor i: not a positive of i, not of the same "
    "text as a positive of i, and not of the same text as anchor i.",
    stub="import torch\n\ndef true_negatives(anchors, candidates, positive):\n    ...",
    hints=(
        "Three conditions, one mask each, joined by `&`. The first is `~positive`, the third compares `anchors[:, "
        "None]` with `candidates[None, :]`.",
        "For the second: `same = candidates[:, None] == candidates[None, :]` [C, C] says which candidates have the "
        "same text. Candidate c is out for anchor i if some positive p of i has `same[p, c]`: count these p by a "
        "matrix product of `positive.int()` with `same.int()`.",
    ),
    solution=true_negatives,
    cases=twins_cases,
    remember="No positive, no twin of an own positive, no twin of the anchor.",
    mistakes=(
        Mistake(
            lambda anchors, candidates, positive: ~positive,
            "Nothing is masked: a candidate with the text of a positive is still called a negative.",
        ),
        Mistake(
            variation(true_negatives, " & ~friend", ""),
            "You take out the anchor's own text only: a twin of one of its positives is a false negative too.",
        ),
        Mistake(
            variation(true_negatives, " & (anchors[:, None] != candidates[None, :])", ""),
            "You take out the twins of positives only: a candidate with the anchor's own text is a false negative too.",
        ),
        twins_of_the_first_if_any,
        the_positives_of_everybody,
    ),
)


COPIES = Exercise(
    name="copies-without-dropout",
    lesson="05",
    title="Five copies, no dropout",
    difficulty=2,
    minutes=3,
    prompt="Every anchor of a batch has five copies of itself as positives, and dropout is 0. What does a step with "
    "SupMPN still do?\n\n"
    "- **a** Nothing: the loss is 0 from the start.\n"
    "- **b** It only pulls: the copies move closer to their anchor.\n"
    "- **c** The same as with dropout, as the texts are the same in both cases.\n"
    "- **d** It only pushes: the negatives move away, and nothing is pulled.",
    stub='step_does = ...  # "a", "b", "c" or "d"',
    hints=(
        "What is the cosine of an anchor and its copy without dropout? Can a weight of the encoder change it?",
        "A similarity that no weight can change has no gradient. But the denominator has other similarities too.",
    ),
    solution="d",
    choices=("a", "b", "c", "d"),
    because="The cosine of a copy is 1 whatever the weights, so nothing reaches the encoder through it. The loss is "
    "not 0, as the negatives stand in the denominator: their pushes remain.",
    remember="A copy without dropout is a constant: only the pushes are left.",
    mistakes=(
        Mistake(
            "a", "The loss is log(1 + Σ e^{(s − 1)/τ}) over the negatives, which is above 0: they are still pushed."
        ),
        Mistake(
            "c",
            "The text is the same, but dropout makes *vectors* different, and only different vectors can be "
            "pulled together.",
        ),
        Mistake("b", "The copies lie on their anchor already, and stay there: nothing is left to pull."),
    ),
)


BIGGER = Exercise(
    name="larger-batch",
    lesson="05",
    title="A batch of 256 on a small GPU",
    difficulty=1,
    minutes=3,
    prompt="Supervised SimCSE takes triplets (anchor, positive, hard negative); your memory holds 64 of them, and you "
    "want the step of a batch of 256. How many negatives does one anchor meet in its softmax? Give three numbers: with "
    "gradient accumulation over four batches of 64; with gradient caching of 256, 64 at a time; and, if you had twice "
    "the memory, with batches of 64 and four hard negatives for each anchor.",
    stub="negatives = ...  # (accumulation, caching, four hard negatives)",
    hints=(
        "Whose sentences stand in one softmax: those of 64 anchors, or of 256?",
        "An anchor's negatives are the positives of the other anchors and all hard negatives, its own among them.",
    ),
    solution=(127, 511, 319),
    because="Accumulation: $63 + 64$. Caching: $255 + 256$, because it computes one loss over all 256 triplets; only "
    "the encoder's activations are made in parts. Four hard negatives: $63 + 4 \\cdot 64$. So of the three only "
    "caching takes the step of a batch of 256.",
    remember="What counts is who stands in the denominator, not how many gradients are added.",
    mistakes=(
        Mistake((128, 512, 320), "You counted the candidates: the positive itself is not a negative."),
        Mistake(
            (63, 255, ...), "You counted the positives of the others: the hard negatives of all are negatives as well."
        ),
        Mistake(
            (64, 256, ...), "A hard negative is shared: every anchor meets those of all the others, not only its own."
        ),
        Mistake(
            (511, ..., ...),
            "Accumulation adds the gradients of four small losses: no anchor meets a sentence of another part.",
        ),
        Mistake(
            (..., 127, ...),
            "Caching encodes in parts, but computes one loss from all vectors: an anchor meets those of all 256.",
        ),
        Mistake(
            (..., ..., 511),
            "There are four times as many hard negatives, but still 64 positives, 63 of them of other anchors.",
        ),
        Mistake((..., ..., 67), "Hard negatives are shared: an anchor meets the four of all 64, not only its own."),
    ),
)


EXERCISES = (POSITIVES, DENOMINATORS, TERM, FLOOR, TWINS, COPIES, BIGGER)
