"""Runs that are paused, killed, resumed, exported and recorded."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import threading
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from kit.encoder import load_encoder
from kit.errors import KitError, KitWarning
from kit.training import fit, recipe
from kit.workshop import Run, run_record, saved_runs
from kit.workshop.validation import validate
from tests.forks import end_of
from tests.tiny import tiny_encoder, tiny_groups
from tests.workshop.runs import CHANGES, a_run, killed_run, losses, pairs


@pytest.mark.slow
def test_it_trains_as_fit_does_and_validates_on_the_way(tiny: Path, tmp_path: Path) -> None:
    run, seen = a_run(tiny, tmp_path), []
    untrained = validate(tiny_encoder(tiny, pooling="mean_without_cls"), pairs())
    assert run.frame == {"step": 0, **untrained}
    run.add_callback(seen.append)
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
    assert run.history[-1]["validation"] == validate(run.encoder, pairs())["validation"]
    assert [frame["step"] for frame in seen] == [*range(1, 13), 12]
    assert all(frame["speed"] > 0 and {"lr", "cross_entropy", "contrastive"} <= frame.keys() for frame in seen[:12])


def test_the_speed_is_of_the_newest_steps_without_what_lies_between_them(tiny, tmp_path, monkeypatch) -> None:
    """By a clock that moves by half a second whenever it is read: when a step begins and ends, and by a callback."""
    ticks, seen = count(), []
    run = a_run(tiny, tmp_path, steps=4)
    monkeypatch.setattr(run_record, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 2))
    run.add_callback(lambda frame: (seen.append(frame), next(ticks)))
    run.train(progress=False)
    rows = [step["rows"] for step in run.history]
    assert [frame["speed"] for frame in seen[:4]] == [sum(rows[:n]) / (n / 2) for n in range(1, 5)]


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


@pytest.mark.slow
def test_paused_and_resumed_it_goes_on_bit_for_bit(tiny: Path, tmp_path: Path) -> None:
    whole = a_run(tiny, tmp_path / "whole").train(progress=False)
    run = a_run(tiny, tmp_path)
    run.add_callback(lambda frame: run.pause() if frame["step"] in (3, 7) else None)
    for stopped in (3, 7):
        assert run.train(progress=False).steps == stopped
        assert not run.finished and saved_runs(tmp_path)["a-run"]["finished"] is False
    assert run.train(progress=False).history == whole.history
    assert run.finished and saved_runs(tmp_path)["a-run"]["history"] == whole.history


def test_figures_of_another_validation_are_never_mixed_in(tiny: Path, tmp_path: Path) -> None:
    run = a_run(tiny, tmp_path)
    run.add_callback(lambda frame: run.pause() if frame["step"] == 3 else None)
    run.train(progress=False)
    other = a_run(tiny, tmp_path)
    other.validation = dataclasses.replace(run.validation, scores=[5 - one for one in run.validation.scores])
    with pytest.raises(KitError, match="the validation that it began with, got another .before: "):
        other.train(progress=False)
    assert a_run(tiny, tmp_path).train(progress=False).steps == 12, "with its own it goes on"
    late = a_run(tiny, tmp_path / "late")
    late.validation, late.steps = None, 2
    late.train(progress=False)
    with pytest.raises(KitError, match=r"got another .before: nothing\. Now: "):
        a_run(tiny, tmp_path / "late", steps=2).train(progress=False)


@pytest.mark.slow
def test_another_process_takes_it_up(tiny: Path, tmp_path: Path) -> None:
    """A new object is what a new process has: curves, weights and the next losses are there."""
    whole = a_run(tiny, tmp_path / "whole").train(progress=False)
    first = a_run(tiny, tmp_path)
    first.add_callback(lambda frame: first.pause() if frame["step"] == 6 else None)
    first.train(progress=False)
    second = a_run(tiny, tmp_path)
    assert losses(second.history) == losses(whole.history[:6]) and not second.finished
    assert all(
        torch.equal(value, second.encoder.state_dict()[key]) for key, value in first.encoder.state_dict().items()
    )
    assert losses(second.train(progress=False).history) == losses(whole.history)
    assert a_run(tiny, tmp_path).finished


@pytest.mark.slow
def test_killed_in_its_thread_it_loses_what_came_after_the_checkpoint_and_nothing_else(tiny, tmp_path) -> None:
    assert end_of(killed_run, tiny, tmp_path, 8, True) == -signal.SIGKILL
    run, whole = a_run(tiny, tmp_path), a_run(tiny, tmp_path / "whole").train(progress=False)
    assert run.history[-1]["step"] == 5, "the newest checkpoint"
    assert losses(run.train(progress=False).history) == losses(whole.history)


def test_in_the_background_it_starts_pauses_and_leaves_the_page_its_random_numbers(tiny, tmp_path) -> None:
    run, some = a_run(tiny, tmp_path, steps=100_000), threading.Event()
    run.add_callback(lambda frame: some.set() if frame["step"] >= 3 or "problem" in frame else None)
    before = torch.get_rng_state()
    run.start()
    run.start()  # a second press on the button
    some.wait()
    assert not run.problem
    with pytest.raises(KitError, match="is training already: pause it first"):
        run.train()
    run.pause()
    steps = [step["step"] for step in run.history]
    assert not run.running and steps == list(range(1, len(steps) + 1)), "two threads trained at once"
    assert torch.equal(before, torch.get_rng_state())
    run.reset()
    assert run.history == [] and run.frame["step"] == 0 and not run.folder.exists()


def test_stopped_and_started_at_once_it_resumes(tiny: Path, tmp_path: Path) -> None:
    run, in_step, goes_on = a_run(tiny, tmp_path, steps=4), threading.Event(), threading.Event()
    run.add_callback(lambda frame: (in_step.set(), goes_on.wait()))
    for again in (run.start, lambda: run.train(progress=False)):
        in_step.clear(), goes_on.clear()
        run.start()
        in_step.wait()
        run.stop_soon()
        threading.Timer(0.2, goes_on.set).start()
        again()
        assert run.wait() and not run.problem and run.finished
        assert [step["step"] for step in run.history] == [1, 2, 3, 4]
        run.reset()


def test_what_goes_wrong_in_the_thread_is_told(tiny: Path, tmp_path: Path) -> None:
    a_run(tiny, tmp_path).train(progress=False)
    run, told = a_run(tiny, tmp_path, steps=13), []  # the same folder, another length
    run.add_callback(told.append)
    run.start()
    assert run.wait()
    assert "belongs to another (steps: 12 there, 13 here)" in run.problem == told[-1]["problem"]
    with pytest.raises(KitError, match="belongs to another"):
        run.train(progress=False)
    assert not run.running


@pytest.mark.parametrize("other", [{"seed": 1}, {"steps": 13}])
def test_a_run_of_another_seed_or_length_is_not_shown_as_this_one(tiny: Path, tmp_path: Path, other: dict) -> None:
    """Nor are its weights exported under this one's name."""
    first = a_run(tiny, tmp_path)
    first.train(progress=False)
    run = a_run(tiny, tmp_path, **other)
    assert f"belongs to another ({next(iter(other))}: " in run.problem
    assert not run.finished and not run.history and run.frame["step"] == 0
    with pytest.raises(KitError, match="has not: train it first"):
        run.export()
    run.reset()
    run.train(progress=False)
    assert run.finished and not run.problem


