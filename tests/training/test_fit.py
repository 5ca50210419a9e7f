"""A whole training: its callback, its checkpoints, and what a folder of another run says."""

from __future__ import annotations

import contextlib
import copy
import errno
import itertools
import json
import math
import os
import shutil
import sys
import threading
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tqdm.notebook import tqdm as tqdm_notebook

import kit
from kit.encoder import load_encoder, random_encoder
from kit.errors import KitError, KitWarning
from kit.storage.checkpoint import load_checkpoint, save_checkpoint
from kit.storage.history import NAMES
from kit.training import FitResult, Trainer, fit, recipe
from kit.training.processes import SingleProcess
from tests.tiny import tiny_encoder, tiny_groups, write_tiny_bert
from tests.training.shared import Stopped, stop_at

CHANGES = {"dropout": 0.3, "batch_size": 9, "lr": 1e-3, "epochs": 3, "max_positives": 1, "max_negatives": 4}
EVERY = 3


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def run(
    tiny: Path,
    folder: Path | None = None,
    *,
    pooling: str = "mean_without_cls",
    name: str = "scl",
    groups=None,
    seed: int = 0,
    callback=None,
    encoder=None,
    steps: int | None = None,
    precision: str = "auto",
    fast: bool | None = None,
    **changes,
) -> FitResult:
    encoder = encoder or tiny_encoder(tiny, pooling=pooling)
    return fit(
        encoder,
        recipe(name, **{**CHANGES, **changes}),
        tiny_groups() if groups is None else groups,
        folder=folder,
        checkpoint_every=EVERY,
        callback=callback,
        seed=seed,
        steps=steps,
        progress=False,
        precision=precision,
        fast=fast,
    )


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(
    "around",
    [partial(torch.autocast, "cpu", torch.bfloat16), torch.no_grad, torch.inference_mode],
    ids=["autocast", "no_grad", "inference_mode"],
)
def test_a_training_is_the_same_whatever_surrounds_it(tiny: Path, around, fast: bool) -> None:
    """An autocast, gradients switched off, an encoder loaded in inference mode; and torch draws on as before."""

    def trained(context) -> tuple[list[dict], torch.Tensor]:
        torch.manual_seed(5)
        with context():
            encoder = load_encoder(tiny, "mean_without_cls")
            made = recipe("scl", **CHANGES)
            found = fit(encoder, made, tiny_groups(), steps=2, precision="fp32", progress=False, fast=fast)
            return found.history, torch.rand(3)

    torch.manual_seed(5)
    undisturbed = torch.rand(3)
    history, drawn = trained(contextlib.nullcontext)
    assert torch.equal(drawn, undisturbed)
    again, drawn = trained(around)
    assert again == history and torch.equal(drawn, undisturbed)


def test_weights_of_inference_mode_cannot_learn(tiny: Path) -> None:
    with torch.inference_mode():
        encoder = copy.deepcopy(tiny_encoder(tiny, pooling="mean_without_cls"))
    with pytest.raises(KitError, match="weights can learn, got one that was made in torch.inference_mode"):
        run(tiny, encoder=encoder)


def test_the_callback_gets_each_step_as_it_happens(tiny: Path) -> None:
    seen: list[dict] = []
    result = run(tiny, callback=seen.append)
    assert seen == result.history and [h["step"] for h in seen] == list(range(1, result.steps + 1))
    assert result.steps == 3 * run(tiny, epochs=1).steps
    assert result.sentences == sum(h["rows"] for h in seen)
    assert all(set(h) == {"step", "loss", "lr", "rows", "cross_entropy", "contrastive"} for h in seen)
    for h in seen:
        assert h["loss"] == pytest.approx(0.7 * h["cross_entropy"] + 0.3 * h["contrastive"], rel=1e-5)
    assert f"{result.steps:,} steps" in result.summary() and result.hardware


def test_what_a_callback_adds_is_kept_in_the_history(tiny: Path, tmp_path: Path) -> None:
    run(tiny, tmp_path, steps=EVERY, callback=lambda told: told.update(x=np.float32(0.5), y=torch.tensor(3)))
    assert [(step["x"], step["y"]) for step in load_checkpoint(tmp_path)[1]["history"]] == [(0.5, 3)] * EVERY


