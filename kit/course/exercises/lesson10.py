"""Lesson 10, measure: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import numpy as np

from kit.course.exercises import comparing_systems
from kit.course.exercises.exercise import Exercise, Mistake, mistake, variation


def spearman_by_hand(predicted, gold):
    """The correlation of the ranks; equal values share the mean of their ranks."""

    def ranks(values):
        values = np.asarray(values)
        below = (values[None, :] < values[:, None]).sum(axis=1)
        equal = (values[None, :] == values[:, None]).sum(axis=1)
        return below + (equal + 1) / 2

    x, y = ranks(predicted), ranks(gold)
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())


def _correlate(x, y):
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())


def _mean_ranks(values):
    values = np.asarray(values)
    below = (values[None, :] < values[:, None]).sum(axis=1)
    return below + ((values[None, :] == values[:, None]).sum(axis=1) + 1) / 2


@mistake(
    "You gave equal values different ranks, by where they stand (`argsort` of `argsort` does that, and so does "
    "counting in a sorted list): they share the mean of those ranks.",
    also=(lambda predicted, gold: _correlate(*(np.argsort(np.argsort(side)) for side in (predicted, gold))),),
)
def spearman_with_ties_in_order(predicted, gold):
    return _correlate(*(np.argsort(np.argsort(np.asarray(side), kind="stable")) for side in (predicted, gold)))


@mistake("You gave equal values different ranks, the later the lower: they share the mean of those ranks.")
def spearman_with_ties_turned_round(predicted, gold):
    return _correlate(*(np.argsort(np.argsort(-np.asarray(side), kind="stable")) for side in (predicted, gold)))


@mistake("You gave equal values one rank and the next value the next rank: the mean of the ranks they fill keeps gaps.")
def spearman_with_dense_ranks(predicted, gold):
    return _correlate(*(np.unique(np.asarray(side), return_inverse=True)[1] for side in (predicted, gold)))


@mistake("You gave equal values the highest of their ranks: take the mean of the ranks they fill.")
def spearman_with_ties_at_the_highest(predicted, gold):
    return _correlate(
        *((np.asarray(side)[None, :] <= np.asarray(side)[:, None]).sum(axis=1) for side in (predicted, gold))
    )


@mistake("You gave equal values the lowest of their ranks: take the mean of the ranks they fill.")
def spearman_with_ties_at_the_lowest(predicted, gold):
    return _correlate(
        *((np.asarray(side)[None, :] < np.asarray(side)[:, None]).sum(axis=1) for side in (predicted, gold))
    )


@mistake(
    "One `argsort` says which value comes first, second, third; the rank of each value is the argsort of that.",
    also=(lambda predicted, gold: _correlate(*map(np.argsort, (predicted, gold))),),
)
def spearman_of_the_order(predicted, gold):
    return _correlate(*(np.argsort(np.asarray(side), kind="stable") for side in (predicted, gold)))


@mistake("1 − 6Σd²/(n(n² − 1)) holds only without ties: correlate the ranks.")
def spearman_by_the_short_formula(predicted, gold):
    x, y = _mean_ranks(predicted), _mean_ranks(gold)
    n = len(x)
    return 1 - 6 * ((x - y) ** 2).sum() / (n * (n**2 - 1))


def spearman_cases():
    """Drawn, with ties on both sides; ties of two and of three; none; two values in the wrong order; values that are
    equal in single precision only."""
    draw = np.random.default_rng(10)
    corners = [
        ([0.9, 0.2, 0.5, 0.7, 0.2], [4.0, 1.0, 4.0, 3.0, 0.0]),
        ([1.0, 2.0, 2.0, 2.0], [3.0, 3.0, 1.0, 3.0]),  # more values equal than not
        ([0.1, 0.4, 0.3], [-5.0, 0.0, -1.0]),  # the same order, without ties
        ([0.2, 0.9], [4.0, 1.0]),
        ([0.99999999, 0.99999998, 0.99999997, 0.5], [1.0, 2.0, 3.0, 0.0]),
    ]
    cases = []
    for n in (12, 4, 7):
        gold = draw.integers(0, 4, n) + 0.0
        predicted = (0.2 * gold + draw.normal(0, 0.3, n)).round(1)
        gold[0], predicted[1] = gold[-1], predicted[-1]  # a tie on either side
        cases.append((predicted.tolist(), gold.tolist()))
    return cases + corners


SPEARMAN = Exercise(
    name="spearman-by-hand",
    lesson="10",
    title="Spearman, ties and all",
    difficulty=2,
    minutes=8,
    prompt="Write `spearman_by_hand(predicted, gold)` in NumPy: the correlation of the *ranks* of two lists [n]. Equal "
    "values share the mean of the ranks they would have had.",
    stub="import numpy as np\n\ndef spearman_by_hand(predicted, gold):\n    ...",
    hints=(
        "Two steps: turn each list into ranks, then take Pearson's correlation of the two lists of ranks.",
        "The rank of a value: how many values are smaller, plus half of (how many are equal, itself included, plus 1).",
        "`(values[None, :] < values[:, None]).sum(axis=1)` counts the smaller ones for all values at once.",
    ),
    solution=spearman_by_hand,
    cases=spearman_cases,
    remember="Spearman is Pearson on ranks, and ties share the mean of their ranks.",
    mistakes=(
        Mistake(
            lambda predicted, gold: spearman_by_hand(np.float32(predicted), np.float32(gold)),
            "You ranked them in single precision, in which values become equal that are not (section 1): rank the "
            "numbers as they come.",
        ),
        Mistake(
            lambda predicted, gold: _correlate(predicted, gold),
            "That is Pearson's correlation of the values: rank both lists first.",
        ),
        spearman_with_ties_in_order,
        spearman_with_ties_turned_round,
        spearman_with_dense_ranks,
        spearman_with_ties_at_the_highest,
        spearman_with_ties_at_the_lowest,
        spearman_of_the_order,
        spearman_by_the_short_formula,
        Mistake(
            lambda predicted, gold: -_correlate(_mean_ranks(predicted), _mean_ranks(gold)),
            "The sign is flipped: rank both lists in the same direction.",
        ),
    ),
)


def weighted_mean(scores, pairs):
    """Each subset counts as often as it has pairs."""
    return sum(score * n for score, n in zip(scores, pairs)) / sum(pairs)


def weighted_cases():
    """Also one subset, equal subsets, and equal scores."""
    return [
        ([60.0, 40.0], [300, 100]),
        ([33.5], [40]),
        ([12.0, -30.0, 72.0], [50, 50, 50]),
        ([5.0, 5.0], [1, 999]),
        ([25.5, 83.0, 51.0], [750, 399, 459]),
        ([70.0, 20.0, 35.0, 50.0], [10, 700, 30, 250]),
    ]


WEIGHTED = Exercise(
    name="mean-of-subsets",
    lesson="10",
    title="From subsets to wmean",
    difficulty=1,
    minutes=3,
    prompt="Write `weighted_mean(scores, pairs)`: the *wmean* of a task, from the `scores` [subsets] of its subsets "
    "and their numbers of `pairs` [subsets].",
    stub="def weighted_mean(scores, pairs):\n    ...",
    hints=(
        "A subset with twice as many pairs counts twice.",
        "Add score times pairs over the subsets; by what must that be divided so that equal scores come out as "
        "they are?",
    ),
    solution=weighted_mean,
    cases=weighted_cases,
    remember="wmean weighs a subset by its pairs, mean does not, and all is not a mean of the subsets at all.",
    mistakes=(
        Mistake(
            lambda scores, pairs: sum(scores) / len(scores),
            "That is *mean*: every subset counts the same. Weigh each by its pairs.",
        ),
        Mistake(
            variation(weighted_mean, "sum(pairs)", "len(scores)"),
            "You divided by the number of subsets: divide by the total number of pairs.",
        ),
        Mistake(
            lambda scores, pairs: sum(score / n for score, n in zip(scores, pairs)) / sum(1 / n for n in pairs),
            "You divided by the pairs: the larger subset is to count more, not less.",
        ),
        Mistake(
            lambda scores, pairs: scores[pairs.index(max(pairs))],
            "You gave the score of the largest subset: all of them count.",
        ),
    ),
)


def interval_of_correlation(r, n):
    """Fisher's: the inverse hyperbolic tangent of r is nearly normal, with variance 1 / (n − 3)."""
    middle, half = np.arctanh(r), 1.96 / np.sqrt(n - 3)
    return np.tanh(middle - half), np.tanh(middle + half)


