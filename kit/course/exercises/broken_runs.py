"""Lesson 09, training: what guessing costs, and three broken runs told apart by their logs."""

from __future__ import annotations

import math

from kit.course.exercises.exercise import Exercise, Mistake


def guessing_costs(pairs, hard_negatives):
    """Every candidate gets the same share: log N, with N the positives and hard negatives of the whole batch."""
    candidates = pairs * (1 + hard_negatives)
    return math.log(candidates)


GUESSING = Exercise(
    name="guessing-costs",
    lesson="09",
    title="What does guessing cost?",
    difficulty=2,
    minutes=5,
    prompt="A batch has `pairs` anchors, each with one positive and `hard_negatives` hard negatives (0, 1, 2 …). Every "
    "anchor is compared with the positives and the hard negatives of the *whole* batch. An encoder finds all of them "
    "equally similar to it. Write `guessing_costs(pairs, hard_negatives)`: its loss, the mean of −log of the share "
    "that the right candidate gets (natural logarithm).",
    stub="def guessing_costs(pairs, hard_negatives):\n    ...",
    hints=(
        "If all of N candidates get the same share, what is the share of the right one, and −log of it?",
        "How many candidates has one anchor? Each of the `pairs` anchors brings one positive and its hard negatives.",
        "`math.log(pairs * (1 + hard_negatives))`.",
    ),
    solution=guessing_costs,
    cases=lambda: [(64, 0), (128, 1), (32, 5), (1, 0)],
    because="64 pairs without hard negatives give log 64; 128 triplets give log 256, not log 128.",
    remember="N is what one anchor is compared with: positives and hard negatives of all anchors.",
    mistakes=(
        Mistake(
            lambda pairs, hard_negatives: math.log(pairs),
            "You left the hard negatives out: those of all anchors are candidates too.",
        ),
        Mistake(
            lambda pairs, hard_negatives: math.log(pairs + hard_negatives),
            "An anchor meets everybody's hard negatives, not only its own: `pairs` times as many.",
        ),
        Mistake(
            lambda pairs, hard_negatives: math.log(max(1, pairs * (1 + hard_negatives) - 1)),
            "The positive is one of the candidates as well: it stands in the denominator.",
        ),
        Mistake(
            lambda pairs, hard_negatives: math.log(pairs * (2 + hard_negatives)),
            "You counted the anchors as candidates: they are compared with the rest, not with each other.",
        ),
        Mistake(
            lambda pairs, hard_negatives: math.log2(pairs * (1 + hard_negatives)),
            "That is in bits: losses take the natural logarithm.",
        ),
        Mistake(
            lambda pairs, hard_negatives: -math.log(pairs * (1 + hard_negatives)),
            "A loss is −log of the share 1/N, so log N: the sign is flipped.",
        ),
        Mistake(
            lambda pairs, hard_negatives: 1 / (pairs * (1 + hard_negatives)),
            "That is the share of the right candidate: the loss is −log of it.",
        ),
    ),
)


LOGS = Exercise(
    name="three-logs",
    lesson="09",
    title="Three broken runs",
    difficulty=3,
    minutes=6,
    prompt="Four runs of `mnrl` on 12,000 rows of SNLI: batches of 128 pairs, cosines with τ 0.05, the same encoder "
    "and seed. Its validation before training is 55.5, its mean cosine 0.71. The run *sound* is as it "
    "should be; the other three are broken, each by one thing. `log 128 = 4.85`.\n\n"
    "| run | loss at step 1 | 5 | 10 | 20 | 60 | validation at 20 | at 60 | mean cosine at 60 |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
    "| sound | 3.78 | 2.48 | 1.77 | 2.37 | 0.70 | 75.0 | 74.5 | 0.27 |\n"
    "| first | 3.78 | 4.88 | 4.85 | 4.85 | 4.85 | 11.1 | 11.9 | 1.00 |\n"
    "| second | 5.35 | 4.87 | 4.85 | 4.85 | 4.85 | 45.4 | 45.3 | 1.00 |\n"
    "| third | 3.84 | 1.70 | 0.39 | 0.34 | 0.02 | 64.0 | 52.2 | 0.33 |\n\n"
    "Which is which?\n\n"
    "- **a** The learning rate is a hundred times too large.\n"
    "- **b** The positives were shuffled: a premise stands beside another premise's hypothesis.\n"
    "- **c** Both sentences of a pair begin with the same two numbers, which no other pair has.\n"
    "- **d** The learning rate is a thousand times too small.",
    stub='the_causes = ...  # three letters, as "d", "d", "d": for the first, the second and the third run',
    hints=(
        "Two of them rest at what guessing costs. Look at their very first loss, before any step was taken.",
        "With its data in order, the encoder starts below log 128, as the sound run does. Which broken run does not?",
        "The third solves its task better than the sound one. What could make the task too easy?",
    ),
    solution=("a", "b", "c"),
    choices=("a", "b", "c", "d"),
    because="The first begins like the sound run, so its data is in order; the first steps threw it off. The second "
    "is worse than guessing *before* the first step: its positives are not similar, and all it learned in 60 steps is "
    "to make everything alike. The third matches numbers instead of meanings: its loss is nearly 0, and validation, "
    "after a first rise, falls below that of the untrained encoder.",
    remember="Compare the first loss with what guessing costs, and the last one with validation.",
    mistakes=(
        Mistake(("c", "b", "a"), "A shared number lets the loss fall towards 0: the first run rests at log 128."),
        Mistake(
            ("c", "a", "b"),
            "A shared number lets the loss fall towards 0: the first run rests at log 128, the third falls to 0.02.",
        ),
        Mistake(
            ("b", "c", "a"),
            "Look at the first loss: the first run begins as the sound one does, so its pairs are in order.",
        ),
        Mistake(
            ("b", "a", "c"),
            "Look at the first loss: a learning rate cannot change it, as no step has been taken yet. Shuffled pairs "
            "can.",
        ),
        Mistake(
            ("a", "d", "c"),
            "With too small a rate nothing would happen: the mean cosine would still be 0.71. Here it is 1.",
        ),
        Mistake(
            ("d", "b", "c"),
            "With too small a rate the loss would stay where it began: here it rises to log 128 within five steps.",
        ),
        Mistake(
            ("a", "b", "d"),
            "With too small a rate the loss would hardly fall: the third falls faster than the sound run.",
        ),
        Mistake(
            ("a", "c", "b"),
            "Shuffled pairs were not learned in these 60 steps, and a shared number is learned at once: swap the "
            "second and the third.",
        ),
    ),
)


EXERCISES = (GUESSING, LOGS)