def test_export_loads_again_and_says_what_it_is(tiny: Path, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)> | [here](javascript:alert(1))"
    run = a_run(tiny, tmp_path, about={"data": "12 made-up groups", "encoder": "a tiny one", "notes": hostile})
    with pytest.raises(KitError, match="has not: train it first"):
        run.export()
    run.train(progress=False)
    folder = run.export()
    again = load_encoder(folder)
    sentences = tiny_groups(3)[0].hypotheses
    assert torch.equal(again.encode(list(sentences)), run.encoder.encode(list(sentences)))
    card = (folder / "README.md").read_text()
    assert "12 made-up groups" in card and "12 steps" in card and "| lam | 0.3 |" in card and "seed 0" in card
    assert f"to {run.history[-1]['validation']:.2f}" in card and "Trained as planned: 12 steps" in card
    assert r"| notes | &lt;img src=x onerror=alert(1)&gt; \| \[here\](javascript:alert(1)) |" in card


def test_a_card_speaks_of_the_weights_beside_it(tiny: Path, tmp_path: Path) -> None:
    """Not of those that an earlier record was written with, and not of those still in training."""
    run = a_run(tiny, tmp_path)
    run.add_callback(lambda frame: run.pause() if frame["step"] == 2 else None)
    run.train(progress=False)
    run.add_callback(lambda frame: 1 / 0 if frame["step"] == 7 else None)  # as a kill would: no record is written

    def exports_nothing(frame: dict) -> None:
        with pytest.raises(KitError, match="is training: pause it first"):
            run.export()

    run.add_callback(exports_nothing)
    with pytest.raises(ZeroDivisionError):
        run.train(progress=False)
    again = a_run(tiny, tmp_path)
    assert again.record()["steps"] == 2 and again.history[-1]["step"] == 5, "the newest checkpoint"
    for export, step in ((again, 5), (run, 7)):
        card = (export.export(tmp_path / str(step)) / "README.md").read_text()
        sentences = sum(done["rows"] for done in export.history)
        assert f"Stopped before the end, after {step} steps on {sentences} sentences in" in card
        assert f"to {validate(export.encoder, pairs())['validation']:.2f}" in card
    assert 0 < again._seconds < run._seconds and again.record()["steps"] == 2, "the folder's record stays"
    (run.folder / "run.json").unlink()
    assert "after 5 steps" in (a_run(tiny, tmp_path).export() / "README.md").read_text()


