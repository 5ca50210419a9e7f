"""What a training will cost, told before it starts: near enough, and without touching anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from kit.encoder import Encoder
from kit.errors import KitError
from kit.training import Trainer, fit, recipe
from kit.workshop import cost_estimate as cost_module
from kit.workshop import estimate_cost
from kit.workshop.cost_estimate import Cost, held_mb
from tests.tiny import tiny_encoder, tiny_groups

CHANGES = {"dropout": 0.3, "batch_size": 9, "lr": 1e-3, "epochs": 4}


def a_cost(**changes) -> Cost:
    return replace(
        Cost(
            steps=100,
            preparing=1.0,
            step_seconds=0.5,
            per_epoch=25.0,
            rows=96.4,
            memory_mb=612.3,
            tried=7,
            hardware="a machine",
        ),
        **changes,
    )


@pytest.mark.slow
def test_steps_and_sentences_are_those_of_the_run(tiny: Path) -> None:
    """Exact where the sample is all of the data: nothing is extrapolated but time."""
    settings, groups = recipe("scl", **CHANGES), tiny_groups(40)
    found = estimate_cost(tiny_encoder(tiny, pooling="mean_without_cls"), settings, groups, patience=0.05)
    result = fit(tiny_encoder(tiny, pooling="mean_without_cls"), settings, groups, progress=False)
    assert found.steps == result.steps and found.per_epoch == result.steps / 4
    assert found.sentences == pytest.approx(result.sentences, rel=0.15)
    assert found.seconds == pytest.approx(found.preparing + result.steps * found.step_seconds)


def test_the_time_is_that_of_tokenising_and_of_the_steps_after_the_warm_up(tiny: Path, monkeypatch) -> None:
    """By a clock that only tokenising and steps move: steps are timed until `patience` is used up, three at least."""
    now, lasting = [0.0], iter([50.0, 20.0, 2.0, 3.0, 4.0, 5.0, 50.0])
    tokenize, step = Encoder.tokenize, Trainer.step

    def slow_tokenize(*args):
        now[0] += 7.0
        return tokenize(*args)

    def slow_step(trainer):
        now[0] += next(lasting)
        return step(trainer)

    monkeypatch.setattr(Encoder, "tokenize", slow_tokenize)
    monkeypatch.setattr(Trainer, "step", slow_step)
    monkeypatch.setattr(cost_module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    cost = estimate_cost(encoder, recipe("scl", **CHANGES), tiny_groups(60), patience=12.0)
    assert (cost.tried, cost.step_seconds, cost.preparing % 7.0) == (4, 3.5, 0.0) and cost.preparing > 0
    assert cost.seconds == cost.preparing + 3.5 * cost.steps
    lasting = iter([50.0, 20.0, 2.0, 3.0, 4.0, 5.0])
    assert estimate_cost(encoder, recipe("scl", **CHANGES), tiny_groups(60), patience=0.1).tried == 3


@pytest.mark.parametrize("name", ["scl", "simcse_unsup"])
def test_nothing_is_touched(tiny: Path, name: str) -> None:
    """Weights, dropout, mode and random state are what they were, and the training after it the same."""
    settings, groups = recipe(name, **CHANGES), tiny_groups()
    encoder = tiny_encoder(tiny, pooling=settings.pooling)
    weights = {key: value.clone() for key, value in encoder.state_dict().items()}
    torch.manual_seed(11)
    state = torch.get_rng_state()
    estimate_cost(encoder, settings, groups, patience=0.01)
    assert torch.equal(state, torch.get_rng_state())
    assert all(torch.equal(weights[key], value) for key, value in encoder.state_dict().items())
    assert not encoder.training and all(p.grad is None for p in encoder.parameters())
    drops = [module.p for module in encoder.modules() if isinstance(module, torch.nn.Dropout)]
    assert drops and settings.dropout not in drops

    after = fit(encoder, settings, groups, steps=3, progress=False).history
    assert after == fit(tiny_encoder(tiny, pooling=settings.pooling), settings, groups, steps=3, progress=False).history


@pytest.mark.slow
def test_a_sample_stands_for_all(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of much data a part is tokenised, and the number of steps extrapolated."""
    monkeypatch.setattr(cost_module, "SAMPLE", 30)
    monkeypatch.setattr(cost_module, "POOL", 1)
    settings, groups = recipe("scl", **CHANGES), tiny_groups(120)
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    found = estimate_cost(encoder, settings, groups, patience=0.01)
    whole = fit(encoder, settings, groups, progress=False, steps=None).steps
    assert found.steps == pytest.approx(whole, rel=0.2)


