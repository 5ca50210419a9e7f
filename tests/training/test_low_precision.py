"""A training in bfloat16 multiplies the weights of each step, whatever is around it and between its steps."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path

import pytest
import torch

from kit.training import Trainer, fit, recipe
from kit.training.example_sources import open_data
from tests.tiny import tiny_encoder, tiny_groups, write_tiny_bert
from tests.training.shared import Stopped, stop_at

STEPS, EVERY = 12, 3
CHANGES = {"batch_size": 9, "lr": 1e-3, "warmup": 0.0, "max_positives": 1, "max_negatives": 4}
AROUND = {"nothing": contextlib.nullcontext, "autocast": partial(torch.autocast, "cpu", torch.bfloat16)}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("models") / "tiny")


def losses(tiny: Path, precision: str = "bf16", dropout: float = 0.3, encoder=None, **given) -> list[float]:
    encoder = encoder or tiny_encoder(tiny, pooling="mean_without_cls")
    given = {"steps": STEPS, "progress": False} | given
    made = recipe("scl", dropout=dropout, **CHANGES)
    return [step["loss"] for step in fit(encoder, made, tiny_groups(), precision=precision, **given).history]


@pytest.mark.parametrize("fast", [True, False])
def test_bf16_learns_what_fp32_learns(tiny: Path, fast: bool) -> None:
    """To rounding: with the weights of the first step alone, the losses would be apart by more than a tenth."""
    low, full = (losses(tiny, precision, dropout=0.0, fast=fast) for precision in ("bf16", "fp32"))
    assert max(full) - min(full) > 0.3, "what the weights learn is to be seen in the losses"
    assert low == pytest.approx(full, abs=0.03)
    assert low != full


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("around", AROUND)
def test_each_step_has_its_own_weights(tiny: Path, around: str, fast: bool) -> None:
    """Those of steps made one by one, each with no autocast around it."""
    made = recipe("scl", dropout=0.3, **CHANGES)
    encoder = tiny_encoder(tiny, pooling="mean_without_cls")
    examples = open_data(encoder, tiny_groups(), made, 0)
    trainer = Trainer(encoder, made, examples, STEPS, 0, precision="bf16", fast=fast)
    one_by_one = [trainer.step()["loss"] for _ in range(STEPS)]
    with AROUND[around]():
        assert losses(tiny, fast=fast) == one_by_one


@pytest.mark.parametrize("fast", [True, False])
def test_encoding_between_two_steps_changes_nothing(tiny: Path, fast: bool) -> None:
    undisturbed = losses(tiny, fast=fast)
    encoder, seen = tiny_encoder(tiny, pooling="mean_without_cls"), []

    def validate(step: dict) -> None:
        seen.append(encoder.encode(["a dog runs"], precision="bf16", fast=fast))

    assert losses(tiny, fast=fast, encoder=encoder, callback=validate) == undisturbed
    assert not torch.allclose(seen[0], seen[-1], atol=1e-3), "each is that of the weights as they are"
    assert torch.equal(seen[-1], encoder.encode(["a dog runs"], precision="bf16", fast=fast))


def test_a_stopped_run_in_bf16_goes_on_bit_for_bit(tiny: Path, tmp_path: Path) -> None:
    whole = losses(tiny, folder=tmp_path / "whole", checkpoint_every=EVERY)
    with pytest.raises(Stopped):
        losses(tiny, folder=tmp_path / "stopped", checkpoint_every=EVERY, callback=stop_at(5))
    assert losses(tiny, folder=tmp_path / "stopped", checkpoint_every=EVERY) == whole == losses(tiny)
