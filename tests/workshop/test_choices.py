"""Runs that are paused, killed, taken up again and kept; and the bench on which they are chosen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
import torch

from kit.data.sts_tasks import StsTask
from kit.data.table import Source
from kit.encoder import load_encoder
from kit.errors import KitError
from kit.training import RECIPES, fit, recipe
from kit.workshop import Workshop, kept_runs
from kit.workshop.choices import Choice
from kit.workshop.run_record import Run, watch
from tests.tiny import tiny_encoder, tiny_groups, write_tiny_bert

ROOT = Path(__file__).resolve().parents[2]
CHANGES = {"dropout": 0.3, "batch_size": 9, "lr": 1e-3, "epochs": 3}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def pairs() -> StsTask:
    groups = tiny_groups(8)
    firsts, seconds = [g.anchor for g in groups], [g.hypotheses[i % 3] for i, g in enumerate(groups)]
    source = Source("pairs", "validation", "path", "pairs.parquet", "none", len(groups))
    return StsTask("STS-B", firsts, seconds, [0.5 * i for i in range(8)], ["STS-B"] * 8, source)


def a_run(tiny: Path, folder: Path, name: str = "a-run", steps: int | None = 12, **changes) -> Run:
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    return Run(
        name,
        encoder,
        recipe("scl", **CHANGES),
        tiny_groups(),
        steps=steps,
        validation=pairs(),
        every=4,
        checkpoint_every=5,
        folder=folder,
        **changes,
    )


def losses(history: list[dict]) -> list[float]:
    return [step["loss"] for step in history]


def test_it_trains_as_fit_does_and_looks_on_the_way(tiny: Path, tmp_path: Path) -> None:
    run, seen = a_run(tiny, tmp_path), []
    untrained = watch(tiny_encoder(tiny, pooling="mean_without_cls"), pairs())
    assert run.frame == {"step": 0, **untrained}
    run.listen(seen.append)
    result = run.train(progress=False)
    plain = fit(
        tiny_encoder(tiny, pooling="mean_without_cls"),
        recipe("scl", **CHANGES),
        tiny_groups(),
        steps=12,
        progress=False,
    )
    assert losses(result.history) == losses(plain.history) and run.finished
    assert [step["step"] for step in run.history if "validation" in step] == [4, 8, 12]
    assert run.history[-1]["validation"] == watch(run.encoder, pairs())["validation"]
    assert [frame["step"] for frame in seen] == [*range(1, 13), 12]
    assert all(frame["speed"] > 0 and {"lr", "cross_entropy", "contrastive"} <= frame.keys() for frame in seen[:12])


def test_fit_ends_where_it_is_asked_to_and_says_how_far_it_came(tiny: Path) -> None:
    """Without a folder too: the steps done are those told, and the losses those of the whole run."""
    encoder, seen = tiny_encoder(tiny, pooling="mean_without_cls"), []
    result = fit(
        encoder,
        recipe("scl", **CHANGES),
        tiny_groups(),
        steps=12,
        progress=False,
        callback=seen.append,
        should_stop=lambda: len(seen) == 5,
    )
    whole = fit(
        tiny_encoder(tiny, pooling="mean_without_cls"),
        recipe("scl", **CHANGES),
        tiny_groups(),
        steps=12,
        progress=False,
    )
    assert result.steps == 5 and result.history == whole.history[:5] and not encoder.training


def test_paused_and_resumed_it_goes_on_bit_for_bit(tiny: Path, tmp_path: Path) -> None:
    whole = a_run(tiny, tmp_path / "whole").train(progress=False)
    run = a_run(tiny, tmp_path)
    run.listen(lambda frame: run.pause() if frame["step"] in (3, 7) else None)
    for stopped in (3, 7):
        assert run.train(progress=False).steps == stopped
        assert not run.finished and kept_runs(tmp_path)["a-run"]["finished"] is False
    assert run.train(progress=False).history == whole.history
    assert run.finished and kept_runs(tmp_path)["a-run"]["history"] == whole.history


def test_another_process_takes_it_up(tiny: Path, tmp_path: Path) -> None:
    """A new object is what a new process has: curves, weights and the next losses are there."""
    whole = a_run(tiny, tmp_path / "whole").train(progress=False)
    first = a_run(tiny, tmp_path)
    first.listen(lambda frame: first.pause() if frame["step"] == 6 else None)
    first.train(progress=False)
    second = a_run(tiny, tmp_path)
    assert losses(second.history) == losses(whole.history[:6]) and not second.finished
    assert all(
        torch.equal(value, second.encoder.state_dict()[key]) for key, value in first.encoder.state_dict().items()
    )
    assert losses(second.train(progress=False).history) == losses(whole.history)
    assert a_run(tiny, tmp_path).finished


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from tests.workshop.test_choices import a_run
    run = a_run(Path(sys.argv[1]), Path(sys.argv[2]))
    run.listen(lambda frame: os.kill(os.getpid(), signal.SIGKILL) if frame["step"] == 8 else None)
    run.start()
    run.wait()
"""