def test_what_no_history_can_hold_is_said_in_its_step_and_leaves_nothing_half_written(tiny: Path, tmp_path) -> None:
    seen: list[int] = []

    def add(told: dict) -> None:
        seen.append(told["step"])
        told.update(x=np.zeros(2))

    for folder in (tmp_path, None):
        with pytest.raises(KitError, match="got a ndarray: convert it in the callback"):
            run(tiny, folder, steps=EVERY, callback=add)
    assert seen == [1, 1] and not list(tmp_path.glob(".writing-*"))


def test_what_a_callback_takes_away_or_draws_changes_no_training(tiny: Path) -> None:
    def spoil(told: dict) -> None:
        torch.rand(3)
        told.update(loss=0.0, seen=True)
        del told["rows"]

    spoilt, whole = run(tiny, callback=spoil), run(tiny)
    assert spoilt.history == [{**step, "seen": True} for step in whole.history]
    assert spoilt.sentences == whole.sentences
    run(tiny, steps=2, callback=dict.clear)


def test_fit_trains_the_encoder_it_is_given_and_leaves_it_ready(tiny: Path) -> None:
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    before = encoder.encode(["a dog runs"])
    run(tiny, encoder=encoder, steps=4)
    assert not encoder.training and not torch.allclose(encoder.encode(["a dog runs"]), before, atol=1e-3)


