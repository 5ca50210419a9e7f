"""The board of a training: buttons and sliders reach it, frames come back, recorded runs stand in."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from kit.boards.live_widget import MEASURES, live_board, live_values, nearest
from kit.errors import KitError


def frame(step: int, **numbers) -> dict:
    measures = {key: step / 10 + i for i, key in enumerate(MEASURES)}
    places = {"theta": [300 + step, 400], "phi": [step, 90], "neighbours": [[1], [0]], "histogram": [step, 9]}
    return {"step": step, "seconds": 0.1, **places, **measures, **numbers}


class Training:
    """Stands in for LiveTraining: remembers what it was told."""

    class recipe:
        class options:
            temperature, lam = 0.05, 0.3

    class monitored:
        sentences, premise, roles, scores = ["A man reads.", "Someone reads."], [0, 0], ["premise", "entailed"], [1, 2]

    def __init__(self, seconds: float = 0.1):
        self.history, self.told, self.running = [frame(0, seconds=seconds)], [], False
        self.settings = {"tau": 0.05, "lam": 0.3}

    def change(self, **numbers) -> None:
        if numbers.get("temperature", 1) <= 0:
            raise KitError("expected τ above 0.")
        self.told.append(numbers)

    def add_callback(self, function) -> None:
        self.listener = function

    def remove_callback(self, function) -> None:
        assert function == self.listener
        self.told.append("forgot the board")

    def start(self) -> None:
        self.told.append("start")

    def pause(self) -> None:
        self.told.append("pause")

    def reset(self) -> None:
        self.told.append("reset")


def recorded() -> dict:
    runs = [
        {"tau": tau, "lam": 0.3, "frames": [frame(step, loss=tau) for step in (0, 5, 10)]} for tau in (0.01, 0.1, 1)
    ]
    return {
        "premise": [0, 0],
        "roles": ["premise", "entailed"],
        "sentences": ["a", "b"],
        "runs": runs,
        "note": "By us.",
    }


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BINDER_SERVICE_HOST", raising=False)
    monkeypatch.delenv("KIT_LIVE", raising=False)


def test_controls_reach_the_training_each_once() -> None:
    live = Training()
    board = live_board(live, ["tau", "lam"])
    board.widget.controls = {"tau": 0.1, "lam": 0.3, "start": 1, "pause": 0, "reset": 0, "pressed": "start"}
    board.widget.controls = {"tau": 0.2, "lam": 0.4, "start": 1, "pause": 0, "reset": 0, "pressed": "start"}
    board.widget.controls = {"tau": 0.2, "lam": 0.4, "start": 1, "pause": 1, "reset": 1, "pressed": "reset"}
    assert live.told == [
        {"temperature": 0.1, "lam": 0.3},
        "start",
        {"temperature": 0.2, "lam": 0.4},
        {"temperature": 0.2, "lam": 0.4},
        "pause",
        "reset",
    ]


def test_what_was_pressed_on_the_recording_is_not_pressed_on_the_training() -> None:
    live = Training()
    board = live_board(live, ["tau"], recorded())
    board.widget.controls = {"source": "recorded", "tau": 0.1, "start": 2, "pause": 1}
    board.widget.controls = {"source": "live", "tau": 0.1, "start": 2, "pause": 1}
    assert live.told == ["pause", {"temperature": 0.1}], "paused while the recording is shown, and not started after it"


def test_a_frame_is_drawn_and_a_problem_is_shown() -> None:
    live = Training()
    board = live_board(live, ["tau"])
    live.history.append(frame(10))
    live.listener(live.history[-1])
    values = live_values(board.state, {"point": 1})
    assert values["step"] == 10 and values["theta"] == [31, 40] and values["neighbours"] == [1]
    assert board.state["rate"] > 0
    live.listener({**frame(11), "problem": "RuntimeError: out of memory"})
    assert board.widget.error == "RuntimeError: out of memory"


def test_why_a_training_failed_is_shown_until_it_goes_on() -> None:
    """A moved slider, the recording and a refused value take the reason away for no longer than they last."""
    live = Training()
    board = live_board(live, ["tau"], recorded())
    failed = {**frame(0), "problem": "RuntimeError: out of memory"}
    live.listener(failed)
    assert board.widget.error == failed["problem"], "though nothing has been moved yet"
    for controls, told in (
        ({"tau": 0.1, "point": 1}, failed["problem"]),
        ({"tau": 0}, "expected τ above 0."),
        ({"tau": 0.2}, failed["problem"]),
        ({"tau": 0.2, "source": "recorded"}, ""),
        ({"tau": 0.2, "source": "live"}, failed["problem"]),
        ({"tau": 0.2, "source": "live", "pause": 1}, failed["problem"]),
        ({"tau": 0.2, "source": "live", "pause": 1, "start": 1}, ""),
    ):
        board.widget.controls = controls
        assert board.widget.error == told, controls
    live.listener(failed)
    board.widget.controls = {**board.controls, "reset": 1}
    assert board.widget.error == ""
    live.start = lambda: live.listener(failed)  # fails before the kernel has answered
    board.widget.controls = {**board.controls, "start": 2}
    assert board.widget.error == failed["problem"]


def test_nonsense_from_a_control_is_shown_on_the_board() -> None:
    board = live_board(Training(), ["tau"])
    board.widget.controls = {"tau": 0}
    assert board.widget.error == "expected τ above 0."
    with pytest.raises(KitError, match="expected sliders among tau, lam"):
        live_board(Training(), ["τ"])


@pytest.mark.parametrize(
    ("environment", "seconds", "reason"),
    [
        ({"KIT_LIVE": "off"}, 0.1, "KIT_LIVE=off"),
        ({"BINDER_SERVICE_HOST": "somewhere"}, 0.1, "Binder asks not to"),
        ({}, 3.0, "too slow to train live"),
    ],
)
def test_recorded_runs_stand_in_and_say_why(environment, seconds, reason, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    board = live_board(Training(seconds), ["tau"], recorded())
    assert board.state["mode"] == "recorded" and reason in board.state["note"] and reason in board.summary
    assert live_board(Training(seconds), ["tau"]).state["mode"] == "live", "nothing recorded: live is all there is"


def test_live_is_the_default_and_a_page_without_a_kernel_plays_the_recorded() -> None:
    board = live_board(Training(), ["tau"], recorded())
    assert board.state["mode"] == "live" and board._offline["mode"] == "recorded"
    board.widget.controls = {"source": "recorded"}
    assert board.state["mode"] == "recorded"
    board.widget.controls = {"source": "live"}
    assert board.state["mode"] == "live"
    assert len(json.dumps(board.state)) < 100_000


def test_of_a_long_history_the_numbers_are_sent_and_two_views() -> None:
    live = Training()
    board = live_board(live, ["tau"])
    live.history += [frame(step) for step in range(1, 300)]
    live.listener(live.history[-1])
    assert [("theta" in one) for one in board.state["frames"]] == [True, *[False] * 298, True]
    values = live_values(board.state, {})
    assert values["raw"] == [0, 9] and values["histogram"] == [299, 9] and values["history"]["sts"][-2][0] == 298


def test_a_recorded_run_glides_between_its_frames() -> None:
    state = live_board(Training(), ["tau"], recorded())._offline
    values = live_values(state, {"tau": 0.1, "position": 1.5, "point": 2})
    assert values["phi"] == [7.5, 90] and values["mean_cosine"] == frame(0)["mean_cosine"] + 0.75
    assert values["step"] == values["seen_at"] == 5 and values["neighbours"] == [0]


def test_the_nearest_run_is_shown() -> None:
    for tau, found in [(0.001, 0.01), (0.02, 0.01), (0.04, 0.1), (0.3, 0.1), (0.4, 1), (100, 1)]:
        state = live_board(Training(), ["tau"], recorded())._offline
        assert nearest(state, {"tau": tau})["tau"] == found
        assert live_values(state, {"tau": tau, "position": 99})["now"]["loss"] == found


def test_a_closed_board_ends_its_training_once() -> None:
    for close in ("board", "widget", "all"):
        live = Training()
        board = live_board(live, ["tau"])
        if close == "all":
            type(board.widget).close_all()
        else:
            (board if close == "board" else board.widget).close()
        assert live.told == ["forgot the board", "pause"], close
        board.close()
        board.widget.controls = {"tau": 0.2, "start": 1}
        board.answer()
        assert live.told == ["forgot the board", "pause"], "a closed board drives nothing"


def test_a_cell_that_runs_again_replaces_its_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(execution_count=1, user_ns={"In": ["", "live_board(…)"]})
    header = {"metadata": {"cellId": "a"}}
    shell.get_parent = lambda: header
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    ended = ["forgot the board", "pause"]

    def make() -> Training:
        live = Training()
        live_board(live, ["tau"])
        return live

    first, beside = make(), make()
    assert first.told == beside.told == [], "two boards of one cell stand side by side"
    shell.execution_count, header["metadata"] = 2, {"cellId": "b"}
    other = make()
    assert first.told == [], "another cell is another board"
    shell.execution_count, header["metadata"] = 3, {"cellId": "a"}
    again = make()
    assert first.told == beside.told == ended and other.told == again.told == []
    shell.execution_count, header["metadata"] = 4, {}  # a page that does not name its cells
    unnamed = make()
    shell.execution_count = 5
    make()
    assert unnamed.told == ended and again.told == []
