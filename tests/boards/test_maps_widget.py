"""The board of recorded maps: what it computes, on maps made by hand and on the recorded ones."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from kit.boards.maps_widget import COLOURINGS, maps_board, maps_summary, maps_values
from kit.errors import KitError
from kit.lesson import measured

CONTROLS = {"neighbours": 10, "seed": 0, "colouring": "action", "from": "here", "to": "there"}


def by_hand() -> dict:
    """Two actions with two sentences each, on a square of side 2; on the second map stretched to the side 6."""
    square = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    wide = [[3 * x, y] for x, y in square]
    return {
        "sentences": list("abcd"),
        "action": [0, 0, 1, 1],
        "actions": ["here", "there"],
        "frequency": [1.0, 1.0, 3.0, 3.0],
        "pca": [[y, x] for x, y in square],
        "neighbours": [5, 10],
        "maps": [[square, wide], [wide, square]],
        "kept": [[0.5, 0.6], [0.7, 0.8]],
        "gathered": [[0.1, 0.2], [0.3, 0.4]],
        "pca_gathered": 0.05,
        "space": [[0, 0.9], [0.9, 0]],
        "note": "Made by hand.",
    }


def test_the_distance_is_that_of_the_two_actions_that_are_asked_for() -> None:
    three = by_hand() | {"action": [0, 0, 1, 2], "actions": ["here", "there", "else"], "space": [[0, 0.9, 0.9]] * 3}
    found = maps_values(three, {**CONTROLS, "neighbours": 5})
    assert found["distance"] == pytest.approx(math.sqrt(5) / math.sqrt(2))  # from (−1, 0) to (1, −1)


def test_distance_is_in_units_of_the_maps_size() -> None:
    figure = maps_values(by_hand(), {**CONTROLS, "neighbours": 5})
    assert figure["distance"] == pytest.approx(2 / math.sqrt(2))
    assert maps_values(by_hand(), CONTROLS)["distance"] == pytest.approx(6 / math.sqrt(10))
    assert figure["curves"] == [
        [pytest.approx(d) for d in row]
        for row in ((2 / math.sqrt(2), 6 / math.sqrt(10)), (6 / math.sqrt(10), 2 / math.sqrt(2)))
    ]
    assert (figure["least"], figure["most"]) == (pytest.approx(math.sqrt(2)), pytest.approx(6 / math.sqrt(10)))
    assert figure["space"] == 0.9 and figure["pca"] == pytest.approx(math.sqrt(2))


def test_the_nearest_recorded_setting_is_shown() -> None:
    shown = [maps_values(by_hand(), {**CONTROLS, "neighbours": n})["neighbours"] for n in (1, 7, 7.2, 99)]
    assert shown == [5, 5, 10, 10]
    figure = maps_values(by_hand(), {**CONTROLS, "seed": 1, "neighbours": 10})
    assert figure["kept"] == 0.8 and figure["gathered"] == [0.4, 0.05]


def test_what_the_axes_explain_of_the_frequency() -> None:
    state = by_hand()
    assert maps_values(state, CONTROLS)["explained"] == [pytest.approx(1), pytest.approx(1)]
    state["frequency"] = [1.0, -1.0, -1.0, 1.0]  # neither axis, nor both together, say anything of it
    assert maps_values(state, CONTROLS)["explained"] == [pytest.approx(0, abs=1e-9)] * 2
    state["frequency"] = [2.0, 1.0, 1.0, 0.0]
    assert maps_values(state, CONTROLS)["explained"] == [pytest.approx(1)] * 2


def test_unknown_choices_are_refused() -> None:
    for change, says in [
        ({"from": "nowhere"}, "unknown action 'nowhere'"),
        ({"to": "hre"}, "here"),
        ({"colouring": "size"}, "unknown colouring"),
    ]:
        with pytest.raises(KitError, match=says):
            maps_values(by_hand(), {**CONTROLS, **change})


def test_the_recorded_maps_are_whole_and_say_so() -> None:
    recorded = measured("umap")
    state, n = recorded["state"], len(recorded["state"]["sentences"])
    assert len(state["maps"]) == len(recorded["seeds"])
    assert all(len(row) == len(state["neighbours"]) for row in state["maps"])
    assert {len(points) for row in state["maps"] for points in row} == {n}
    assert len(state["pca"]) == len(state["frequency"]) == len(state["action"]) == n
    assert state["note"].startswith("Recorded maps") and len(set(state["sentences"])) == n
    assert len(json.dumps(recorded, ensure_ascii=False).encode()) < 300_000


def test_what_the_lesson_says_of_the_recorded_maps() -> None:
    """The same vectors at distances that differ by half and more; UMAP gathers actions, PCA the frequency."""
    state = measured("umap")["state"]
    board = maps_board(measured("umap"))
    figure = maps_values(state, board.controls)
    assert figure["most"] > 1.5 * figure["least"]
    gathered, explained = figure["gathered"], figure["explained"]
    assert gathered[0] > 2 * gathered[1] and explained[1] > explained[0] + 0.15 and explained[1] > 0.4
    carrying, pushing = (
        np.array(maps_values(state, {**board.controls, "to": to})["curves"]) for to in ("carrying", "pushing")
    )
    nearer = (carrying < pushing).mean()
    assert 0.1 < nearer < 0.9, "not even the order of two distances is the same on all maps"
    assert board.summary == maps_summary(figure, board.controls, state) and "Recorded maps" in board.summary


def test_every_setting_has_a_summary() -> None:
    state = measured("umap")["state"]
    for neighbours in state["neighbours"]:
        for seed in range(len(state["maps"])):
            for colouring in COLOURINGS:
                controls = {
                    "neighbours": neighbours,
                    "seed": seed,
                    "colouring": colouring,
                    "from": "eating",
                    "to": "climbing",
                }
                figure = maps_values(state, controls)
                assert figure["least"] <= figure["distance"] <= figure["most"]
                assert f"with {neighbours} neighbours, seed {seed}" in maps_summary(figure, controls, state)
