"""Small exercises that the tests of the checker, the hints and the progress table ask."""

from __future__ import annotations

import torch

from kit.course.exercises.exercise import Exercise, Mistake


def mean_rows(x, scale):
    return x.mean(dim=1) * scale


def mean_of_columns(x, scale):
    return x.mean(dim=0) * scale


def sum_of_rows(x, scale):
    return x.sum(dim=1) * scale


def rows_cases():
    draw = torch.Generator().manual_seed(1)
    return [(torch.randn(rows, 5, generator=draw, dtype=torch.float64), scale) for rows, scale in ((3, 1.0), (4, 0.5))]


MEAN = Exercise(
    "mean-rows",
    "01",
    "Mean of rows",
    2,
    5,
    "Write `mean_rows(x, scale)`.",
    "def mean_rows(x, scale):\n    ...",
    ("Which axis?", "`dim=1`.", "`x.mean(dim=1)`, times the scale."),
    mean_rows,
    (
        Mistake(mean_of_columns, "You averaged over the columns: rows are dim 1."),
        Mistake(sum_of_rows, "You summed: divide by the number of columns."),
    ),
    rows_cases,
    because="A row is **one** sentence.",
    remember="A mean divides by how many there are.",
)


def total(x):
    return x.sum()


TOTAL = Exercise(
    "total",
    "01",
    "Total",
    1,
    1,
    "Write `total(x)`.",
    "def total(x):\n    ...",
    ("a", "b"),
    total,
    (Mistake(lambda x: x.mean(), "That is the mean."),),
    lambda: [(torch.arange(4.0).double(),)],
)


def stats(x):
    return x.mean(), [float(len(x)), "rows"]


STATS = Exercise(
    "stats",
    "02",
    "Two results",
    3,
    9,
    "Write `stats(x)`.",
    "def stats(x):\n    ...",
    ("a", "b"),
    stats,
    (Mistake(lambda x: (x.sum(), [float(len(x)), "rows"]), "The first is a sum."),),
    lambda: [(torch.arange(3.0).double(),)],
)
HALF = Exercise(
    "half",
    "02",
    "A half",
    1,
    2,
    "How much?",
    "answer = ...",
    ("a", "b"),
    0.5,
    (Mistake(2, "You divided the wrong way round."), Mistake(-0.5, "The sign is turned.")),
    tolerance=0.01,
)
CHOICE = Exercise(
    "choice",
    "02",
    "Choose",
    1,
    2,
    "a, b or c?",
    "choice = ...",
    ("a", "b"),
    "b",
    (Mistake("a", "Not a, because of this."),),
    choices=("a", "b", "c"),
    remember="It is b.",
)
TRUTH = Exercise("truth", "02", "True?", 1, 2, "Is it?", "truth = ...", ("a", "b"), True, ())
PAIR = Exercise(
    "pair",
    "02",
    "Both",
    1,
    2,
    "Which, and how many?",
    "pair = ..., ...",
    ("a", "b"),
    ("left", 3),
    (Mistake(("right", 3), "Turn round."),),
    choices=("left", "right"),
)
ALL = (MEAN, TOTAL, STATS, HALF, CHOICE, TRUTH, PAIR)
