"""The nnPU and annealing boards, and the pictures of lesson 08; the browser tests compare the JavaScript."""

from __future__ import annotations

import json
import math
from itertools import product

import pytest
import torch

from kit.boards import annealing_board, nnpu_board
from kit.boards.annealing_widget import annealing_summary, annealing_values
from kit.boards.board import script
from kit.boards.nnpu_widget import STARTS, nnpu_state, nnpu_summary, nnpu_values
from kit.errors import KitError
from kit.figures import labels_curve, risk_curve
from kit.figures.palette import AFTER, BEFORE, CLASSIFY, NEUTRAL

STATE = nnpu_state()


def figure(**changes) -> dict:
    return nnpu_values(STATE, {**STARTS, "memory": 0.0, **changes})


def by_loops(prior: float, kept: float, boundary: float, steepness: float, memory: float) -> dict:
    """The risks as on paper: R⁺, R⁻, and the mean loss over all points as if they were new."""
    labelled = max(1, round(kept * len(STATE["positives"])))

    def loss(score: float, sign: int) -> float:
        return 1 / (1 + math.exp(score * sign))

    known = [steepness * (x - boundary) + memory for x in STATE["positives"][:labelled]]
    others = STATE["positives"][labelled:] + STATE["negatives"][round(kept * len(STATE["negatives"])) :]
    hidden = [steepness * (x - boundary) - memory for x in others]
    positive = prior * sum(loss(f, 1) for f in known) / len(known)
    negative = sum(loss(f, -1) for f in hidden) / len(hidden) - prior * sum(loss(f, -1) for f in known) / len(known)
    new = [
        (steepness * (x - boundary) - memory, sign)
        for name, sign in (("positives", 1), ("negatives", -1))
        for x in STATE[name]
    ]
    return {
        "positive": positive,
        "negative": negative,
        "naive": positive + negative,
        "new": sum(loss(f, sign) for f, sign in new) / len(new),
    }


def test_the_risks_are_those_of_the_paper() -> None:
    for changes in [
        {},
        {"memory": 4.0},
        {"prior": 0.9},
        {"kept": 0.9, "boundary": 1.0},
        {"steepness": 0.1},
        {"kept": 0.05, "memory": 8.0, "prior": 0.05},
    ]:
        found, slow = figure(**changes), by_loops(**{**STARTS, "memory": 0.0, **changes})
        assert {name: found[name] for name in slow} == pytest.approx(slow)
        assert found["switched"] is (slow["negative"] < 0)
        assert found["nnpu"] == pytest.approx(-slow["negative"] if slow["negative"] < 0 else slow["naive"])
        assert all(0 <= score <= 1 for score in found["scores"])


def test_learning_by_heart_takes_the_naive_risk_below_zero() -> None:
    start, end = figure(), figure(memory=8.0)
    assert not start["switched"] and start["naive"] > 0 and start["naive"] == start["nnpu"]
    assert end["switched"] and end["naive"] < -0.3 and end["nnpu"] > 0.3
    assert end["new"] > start["new"], "while it gets worse on new points"
    naive = start["curves"]["naive"]
    assert naive == sorted(naive, reverse=True) and start["curves"] == end["curves"]
    assert all(value >= 0 for value in start["curves"]["nnpu"])


def test_a_prior_that_is_too_high_does_it_too() -> None:
    assert not figure(prior=0.4)["switched"] and figure(prior=0.8)["switched"]


def test_the_state_is_small_drawn_by_its_seed_and_leaves_torch_alone() -> None:
    before = torch.get_rng_state()
    assert nnpu_state() == nnpu_state(0) != nnpu_state(1)
    assert torch.equal(before, torch.get_rng_state()) and len(json.dumps(STATE)) < 10_000
    assert sum(STATE["positives"]) / 60 == pytest.approx(1.2, abs=0.4)
    assert sum(STATE["negatives"]) / 90 == pytest.approx(-1.2, abs=0.4)


def test_the_board_starts_where_it_says() -> None:
    board = nnpu_board(controls={"memory": 4.0})
    assert board.controls == {**STARTS, "memory": 4.0}
    assert board.summary == nnpu_summary(nnpu_values(board.state, board.controls), board.controls)
    assert "drops R⁺" in nnpu_board().summary, "something happens at the start"
    assert "R⁻ is not below zero, nnPU is" in nnpu_board(controls={"memory": 0.0}).summary
    with pytest.raises(KitError, match="expected controls among prior, kept"):
        nnpu_board(controls={"memmory": 1})
    with pytest.raises(KitError, match="above 0 and below 1"):
        nnpu_board(controls={"prior": 1.0})


