"""Lesson 11, published and measured: the exercises, each with its solution and its usual mistakes."""

from __future__ import annotations

import torch

from kit.course.exercises.drawn_inputs import normal
from kit.course.exercises.exercise import Exercise, Mistake, variation


def rounding_interval(printed):
    """(lowest, highest): half a unit of the last printed digit to either side."""
    half = 0.5 * 10 ** -len(printed.partition(".")[2])
    return float(printed) - half, float(printed) + half


def printed_cases():
    """With two decimals, one, none and three; below 1, zero, and below zero."""
    return [("66.06",), ("66.2",), ("80",), ("7.125",), ("0.5",), ("0.00",), ("-1.20",)]


ROUNDED = Exercise(
    name="rounding-interval",
    lesson="11",
    title="What was it before it was rounded?",
    difficulty=1,
    minutes=4,
    prompt="A table prints a figure. Write `rounding_interval(printed)`: for its digits as a text, such as "
    '`"71.8"`, the lowest and the highest number that may have stood there before rounding.',
    stub="def rounding_interval(printed):\n    ...",
    hints=(
        "The last printed digit has a unit: 0.1 for 71.8, 1 for 72. How far can rounding have moved the figure?",
        '`printed.partition(".")[2]` is what stands behind the point; its length says how many decimals there '
        "are. Half a unit is 0.5 · 10 to the power of minus that.",
    ),
    solution=rounding_interval,
    cases=printed_cases,
    remember="Half a unit of the last printed digit, on either side.",
    mistakes=(
        Mistake(
            lambda printed: rounding_interval(printed)[::-1],
            "You have the two ends the wrong way round: the lowest comes first.",
        ),
        Mistake(
            variation(rounding_interval, "0.5 * ", ""),
            "You allow a whole unit: rounding moves a figure by half a unit of its last digit at most.",
        ),
        Mistake(
            lambda printed: (float(printed) - 0.005, float(printed) + 0.005),
            "You allow 0.005 whatever is printed: 71.8 has one decimal, so it may be 0.05 off.",
        ),
        Mistake(
            variation(rounding_interval, "0.5", "0.05"),
            "Ten times too narrow: half a unit of the *last printed* digit, not of the one after it.",
        ),
        Mistake(
            lambda printed: (float(printed), float(printed) + 10 ** -len(printed.partition(".")[2])),
            "That would be cutting digits off: rounding goes up and down, so the interval has both sides.",
        ),
    ),
)


def can_be_right(cells, average, decimals):
    """The mean may move by half a unit with its cells, the printed average by another half."""
    unit = 10**-decimals
    return abs(sum(cells) / len(cells) - average) <= unit + 1e-9


def in_single_precision(cells, average, decimals):
    return bool(abs(torch.tensor(cells).mean() - average) <= 10**-decimals + 1e-9)


def intervals_in_single_precision(cells, average, decimals):
    half, printed = 0.5 * 10**-decimals, torch.tensor(cells)
    low, high = (printed - half).mean(), (printed + half).mean()
    return bool(low <= average + half + 1e-9) and bool(high >= average - half - 1e-9)


def rows_cases():
    """Off by nothing, by a part of a unit (also of more cells, whose errors might cancel), by exactly one in either
    direction, by a little more, by four, by much."""
    return [
        ([60.0, 62.0, 64.0], 62.0, 1),
        ([62.1, 62.1], 62.0, 1),
        ([62.1, 62.1], 62.2, 1),
        ([50.0, 50.5, 50.2, 50.3], 50.15, 2),
        ([50.0, 50.0, 50.0, 50.0, 50.3], 50.0, 1),
        ([50.0] * 10 + [51.1], 50.0, 1),
        ([50.0] * 19 + [51.9], 50.0, 1),
        ([50.0] * 19 + [52.1], 50.0, 1),
        ([33.33], 33.33, 2),
        ([60.0, 62.0, 64.2], 62.0, 1),
        ([70.11, 70.12, 70.14], 70.12, 2),
        ([70.11, 70.12, 70.15], 70.12, 2),
        ([50.0, 50.0, 50.0, 50.0, 50.0, 50.9], 50.0, 1),
        ([40.0, 40.0, 40.0], 41.0, 1),
        ([61.0, 64.0], 63.0, 0),
        ([50.0] * 49 + [50.51], 50.0, 2),
        ([50.0] * 19 + [58.0], 50.0, 1),
        ([50.0] * 9 + [50.4], 50.0, 1),
        ([50.0] * 4 + [50.1], 50.0, 1),
    ]