def interval_cases():
    """Also no correlation, nearly a perfect one, and the fewest pairs there can be."""
    return [(0.7, 20), (0.5, 100), (-0.2, 40), (0.9, 12), (0.0, 50), (0.999, 30), (-0.6, 4)]


INTERVAL = Exercise(
    name="interval-of-correlation",
    lesson="10",
    title="How sure is a correlation?",
    difficulty=2,
    minutes=6,
    prompt="Fisher's rule: arctanh(r) is nearly normal with standard deviation $1/\\sqrt{n-3}$. Write "
    "`interval_of_correlation(r, n)`: the two ends (low, high) of the 95 % interval of a correlation `r` "
    "measured on `n` pairs; take 1.96 standard deviations to each side.",
    stub="def interval_of_correlation(r, n):\n    ...",
    hints=(
        "Three steps: go to z = arctanh(r), step to both sides, come back.",
        "Coming back from z is `np.tanh`. Return both ends, the lower one first.",
    ),
    solution=interval_of_correlation,
    cases=interval_cases,
    remember="An interval shrinks with the root of the number of pairs, and it leans towards zero.",
    mistakes=(
        Mistake(
            lambda r, n: interval_of_correlation(r, n)[::-1],
            "You have the two ends the wrong way round: the lower one comes first.",
        ),
        Mistake(
            variation(interval_of_correlation, "np.tanh", ""),
            "You stayed in z, where values may pass 1: bring both ends back with tanh.",
        ),
        Mistake(
            lambda r, n: (r - 1.96 / np.sqrt(n - 3), r + 1.96 / np.sqrt(n - 3)),
            "You stepped from r itself: step from arctanh(r), then come back with tanh.",
        ),
        Mistake(
            variation(interval_of_correlation, "np.sqrt(n - 3)", "(n - 3)"),
            "You divided by n − 3: the standard deviation has its root.",
        ),
        Mistake(
            variation(interval_of_correlation, "1.96", "1"),
            "That is one standard deviation to each side: 95 % take 1.96 of them.",
        ),
        Mistake(
            variation(interval_of_correlation, "n - 3)", "n)"),
            "You divided by √n: Fisher's rule has n − 3 under the root.",
        ),
    ),
)


