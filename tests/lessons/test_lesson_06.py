"""Lesson 06 says in words what the measured runs show: each such sentence, checked on the file it is about."""

from __future__ import annotations

import itertools
from functools import cache

from kit.figures import sweep_points
from kit.figures.training_curves import overlapping
from kit.lesson import measured


@cache
def sweeps() -> dict:
    return measured("sweeps")["sweeps"]


@cache
def by_lambda(measure: str = "wmean") -> dict:
    return sweep_points(sweeps()["lambda"], measure)


def test_any_contrast_helps_more_than_seeds_can() -> None:
    """That "contrast helps stands outside what seeds can do"."""
    without = by_lambda()["0"]
    for label, point in by_lambda().items():
        assert label == "0" or point["low"] > without["high"]


def test_how_much_contrast_is_within_the_seeds() -> None:
    """That "from the smallest λ on, the differences are of the size of the seeds"."""
    with_contrast = [label for label in by_lambda() if label != "0"]
    for one, other in itertools.combinations(with_contrast, 2):
        assert other in overlapping(by_lambda(), one)


def test_the_classifier_alone_has_the_lowest() -> None:
    """Mean cosine, agreement with people, and effective rank: "spread is not agreement"."""
    for measure in ("wmean", "mean_cosine", "effective_rank"):
        points = by_lambda(measure)
        assert min(points, key=lambda label: points[label]["mean"]) == "0", measure


def test_shuffled_rows_are_worth_more_than_no_contrast() -> None:
    """That "one positive against strangers is not nothing"."""
    shuffled = sweep_points(sweeps()["batches"], "wmean")["rows shuffled"]
    assert shuffled["low"] > by_lambda()["0"]["high"]


def test_the_batches_are_those_that_the_lesson_names() -> None:
    settings = {label: point["settings"] for label, point in sweeps()["batches"]["points"].items()}
    assert settings["rows shuffled"]["group_batches"] is False
    assert settings["an anchor per row"]["anchors"] == "row"
    assert settings["constant rate"]["schedule"] == "constant"
    for label, point in sweeps()["lambda"]["points"].items():
        assert point["settings"]["lam"] == float(label)
