"""Lesson 03 says in words what the board and the libraries do: each such sentence, checked."""

from __future__ import annotations

import inspect
import itertools
import json
from pathlib import Path

import pytest

from kit.boards.margin_widget import REACH, margin_board, margin_values
from kit.course.small_batches import triplet_batches
from kit.data import group_by_premise, load
from kit.encoder import load_encoder
from kit.figures.margin_figures import ending
from kit.losses import batch_hard, batch_semi_hard

LESSON = Path(__file__).resolve().parents[2] / "notebooks" / "03_margins.ipynb"


def lessons_own(cell: str, names: dict) -> dict:
    """What the notebook's cell defines, with `names` at hand."""
    [found] = [c for c in json.loads(LESSON.read_text("utf-8"))["cells"] if c["id"] == cell]
    exec("import copy\nimport torch\nfrom kit.losses import distance_matrix\n" + "".join(found["source"]), names)
    return names


def at_start(**changes) -> tuple[dict, dict]:
    board = margin_board(margin=1.0, distance="euclidean")
    return board.state, {**board.controls, **changes}


def test_no_place_of_the_board_is_easy_at_margin_5() -> None:
    """A distance is largest in a corner, so the corners suffice."""
    for x, y in itertools.product((-REACH[0], REACH[0]), (-REACH[1], REACH[1])):
        values = margin_values(*at_start(margin=5.0, negative_x=x, negative_y=y))
        assert values["region"] != 0, (x, y)
    far = margin_values(*at_start(margin=1.0, negative_x=REACH[0], negative_y=REACH[1]))
    assert far["region"] == 0, "at margin 1 the far corner is easy"


def test_forces_of_squares_shrink_on_the_board() -> None:
    near = {"positive_x": -0.99, "positive_y": -0.4, "negative_x": -1.0, "negative_y": -0.41}
    plain = margin_values(*at_start(**near))
    squared = margin_values(*at_start(distance="squared_euclidean", **near))
    assert plain["strengths"][1] == pytest.approx(1.0) and squared["strengths"][1] < 0.05


@pytest.mark.slow
def test_margins_of_the_libraries_are_their_defaults() -> None:
    """Those of the table "The triplet loss is four losses"."""
    metric = pytest.importorskip("pytorch_metric_learning.losses")
    transformers = pytest.importorskip("sentence_transformers.losses")
    assert inspect.signature(metric.TripletMarginLoss).parameters["margin"].default == 0.05
    assert inspect.signature(transformers.TripletLoss).parameters["triplet_margin"].default == 5
    assert inspect.signature(transformers.BatchAllTripletLoss).parameters["margin"].default == 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_the_cure_stays_open_for_three_seeds(seed: int) -> None:
    """The lesson's own loop, as in smoke: BatchHard at 0.01 collapses, semi-hard mining at 0.003 stays open."""
    encoder = load_encoder(pooling="mean_without_cls")
    groups = group_by_premise(load("stanfordnlp/snli", rows=3_000, seed=seed))
    names = {"raw": encoder, "batches": lambda size, steps: triplet_batches(encoder, groups, size, steps, seed)}
    train = lessons_own("train", names)["train"]
    assert ending(train(batch_hard, 0.01, 16, 30)[1]) == "collapsed"
    assert ending(train(batch_semi_hard, 0.003, 16, 30)[1]) == "open"