def test_a_bar_shows_the_steps(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    fit(encoder, recipe("scl", **CHANGES), tiny_groups(), steps=3)
    shown = capsys.readouterr().err
    assert "train scl" in shown and "0/3" in shown and "loss=" not in shown and shown.endswith("\r"), "gone at the end"
    history = fit(encoder, recipe("scl", **CHANGES), tiny_groups(), steps=20).history
    assert f"loss={sum(h['loss'] for h in history) / 20:.3f}" in capsys.readouterr().err, "every 20 steps"


def test_no_bar_stays_on_a_notebooks_page(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of a whole run nor of one that was paused, where tqdm would leave it in red."""
    bars = []

    class Seen(tqdm_notebook):
        def __init__(self, *arguments, **settings) -> None:
            super().__init__(*arguments, **settings)
            bars.append(self)

    monkeypatch.setattr("tqdm.auto.tqdm", Seen)
    for stop in (None, lambda: True):
        encoder = tiny_encoder(tiny, pooling="mean_without_cls")
        fit(encoder, recipe("scl", **CHANGES), tiny_groups(), steps=3, should_stop=stop)
    assert [bar.container.comm for bar in bars] == [None, None]


def test_the_summary_has_the_first_loss_and_the_mean_of_the_last_twenty() -> None:
    history = [{"loss": float(loss)} for loss in (9, 7, *range(20))]
    line = FitResult(history, 22, 1_234, 2.0, "a CPU", 22).summary()
    assert line.startswith("Trained 22 steps on 1,234 sentences in 2 s (617 a second)")
    assert line.endswith("the loss went from 9.000 to 9.500.")
    assert "from 3.000 to 3.000" in FitResult([{"loss": 3.0}], 1, 8, 0.0, "a CPU", 1).summary()


@pytest.mark.slow
def test_a_seed_repeats_a_run(tiny: Path) -> None:
    assert run(tiny, seed=4).history == run(tiny, seed=4).history != run(tiny, seed=5).history


@pytest.fixture
def stopped(tiny: Path, tmp_path: Path) -> Path:
    """The folder of a run that stopped in step 8, with checkpoints of steps 3 and 6."""
    with pytest.raises(Stopped):
        run(tiny, tmp_path / "run", callback=stop_at(8))
    names = [path.name for path in (tmp_path / "run").glob("[!.]*")]
    assert sorted(names) == sorted([*NAMES, "step-00000003", "step-00000006"])
    return tmp_path / "run"


@pytest.mark.slow
def test_a_stopped_encoder_can_be_given_again(tiny: Path, tmp_path: Path) -> None:
    # As when a notebook's cell is interrupted and run again: the weights of step 6 replace those of step 8.
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    with pytest.raises(Stopped):
        run(tiny, tmp_path, encoder=encoder, callback=stop_at(8))
    assert run(tiny, tmp_path, encoder=encoder).history == run(tiny).history


@pytest.mark.slow
def test_a_damaged_checkpoint_costs_its_steps_only(tiny: Path, stopped: Path) -> None:
    tensors = stopped / "step-00000006" / "tensors.safetensors"
    tensors.write_bytes(tensors.read_bytes()[:-100])
    seen: list[dict] = []
    with pytest.warns(KitWarning, match="step-00000006 is damaged"):
        result = run(tiny, stopped, callback=seen.append)
    assert seen[0]["step"] == 4 and result.history == run(tiny).history


def test_a_finished_run_is_not_trained_again(tiny: Path, tmp_path: Path) -> None:
    first, seen = run(tiny, tmp_path), []
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    again = run(tiny, tmp_path, encoder=encoder, callback=seen.append)
    assert seen == [] and again.history == first.history and again.steps == first.steps
    assert not torch.allclose(encoder.encode(["a dog runs"]), tiny_encoder(tiny).encode(["a dog runs"]), atol=1e-3)


FIRST = tiny_groups()[0]
OTHER_LABELS = replace(FIRST, labels=(*FIRST.labels[:-1], (FIRST.labels[-1] + 1) % 3))
OTHER_HYPOTHESIS = replace(FIRST, hypotheses=(*FIRST.hypotheses[:-1], "nobody sings"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"name": "sbert"}, "recipe: name: 'scl' there, 'sbert' here"),
        ({"temperature": 0.5}, "recipe: temperature: 1.0 there, 0.5 here"),
        ({"seed": 1}, "seed: 0 there, 1 here"),
        ({"steps": 99}, "steps: 12 there, 99 here"),
        ({"groups": tiny_groups(11)}, "data: "),
        ({"groups": [OTHER_LABELS, *tiny_groups()[1:]]}, "data: "),
        ({"groups": [OTHER_HYPOTHESIS, *tiny_groups()[1:]]}, "data: "),
    ],
)
def test_a_checkpoint_of_another_run(tiny: Path, stopped: Path, other: dict, sentence: str) -> None:
    with pytest.raises(KitError, match=f"a checkpoint of this run in .*belongs to another .*{sentence}") as told:
        run(tiny, stopped, **other)
    assert "\n" not in str(told.value)
    assert run(tiny, stopped).history == run(tiny).history, "nothing of it was lost"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda folder: load_encoder(write_tiny_bert(folder, layers=3), pooling="mean_without_cls"), "layers: 2 there"),
        (
            lambda folder: load_encoder(write_tiny_bert(folder, hidden=16), pooling="mean_without_cls"),
            "hidden: 32 there",
        ),
        (lambda folder: random_encoder(write_tiny_bert(folder), pooling="mean_without_cls"), "with random weights"),
        (lambda folder: load_encoder(write_tiny_bert(folder), pooling="max"), "pooling: 'mean_without_cls' there"),
        (
            lambda folder: load_encoder(write_tiny_bert(folder), pooling="mean_without_cls", max_length=9),
            "max_length: .* there, 9 here",
        ),
        (
            lambda folder: load_encoder(write_tiny_bert(folder), pooling="mean_without_cls", first_layer=0),
            "first_layer: 1 there, 0 here",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:recipe 'scl' is meant for")
def test_a_checkpoint_of_another_encoder(tiny: Path, stopped: Path, tmp_path: Path, make, sentence: str) -> None:
    with pytest.raises(KitError, match=f"belongs to another .encoder: .*{sentence}"):
        run(tiny, stopped, encoder=make(tmp_path / "tiny"))


def test_what_a_recipe_says_of_itself_is_no_other_run(tiny: Path, stopped: Path) -> None:
    words = {"title": "another title", "source": "another paper", "deviations": ("another remark",)}
    assert run(tiny, stopped, **words).history == run(tiny).history


def test_a_checkpoint_that_fit_did_not_write(tiny: Path, stopped: Path) -> None:
    tensors, meta = load_checkpoint(stopped)
    save_checkpoint(stopped, meta["step"], tensors, {"identity": {"plan": {"seed": 0}}}, keep=1)
    with pytest.raises(KitError, match="belongs to another"):
        run(tiny, stopped)


def test_settings_that_only_one_version_of_the_kit_knows_are_named(tiny: Path, stopped: Path) -> None:
    tensors, meta = load_checkpoint(stopped)
    meta["identity"]["recipe"].pop("batch_size")
    meta["identity"]["recipe"]["later"] = 1
    save_checkpoint(stopped, meta["step"], tensors, meta, keep=1)
    told = "batch_size: unknown to the version of the kit there, 9 here, later: 1 there, unknown to this version"
    with pytest.raises(KitError, match=rf"another \(recipe: {told} of the kit\): choose another folder"):
        run(tiny, stopped)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda tensors: tensors.pop("optimizer.3.exp_avg"), r"3.exp_avg is nothing there and \[32, 32\] here"),
        (lambda tensors: tensors.pop("rng.cpu"), "rng.cpu is nothing there"),
        (lambda tensors: tensors.update({"optimizer.999.step": torch.ones(())}), r"999.step is \[\] there and nothing"),
        (
            lambda tensors: tensors.update({"module.more": torch.ones(2)}),
            r"module.more is \[2\] there and nothing here",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_named(tiny: Path, stopped: Path, spoil, sentence: str) -> None:
    """Under right checksums: another program wrote them."""
    tensors, meta = load_checkpoint(stopped)
    spoil(tensors)
    save_checkpoint(stopped, meta["step"], tensors, meta, keep=1)
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    with pytest.raises(KitError, match=f"the tensors of this run in .*, but .*{sentence}.*: choose another folder"):
        run(tiny, stopped, encoder=encoder)
    assert all(torch.equal(value, before[name]) for name, value in encoder.state_dict().items())


def test_weights_of_another_size_are_named(tiny: Path, stopped: Path) -> None:
    """Another build of an encoder, of the same name, width, layers and vocabulary."""
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    for layer in encoder.bert.encoder.layer:
        layer.intermediate.dense, layer.output.dense = torch.nn.Linear(32, 8), torch.nn.Linear(8, 32)
    with pytest.raises(KitError, match=r"intermediate.dense.weight is \[\d+, 32\] there and \[8, 32\] here: choose"):
        run(tiny, stopped, encoder=encoder)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"precision": "bf16"}, "precision: 'float32' there, 'bfloat16' here"),
        ({"fast": False}, "fast: True there, False here"),
        ({}, "weights: 'float32' there, 'float64' here"),
    ],
)
def test_a_run_that_goes_on_in_another_arithmetic_says_so(tiny: Path, tmp_path: Path, given: dict, told: str) -> None:
    same = {"precision": "fp32", "fast": True}
    with pytest.raises(Stopped):
        run(tiny, tmp_path, callback=stop_at(EVERY + 1), **same)
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    with pytest.raises(Stopped), pytest.warns(KitWarning, match=rf"after step 3 .* \({told}\): its losses") as warned:
        run(tiny, tmp_path, encoder=encoder if given else encoder.double(), callback=stop_at(EVERY + 1), **same | given)
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(tiny, tmp_path, **same)


@pytest.mark.slow
def test_a_disk_that_fills_up_loses_nothing(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync, calls = os.fsync, []

    def fills_up(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) > 6:  # the lock's note; three files and two folders a checkpoint: the second checkpoint fails
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fills_up)
        with pytest.raises(KitError, match="'No space left on device': earlier checkpoints are intact"):
            run(tiny, tmp_path)
    assert [path.name for path in sorted(tmp_path.glob("[!.]*"))] == [NAMES[0], "step-00000003"]
    seen: list[dict] = []
    assert run(tiny, tmp_path, callback=seen.append).history == run(tiny).history
    assert seen[0]["step"] == 4


def test_a_folder_that_cannot_be_written_is_told_before_training(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    seen: list[dict] = []
    with pytest.raises(KitError, match="a folder for checkpoints"):
        run(tiny, tmp_path / "file", callback=seen.append)
    assert seen == [] and (tmp_path / "file").read_text() == "mine"


def test_the_seconds_are_those_of_all_calls(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on by one whenever it is read: at the start, at each of four checkpoints, at the end."""
    clock = SimpleNamespace(perf_counter=itertools.count(100).__next__)
    monkeypatch.setattr(sys.modules["kit.storage.run"], "time", clock)
    assert run(tiny, tmp_path).seconds == 5 and load_checkpoint(tmp_path)[1]["seconds"] == 4
    assert run(tiny, tmp_path).seconds == 4 + 1


def test_a_second_process_compares_and_waits_but_writes_nothing(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    told: list = []

    class Second(SingleProcess):
        size, is_main = 2, False

        def check_equal(self, what: str, value: str) -> None:
            told.append(json.loads(value))

        def barrier(self) -> None:
            told.append("waited")

    monkeypatch.setattr(sys.modules["kit.training.fit"], "processes_for", lambda recipe, device: Second(device))
    encoder, made = tiny_encoder(tiny, pooling="mean_without_cls"), recipe("scl", **CHANGES)
    result = fit(encoder, made, tiny_groups(), folder=tmp_path, steps=2, seed=4)
    alone = fit(encoder, made, tiny_groups(), steps=2, seed=4)  # without a folder
    (identity, step), waited, (again, _), _ = told
    assert again["data"] == identity["data"] and alone.steps == 2
    settings = {k: v for k, v in made.as_dict().items() if k not in ("title", "source", "deviations")}
    assert waited == "waited" and step == 0 and identity["recipe"] == settings and identity["data"]
    assert (identity["seed"], identity["steps"], identity["encoder"]["layers"]) == (4, 2, 2)
    assert result.steps == 2 and result.hardware.startswith("2 processes, each ")
    assert list(tmp_path.iterdir()) == [] and capsys.readouterr().err == ""


def test_a_pooling_that_is_not_the_recipes_is_told(tiny: Path) -> None:
    with pytest.warns(
        KitWarning, match="recipe 'scl' is meant for pooling 'mean_without_cls', but .* with 'max'"
    ) as told:
        run(tiny, pooling="max", steps=1)
    assert told[0].filename == __file__, "it names the reader's line"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(tiny, steps=1)


@pytest.mark.parametrize("every", [0, -1, 2.5])
def test_checkpoints_come_every_step_or_more(tiny: Path, every: object) -> None:
    with pytest.raises(KitError, match="expected checkpoint_every as a whole number from 1"):
        fit(tiny_encoder(tiny), recipe("scl"), tiny_groups(), checkpoint_every=every, progress=False)


@pytest.mark.parametrize("positives", [True, False])
def test_data_without_positives(tiny: Path, tmp_path: Path, positives: bool) -> None:
    groups = tiny_groups() if positives else [replace(g, labels=(1,) * len(g.labels)) for g in tiny_groups()]
    if positives:
        assert all(math.isfinite(h["loss"]) for h in run(tiny, groups=groups, steps=2).history)
    else:
        with pytest.raises(KitError, match="at least one entailed hypothesis"):
            run(tiny, tmp_path, groups=groups)


def test_a_trained_encoder_is_saved_and_loaded(tiny: Path, tmp_path: Path) -> None:
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    run(tiny, encoder=encoder, steps=2)
    back = load_encoder(encoder.save(tmp_path / "trained"))
    assert torch.equal(back.encode(["a dog runs"]), encoder.encode(["a dog runs"]))
    shutil.rmtree(tmp_path / "trained")


def test_a_plain_step_passes_fourteen_files_at_most(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a debugger walks through between two calls of `callback`, for SCL, by KIT_FAST=0 and by argument."""

    def calls_of_a_step(fast: bool | None) -> set[str]:
        calls = {"training/fit.py:fit"}  # it runs all the time, and is not called
        package = f"{Path(kit.__file__).parent}{os.sep}"

        def watch(frame, event: str, _) -> None:
            place = frame.f_code.co_filename.removeprefix(package)
            if event == "call" and place != frame.f_code.co_filename:
                calls.add(f"{place}:{frame.f_code.co_qualname}")

        def callback(metrics: dict) -> None:
            sys.setprofile(watch if metrics["step"] == 2 else None)

        made = recipe("scl", batch_size=8)
        encoder = tiny_encoder(tiny, pooling=made.pooling)
        try:
            fit(encoder, made, tiny_groups(), steps=3, callback=callback, progress=False, fast=fast)
        finally:
            sys.setprofile(None)
        return calls

    by_argument, fast = calls_of_a_step(False), calls_of_a_step(True)
    monkeypatch.setenv("KIT_FAST", "0")
    for calls in (by_argument, calls_of_a_step(None)):
        files = {call.split(":")[0] for call in calls} - {"errors.py"}  # where a name is compared with those known
        assert {"losses/softmax.py:masked_softmax", "encoder/encoder.py:Encoder.forward"} <= calls
        assert {file for file in files if file.startswith("fast/")} <= {"fast/__init__.py"}
        assert len(files) <= 14, sorted(calls)
    assert any(call.startswith("fast/packed.py") for call in fast)


def spoil_at(step: int, encoder):
    """Set a weight to NaN once, at this step."""

    def callback(told: dict) -> None:
        if told["step"] == step:
            with torch.no_grad():
                next(encoder.parameters())[0] = math.nan

    return callback


@pytest.mark.slow
@pytest.mark.parametrize("step", [4, 6])  # 6 is one of a checkpoint
def test_a_training_that_diverges_stops_and_keeps_its_last_finite_checkpoint(
    tiny: Path, tmp_path: Path, step: int
) -> None:
    encoder, seen = tiny_encoder(tiny, pooling="mean_without_cls"), []
    spoil = spoil_at(step, encoder)
    with pytest.raises(KitError, match="expected finite weights after step 6|expected a finite loss .* in step 5"):
        run(tiny, tmp_path, encoder=encoder, callback=lambda told: (seen.append(told["step"]), spoil(told)))
    assert seen[-1] == step and not encoder.training and all(p.grad is None for p in encoder.parameters())
    tensors, meta = load_checkpoint(tmp_path)
    assert meta["step"] == 3 and all(value.isfinite().all() for value in tensors.values() if value.is_floating_point())
    assert run(tiny, tmp_path).history == run(tiny).history, "and the run can be taken up"


@pytest.mark.parametrize("lr", [1e6, 1e30, 1e39])
def test_a_rate_that_is_far_too_high_is_told(tiny: Path, tmp_path: Path, lr: float) -> None:
    with pytest.raises(KitError, match="expected (a finite loss and gradient in|finite weights after) step .*try"):
        run(tiny, tmp_path, lr=lr, steps=40)
    found = load_checkpoint(tmp_path)
    assert found is None or all(v.isfinite().all() for v in found[0].values() if v.is_floating_point())


@pytest.mark.parametrize("kept", [True, False])
def test_an_interrupt_leaves_the_encoder_ready_and_says_where_it_stopped(
    tiny: Path, tmp_path: Path, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of a step, when dropout is on and there are gradients."""
    encoder, step = tiny_encoder(tiny, pooling="mean_without_cls"), Trainer.backward

    def interrupted(trainer: Trainer, batch):
        found = step(trainer, batch)
        if trainer.step_number == 4:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Trainer, "backward", interrupted)
    anew = r"begins at step 1 \(`fit` from these weights, a `Run` from the untrained ones\)"
    goes_on = "goes on from the checkpoint of step 3" if kept else anew
    with (
        pytest.warns(KitWarning, match=f"interrupted after step 4 of 12, .*; the same call {goes_on}") as told,
        pytest.raises(KeyboardInterrupt),
    ):
        run(tiny, tmp_path if kept else None, encoder=encoder)
    assert told[0].filename == __file__, "it names the reader's line"
    assert not encoder.training and all(p.grad is None for p in encoder.parameters())
    with torch.no_grad():
        ids = encoder.tokenize(["a dog runs", "nobody sings"])
        assert torch.equal(encoder.embed(ids), encoder.embed(ids))
    monkeypatch.undo()
    assert not kept or run(tiny, tmp_path).history == run(tiny).history


@pytest.mark.slow
def test_a_folder_in_use_is_refused_before_anything_is_written(tiny: Path, tmp_path: Path) -> None:
    """A callback is a second training's caller in the same process: another thread."""
    told = []

    def second() -> None:
        try:
            run(tiny, tmp_path, seed=5)
        except KitError as error:
            told.append(str(error))

    def callback(step: dict) -> None:
        if step["step"] in (1, 4):  # before and after the first checkpoint
            thread = threading.Thread(target=second)
            thread.start()
            thread.join()

    assert run(tiny, tmp_path, callback=callback).history == run(tiny).history
    assert len(told) == 2 and all("to be free, but another thread of this process" in sentence for sentence in told)
    with pytest.raises(KitError, match="belongs to another .seed: 0 there, 5 here"):
        run(tiny, tmp_path, seed=5)