POSSIBLE = Exercise(
    name="can-it-be-right",
    lesson="11",
    title="Can this row be right?",
    difficulty=2,
    minutes=6,
    prompt="Write `can_be_right(cells, average, decimals)`: the printed cells of a row, its printed average, and how "
    "many decimals all of them were printed with. Return True if *some* unrounded cells could give *some* "
    "unrounded average. (Allow `1e-9` for the computer's own rounding.)",
    stub="def can_be_right(cells, average, decimals):\n    ...",
    hints=(
        "Every cell may be half a unit off. If all are off in the same direction, how far does their mean move?",
        "The mean moves by half a unit, and the printed average was rounded by another half: together one unit.",
    ),
    solution=can_be_right,
    cases=rows_cases,
    because="The mean of cells that are each at most half a unit off is itself at most half a unit off; the printed "
    "average is rounded once more.",
    remember="One unit of the last digit is what rounding allows, however many cells there are.",
    mistakes=(
        Mistake(
            lambda cells, average, decimals: abs(sum(cells) / len(cells) - average) <= 1e-9,
            "You ask for equality: cells and average were both rounded, so most honest rows would fail.",
        ),
        Mistake(
            lambda cells, average, decimals: round(sum(cells) / len(cells), decimals) == average,
            "You rounded the mean of the *printed* cells: the cells were rounded before, so their mean may be half a "
            "unit off already.",
        ),
        Mistake(
            variation(can_be_right, "<= unit", "<= 0.5 * unit"),
            "You allow for the rounding of the average, but the cells were rounded too: another half unit.",
        ),
        Mistake(
            variation(can_be_right, "<= unit", "<= (len(cells) + 1) * 0.5 * unit"),
            "You let the errors of the cells add up: a mean divides by their number, so it moves half a unit.",
        ),
        Mistake(
            variation(can_be_right, "<= unit", "<= unit / len(cells) ** 0.5"),
            "You let the errors of the cells cancel, as random ones mostly do. But some cells that are *possible* are "
            "asked for: all may be off in the same direction, and then their mean moves half a unit.",
            also=(
                variation(can_be_right, "<= unit", "<= 0.5 * unit * (1 + 1 / len(cells) ** 0.5)"),
                variation(can_be_right, "<= unit", "<= 0.5 * unit * (1 + 1 / len(cells))"),
                variation(can_be_right, "<= unit", "<= 0.5 * unit / len(cells) ** 0.5"),
            ),
        ),
        Mistake(
            in_single_precision,
            "A tensor made of a list has single precision (float32), whose rounding is larger than the `1e-9` allowed: "
            "write `torch.tensor(cells, dtype=torch.float64)`, or leave torch out.",
            also=(intervals_in_single_precision,),
        ),
        Mistake(
            variation(can_be_right, " + 1e-9", ""),
            "You allow exactly one unit, and the computer's own rounding takes a row that is off by just that a little "
            "beyond it: allow `1e-9` more.",
        ),
        Mistake(
            lambda cells, average, decimals: sum(cells) / len(cells) - average <= 10**-decimals + 1e-9,
            "A printed average can be too large as well as too small: take `abs`.",
        ),
        Mistake(
            variation(can_be_right, "10**-decimals", "0.01"),
            "You allow 0.01 whatever the decimals: a row that was printed with one decimal may be off by 0.1.",
        ),
    ),
)


WRONG_ROW = Exercise(
    name="the-wrong-row",
    lesson="11",
    title="Find the row",
    difficulty=1,
    minutes=5,
    prompt="One row of this made-up table cannot be right as printed. Which one?\n\n"
    "| row | first | second | third | average |\n|---|---|---|---|---|\n"
    "| a | 61.20 | 70.45 | 66.32 | 65.99 |\n| b | 58.73 | 69.18 | 64.41 | 64.11 |\n"
    "| c | 63.05 | 72.88 | 67.94 | 69.76 |\n| d | 60.10 | 71.00 | 65.57 | 65.56 |",
    stub='cannot_be_right = ...  # "a", "b", "c" or "d"',
    hints=(
        "You need not compute to the last digit: an average lies between the smallest and the largest cell, and "
        "near the middle one if the other two are equally far from it.",
        "Add the three cells, divide by three, and allow 0.01.",
    ),
    solution="c",
    choices=("a", "b", "c", "d"),
    because="Row c averages 67.96; it is printed as 69.76, two digits swapped.",
    remember="Recompute before you compare: it takes a minute.",
    mistakes=(
        Mistake("a", "Row a adds up to 197.97, and a third of that is 65.99."),
        Mistake("b", "Row b averages 64.107, which rounds to what is printed."),
        Mistake("d", "Row d averages 65.557, which rounds to what is printed; round figures such as 71.00 happen."),
    ),
)


