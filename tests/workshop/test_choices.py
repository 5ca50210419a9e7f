"""The workshop in which recipe, data, encoder and preset are chosen."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from kit.errors import KitError
from kit.training import RECIPES, recipe
from kit.workshop import Workshop, choices
from kit.workshop.choices import Choice
from kit.workshop.cost_estimate import Cost
from tests.tiny import tiny_groups
from tests.workshop.runs import losses, pairs

TALE = " ".join(["a small dog runs in the old garden near the river."] * 60)


@pytest.fixture
def workshop(tiny: Path, tmp_path: Path) -> Workshop:
    return Workshop(
        {"groups": tiny_groups(), "tales": [TALE] * 4},
        [str(tiny)],
        pairs(),
        every=4,
        folder=tmp_path,
        changes={"batch_size": 9},
    )


@pytest.mark.slow
def test_a_choice_is_costed_trained_and_found_again(workshop: Workshop, tiny: Path, tmp_path: Path) -> None:
    assert workshop.choices["recipe"] == list(RECIPES) and not workshop.choice
    cost = workshop.choose(recipe="simcse", preset="smoke")
    assert not workshop.started and cost.steps == workshop.run.steps and "estimate" in cost.summary()
    assert workshop.untrained == workshop.run.untrained
    workshop.run.train(progress=False)
    again = Workshop(
        {"groups": tiny_groups()}, [str(tiny)], pairs(), every=4, folder=tmp_path, changes={"batch_size": 9}
    )
    again.choose(recipe="simcse", preset="smoke")
    assert again.started and again.run.finished and losses(again.run.history) == losses(workshop.run.history)
    again.reset()
    assert not again.started and not again.run.finished


@pytest.mark.slow
def test_the_scales_change_epochs_and_rate_and_cost_no_new_trial(workshop, monkeypatch) -> None:
    once = workshop.choose(recipe="scl", preset="smoke")
    monkeypatch.setattr("kit.workshop.choices.estimate_cost", lambda *_, **__: 1 / 0)
    longer = workshop.choose(epochs_scale=4.0, lr_scale=10.0)
    assert longer.steps == 4 * once.steps and longer.seconds > once.seconds
    base, changed = recipe("scl", "smoke"), workshop.run.recipe
    assert changed.epochs == 4 * base.epochs and changed.lr == 10 * base.lr
    assert workshop.choose() is workshop.cost, "nothing new, nothing measured"
    with pytest.raises(ZeroDivisionError):
        workshop.choose(recipe="sbert")


def test_the_run_is_the_one_that_was_costed_with_every_validation(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    """Seed and precision are those given; of 9 steps the 4th, the 8th and the last are validated, and none at all."""
    now, asked = [0.0], []

    def costed(*_, **given) -> Cost:
        asked.append(given)
        return Cost(0, 10.0, 0.5, 100.0, 9.0, 1.0, 3, "a machine")

    def validated(*_) -> dict:
        now[0] += 3.0
        return {"validation": 1.0}

    monkeypatch.setattr(choices, "estimate_cost", costed)
    monkeypatch.setattr(choices, "validate", validated)
    monkeypatch.setattr(choices, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(choices, "Run", lambda *_, **given: asked.append(given))
    how = {"seed": 5, "precision": "bf16", "every": 4, "most_steps": 9, "folder": tmp_path}
    workshop = Workshop({"groups": tiny_groups()}, [str(tiny)], pairs(), **how)
    cost = workshop.choose(recipe="scl", preset="smoke")
    assert (cost.steps, cost.preparing) == (9, 10.0 + 4 * 3.0)
    assert workshop.run is None, "a stand-in"
    assert [(given["seed"], given["precision"]) for given in asked] == [(5, "bf16")] * 2
    assert asked[1]["steps"] == 9 and asked[1]["every"] == 4


@pytest.mark.slow
def test_another_choice_pauses_what_trains(workshop: Workshop) -> None:
    workshop.choose(recipe="scl", preset="smoke", epochs_scale=16.0)
    first, some = workshop.run, threading.Event()
    workshop.add_callback(lambda frame: some.set())
    workshop.start()
    some.wait()
    workshop.choose(recipe="sbert", epochs_scale=1.0)
    assert not first.running and workshop.run is not first and not workshop.run.history
    workshop.choose(recipe="scl", epochs_scale=16.0)
    assert workshop.run.history, "it waits where it was paused"


@pytest.mark.slow
def test_bad_choices_change_nothing(workshop: Workshop) -> None:
    for changes, says in [
        ({"recipe": "slc"}, "unknown recipe 'slc': did you mean 'scl'"),
        ({"data": "x"}, "unknown data 'x'"),
        ({"preset": "lap"}, "unknown preset 'lap'"),
        ({"encoder": "x"}, "unknown encoder 'x'"),
        ({"recipe": "scl", "data": "tales"}, "'scl' takes NLI groups, and 'tales' has none: choose 'groups' as data"),
        (
            {"recipe": "declutr", "data": "groups"},
            "takes long documents, and 'groups' has none: choose 'tales' as data",
        ),
    ]:
        workshop.choose(recipe="scl", preset="smoke")
        before = workshop.choice
        with pytest.raises(KitError, match=says):
            workshop.choose(**changes)
        assert workshop.choice == before


def test_a_folder_at_home_is_found_again(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    again = Workshop({"groups": tiny_groups()}, [str(tiny)], pairs(), folder="~/runs", changes={"batch_size": 9})
    again.choose(recipe="simcse", preset="smoke")
    assert not again.started
    (tmp_path / "runs" / again.choice.name).mkdir(parents=True)
    assert again.started


def test_nothing_chosen_and_nothing_to_choose_from() -> None:
    with pytest.raises(KitError, match="expected some data and an encoder"):
        Workshop({}, ["kit-bert-tiny"], pairs())
    with pytest.raises(KitError, match="call choose first"):
        Workshop({"groups": tiny_groups()}, ["kit-bert-tiny"], pairs()).start()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (SimpleNamespace(is_fallback=False), "people on STS-B"),
        (SimpleNamespace(is_fallback=True), "made-up scores"),
        (None, "the scores of your pairs"),
    ],
)
def test_whose_scores_judge_is_said(source: SimpleNamespace | None, said: str) -> None:
    task = SimpleNamespace(source=source) if source else SimpleNamespace()
    assert Workshop({"groups": tiny_groups()}, ["kit-bert-tiny"], task).judge == said


def test_the_name_of_a_choice_is_a_folder() -> None:
    choice = Choice("scl", "SNLI + MNLI (all)", "google/bert_uncased_L-8_H-512_A-8", "gpu", lr_scale=31.62)
    assert choice.name == "scl-gpu-SNLI-MNLI-all-bert_uncased_L-8_H-512_A-8-lr-x31-62"
    names = [Choice("scl", "SNLI", "tiny", "gpu", scale, 1 / scale).name for scale in (1e12, 1e-12)]
    assert names == ["scl-gpu-SNLI-tiny-epochs-x1e12-lr-x1e-12", "scl-gpu-SNLI-tiny-epochs-x1e-12-lr-x1e12"]


@pytest.mark.parametrize("scale", ["a", 0.0, -1.0, float("nan"), True])
def test_a_scale_is_a_number_above_0(scale: object) -> None:
    workshop = Workshop({"groups": tiny_groups()}, ["kit-bert-tiny"], pairs())
    for part in ("epochs_scale", "lr_scale"):
        with pytest.raises(KitError, match=f"expected {part} as a number above 0, got .*: 1 leaves it as in"):
            workshop.choose(**{part: scale})
