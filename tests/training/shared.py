"""What the tests of the systems share: a run that is stopped and resumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kit.training import Recipe, fit
from tests.tiny import tiny_encoder


class Stopped(Exception):
    pass


def stop_at(step: int):
    def callback(told: dict) -> None:
        if told["step"] == step:
            raise Stopped

    return callback


def resumes_bit_for_bit(model: Path, folder: Path, recipe: Recipe, data: Sequence) -> None:
    """A run that dies between two checkpoints, resumed with a fresh encoder: the history and the weights of
    one that never stopped. (What a SIGKILL in the middle of a file does, tests/training/test_resume.py shows.)
    """

    def run(callback=None, keep: Path | None = None):
        encoder = tiny_encoder(model, pooling=recipe.pooling)
        return fit(encoder, recipe, data, folder=keep, checkpoint_every=2, callback=callback, progress=False), encoder

    whole, trained = run()
    assert whole.steps > 5
    with pytest.raises(Stopped):
        run(stop_at(5), folder / "run")
    seen: list[dict] = []
    resumed, again = run(seen.append, folder / "run")
    assert seen[0]["step"] == 5, "it went on from the checkpoint of step 4"
    assert resumed.history == whole.history
    weights = trained.state_dict()
    assert all((value == weights[name]).all() for name, value in again.state_dict().items())