DIGIT = Exercise(
    name="one-wrong-digit",
    lesson="11",
    title="What stood there?",
    difficulty=2,
    minutes=4,
    prompt="A row prints the cells 71.40, 68.25, 75.02, 80.33 and the average 76.25. One digit of the **third** cell "
    "is a misprint, the rest is right. What stood in that cell?",
    stub="third_cell = ...",
    hints=(
        "How large must the sum of the four cells be, if their average is 76.25?",
        "4 · 76.25, minus the three cells that are right; then choose the figure that differs from 75.02 in one digit.",
    ),
    solution=85.02,
    because="$4 \\cdot 76.25 = 305.00$, and $305.00 - 71.40 - 68.25 - 80.33 = 85.02$: one digit away from 75.02.",
    remember="One cell carries the whole error: the number of cells times what the average is off.",
    mistakes=(
        Mistake(
            77.52,
            "You added what the average is off (2.50) to the cell: one cell of four moves the average by a "
            "quarter only.",
        ),
        Mistake(
            65.02, "The wrong direction: the printed average is above what the cells give, so the cell is too small."
        ),
        Mistake(76.25, "That is the average itself: the cell has to make up for the other three."),
        Mistake(305.0, "305 is the sum of all four cells: take away the three that are right."),
    ),
)


CONVENTION = Exercise(
    name="borrowed-row",
    lesson="11",
    title="A borrowed row",
    difficulty=2,
    minutes=3,
    prompt="A table of STS scores in the convention *all* takes over a row from another paper, digit for digit. "
    "There the row was measured in the convention *mean*. What is true?\n\n"
    "- **a** It can be right in every digit, and still not be comparable with its neighbours.\n"
    "- **b** The row's average must come out wrong when somebody recomputes it from the cells of the row.\n"
    "- **c** Nothing is wrong: Spearman is Spearman.\n"
    "- **d** It can be converted: *all* is *mean* times a constant.",
    stub='true_of_the_row = ...  # "a", "b", "c" or "d"',
    hints=(
        "Does recomputing an average notice *how* the cells were measured?",
        "Lesson 10: the same vectors give three figures, and no formula leads from one to another without the vectors.",
    ),
    solution="a",
    choices=("a", "b", "c", "d"),
    because="Arithmetic checks arithmetic. The convention is a matter of what was computed before, and only the "
    "source of the row tells it.",
    remember="Two figures may be compared if they answer the same question.",
    mistakes=(
        Mistake("b", "The average of the cells is the average of the cells: recomputing cannot see the convention."),
        Mistake("c", "The same vectors give one figure under *all* and another under *mean*: it is not one measure."),
        Mistake("d", "There is no such constant: how far apart they lie depends on the subsets and on the vectors."),
    ),
)


def paired_interval(new, old, t):
    """Mean of the differences, plus and minus t · sd / √n."""
    difference = new - old
    half = t * difference.std() / len(difference) ** 0.5
    return torch.stack([difference.mean() - half, difference.mean() + half])


def seeds_cases():
    """Drawn, with what a seed does to both arms in each; two seeds; arms that differ by the same at every seed."""
    cases = []
    for place, (seeds, t) in enumerate(((3, 4.302653), (5, 2.776445), (4, 3.182446), (2, 12.7062))):
        level = 60 + 2 * normal(11 + place, seeds)
        scores = level + 0.8 + 0.3 * normal(21 + place, seeds), level
        cases.append((*(one.float().double() for one in scores), t))  # a difference of two near 60 in single precision
    return [*cases, (normal(31, 3) + 0.5, normal(31, 3), 4.302653)]


PAIRED = Exercise(
    name="paired-interval",
    lesson="11",
    title="The interval of a difference",
    difficulty=2,
    minutes=8,
    prompt="Two arms were trained with the same seeds. Write `paired_interval(new, old, t)`: the tensors `new` and "
    "`old` [seeds] are their scores, seed by seed, and `t` is Student's quantile for that many seeds. Return the low "
    "and the high end of the 95 % interval of the mean difference new − old, [2].",
    stub="import torch\n\ndef paired_interval(new, old, t):\n    ...",
    hints=(
        "A seed moves both arms. Take the difference of each seed first, and then look at the spread of these "
        "differences.",
        "Half of the interval is t · sd / √n, with sd of the *differences* (`.std()` divides by n − 1, as it "
        "should) and n seeds.",
    ),
    solution=paired_interval,
    cases=seeds_cases,
    remember="Subtract first, then mean and spread: whatever a seed does equally to both arms drops out.",
    mistakes=(
        Mistake(
            variation(
                paired_interval,
                "t * difference.std() / len(difference) ** 0.5",
                "t * (new.var() / len(new) + old.var() / len(old)) ** 0.5",
            ),
            "You added the variances of the two arms: that forgets that they share their seeds. Subtract first.",
        ),
        Mistake(
            variation(paired_interval, "len(difference) ** 0.5", "(len(difference) - 1) ** 0.5"),
            "You divided by √(n − 1): n − 1 belongs to the standard deviation; the mean of n runs has √n.",
        ),
        Mistake(
            variation(paired_interval, ".std()", ".std(correction=0)"),
            "Your standard deviation divides by n: with a few seeds it must divide by n − 1.",
        ),
        Mistake(
            variation(paired_interval, " / len(difference) ** 0.5", ""),
            "That is the spread of single runs: the mean of n runs is steadier, so divide by √n.",
        ),
        Mistake(variation(paired_interval, " ** 0.5", ""), "You divided by n: it is the square root of n."),
        Mistake(
            variation(paired_interval, "t * ", ""),
            "t is missing: one standard error is not 95 %, and with three seeds t is above 4.",
        ),
        Mistake(
            lambda new, old, t: -paired_interval(new, old, t).flip(0),
            "You subtracted new from old: the effect is new − old.",
        ),
    ),
)