def test_annealing_ends_at_one_or_never_passes_the_epochs() -> None:
    for alpha, epochs in product([0, 0.5, 3, 6], [1, 2, 3, 5]):
        found = annealing_values({"ticks": 100}, {"alpha": alpha, "epochs": epochs, "done": 0.5})
        assert found["whole"][-1] == [1.0, 1.0] and found["now"] == pytest.approx(0.5**alpha)
        assert max(weight for _, weight in found["reset"]) == pytest.approx(epochs**-alpha, rel=1e-9)
        assert found["highest"] == pytest.approx(epochs**-alpha)
        assert found["average"] == pytest.approx(1 / (1 + alpha), abs=0.01)
        assert found["average_reset"] == pytest.approx(epochs**-alpha / (1 + alpha), abs=0.03)
        if epochs == 1:
            assert found["whole"] == found["reset"]


def test_the_annealing_board_starts_where_it_says() -> None:
    board = annealing_board()
    assert board.summary == annealing_summary(annealing_values(board.state, board.controls), board.controls)
    assert "never more than 0.125" in board.summary and "weighs 0.125" in board.summary


def test_annealing_that_makes_no_sense() -> None:
    for controls in [{"alpha": -1, "epochs": 2}, {"alpha": 3, "epochs": 0}]:
        with pytest.raises(KitError, match="expected α of 0 or more and 1 epoch or more"):
            annealing_values({"ticks": 100}, {**controls, "done": 0.5})


def test_the_labels_curve_says_what_is_lost() -> None:
    measured = {"100": {"mean": 60.0, "low": 59.0, "high": 61.5}, "1": {"mean": 52.5, "low": 50.0, "high": 55.0}}
    picture = labels_curve({"measured": measured, "published": {"100": 68.27, "10": 65.02}})
    ours, theirs = picture.figure.data
    assert (list(ours.x), list(ours.y), list(theirs.x)) == ([1, 100], [52.5, 60.0], [10, 100])
    assert list(ours.error_y.array) == [2.5, 1.5] and list(ours.error_y.arrayminus) == [2.5, 1.0]
    assert picture.summary == (
        "measured: 60.0 with 100 % of the labels, 52.5 with 1 % (−7.5); "
        "published: 68.3 with 100 % of the labels, 65.0 with 10 % (−3.2)."
    )
    assert picture.figure.layout.xaxis.type == "log" and (ours.line.color, theirs.line.color) == (AFTER, CLASSIFY)
    assert list(picture.figure.layout.xaxis.ticktext) == ["1", "10", "100"]


def test_a_level_is_a_line_across_the_labels_curve() -> None:
    picture = labels_curve({"untrained": 46.91, "measured": {"100": 60.0, "10": 55.0}, "published": {"1": 50.0}})
    level, *_ = picture.figure.data
    assert (list(level.x), list(level.y), level.line.dash) == ([1, 100], [46.91, 46.91], "dash")
    assert level.line.color == NEUTRAL, "as untrained encoders are on the boards"
    assert picture.summary.startswith("untrained: 46.9; measured: 60.0 with 100 %")


def test_words_of_the_labels_curve_do_not_touch() -> None:
    """A place within a factor of two of the next has no word; at a factor of two it has one."""
    for kept, words in [
        (("25", "50", "100"), ["25", "50", "100"]),
        (("10", "30", "50", "100"), ["10", "", "50", "100"]),
    ]:
        axis = labels_curve({"a": dict.fromkeys(kept, 60.0)}).figure.layout.xaxis
        assert list(axis.ticktext) == words and list(axis.tickvals) == list(map(float, kept))


def test_the_risk_curve_names_the_step_below_zero() -> None:
    history = [{"step": 1, "estimate": 0.2, "true": 0.3}, {"step": 2, "estimate": -0.1, "true": 0.5}]
    picture = risk_curve({"naive": history, "nnPU": history[:1]})
    lines = {trace.name: (trace.y, trace.line.dash) for trace in picture.figure.data}
    assert lines["naive, estimate"] == ((0.2, -0.1), "solid") and lines["naive, true"] == ((0.3, 0.5), "dash")
    hues = [trace.line.color for trace in picture.figure.data]
    assert hues == [BEFORE, BEFORE, AFTER, AFTER], "a colour for each training, that which the board gives this risk"
    for name, colour in (("naive", "before"), ("nnPU", "after")):
        assert f'{{ name: "{name}", colour: {colour}, ' in script("nnpu")
    assert len(lines) == 4 and picture.figure.layout.shapes[0].y0 == picture.figure.layout.shapes[0].y1 == 0
    assert picture.summary == (
        "naive: the estimate is first below zero at step 2 and ends at −0.100, the true risk ends at 0.500; "
        "nnPU: the estimate is never below zero and ends at 0.200, the true risk ends at 0.300."
    )


def test_nothing_to_draw() -> None:
    for nothing, draw in [*product([{}, {"a": {}}], [labels_curve, risk_curve]), ({"a": 50.0}, labels_curve)]:
        with pytest.raises(KitError, match="expected at least one"):
            draw(nothing)


def test_more_runs_than_colours_are_refused() -> None:
    history = [{"step": 1, "estimate": 0.2, "true": 0.3}]
    assert len(risk_curve({str(n): history for n in range(6)}).figure.data) == 12
    with pytest.raises(KitError, match="expected one to 6 runs to compare, got 7: choose some of them"):
        risk_curve({str(n): history for n in range(7)})
