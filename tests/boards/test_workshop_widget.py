"""The workshop's board: choices and buttons reach the workshop, steps come back, a record stands in."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import pytest

from kit.boards import workshop_widget
from kit.boards.workshop_widget import (
    BETWEEN,
    SHOWN,
    curves,
    recorded_state,
    workshop_board,
    workshop_summary,
    workshop_values,
)
from kit.errors import KitError

CHOICES = {"recipe": ["scl", "simcse"], "data": ["SNLI", "tales"], "encoder": ["tiny"], "preset": ["smoke", "gpu"]}


def step(number: int, **more) -> dict:
    return {
        "step": number,
        "loss": 4 / number,
        "cross_entropy": 1 / number,
        "contrastive": 3 / number,
        "lr": 1e-3,
        "rows": 90,
        **more,
    }


class Choice:
    def __init__(self, **changes):
        self.epochs_scale, self.lr_scale = 1.0, 1.0
        self.__dict__.update({kind: names[0] for kind, names in CHOICES.items()} | changes)

    @property
    def name(self) -> str:
        return f"{self.recipe}-{self.data}"


class Cost:
    steps = 40

    def summary(self) -> str:
        return "About 3 s for 40 steps."


class Run:
    def __init__(self):
        self.history, self.running, self.finished, self.problem = [], False, False, ""


class FakeWorkshop:
    """Stands in for kit.workshop.Workshop: remembers what it was told."""

    choices, untrained, cost = CHOICES, {"validation": 48.0, "mean_cosine": 0.7}, Cost()
    judge = "people on STS-B"

    def __init__(self):
        self.told, self.started, self.run, self.choice = [], False, Run(), None

    def choose(self, **changes) -> Cost:
        if changes.get("data") == "tales":
            raise KitError("recipe 'scl' takes NLI groups: choose 'SNLI' as data.")
        if self.choice is None or changes:
            self.told.append(changes)
            self.choice = Choice(**changes)
        return self.cost

    def add_callback(self, function) -> None:
        self.callback = function

    def remove_callback(self, function) -> None:
        assert function == self.callback
        self.told.append("forgot the board")

    def start(self) -> None:
        self.told.append("start")
        self.started = self.run.running = True
        self.run.problem = ""

    def pause(self) -> None:
        self.told.append("pause")
        self.run.running = False

    def reset(self) -> None:
        self.told.append("reset")
        self.started, self.run = False, Run()


def record() -> dict:
    return {
        "name": "scl-SNLI",
        "recipe": {"name": "simcse"},
        "steps": 9,
        "seconds": 12.3,
        "hardware": "a machine",
        "untrained": FakeWorkshop.untrained,
        "history": [
            step(n, **({"validation": 50.0 + n, "mean_cosine": 0.3} if n % 3 == 0 else {})) for n in range(1, 10)
        ],
    }


def press(board, **changes) -> None:
    board.widget.controls = {**board.controls, **changes}


def test_the_cost_is_seen_before_anything_is_started() -> None:
    workshop = FakeWorkshop()
    board = workshop_board(workshop)
    assert "ready: scl-SNLI, step 0 of 40. About 3 s for 40 steps." in board.summary
    assert board.state["cost"] == "About 3 s for 40 steps." and "start" not in workshop.told
    assert board.controls["recipe"] == "scl" and board.controls["epochs_scale"] == 1.0


def test_choices_and_buttons_reach_the_bench_each_once() -> None:
    workshop = FakeWorkshop()
    board = workshop_board(workshop)
    workshop.told.clear()
    press(board, start=1)
    press(board, smooth=20)
    press(board, pause=1)
    press(board, start=2)
    press(board, reset=1)
    assert workshop.told == ["start", "pause", "start", "reset"]
    press(board, recipe="simcse", epochs_scale=4.0)
    wanted = {
        "recipe": "simcse",
        "data": "SNLI",
        "encoder": "tiny",
        "preset": "smoke",
        "epochs_scale": 4.0,
        "lr_scale": 1.0,
    }
    assert workshop.told[-1] == wanted and board.state["chosen"]["recipe"] == "simcse"


def test_while_the_cost_is_measured_the_board_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    board, seen = workshop_board(FakeWorkshop()), []
    monkeypatch.setattr(board, "show", lambda state: seen.append(state["doing"]))
    press(board, preset="gpu")
    assert seen == ["measuring the cost of the new choice by a few real steps", "ready"]


def test_a_choice_that_cannot_be_is_told_on_the_board_and_start_does_not_start() -> None:
    workshop = FakeWorkshop()
    board = workshop_board(workshop)
    press(board, data="tales")
    assert board.widget.error == "recipe 'scl' takes NLI groups: choose 'SNLI' as data."
    press(board, start=1)
    assert "start" not in workshop.told and board.widget.error
    press(board, data="SNLI")
    assert "start" not in workshop.told and board.widget.error == "", "a click of before does not start another choice"
    press(board, start=2)
    assert workshop.told[-1] == "start"


def test_a_refused_choice_leaves_the_run_that_trains_with_its_state_and_its_pause() -> None:
    workshop = FakeWorkshop()
    board = workshop_board(workshop)
    press(board, start=1)
    workshop.run.history.append(step(1))
    press(board, data="tales")
    assert board.state["doing"] == "training" and "choose 'SNLI'" in board.widget.error
    workshop.callback(step(1))
    assert "choose 'SNLI'" in board.widget.error, "the next step does not wipe it off"
    press(board, reset=1)
    press(board, pause=1)
    assert workshop.told[-1] == "pause" and "reset" not in workshop.told and board.state["doing"] == "paused"
    press(board, data="SNLI")
    assert workshop.told[-1] == "pause" and board.widget.error == ""


def test_a_choice_that_fails_in_another_way_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    board = workshop_board(FakeWorkshop())
    monkeypatch.setattr(FakeWorkshop, "choose", lambda *_, **__: {}["weights"])
    press(board, preset="gpu")
    assert board.widget.error == "KeyError: 'weights'" and board.state["doing"] == "ready"


def test_steps_are_drawn_and_a_problem_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(workshop_widget, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    workshop = FakeWorkshop()
    board = workshop_board(workshop)
    press(board, start=1)
    workshop.run.history += [step(1), step(2, validation=55.5, mean_cosine=0.4)]
    workshop.callback({**step(2), "speed": 800.0})
    figure = workshop_values(board.state, board.controls)
    assert figure["step"] == 2 and board.state["speed"] == 800.0 and board.state["doing"] == "training"
    assert figure["validated"]["validation"] == [[0, 48.0], [2, 55.5]] and figure["now"]["mean_cosine"] == 0.4
    now[0] += 0.9 * BETWEEN
    workshop.run.history.append(step(3))
    workshop.callback(step(3))
    assert workshop_values(board.state, board.controls)["step"] == 2, "five pictures a second are enough"
    workshop.run.running, workshop.run.finished = False, True
    workshop.callback(step(3))
    assert board.state["doing"] == "finished" and board.state["note"] == "Kept as scl-SNLI."
    workshop.callback({**step(3), "problem": "no space left"})
    assert board.widget.error == "no space left"


def test_why_a_run_failed_is_shown_until_it_goes_on() -> None:
    workshop = FakeWorkshop()
    board = workshop_board(workshop)

    def fail() -> None:
        press(board, start=board.controls.get("start", 0) + 1)
        assert board.widget.error == ""
        workshop.run.running, workshop.run.problem = False, "no space left"
        workshop.callback({**step(1), "problem": "no space left"})

    fail()
    press(board, smooth=20)
    assert board.widget.error == "no space left"
    fail()
    press(board, reset=1)
    assert board.widget.error == ""
    fail()
    workshop.started = False  # another choice has no run yet
    press(board, recipe="simcse")
    assert board.widget.error == ""


def test_without_a_kernel_a_recorded_run_is_shown_and_said_to_be_one() -> None:
    board = workshop_board(FakeWorkshop(), record())
    assert board.state["mode"] == "live" and board._offline["mode"] == "recorded"
    assert board.summary.startswith("Recorded when this page was made, nothing trains here: scl-SNLI, step 9 of 9: ")
    assert board._offline["chosen"]["recipe"] == "simcse" and board.state["chosen"]["recipe"] == "scl"
    assert "from 48.0 to 59.0" in board.summary and "12 s on a machine" in board.summary
    with pytest.raises(KitError, match="at least one step"):
        recorded_state(board.state, {**record(), "history": []})


def test_losses_are_smoothed_and_nothing_else() -> None:
    state = {**workshop_board(FakeWorkshop(), record())._offline}
    figure = workshop_values(state, {"smooth": 3})
    assert figure["losses"]["loss"][0] == [1, 4.0]
    assert figure["losses"]["loss"][4][1] == pytest.approx((4 / 3 + 4 / 4 + 4 / 5) / 3, rel=1e-4)
    assert workshop_values(state, {"smooth": 1})["losses"]["loss"][4] == [5, 0.8]
    assert figure["now"]["lr"] == 1e-3


def test_a_place_in_the_run_has_its_own_numbers_and_all_curves() -> None:
    state = {**workshop_board(FakeWorkshop(), record())._offline}
    half, whole = (workshop_values(state, {"smooth": 1, "reached": place}) for place in (0.5, 1))
    assert (half["step"], half["end"], half["now"]["loss"]) == (5, 9, 0.8) and half["losses"] == whole["losses"]
    begun = workshop_values(state, {"smooth": 1, "reached": 0})
    assert begun["step"] == 0 and begun["now"]["loss"] is None and begun["now"]["validation"] == 48.0


def test_long_runs_are_thinned_to_means_and_stay_small() -> None:
    history = [step(n, **({"validation": 50.0, "mean_cosine": 0.1} if n % 10 == 0 else {})) for n in range(1, 8001)]
    found = curves(history, FakeWorkshop.untrained)
    assert len(found["columns"]["step"]) <= SHOWN and found["columns"]["step"][-1] == 8000
    width = math.ceil(8000 / SHOWN)
    assert found["columns"]["loss"][0] == pytest.approx(sum(4 / n for n in range(1, width + 1)) / width, rel=1e-4)
    assert found["validated"]["step"][0] == 0 and found["validated"]["step"][-1] == 8000
    assert len(found["validated"]["step"]) <= SHOWN + 1 and len(json.dumps(found)) < 100_000


def test_a_training_that_diverged_leaves_gaps() -> None:
    found = curves([step(1), step(2, loss=float("nan")), step(3, loss=float("inf"))], {})
    assert found["columns"]["loss"] == [4.0, None, None]
    state = {
        "mode": "live",
        "doing": "training",
        "name": "n",
        "steps": 3,
        "cost": "c",
        "note": "",
        "judge": "made-up scores",
        **found,
    }
    figure = workshop_values(state, {"smooth": 2})
    assert figure["losses"]["loss"] == [[1, 4.0], [2, None], [3, None]]
    said = workshop_summary(figure, {"smooth": 2}, state)
    assert "Agreement with made-up scores × 100 from – to –" in said and "nan" not in said


def test_a_single_part_is_the_loss() -> None:
    history = [{"step": 1, "loss": 2.0, "contrastive": 2.0, "lr": 0.1, "rows": 4}]
    assert curves(history, {})["losses"] == ["contrastive"] and curves([], {})["losses"] == ["loss"]


def test_a_closed_board_pauses_its_run() -> None:
    workshop = FakeWorkshop()
    board = workshop_board(workshop)
    press(board, start=1)
    board.close()
    assert workshop.told[-2:] == ["forgot the board", "pause"] and not workshop.run.running