def test_killed_in_its_thread_it_loses_what_came_after_the_checkpoint_and_nothing_else(tiny, tmp_path) -> None:
    dead = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(tiny), str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert dead.returncode == -signal.SIGKILL, dead.stderr[-2000:]
    run, whole = a_run(tiny, tmp_path), a_run(tiny, tmp_path / "whole").train(progress=False)
    assert run.history[-1]["step"] == 5, "the newest checkpoint"
    assert losses(run.train(progress=False).history) == losses(whole.history)


def test_in_the_background_it_starts_pauses_and_leaves_the_page_its_random_numbers(tiny, tmp_path) -> None:
    run, some = a_run(tiny, tmp_path, steps=100_000), threading.Event()
    run.listen(lambda frame: some.set() if frame["step"] >= 3 else None)
    before = torch.get_rng_state()
    run.start()
    run.start()  # a second press on the button
    assert some.wait(60)
    with pytest.raises(KitError, match="is training already: pause it first"):
        run.train()
    run.pause()
    steps = [step["step"] for step in run.history]
    assert not run.running and steps == list(range(1, len(steps) + 1)), "two threads trained at once"
    assert torch.equal(before, torch.get_rng_state())
    run.reset()
    assert run.history == [] and run.frame["step"] == 0 and not run.folder.exists()


def test_what_goes_wrong_in_the_thread_is_told(tiny: Path, tmp_path: Path) -> None:
    a_run(tiny, tmp_path).train(progress=False)
    run, told = a_run(tiny, tmp_path, steps=13), []  # the same folder, another length
    run.listen(told.append)
    run.start()
    assert run.wait()
    assert "belongs to another (steps: 12 there, 13 here)" in run.problem == told[-1]["problem"]
    with pytest.raises(KitError, match="belongs to another"):
        run.train(progress=False)
    assert not run.running


def test_export_loads_again_and_says_what_it_is(tiny: Path, tmp_path: Path) -> None:
    run = a_run(tiny, tmp_path, about={"data": "12 made-up groups", "encoder": "a tiny one"})
    with pytest.raises(KitError, match="has not: train it first"):
        run.export()
    run.train(progress=False)
    folder = run.export()
    again = load_encoder(folder)
    sentences = tiny_groups(3)[0].hypotheses
    assert torch.equal(again.encode(list(sentences)), run.encoder.encode(list(sentences)))
    card = (folder / "README.md").read_text()
    assert "12 made-up groups" in card and "12 steps" in card and "| lam | 0.3 |" in card and "seed 0" in card
    assert f"to {run.history[-1]['validation']:.2f}" in card and "Trained to the end" in card


@pytest.mark.parametrize(("settings", "says"), [({"name": "a/b"}, "letters, digits"), ({"every": 0}, "every 1 step")])
def test_bad_settings_of_a_run(tiny: Path, tmp_path: Path, settings: dict, says: str) -> None:
    given = {"name": "a-run", **settings}
    with pytest.raises(KitError, match=says):
        Run(given.pop("name"), tiny_encoder(tiny), recipe("scl"), tiny_groups(), folder=tmp_path, **given)


# the bench

TALE = " ".join(["a small dog runs in the old garden near the river."] * 60)


@pytest.fixture
def bench(tiny: Path, tmp_path: Path) -> Workshop:
    return Workshop(
        {"groups": tiny_groups(), "tales": [TALE] * 4},
        [str(tiny)],
        pairs(),
        every=4,
        folder=tmp_path,
        changes={"batch_size": 9},
    )


