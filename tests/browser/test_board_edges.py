"""What boards say where a number hardly changes, changes the other way, or lies beside nothing and all."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from kit.boards.masks_widget import NEGATIVE, masks_values
from kit.boards.numerals import percent_within
from kit.boards.scale_widget import STARTS, scale_state, scale_summary, scale_values
from kit.boards.sphere_widget import sphere_summary, sphere_values
from tests.browser.board_cases import CASES, grid
from tests.browser.board_page import put
from tests.browser.test_board_claims import told

SAID = "([values, chosen]) => window.kitModule.board.summary(values, chosen, window.kitState)"
DRAWN = """([chosen]) => {
    const {compute, draw} = window.kitModule.board, state = window.kitState;
    return draw(compute(state, chosen), chosen, state).join("");
}"""
ALIKE = {"loss": "SupMPN", "anchor": 1, "tau": 10.0, "twins": "masked"}


@pytest.mark.parametrize(
    ("last", "said"),
    [(0.84, "narrower than"), (0.7, "as narrow as"), (0.7004, "as narrow as"), (0.66, "hardly wider than")],
)
def test_a_cone_is_narrower_where_its_mean_cosine_is_higher(last: float, said: str, blank) -> None:
    chosen, numbers = {"position": 6, "point": 0}, {"first": [0.7, 26.0, 43.0], "mean_cosine": last}
    [shown] = told(blank, "sphere", [chosen], **numbers, away=[30.1, 30.4])
    assert shown["lead"].startswith(f"The cone is {said} before, and"), shown["lead"]
    assert f"the cone is {said} before (mean cosine 0.70 → {last:.2f})" in shown["brief"], shown["brief"]


@pytest.mark.parametrize(
    ("last", "to", "said"), [(0.84, 43, "closer"), (0.7004, 43, "as close"), (0.84, 30.4, ""), (0.66, 43, "")]
)
def test_sentences_that_leave_the_raw_mean_together_are_no_wider_cone(last, to, said: str, blank) -> None:
    """The rings count from that mean: marks that all move away from it look like a cone that opens."""
    chosen, numbers = {"position": 6, "point": 0}, {"first": [0.7, 26.0, 43.0], "mean_cosine": last}
    [sphere] = told(blank, "sphere", [chosen], **numbers, away=[30.1, to])
    assert sphere["lead"].startswith("All left the raw mean together, ") == bool(said)
    assert f", {said} to each other; " in sphere["lead"] or not said, sphere["lead"]
    assert (f"(30° → 43° on average), {said} to each other" in sphere["brief"]) == bool(said), sphere["brief"]
    start, now = ({"sts": 50, "effective_rank": 26, "mean_cosine": cosine} for cosine in (0.7, last))
    [live] = told(blank, "live", [{"tau": 0.3, "lam": 0.5}], start=start, now=now, away=[30.1, to])
    assert ("the cone left the raw mean, " in live["brief"]) == bool(said), live["brief"]


def test_step_0_is_before_training_in_every_sentence(blank) -> None:
    state, _ = CASES["sphere"]()
    chosen = {"tau": "0.05", "lam": "0.3", "position": 0.2, "point": 0}
    [shown] = told(blank, "sphere", [chosen], state)
    values = sphere_values(state, chosen)
    assert shown["lead"].startswith("Before training") and shown["brief"].startswith("Before training")
    assert "step 0 of 36, before any training" in sphere_summary(values, chosen, state)
    assert put(blank, SAID, values, chosen) == sphere_summary(values, chosen, state)


@pytest.mark.parametrize(
    ("change", "said", "cosine", "cone"),
    [
        (0.04, "agree as much with", 0.0, "about as narrow as it was"),
        (0.4, "agree more with", 0.2, "narrower than it was"),
        (-0.4, "agree less with", -0.2, "has opened"),
    ],
)
def test_a_recorded_training_is_said_to_change_what_it_does(
    change: float, said: str, cosine: float, cone: str, blank
) -> None:
    state, (chosen, *_) = CASES["live"]()
    for run in state["runs"]:
        for k, frame in enumerate(run["frames"]):
            late = k == len(run["frames"]) - 1
            frame |= {"sts": 74.28 + change * late, "mean_cosine": 0.5 + cosine * late, "theta": [300] * 3}
    [shown] = told(blank, "live", [{**chosen, "position": 99}], state)
    assert said in shown["brief"] and f"the cone is {cone}".replace("is has", "has") in shown["brief"], shown["brief"]
    assert f"STS 74.3 → {74.28 + change:.1f}." in shown["brief"], shown["brief"]


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ([48.0, 60.0, 57.0, 58.0], "Agreement gains 10.0 points, 9.0 of them in the first 10 steps"),
        ([48.0, 60.0, 60.0, 58.0], "Agreement gains 10.0 points in the first 15 steps"),
        ([48.0, 57.0, 58.0, 58.0], "Agreement gains 10.0 points, 9.0 of them in the first 5 steps"),
        ([48.0, 48.04, 48.0, 48.05001], "Agreement gains 0.1 points in the first 15 steps"),
        ([48.0, 48.04, 48.0, 48.04], "Agreement has hardly changed in the first 15 steps"),
        ([48.0, 48.0, 48.0, 47.96], "Agreement has hardly changed in the first 15 steps"),
        ([48.0, 49.0, 48.0, 46.0], "Agreement fell by 2.0 points in the first 15 steps"),
        ([48.0, 49.0, 46.0, None], "Agreement fell by 2.0 points in the first 10 steps"),  # not looked at since
        ([48.0, 47.96, None, None], "Agreement has hardly changed in the first 5 steps"),
    ],
)
def test_most_of_a_gain_is_no_more_than_the_gain(measured: list[float | None], said: str, blank) -> None:
    state, _ = CASES["workshop"]()
    steps = [0, 5, 10, 15]
    columns = {name: values[:15] for name, values in state["columns"].items()}
    state |= {"mode": "recorded", "columns": columns, "validated": {"step": steps, "validation": measured,
              "mean_cosine": [0.7] * 4}}  # fmt: skip
    [shown] = told(blank, "workshop", [{"smooth": 1, "reached": 1}], state)
    assert shown["lead"] == said


def test_what_each_negative_takes_is_said_from_the_least_to_the_most(blank) -> None:
    state, _ = CASES["masks"]()
    several = 0
    settings = [ALIKE | one for one in grid(loss=["SupMPN", "MNRL"], anchor=[1, 2, 3], tau=[2.0, 5.0, 10.0])]
    for chosen, shown in zip(settings, told(blank, "masks", settings, state)):
        found = re.search(r"Each negative takes (.*?) of the push; before the training it was (.*?)\.(?= The)",
                          shown["brief"])  # fmt: skip
        if not found:
            continue
        values = masks_values(state, chosen)
        for push, said in zip((values["push"], values["before"]), found.groups()):
            whole = sum(max(one, 0) for one in push)
            shares = [
                max(one, 0) / whole
                for one, cell in zip(push, values["cells"][chosen["anchor"] - 1])
                if cell == NEGATIVE
            ]
            ends = dict.fromkeys(percent_within(one) for one in (min(shares), max(shares)))
            assert said == " to ".join(ends), (chosen, said)
            several += len(ends) > 1
    assert several, "a setting has negatives that take more than others"


def test_a_part_of_the_gpus_time_is_not_said_to_be_the_longest_of_all(blank) -> None:
    state, settings = scale_state(94_000), [STARTS | one for one in grid(gpus=[1, 16], cores=[1, 14], tokens=[8, 16])]
    kinds = set()
    for one, shown in zip(settings, told(blank, "scale", settings, state)):
        parts, binding = scale_values(state, one)["parts"], scale_values(state, one)["binding"]
        if "only send" in shown["brief"]:
            continue
        where = "" if binding == "data" else " of the GPU’s time"
        assert f"the longest part{where} is {binding}" in shown["brief"], shown["brief"]
        kinds.add((binding, parts[-1] > max(parts[:-1])))
    assert {("encoder", True), ("data", True)} <= kinds, "data may take longer than the part that is named"


def test_the_text_of_the_scale_says_what_its_headline_says(blank) -> None:
    """Mostly sending or not, in the browser's headline, in its text and in Python's, to the letter."""
    state = scale_state(94_000)
    settings = [STARTS | one for one in grid(gpus=[1, 8, 64, 1024], batch=[16, 512, 8192], cores=[1, 14])]
    kinds = set()
    for one, shown in zip(settings, told(blank, "scale", settings, state)):
        values = scale_values(state, one)
        said = scale_summary(values, one)
        assert put(blank, SAID, values, one) == said
        sends = re.search(r"more than half of it \(.*?\) the GPUs only send", shown["brief"])
        assert (sends[0] in said) if sends else f"{values['binding']} takes longest" in said, (one, said)
        kinds.add((bool(sends), values["binding"]))
    assert {sends for sends, _ in kinds} == {False, True} and (True, "encoder") in kinds


@pytest.mark.parametrize(("spread", "said"), [(0, "Without spread an interval has no width"), (0.8, "narrows")])
def test_an_interval_without_width_is_not_said_to_narrow(spread: float, said: str, blank) -> None:
    _, (chosen, *_) = CASES["verdict"]()
    [shown] = told(blank, "verdict", [{**chosen, "effect": 0.8, "spread": spread}])
    title = " ".join(words for words, _ in shown["texts"][1])
    assert said in title and ("narrows" in title) == (spread > 0)


def test_a_share_is_nothing_or_all_only_where_it_is(blank) -> None:
    """Of the chance to replicate, a step of the GPUs, the push, the positives of a kind, the texts that are cut."""
    changes = {
        "verdict": ({"chance": 0.0016}, "0.2 %"),
        "spans": ({"kinds": [0.9953, 0.0047, 0.0], "mean_overlap": 0.0031}, "0.5 % adjacent; 0.3 % of"),
        "look": ({"share": 100 / 41_730, "lost": 99.98}, "cuts < 0.01 % of all texts"),
    }
    for name, (change, said) in changes.items():
        state, (chosen, *_) = CASES[name]()
        widget = import_module(f"kit.boards.{name}_widget")
        [shown] = told(blank, name, [chosen], state, **change)
        values = getattr(widget, f"{name}_values")(state, chosen) | change
        given = [values, chosen, state][: 3 if name == "look" else 2]
        assert said in getattr(widget, f"{name}_summary")(*given)
        assert put(blank, SAID, values, chosen) == getattr(widget, f"{name}_summary")(*given)
        assert not re.search(r"(?<![\d.])(0|0\.00|100|100\.0) %", shown["lead"]), (name, shown["lead"])


def test_all_of_the_push_falls_on_one_text_only_where_it_does(blank) -> None:
    state, _ = CASES["masks"]()
    settings = grid(loss=list(state["losses"]), anchor=[1, 2, 3], tau=[0.01, 0.02, 0.05], twins=["masked"])
    nearly = 0
    for chosen, shown in zip(settings, told(blank, "masks", settings, state)):
        push = [max(one, 0) for one in masks_values(state, chosen)["push"]]
        share = max(push) / (sum(push) or 1)
        assert (" 100 % " in shown["lead"]) == (share == 1), (share, shown["lead"])
        nearly += 0.995 < share < 1
    assert nearly, "a setting has such a share"


def test_what_gpus_hardly_lose_or_say_is_not_nothing(blank) -> None:
    """A few send for little of a step, and each keeps nearly its whole speed; one does not send at all."""
    large = STARTS | {"batch": 8192, "tokens": 128, "cores": 32}
    settings = [large | {"gpus": 1}, *({**large, "gpus": gpus} for gpus in (2, 4, 8))]
    one, *few = told(blank, "scale", settings, scale_state(94_000))
    assert "they send" not in one["lead"]
    for shown in few:
        share = re.search(r"they send for (.*) of a step", shown["lead"])
        assert share and share[1] != "0 %", shown["lead"]


def test_a_step_of_hours_is_drawn_in_numbers_that_can_be_read(blank) -> None:
    """And a button takes everything back to where the board begins."""
    state = scale_state(94_000)
    most = STARTS | {"gpus": 1024, "batch": 8192, "matrix": state["matrices"][1]}
    told(blank, "scale", [most], state)
    drawn = put(blank, DRAWN, most)
    assert ">15,000</text>" in drawn and "similarity 10450 s" in drawn and "e+" not in drawn
    assert put(blank, "() => window.kitModule.board.controls(window.kitState)[0].options['start anew']") == STARTS