def test_stopped_before_a_checkpoint_it_begins_with_an_empty_history(tiny: Path, tmp_path: Path) -> None:
    run, fails = a_run(tiny, tmp_path, steps=4), iter([True])
    run.add_callback(lambda frame: 1 / 0 if frame["step"] == 3 and next(fails, False) else None)
    with pytest.raises(ZeroDivisionError):
        run.train(progress=False)
    seen: list[list[int]] = []
    run.add_callback(lambda frame: seen.append([step["step"] for step in run.history]))
    run.train(progress=False)
    assert seen[0] == [1] and seen[-1] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"name": "a/b"}, "letters, digits"),
        ({"every": 0}, "every 1 step"),
        ({"folder": "~nosuchuser/x"}, "the ~ in ~nosuchuser.x is no home"),
    ],
)
def test_bad_settings_of_a_run(tiny: Path, tmp_path: Path, settings: dict, says: str) -> None:
    given = {"name": "a-run", "folder": tmp_path, **settings}
    with pytest.raises(KitError, match=says):
        Run(given.pop("name"), tiny_encoder(tiny), recipe("scl"), tiny_groups(), **given)


def test_a_number_of_steps_may_be_numpys(tiny: Path, tmp_path: Path) -> None:
    run = Run("a-run", tiny_encoder(tiny), recipe("scl"), tiny_groups(), folder=tmp_path, every=np.int64(5))
    assert type(run.every) is int and run.every == 5


def test_stopped_in_its_last_step_it_has_finished(tiny: Path, tmp_path: Path) -> None:
    """Also where the recipe's epochs say how many steps it has."""
    run = a_run(tiny, tmp_path, steps=None)
    run.add_callback(lambda frame: run.stop_soon() if frame["step"] == 12 else None)
    result = run.train(progress=False)
    assert result.steps == result.planned == 12 and run.finished and run.record()["finished"]


def test_pairs_of_ones_own_need_no_source(tiny: Path, tmp_path: Path) -> None:
    run = a_run(tiny, tmp_path, steps=2)
    run.validation = dataclasses.replace(run.validation, source=None)
    run.train(progress=False)
    assert run.record()["validated_on"] == "8 scored pairs."
    assert "Validated on 8 scored pairs. Spearman" in (run.export() / "README.md").read_text()


def test_records_are_json_and_in_the_order_they_were_made(tiny: Path, tmp_path: Path) -> None:
    for name in ("b", "a"):
        a_run(tiny, tmp_path, name, steps=2).train(progress=False)
    assert list(saved_runs(tmp_path)) == ["b", "a"]
    record = saved_runs(tmp_path)["a"]
    assert record == json.loads(json.dumps(record)) and record["steps"] == len(record["history"]) == 2
    assert record["hardware"] and record["validation"] == record["history"][-1]["validation"]
    assert saved_runs(tmp_path / "nothing") == {}