PAIRS = Exercise(
    name="pairs-for-a-point",
    lesson="10",
    title="How many pairs for one point?",
    difficulty=2,
    minutes=4,
    prompt="A system has a correlation of about 0.7. How many pairs must a test have for its 95 % interval to reach "
    "only one point (0.01) to each side?\n\n- **a** about 200\n- **b** about 2,000\n- **c** about 10,000\n- **d** "
    "about 100,000",
    stub='pairs_needed = ...  # "a", "b", "c" or "d"',
    hints=(
        "Near r the interval reaches about 1.96 (1 − r²)/√n to each side: arctanh stretches by 1/(1 − r²) there.",
        "1.96 · 0.51/√n = 0.01: what is √n?",
    ),
    solution="c",
    choices=("a", "b", "c", "d"),
    because="$\\sqrt{n} = 1.96 \\cdot 0.51 / 0.01 \\approx 100$, so $n \\approx 10{,}000$. Of the STS tasks only "
    "SICK-R, with all of its pairs, has about as many.",
    remember="A single STS task cannot tell systems one point apart by their own intervals; a paired test needs fewer "
    "pairs.",
    mistakes=(
        Mistake("a", "With 200 pairs it reaches about seven points to each side."),
        Mistake(
            "b",
            "With 2,000 pairs it still reaches more than two points to each side: half of that takes four "
            "times as many.",
        ),
        Mistake("d", "100,000 pairs would bring it down to about a third of a point."),
    ),
)


MONOTONE = Exercise(
    name="angle-or-cosine",
    lesson="10",
    title="The angle instead of the cosine",
    difficulty=1,
    minutes=3,
    prompt="A colleague reports the angle itself, in degrees, instead of the cosine: not 1 − angle/π. Over all pairs "
    "of a task, which figures change, in size or in sign? (Neither was 0.)\n\n- **a** Spearman and "
    "Pearson\n- **b** Spearman only\n- **c** Pearson only\n- **d** neither: the angle follows from the cosine",
    stub='what_changes = ...  # "a", "b", "c" or "d"',
    hints=(
        "Two pairs, one with the larger cosine: which has the larger angle?",
        "Which pair do the cosines put last, and which do the angles put last?",
    ),
    solution="a",
    choices=("a", "b", "c", "d"),
    because="The angle falls as the cosine grows, so all pairs are ranked the other way round and Spearman turns its "
    "sign. Pearson turns with it, and as the angle is not linear in the cosine, its size moves too.",
    remember="What keeps the order of all pairs leaves Spearman as it is; what turns the order round turns its sign. "
    "Pearson also sees on which scale you measure.",
    mistakes=(
        Mistake(
            "b",
            "Spearman turns its sign, and Pearson does not stay: the angle falls as the cosine grows, and not along a "
            "straight line.",
        ),
        Mistake(
            "c",
            "That is true of 1 − angle/π, which keeps the order of the pairs. The angle turns it round: the more "
            "alike, the smaller.",
        ),
        Mistake("d", "It follows from the cosine, but falls as the cosine grows: both figures turn their sign."),
    ),
)


