"""`kit.plain`, the method on one page, against a step and twenty steps of `fit`."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

import kit
from kit import plain
from kit.encoder import load_encoder
from kit.training import Trainer, recipe
from kit.training.batches import Example, epoch_of_batches, tokenize_groups
from kit.world import World

LR, SIZE, STEPS = 1e-3, 16, 20
KIT = Path(kit.__file__).parent


@pytest.fixture(scope="module")
def groups() -> list:

    return World(0).groups(120)


def settings(lam: float):
    return recipe("scl", lam=lam, temperature=1.0, dropout=0.0, batch_size=SIZE, lr=LR, clip=1.0)


def both(groups: list, lam: float, fast: bool) -> tuple[Trainer, plain.SentenceEncoder, torch.nn.Linear, list]:
    """A trainer; a plain encoder and classifier with its weights; and its batches as groups of sentences."""
    encoder = load_encoder("kit-bert-tiny", pooling="mean_without_cls")
    twin = plain.SentenceEncoder(copy.deepcopy(encoder.bert), encoder.tokenizer)
    examples = tokenize_groups(encoder, groups, "groups")
    trainer = Trainer(encoder, settings(lam), examples, STEPS, seed=0, precision="fp32", fast=fast)
    classifier = copy.deepcopy(trainer.objective.head.layers)
    group_of = {id(example): group for example, group in zip(examples, groups, strict=True)}
    batches = [batch for epoch in range(9) for batch in epoch_of_batches(examples, SIZE, 0, epoch)][:STEPS]
    twin.eval()  # as dropout is 0 in the trainer
    return trainer, twin, classifier, [[group_of[id(example)] for example in batch] for batch in batches]


def groups_as_examples(groups: list) -> list[Example]:
    return [Example(g.anchor, list(g.hypotheses), list(g.labels), len(g.labels)) for g in groups]


def gradient(module: torch.nn.Module) -> torch.Tensor:
    return torch.cat(
        [torch.zeros_like(p).flatten() if p.grad is None else p.grad.flatten() for p in module.parameters()]
    )


@pytest.mark.slow
@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
def test_loss_and_gradients_are_those_of_a_step_of_fit(groups: list, lam: float) -> None:
    for fast in (False, True):
        trainer, twin, classifier, batches = both(groups, lam, fast)
        trainer.module.train()
        loss, _ = trainer.backward(trainer.next_batch())
        mine = plain.loss_of(batches[0], twin, classifier, lam=lam, temperature=1.0)
        mine.backward()
        assert mine.item() == pytest.approx(loss.item(), rel=1e-6)
        pairs = [(twin.bert, trainer.encoder.bert), (classifier, trainer.objective.head.layers)]
        for ours, theirs in pairs[: 1 if lam == 1 else 2]:  # with λ = 1 nothing asks the classifier
            distance = (gradient(ours) - gradient(theirs)).norm() / gradient(theirs).norm()
            assert distance < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("lam", [0.0, 0.3])
def test_the_first_twenty_steps_are_those_of_fit(groups: list, lam: float) -> None:
    for fast, tolerance in ((False, 1e-5), (True, 1e-3)):
        trainer, twin, classifier, batches = both(groups, lam, fast)
        losses = [trainer.step()["loss"] for _ in range(STEPS)]
        mine = list(plain.train(twin, classifier, batches, lr=LR, lam=lam, temperature=1.0))
        assert mine == pytest.approx(losses, rel=tolerance)
        sentences = [group.anchor for group in groups[:50]]
        with torch.no_grad():
            torch.testing.assert_close(twin(sentences), trainer.encoder.encode(sentences), rtol=0, atol=100 * tolerance)
        assert losses[-1] < losses[0]


def test_the_page_cuts_its_own_batches(groups: list) -> None:
    batches = list(plain.batches(groups, pairs=SIZE, seed=1))
    assert sorted(group.anchor for batch in batches for group in batch) == sorted(group.anchor for group in groups)
    assert all(sum(len(group.hypotheses) for group in batch) >= SIZE for batch in batches[:-1])
    assert batches != list(plain.batches(groups, pairs=SIZE, seed=2))
    ours = epoch_of_batches(groups_as_examples(groups), SIZE, 1, 3)
    theirs = list(plain.batches(groups, pairs=SIZE, seed=1, epoch=3))
    assert [[example.anchor for example in batch] for batch in ours] == [[g.anchor for g in batch] for batch in theirs]
    assert len((KIT / "plain.py").read_text("utf-8").splitlines()) <= 120


def test_a_batch_without_an_anchor_adds_no_contrast_and_no_nan() -> None:
    premises, hypotheses = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3)
    loss = plain.contrastive_loss(premises, hypotheses, torch.zeros(2, 2, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0 and torch.equal(premises.grad, torch.zeros(2, 3))