def test_a_choice_is_costed_trained_and_found_again(bench: Workshop, tiny: Path, tmp_path: Path) -> None:
    assert bench.choices["recipe"] == list(RECIPES) and not bench.choice
    cost = bench.choose(recipe="simcse", preset="smoke")
    assert not bench.begun and cost.steps == bench.run.steps and "estimate" in cost.summary()
    assert bench.untrained == bench.run.untrained
    bench.run.train(progress=False)
    again = Workshop(
        {"groups": tiny_groups()}, [str(tiny)], pairs(), every=4, folder=tmp_path, changes={"batch_size": 9}
    )
    again.choose(recipe="simcse", preset="smoke")
    assert again.begun and again.run.finished and losses(again.run.history) == losses(bench.run.history)
    again.reset()
    assert not again.begun and not again.run.finished


def test_longer_and_faster_change_epochs_and_rate_and_cost_no_new_trial(bench, monkeypatch) -> None:
    once = bench.choose(recipe="scl", preset="smoke")
    monkeypatch.setattr("kit.workshop.choices.estimate", lambda *_, **__: 1 / 0)
    longer = bench.choose(longer=4.0, faster=10.0)
    assert longer.steps == 4 * once.steps and longer.seconds > once.seconds
    base, changed = recipe("scl", "smoke"), bench.run.recipe
    assert changed.epochs == 4 * base.epochs and changed.lr == 10 * base.lr
    assert bench.choose() is bench.cost, "nothing new, nothing measured"
    with pytest.raises(ZeroDivisionError):
        bench.choose(recipe="sbert")


def test_another_choice_pauses_what_trains(bench: Workshop) -> None:
    bench.choose(recipe="scl", preset="smoke", longer=16.0)
    first, some = bench.run, threading.Event()
    bench.listen(lambda frame: some.set())
    bench.start()
    assert some.wait(60)
    bench.choose(recipe="sbert", longer=1.0)
    assert not first.running and bench.run is not first and not bench.run.history
    bench.choose(recipe="scl", longer=16.0)
    assert bench.run.history, "it waits where it was paused"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"recipe": "slc"}, "unknown recipe 'slc': did you mean 'scl'"),
        ({"data": "x"}, "unknown data 'x'"),
        ({"preset": "lap"}, "unknown preset 'lap'"),
        ({"encoder": "x"}, "unknown encoder 'x'"),
        ({"recipe": "scl", "data": "tales"}, "'scl' takes NLI groups, and 'tales' has none: choose 'groups' as data"),
        (
            {"recipe": "declutr", "data": "groups"},
            "takes long documents, and 'groups' has none: choose 'tales' as data",
        ),
    ],
)
def test_bad_choices_change_nothing(bench: Workshop, changes: dict, says: str) -> None:
    bench.choose(recipe="scl", preset="smoke")
    before = bench.choice
    with pytest.raises(KitError, match=says):
        bench.choose(**changes)
    assert bench.choice == before


def test_nothing_chosen_and_nothing_to_choose_from() -> None:
    with pytest.raises(KitError, match="expected some data and an encoder"):
        Workshop({}, ["kit-bert-tiny"], pairs())
    with pytest.raises(KitError, match="call choose first"):
        Workshop({"groups": tiny_groups()}, ["kit-bert-tiny"], pairs()).start()


def test_the_name_of_a_choice_is_a_folder() -> None:
    choice = Choice("scl", "SNLI + MNLI (all)", "google/bert_uncased_L-8_H-512_A-8", "gpu", faster=31.62)
    assert choice.name == "scl-gpu-SNLI-MNLI-all-bert_uncased_L-8_H-512_A-8-lr-x31-62"


def test_records_are_json_and_in_the_order_they_were_made(tiny: Path, tmp_path: Path) -> None:
    for name in ("b", "a"):
        a_run(tiny, tmp_path, name, steps=2).train(progress=False)
    assert list(kept_runs(tmp_path)) == ["b", "a"]
    record = kept_runs(tmp_path)["a"]
    assert record == json.loads(json.dumps(record)) and record["steps"] == len(record["history"]) == 2
    assert record["hardware"] and record["validation"] == record["history"][-1]["validation"]
    assert kept_runs(tmp_path / "nothing") == {}
