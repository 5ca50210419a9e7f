"""Lesson 06 says in words what the measured runs show: each such sentence, checked on the file it is about."""

from __future__ import annotations

import itertools

import pytest

from kit.figures import sweep_points
from kit.figures.training_curves import overlapping
from kit.lesson import measured

SWEEPS = measured("sweeps")["sweeps"]
LAMBDA = {measure: sweep_points(SWEEPS["lambda"], measure) for measure in ("wmean", "mean_cosine", "effective_rank")}


def test_any_contrast_helps_more_than_seeds_can() -> None:
    """That "contrast helps stands outside what seeds can do"."""
    without = LAMBDA["wmean"]["0"]
    for label, point in LAMBDA["wmean"].items():
        assert label == "0" or point["low"] > without["high"]


def test_how_much_contrast_is_within_the_seeds() -> None:
    """That "from the smallest λ on, the differences are of the size of the seeds"."""
    with_contrast = [label for label in LAMBDA["wmean"] if label != "0"]
    for one, other in itertools.combinations(with_contrast, 2):
        assert other in overlapping(LAMBDA["wmean"], one)


@pytest.mark.parametrize("measure", ["wmean", "mean_cosine", "effective_rank"])
def test_the_classifier_alone_has_the_lowest(measure: str) -> None:
    """Mean cosine, agreement with people, and effective rank: "spread is not agreement"."""
    points = LAMBDA[measure]
    assert min(points, key=lambda label: points[label]["mean"]) == "0"


def test_shuffled_rows_are_worth_more_than_no_contrast() -> None:
    """That "one positive against strangers is not nothing"."""
    shuffled = sweep_points(SWEEPS["batches"], "wmean")["rows shuffled"]
    assert shuffled["low"] > LAMBDA["wmean"]["0"]["high"]


def test_the_batches_are_those_that_the_lesson_names() -> None:
    settings = {label: point["settings"] for label, point in SWEEPS["batches"]["points"].items()}
    assert settings["rows shuffled"]["keep_groups"] is False
    assert settings["an anchor per row"]["anchors"] == "row"
    assert settings["constant rate"]["schedule"] == "constant"
    for label, point in SWEEPS["lambda"]["points"].items():
        assert point["settings"]["lam"] == float(label)