@pytest.mark.slow
def test_one_damaged_record_does_not_hide_the_others(tiny: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        a_run(tiny, tmp_path, name, steps=2).train(progress=False)
    for content in (b"{", b"[]", b"{}", b"\xff\xfe", b'{"name": "b", "history": []}', b"[" * 200_000):
        (tmp_path / "b" / "run.json").write_bytes(content)
        with pytest.warns(KitWarning, match="expected the record of a run in .*run.json, but it is damaged"):
            assert list(saved_runs(tmp_path)) == ["a"], content
        with pytest.raises(KitError, match="goes on from its checkpoint and writes it anew"):
            a_run(tiny, tmp_path, "b", steps=2).export()
    a_run(tiny, tmp_path, "b", steps=2).train(progress=False)
    assert sorted(saved_runs(tmp_path)) == ["a", "b"]


def test_a_run_stays_in_its_folder_where_the_notebook_changes_its_own(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_OUT", raising=False)
    one = a_run(tiny, None, "a", steps=6)
    one.add_callback(lambda frame: monkeypatch.chdir("/" if frame["step"] % 2 else tmp_path / "other"))
    one.train(progress=False)
    assert one.record()["steps"] == 6 and list((tmp_path / ".kit" / "runs" / "a").glob("step-*"))
    assert not list((tmp_path / "other").iterdir())


def test_runs_are_read_where_the_folder_takes_no_files(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_run(tiny, tmp_path / ".kit" / "runs", "a", steps=2).train(progress=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIT_OUT", raising=False)
    monkeypatch.setattr("kit.paths.takes_files", lambda folder: False)
    assert list(saved_runs()) == ["a"] and "KIT_OUT" not in os.environ


def test_a_run_that_has_left_no_record_says_so(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(KitError, match="run.json, but there is none: it is written when training ends or pauses"):
        a_run(tiny, tmp_path).record()


def test_a_reset_that_cannot_delete_says_so_and_changes_nothing(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(tiny, tmp_path, steps=3)
    run.train(progress=False)
    history, weights = list(run.history), {k: v.clone() for k, v in run.encoder.state_dict().items()}
    with monkeypatch.context() as patch:  # the tests may run as root, whom no mode stops
        patch.setattr(os, "access", lambda *_: False)
        with pytest.raises(KitError, match="expected to delete .*a-run, but the system said .*nothing was deleted"):
            run.reset()
    assert run.history == history and run.finished and (run.folder / "run.json").exists()
    assert all(torch.equal(value, weights[name]) for name, value in run.encoder.state_dict().items())
    run.reset()
    assert run.history == [] and not run.folder.exists()


def test_a_run_whose_folder_is_in_use_is_refused_and_is_up_to_date_when_it_begins(tiny: Path, tmp_path: Path) -> None:
    """A second object that was made before the first had trained knows the first one's steps when its turn comes."""
    first, second, told = a_run(tiny, tmp_path, steps=4), a_run(tiny, tmp_path, steps=4), []

    def callback(frame: dict) -> None:
        if frame["step"] == 2 and not told:
            second.start()
            second.wait()
            told.append(second.problem)

    first.add_callback(callback)
    result = first.train(progress=False)
    assert "to be free, but another thread of this process" in told[0] and not second.running
    assert second.train(progress=False).history == second.history == result.history


@pytest.mark.slow
def test_a_run_that_diverges_says_so_and_exports_nothing(tiny: Path, tmp_path: Path) -> None:
    run, told = a_run(tiny, tmp_path, steps=12), []
    run.add_callback(told.append)
    run.add_callback(lambda frame: frame["step"] == 7 and "problem" not in frame and spoil(run.encoder))
    run.start()
    run.wait()
    assert "expected a finite loss and gradient in step 8" in run.problem == told[-1]["problem"]
    assert not run.running and not (run.folder / "run.json").exists()
    with pytest.raises(KitError):
        run.export()
    with pytest.raises(KitError, match="expected finite weights to save"):
        run.encoder.save(tmp_path / "exported")
    again = a_run(tiny, tmp_path, steps=12)
    assert again.history[-1]["step"] == 5, "the last finite checkpoint"
    whole = a_run(tiny, tmp_path / "whole", steps=12).train(progress=False)
    assert again.train(progress=False).history == whole.history
    assert json.loads((run.folder / "run.json").read_text(), parse_constant=pytest.fail)["finished"]


def spoil(encoder) -> None:
    with torch.no_grad():
        next(encoder.parameters())[0] = float("nan")


def test_a_record_holds_null_where_a_measure_is_not_a_number(tiny: Path, tmp_path: Path) -> None:
    run = a_run(tiny, tmp_path, steps=2)
    run.add_callback(lambda frame: run.history[-1].update(odd=float("nan")))
    run.train(progress=False)
    record = json.loads((run.folder / "run.json").read_text(), parse_constant=pytest.fail)
    assert record["history"][0]["odd"] is None