UNFAIR = Exercise(
    name="unfair-comparison",
    lesson="10",
    title="Which table is unfair?",
    difficulty=2,
    minutes=5,
    prompt="Four papers compare their system with an older one. Which comparison says nothing about the systems?\n\n"
    "- **a** Both on STS12–16, both by *all*; one has 12 layers, the other 6.\n"
    "- **b** Both on STS-B test, Spearman; the new one trained with five seeds, the mean is given.\n"
    "- **c** Both on SICK-R with 4,927 pairs, Spearman × 100; the old one was measured again.\n"
    "- **d** The new one by *mean* over the subsets, the old one's figures copied from a paper that used "
    "*all*.",
    stub='unfair = ...  # "a", "b", "c" or "d"',
    hints=(
        "Which differences may a table have, as long as the reader is told, and which make two figures two measures?",
        "Go through them: the same pairs, the same correlation, the same aggregation?",
    ),
    solution="d",
    choices=("a", "b", "c", "d"),
    because="*mean* and *all* of the same vectors may lie many points apart, as the board shows, so the difference "
    "may be the convention's alone.",
    remember="Before two figures are compared: same pairs, same similarity, same correlation, same aggregation.",
    mistakes=(
        Mistake("a", "The systems differ in size, and the reader is told; the measure is the same."),
        Mistake("b", "A mean over seeds on the same pairs and with the same measure is what one would wish for."),
        Mistake("c", "Measured again, on the same 4,927 pairs: that is the fairest of the four."),
    ),
)


LEAK = Exercise(
    name="pick-the-leak",
    lesson="10",
    title="Which of these leaks?",
    difficulty=2,
    minutes=4,
    prompt="Four systems are scored on STS12. Which score is to be trusted least?\n\n- **a** An encoder trained on "
    "MRPC, pairs with a label for whether one paraphrases the other.\n- **b** Whitening fitted on sentences of NLI."
    "\n- **c** A learning rate chosen on the validation split of STS-B, the encoder trained on NLI.\n- **d** An "
    "encoder pretrained on encyclopaedia text that shares no sentence with the tests.",
    stub='leaks = ...  # "a", "b", "c" or "d"',
    hints=(
        "STS12 is five collections of pairs. Where does each come from?",
        "Section 2 names the source of STS12's news sentences, MSRpar. Which of the four has met pairs of STS12, and "
        "people's judgement of them, in *training*?",
    ),
    solution="a",
    choices=("a", "b", "c", "d"),
    because="MSRpar, one of the five collections of STS12, is made of pairs of MRPC: the encoder was trained on pairs "
    "of the test, with a label that says whether the two mean the same. (In **c** test pairs chose one number; here "
    "they trained the weights.)",
    remember="A leak need not bear the test's name: ask where its pairs come from, and whether training met them.",
    mistakes=(
        Mistake(
            "b",
            "Whitening sees no score and no pair: what is fitted is a mean and a covariance of many thousands of "
            "sentences.",
        ),
        Mistake(
            "c",
            "Three quarters of those pairs are test pairs (section 4), so it is not clean, and it should be said. But "
            "one number was chosen. One of the others was *trained* on labelled pairs of the test.",
        ),
        Mistake("d", "It shares no sentence with the tests: nothing could leak."),
    ),
)


PROBE = Exercise(
    name="probe-at-chance",
    lesson="10",
    title="A probe that guesses",
    difficulty=2,
    minutes=4,
    prompt="A logistic regression on an encoder's vectors tells inverted clauses from those in order no better than "
    "guessing. What follows?\n\n- **a** The encoder did not see the order of the words.\n- **b** This classifier, from "
    "this many examples, found no straight cut that tells the two apart.\n- **c** The encoder is bad at similarity.\n"
    "- **d** The two kinds of sentences have the same vectors, so that nothing could tell them apart.",
    stub='what_follows = ...  # "a", "b", "c" or "d"',
    hints=(
        "Which kinds of boundary can a logistic regression draw?",
        "With ten times as many examples, or with a network on top, the answer might be another. Which statement "
        "survives that?",
    ),
    solution="b",
    choices=("a", "b", "c", "d"),
    because="A probe finds what this classifier, with its penalty, can learn from so many examples in these "
    "coordinates. Whitened vectors have the same straight cuts, and it may find one there. So a probe can show that "
    "something is there; it cannot show that it is not.",
    remember="A probe that succeeds proves that something is there; one that fails proves little.",
    mistakes=(
        Mistake(
            "a",
            "It may have seen the order and kept it in a form that no straight cut shows, or thrown it away "
            "only at the pooling.",
        ),
        Mistake("c", "Similarity of meaning may do without this; the two are measured apart because they can part."),
        Mistake("d", "Any two different vectors could be told apart, if not by one straight cut for all sentences."),
    ),
)


EXERCISES = (SPEARMAN, WEIGHTED, MONOTONE, UNFAIR, INTERVAL, PAIRS, *comparing_systems.EXERCISES, LEAK, PROBE)