VERDICTS = Exercise(
    name="three-verdicts",
    lesson="11",
    title="Four claims, four verdicts",
    difficulty=2,
    minutes=5,
    prompt="Four papers claim that their method *beats* another one. The margin was written down beforehand: "
    "0.5. Measured again, with 95 % intervals:\n\n"
    "1. effect +0.6, interval [+0.1, +1.1]\n2. effect +1.2, interval [−0.3, +2.7]\n"
    "3. effect −0.7, interval [−2.2, +0.8]\n4. effect +0.1, interval [−0.2, +0.4]\n\n"
    'Give the four verdicts of the rule, each `"replicates"`, `"undecided"` or `"contradicted"`.',
    stub="verdicts = ...  # four texts",
    hints=(
        "Look at the ends of the intervals, not at the effects. Which lie on one side of zero?",
        "Of those that hold zero: which leaves room for a gain of 0.5 or more?",
    ),
    solution=("replicates", "undecided", "undecided", "contradicted"),
    choices=("replicates", "undecided", "contradicted"),
    because="Only the first lies above zero. The second and the third hold zero and leave room for gains that "
    "count. The fourth holds zero as well, but all of it lies within ±0.5: no effect of a size that counts.",
    remember="The interval decides: inside, outside, or partly both. A narrow one around zero says something too.",
    mistakes=(
        Mistake(
            ("replicates", "replicates", "contradicted", "replicates"),
            "You look at the sign of the mean only. In the second and the third the interval holds gains and losses: "
            "these seeds cannot tell.",
        ),
        Mistake(
            ("replicates", "undecided", "contradicted", "contradicted"),
            "In the third the mean is below zero, but the interval reaches up to +0.8: more seeds might still show a "
            "gain.",
        ),
        Mistake(
            ("replicates", "undecided", "undecided", "undecided"),
            "The fourth is not open: whatever the effect is, it is smaller than the 0.5 that was to count.",
        ),
        Mistake(
            ("replicates", "undecided", "contradicted", "undecided"),
            "Swap the third and the fourth: a wide interval around zero is open, a narrow one is not.",
        ),
        Mistake(
            ("undecided", "undecided", "undecided", "contradicted"),
            "In the first the whole interval is above zero: that is what the claim promises.",
        ),
        Mistake(
            ("replicates", "contradicted", "contradicted", "contradicted"),
            "An interval that holds zero leaves a gain open and does not refute it, unless all of it is within ±0.5.",
        ),
    ),
)


NO_DIFFERENCE = Exercise(
    name="no-difference",
    lesson="11",
    title="“There was no difference”",
    difficulty=3,
    minutes=4,
    prompt="A paper says: *the two ways are equally good*. You run both with three seeds: difference +0.3, 95 % "
    "interval [−4.1, +4.7]. Beforehand you had written down that a difference of less than one point counts as "
    "none. What have you shown?\n\n"
    "- **a** The claim: zero is inside the interval, and near its middle.\n"
    "- **b** Nothing yet: the interval reaches far beyond the margin.\n"
    "- **c** The opposite: the difference is not zero.\n"
    "- **d** The claim: 0.3 is below the margin.",
    stub='shown = ...  # "a", "b", "c" or "d"',
    hints=(
        "Would the same interval also fit a difference of three points?",
        "To show that two things are alike takes an interval that lies *within* the margin.",
    ),
    solution="b",
    choices=("a", "b", "c", "d"),
    because="An interval that holds zero is what one gets from too few seeds as well. Only one inside the margin "
    "says that the difference is small.",
    remember="No difference found is not the same as a difference found to be small.",
    mistakes=(
        Mistake("a", "Zero is inside, and so are +4 and −4: with so wide an interval every claim would be “shown”."),
        Mistake("c", "A mean is never exactly zero: the question is how large the difference may be."),
        Mistake(
            "d", "The mean of three seeds is below the margin, but the seeds allow more than four points either way."
        ),
    ),
)


EXERCISES = (ROUNDED, POSSIBLE, WRONG_ROW, DIGIT, CONVENTION, PAIRED, VERDICTS, NO_DIFFERENCE)
