"""The board of seeds and intervals: its mathematics (the browser test compares the JavaScript)."""

from __future__ import annotations

import json
from itertools import product

import pytest

from kit.boards.verdict_widget import SEEDS, verdict_board, verdict_state, verdict_summary, verdict_values
from kit.course.papers.rule import effect_of
from kit.errors import KitError

STATE = verdict_state()


def figure(effect: float, spread: float, seeds: int, promise: str = "above 0", wanted: float = 80) -> dict:
    controls = {"effect": effect, "spread": spread, "seeds": seeds, "wanted": wanted, "promise": promise}
    return verdict_values(STATE, controls)


def test_the_interval_is_that_of_the_rule() -> None:
    """Three values with mean 1 and standard deviation 1."""
    effect, found = effect_of([0.0, 1.0, 2.0]), figure(1.0, 1.0, 3)
    assert (found["low"], found["high"]) == pytest.approx((effect.low, effect.high), abs=1e-6)


def test_more_seeds_make_a_narrower_interval() -> None:
    halves = figure(1.0, 1.0, 3)["halves"]
    assert len(halves) == len(SEEDS) and halves == sorted(halves, reverse=True)


@pytest.mark.slow
def test_enough_seeds_are_the_fewest_with_the_wanted_chance() -> None:
    assert figure(0.8, 0.8, 7)["chance"] == pytest.approx(0.60, abs=0.01) and figure(0.8, 0.8, 7)["enough"] == 10
    assert figure(0.8, 0.8, 7, wanted=90)["enough"] > 10 and figure(0.1, 3.0, 7)["enough"] == 0
    for promise, effect in product(STATE["promises"], [-3.0, 0.0, 0.5, 3.0]):
        found = [figure(effect, 0.8, n, promise) for n in SEEDS]
        good = [n for n, one in zip(SEEDS, found) if one["chance"] >= 0.8]
        assert {one["enough"] for one in found} == {good[0] if good else 0}


def test_a_spread_of_zero_settles_it_at_once() -> None:
    assert figure(0.1, 0.0, 2)["verdict"] == "replicates" and figure(0.0, 0.0, 2)["verdict"] == "contradicted"
    assert figure(0.0, 0.0, 2, "within ±1")["verdict"] == "replicates"
    assert (figure(0.1, 0.0, 2)["chance"], figure(0.0, 0.0, 2)["chance"]) == (1.0, 0.0)


def test_a_chance_that_falls_short_is_not_printed_as_the_one_wanted() -> None:
    """Nor 9 seeds said to reach what is said to take 10."""
    several = (0.746, "74.6"), (0.7499, "74.99"), (0.752, "75"), (0.6, "60"), (0.0249999, "2.5"), (0.0250001, "2.5")
    for chance, printed in several:
        controls = {"effect": 0.8, "spread": 0.8, "seeds": 9, "wanted": 75, "promise": "above 0"}
        said = verdict_summary(verdict_values(STATE, controls) | {"chance": chance}, controls)
        assert f"replicates with a chance of {printed} %." in said


def test_nonsense_is_told() -> None:
    for change, told in [
        ({"spread": -1.0}, "a spread of 0 or more"),
        ({"seeds": 1}, "2 to 20 seeds"),
        ({"promise": "above"}, "did you mean 'above 0'"),
    ]:
        with pytest.raises(KitError, match=told):
            verdict_values(
                STATE, {"effect": 1.0, "spread": 1.0, "seeds": 3, "wanted": 80, "promise": "above 0"} | change
            )


def test_the_board_starts_where_it_says_and_travels_as_json() -> None:
    board = verdict_board()
    assert board.summary == verdict_summary(verdict_values(STATE, board.controls), board.controls)
    assert len(json.dumps(board.state)) < 5_000 and "3 seeds" in board.summary
    assert "spread 0.80 of the difference between seeds, 3 seeds:" in board.summary, "not the spread of one arm"