def test_tokenising_a_quarter_stands_for_four_times_as_much(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, tokenize = [0.0], Encoder.tokenize

    def slow_tokenize(*args):
        now[0] += 7.0
        return tokenize(*args)

    monkeypatch.setattr(Encoder, "tokenize", slow_tokenize)
    monkeypatch.setattr(cost_module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(cost_module, "SAMPLE", 10)
    monkeypatch.setattr(cost_module, "POOL", 1)
    monkeypatch.setattr(cost_module, "_timed", lambda *_: ([1.0], [9]))
    cost = estimate_cost(tiny_encoder(tiny), recipe("scl", **CHANGES), tiny_groups(40))
    assert cost.preparing == 4 * now[0] > 0


@pytest.mark.parametrize("seed", [0, 1])
def test_the_batch_tried_for_its_memory_is_that_of_the_longest_text(tiny: Path, monkeypatch, seed: int) -> None:
    tried = []
    monkeypatch.setattr(cost_module, "_timed", lambda *_: ([1.0], [9]))
    monkeypatch.setattr(cost_module, "_try_heaviest", lambda _, batch: tried.extend(batch))
    groups = [*tiny_groups(40)[::3], replace(tiny_groups(1)[0], anchor="a dog " * 25)]
    estimate_cost(tiny_encoder(tiny), recipe("scl", **CHANGES), groups, seed=seed)
    assert max(item.longest for item in tried) == 52, "with [CLS] and [SEP]"


def test_memory_is_what_the_process_holds(tiny: Path) -> None:
    before = held_mb()
    found = estimate_cost(
        tiny_encoder(tiny, pooling="mean_without_cls"), recipe("scl", **CHANGES), tiny_groups(), patience=0.01
    )
    assert 50 < before * 0.9 < found.memory_mb < 20_000


def test_a_batch_too_large_is_told_with_its_remedy(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 byte")

    monkeypatch.setattr("kit.training.trainer.Trainer.backward", full)
    with pytest.raises(KitError, match="batch of 9 to fit into memory.*smaller batch_size, or a chunk"):
        estimate_cost(tiny_encoder(tiny, pooling="mean_without_cls"), recipe("scl", **CHANGES), tiny_groups())

    monkeypatch.setattr("kit.training.trainer.Trainer.backward", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        estimate_cost(tiny_encoder(tiny, pooling="mean_without_cls"), recipe("scl", **CHANGES), tiny_groups())


def test_no_data_is_told(tiny: Path) -> None:
    with pytest.raises(KitError, match="expected data to train on, got none"):
        estimate_cost(tiny_encoder(tiny), recipe("scl"), [])


def test_the_summary_says_that_it_is_an_estimate() -> None:
    assert a_cost().summary() == (
        "About 51 s for 100 steps and 9,640 sentences; this process then holds up to 612 MiB. An estimate from 7 real "
        "steps on a machine; other work on this machine makes it wrong."
    )
    assert a_cost().for_steps(200).seconds == 101 and " for 1 step and " in a_cost().for_steps(1).summary()


def test_where_the_system_does_not_say_its_memory_nothing_is_said_of_it(tiny: Path, monkeypatch) -> None:
    monkeypatch.setattr(cost_module, "held_mb", lambda: None)  # as on Windows
    found = estimate_cost(tiny_encoder(tiny), recipe("scl", **CHANGES), tiny_groups(), patience=0.01)
    assert found.memory_mb is None and "sentences. An estimate" in found.summary()
