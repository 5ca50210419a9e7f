"""What the tests of the systems share: a run that is stopped and resumed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from kit.training import Recipe, Trainer, fit
from tests.tiny import tiny_encoder


class Stopped(Exception):
    pass


def stop_at(step: int):
    def callback(told: dict) -> None:
        if told["step"] == step:
            raise Stopped

    return callback


def reached_by(trainer: Trainer, loss_of=None) -> set[str]:
    """The operations through which the gradient of a batch comes to the sentence vectors.

    IndexBackward0 (z[...]) must not be among them: on two threads it adds the gradients of a row that is taken twice in
    any order. loss_of: (batch, context) → loss and parts; None: as the objective has it.
    """
    batch = trainer.next_batch()
    z = torch.randn(len(batch.token_ids), trainer.encoder.dim, requires_grad=True)
    loss, _ = (loss_of or trainer.objective.loss)(batch, trainer.context(lambda token_ids: z))
    names, known, open_nodes = set(), set(), [loss.grad_fn]
    while open_nodes:
        node = open_nodes.pop()
        before = [other for other, _ in node.next_functions if other is not None]
        names |= {node.name() for other in before if getattr(other, "variable", None) is z}
        open_nodes += [other for other in before if other not in known]
        known.update(before)
    return names


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
