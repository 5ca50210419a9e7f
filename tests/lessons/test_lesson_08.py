"""Lesson 08 says in words what was measured and how: held against data/results/labels.json."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from kit.lesson import measured
from kit.training import recipe

FRACTIONS = ("100", "50", "10", "5", "1")
ROOT = Path(__file__).resolve().parents[2]


@cache
def results() -> dict:
    return measured("labels")


@cache
def sweeps() -> dict:
    return {name: sweep["points"] for name, sweep in results()["sweeps"].items()}


def text_of(cell: str) -> str:
    notebook = json.loads((ROOT / "notebooks" / "08_few_labels.ipynb").read_text("utf-8"))
    return next("".join(one["source"]) for one in notebook["cells"] if one["id"] == cell)


def test_the_curves_are_those_that_the_lesson_names() -> None:
    assert tuple(sweeps()["pu"]) == tuple(sweeps()["ce"]) == FRACTIONS and len(results()["seeds"]) == 3
    for kept in FRACTIONS:
        pu, ce = (sweeps()[name][kept]["settings"] for name in ("pu", "ce"))
        assert pu["label_fraction"] == ce["label_fraction"] == float(kept) / 100
        assert pu["pu_weight"] == 1 and ce["pu_weight"] == (1 if kept == "100" else 0)
        assert {name for name in pu if pu[name] != ce[name]} <= {"pu_weight"}, "nothing but the PU risk differs"


def test_with_all_labels_both_curves_begin_at_one_point() -> None:
    assert sweeps()["pu"]["100"] == sweeps()["ce"]["100"]


OPTIONS = [  # sweep, label, what differs from the first point
    ("annealing", "constant", {"alpha": 0.0}),
    ("annealing", "reset per epoch", {"per_epoch_reset": True}),
    ("priors", "halved", {"class_priors": [1 / 6] * 3}),
    ("mix", "a third", {"labelled_fraction": 1 / 3}),
    ("absent", "push", {"absent_class": "push"}),
]


def test_each_option_is_measured_against_its_default() -> None:
    for sweep, label, changes in OPTIONS:
        other = next(iter(sweeps()[sweep].values()))
        changed = sweeps()[sweep][label]["settings"]
        assert {name: value for name, value in changed.items() if other["settings"][name] != value} == changes
        kept = "1" if sweep == "absent" else "10"
        assert other == sweeps()["pu"][kept], (sweep, label)


def test_every_point_has_its_seeds() -> None:
    for points in sweeps().values():
        for point in points.values():
            assert len(point["by_seed"]) == 3 and point["average"]["all"]["n"] == 3
            assert point["average"]["all"]["mean"] == pytest.approx(sum(point["by_seed"]) / 3)


def test_the_learning_rate_is_the_best_of_those_tried_on_validation() -> None:
    """The mean of both fractions decides; a rate at the end of the grid would not be the best."""
    means = {float(rate): sum(found.values()) / len(found) for rate, found in results()["choices"]["lr"].items()}
    best = max(means, key=means.get)
    assert best == recipe("pause", "laptop").lr and min(means) < best < max(means)
    assert set(next(iter(results()["choices"]["lr"].values()))) == {"100", "10"}


def test_the_binary_table_has_the_papers_fractions_and_the_comparison() -> None:
    points = results()["binary"]["points"]
    assert [label for label in points if "CE" not in label] == ["100", "50", "10", "5"]
    assert all(point["changes"]["classes"] == 2 and point["accuracy"]["n"] == 3 for point in points.values())
    assert "mrpc" in results()["binary"]["data"][0] and "MRPC" in text_of("binary")


def test_it_is_the_data_that_the_lesson_names() -> None:
    assert "SNLI and MultiNLI, three seeds" in text_of("curve")
    assert [name in line for name, line in zip(("snli", "multi_nli"), results()["data"])] == [True, True]
    assert results()["ran_on"] and results()["versions"]["torch"]
