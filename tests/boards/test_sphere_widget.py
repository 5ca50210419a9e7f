"""The healing sphere: what is recorded is exact, what is shown follows it, and it heals."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
import record_sphere as recorder

from kit.boards.globe_views import unpacked
from kit.boards.sphere_widget import run_of, sphere_board, sphere_state, sphere_summary, sphere_values
from kit.boards.tau_lambda_widget import START
from kit.errors import KitError
from kit.lesson import measured
from kit.paths import bundle
from kit.workshop.sphere_view import SphereView, plane_round, unit

NAMES = ("sphere", "sphere_made_up")


@pytest.fixture(scope="module", params=NAMES)
def recorded(request: pytest.FixtureRequest) -> dict:
    return measured(request.param)


def test_a_recording_is_whole(recorded: dict) -> None:
    points, steps = len(recorded["roles"]), len(recorded["steps"])
    assert points % 3 == 0 and 150 <= points <= 250 and 35 <= steps <= 60
    assert recorded["steps"] == recorder.recorded_steps()
    for run in recorded["runs"]:
        assert np.shape(run["theta"]) == np.shape(run["phi"]) == (steps, points)
        assert np.shape(run["histogram"]) == (steps, len(recorded["bins"]) - 1)
        assert np.shape(run["neighbours"]) == (steps, points, 3)
        assert all(len(run[key]) == steps for key in recorder.NUMBERS)
        assert np.min(run["theta"]) >= 0 and np.max(run["theta"]) <= 1800
    raw = [(run["theta"][0], run["mean_cosine"][0]) for run in recorded["runs"]]
    assert all(one == raw[0] for one in raw), "every run starts from the same space"


def test_the_recording_of_real_text_holds_no_sentence() -> None:
    text = bundle("results", "sphere.json").read_text("utf-8")
    recorded = json.loads(text)
    assert "sentences" not in recorded and all(len(one) == 10 for one in recorded["hashes"])
    assert recorded["made_up"] is False and recorded["hardware"] and recorded["versions"]["torch"]


def test_at_the_tours_own_setting_all_three_numbers_heal(recorded: dict) -> None:
    run = recorded["runs"][0]
    assert {"tau": run["tau"], "lam": run["lam"]} == START, "where the tour's sliders begin"
    assert run["mean_cosine"][-1] < run["mean_cosine"][0] - 0.2
    assert run["effective_rank"][-1] > run["effective_rank"][0] + 2
    assert run["sts"][-1] > run["sts"][0] + 5


def test_an_angle_is_the_one_in_all_dimensions() -> None:
    """`compact` keeps arccos(u·pole) to a tenth of a degree, and the direction in the plane to a degree."""
    dice = np.random.default_rng(0)
    points, pole = unit(dice.normal(size=(2, 9, 16))), unit(dice.normal(size=16))
    plane = plane_round(pole, points[0], points[1])
    assert np.allclose(plane @ plane.T, np.eye(2)) and np.allclose(plane @ pole, 0)
    assert np.allclose(plane @ points[0].mean(axis=0), 0) and np.allclose(plane @ points[1].mean(axis=0), 0)
    seen = [{"points": p, "histogram": [333, 333, 333], **dict.fromkeys(recorder.NUMBERS, 0.5)} for p in points]
    kept = recorder.compact(seen, SphereView(pole, plane))
    for frame, vectors in enumerate(points):
        for k, vector in enumerate(vectors):
            angle = np.degrees(np.arctan2(np.linalg.norm(vector - vector @ pole * pole), vector @ pole))
            assert abs(kept["theta"][frame][k] / 10 - angle) <= 0.0501
            x, y = plane @ vector
            away = (kept["phi"][frame][k] - np.degrees(np.arctan2(y, x)) + 180) % 360 - 180
            assert abs(away) <= 0.501
    assert kept["neighbours"][0][0] == sorted(range(1, 9), key=lambda j: -points[0][0] @ points[0][j])[:3]


def test_sentences_are_found_by_their_hash_or_not_at_all() -> None:
    recorded = measured("sphere_made_up")
    hidden = {key: value for key, value in recorded.items() if key != "sentences"}
    hidden["hashes"] = [hashlib.sha256(one.encode()).hexdigest()[:10] for one in recorded["sentences"]]
    assert sphere_state(hidden, recorded["sentences"][::-1])["sentences"] == recorded["sentences"]
    assert sphere_state(hidden, recorded["sentences"][1:])["sentences"] is None


def test_between_two_steps_points_glide_the_shorter_way() -> None:
    recorded = measured("sphere_made_up")
    state = sphere_state(recorded)
    before, half, after = (sphere_values(state, {"position": p}) for p in (3, 3.5, 4))
    assert before["phi"] == recorded["runs"][0]["phi"][3] and half["raw"] == recorded["runs"][0]["histogram"][0]
    for a, b, c in zip(before["phi"], half["phi"], after["phi"]):
        assert abs((b - a + 180) % 360 - 180) <= 90.001 and abs((c - b + 180) % 360 - 180) <= 90.001
    assert half["mean_cosine"] == pytest.approx((before["mean_cosine"] + after["mean_cosine"]) / 2)
    assert "step 400 of 400" in sphere_summary(sphere_values(state, {"position": 99}), {}, state)


def test_neighbours_are_those_of_a_recorded_step_which_is_named() -> None:
    recorded = measured("sphere_made_up")
    state = sphere_state(recorded)
    for position, nearest in ((3, 3), (20.4, 20), (20.5, 21), (99, len(state["steps"]) - 1)):
        values = sphere_values(state, {"position": position, "point": 2})
        assert values["seen_at"] == state["steps"][nearest]
        assert values["neighbours"] == recorded["runs"][0]["neighbours"][nearest][1]
    assert "Figures between recorded steps are interpolated." in state["note"]


def test_a_notebook_that_is_saved_keeps_the_recording_in_few_lines() -> None:
    """Jupyter writes each number of a list on a line of its own, twice: a saved tour had 14 MB."""
    recorded = measured("sphere")
    state = sphere_state(recorded)
    saved = json.dumps(state, indent=1)
    assert saved.count("\n") < 3000 and len(saved) < 1_000_000
    for run, kept in zip(recorded["runs"], state["runs"], strict=True):
        whole = unpacked(kept["views"], len(state["roles"]), len(state["bins"]) - 1)
        assert whole == {key: run[key] for key in whole} and len(whole) == 4


def test_the_run_of_a_setting_is_that_run() -> None:
    state = sphere_state(measured("sphere"))
    for tau, lam in recorder.SETTINGS:
        run = run_of(state, {"tau": f"{tau:g}", "lam": f"{lam:g}"})
        assert (run["tau"], run["lam"]) == (tau, lam)
    assert run_of(state, {"tau": "1", "lam": "0"})["lam"] == 0, "λ first: it was recorded at one τ only"


@pytest.mark.slow
def test_without_real_text_the_made_up_recording_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    board = sphere_board()
    assert "made-up captions" in board.summary and len(board.state["sentences"]) == len(board.state["roles"])


def test_a_recording_of_another_length_is_refused() -> None:
    recorded = measured("sphere_made_up")
    with pytest.raises(KitError, match="expected runs of"):
        sphere_state({**recorded, "steps": recorded["steps"][1:]})


def test_the_readme_tells_the_numbers_of_the_recording() -> None:
    run = measured("sphere")["runs"][0]
    readme = (bundle().parent / "README.md").read_text("utf-8")
    cosine, rank, sts = run["mean_cosine"], run["effective_rank"], run["sts"]
    told = f"mean cosine {cosine[0]:.2f} to {cosine[-1]:.2f}, effective rank {rank[0]:.1f} to {rank[-1]:.1f}"
    assert f'{told}, STS-B {sts[0]:.1f} to {sts[-1]:.1f}">' in readme.split('<img src="docs/sphere.gif"')[1]
    for name in ("sphere.gif", "sphere_phone.gif"):
        assert f"docs/{name}" in readme and (bundle().parent / "docs" / name).stat().st_size <= 1_500_000
